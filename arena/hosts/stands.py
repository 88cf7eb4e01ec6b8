"""The places of a host where a match can be played: cores, and a referee that waits there between batches."""

from __future__ import annotations

import threading
import time

import attrs
import trio

from arena.tournament.cores import Claim, claim
from arena.tournament.pool import Referee

IDLE_AT_MOST_S = 20.0  #: a referee that has waited for so long is ended
LOOK_EVERY_S = 5.0
FIRST_UNPINNED = 120  #: numbers from here on are slots without a core of their own


@attrs.define(eq=False)
class Stand:
    """Some cores, and perhaps a referee on them."""

    session: str
    places: tuple[tuple[int, tuple[int, ...]], ...]  #: number and cores of each slot it takes
    referee: Referee | None = None
    idle_since_s: float = 0.0

    @property
    def number(self) -> int:
        """Of its first slot: no other match of this machine has it, so its bots get a user of their own."""
        return self.places[0][0]

    @property
    def cores(self) -> tuple[int, ...]:
        """To pin to; empty: not pinned."""
        return tuple(core for _, cores in self.places for core in cores)

    async def dissolve(self) -> None:
        """End its referee, if any."""
        referee, self.referee = self.referee, None
        if referee is not None:
            await referee.stop()


class Stands:
    """The slots of a worker; safe to be used on many threads."""

    def __init__(self, slots: int) -> None:
        """Claim a core for each slot, as far as there are free ones."""
        self._claim: Claim = claim(slots, oversubscribe=True)
        self._free = [
            (slot.cores[0] if slot.cores else FIRST_UNPINNED + slot.number, slot.cores) for slot in self._claim.slots
        ]
        self._idle: list[Stand] = []
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._sweeper: threading.Thread | None = None

    def take(self, session: str, places: int) -> Stand:
        """Return a stand with so many slots, if possible one whose referee knows the session; waits for free ones."""
        with self._changed:
            while True:
                for stand in self._idle:
                    if stand.session == session:
                        self._idle.remove(stand)
                        return stand
                while len(self._free) < places and self._idle:
                    self._dissolve(self._idle[0])
                if len(self._free) >= places:
                    taken, self._free = self._free[:places], self._free[places:]
                    return Stand(session, tuple(taken))
                self._changed.wait()

    def give_back(self, stand: Stand) -> None:
        """Take a stand back; its referee waits for the next batch."""
        with self._changed:
            stand.idle_since_s = time.monotonic()
            self._idle.append(stand)
            if stand.referee is None or self._closed.is_set():
                self._dissolve(stand)
            elif self._sweeper is None:
                self._sweeper = threading.Thread(target=self._sweep, daemon=True, name="idle referees")
                self._sweeper.start()
            self._changed.notify_all()

    def dissolve_idle(self, session: str | None = None, *, for_s: float = 0.0) -> None:
        """End the referees of a session, or of all, that have been idle for so long."""
        with self._changed:
            latest_s = time.monotonic() - for_s
            for stand in list(self._idle):
                if session in (None, stand.session) and stand.idle_since_s <= latest_s:
                    self._dissolve(stand)
            self._changed.notify_all()

    def close(self) -> None:
        """End all idle referees and give the cores back."""
        self._closed.set()
        self.dissolve_idle()
        self._claim.release()

    def _dissolve(self, stand: Stand) -> None:
        self._idle.remove(stand)
        trio.run(stand.dissolve)
        self._free.extend(stand.places)

    def _sweep(self) -> None:
        while not self._closed.wait(LOOK_EVERY_S):
            self.dissolve_idle(for_s=IDLE_AT_MOST_S)
