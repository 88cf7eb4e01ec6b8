"""Plays a run to its end: fixtures out, results durably in, everything of note to a watcher.

Results of all slots go through one writer, which commits whatever has come in since its last commit at once. A
result is announced only when it is on disk.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

import attrs
import trio

from arena.cleaning import clean
from arena.errors import ArchiveError, ArenaError
from arena.referee.record import Fault
from arena.referee.settings import Fixture
from arena.referee.speed import measure_speed
from arena.referee.summary import MatchRow
from arena.referee.wire import MatchPlayed, Setup
from arena.tournament.backend import Backend, Loss
from arena.tournament.director import Director, Unscored
from arena.tournament.files import write_atomically
from arena.tournament.pool import Slot
from arena.tournament.store import Event, RunReader, RunStore, StoredMatch

STANDINGS = "standings.json"
LOGS = "logs"  #: folder of a run for stderr of forfeited matches and for traces
BACKLOG = 1000  #: results that may wait for the disk before the referees wait, too
STANDINGS_EVERY_S = 2.0
STANDINGS_SHARE = 20  #: the standings are made anew at most after so many times what it took the last time


class Watcher(Protocol):
    """Who is told what happens; everything is called from the run's own task and must be quick."""

    def started(self, fixture: Fixture, slot: int) -> None:
        """A match begins."""

    def played(self, row: MatchRow, faults: Sequence[Fault], logs: Sequence[Path]) -> None:
        """A result is stored; `logs` are the files with the stderr of those that forfeited."""

    def unscored(self, decision: Unscored) -> None:
        """A fixture was found not to count."""

    def lost(self, loss: Loss) -> None:
        """A match lost its referee and will be replayed."""

    def settled(self, director: Director) -> None:
        """Something was stored; the director says where the run stands."""


@attrs.frozen(kw_only=True)
class Ending:
    """How a run stopped."""

    complete: bool  #: every fixture of the plan is settled
    interrupted: bool  #: a signal stopped it
    set_aside: int
    strict_fault: str = ""  #: the first fault, where it was to be fatal


@attrs.frozen
class _Delivery:
    match: StoredMatch
    faults: tuple[Fault, ...]


class _StrictFault(Exception):
    """Stops the play; `Run` knows the sentence."""


class Run:
    """One run being played; a sink for its backend."""

    def __init__(
        self,
        store: RunStore,
        folder: Path,
        watcher: Watcher,
        *,
        strict: bool = False,
        standings: Callable[[Sequence[MatchRow]], bytes] | None = None,
    ) -> None:
        """Make ready to go on behind what the store holds.

        Args:
            store: of the run, open for writing.
            folder: of the run.
            watcher: is told what happens.
            strict: stop at the first fault.
            standings: makes the content of `standings.json` from the rows so far; may be called in a thread.
        """
        self.store = store
        self.folder = folder
        self.watcher = watcher
        told = {one.match_id: one for one in store.unscored()}
        self.director = Director(store.plan, store.all_rows(), told)
        self._strict = strict
        self._strict_fault = ""
        self._standings = standings
        self._deliveries: list[_Delivery] = []
        self._events: list[Event] = []
        self._arrived = trio.Event()
        self._stored = trio.Event()

    @cached_property
    def _speed(self) -> float:
        return measure_speed()

    def setup(self, slot: Slot) -> Setup:
        """Return what the referee of a slot is told."""
        plan = self.store.plan
        return Setup(
            settings=plan.settings,
            entrants=plan.entrants,
            slot=slot.number,
            cores=slot.cores,
            logs=str(self.folder.absolute() / LOGS),
            speed=self._speed,
        )

    async def play(self, backend: Backend, *, wind_down_after_s: float | None = None) -> Ending:
        """Play until the plan is complete, a signal comes, or time is up.

        Args:
            backend: plays the fixtures.
            wind_down_after_s: from now; no block is begun after it.

        Raises:
            ArenaError: the store can't be written or no referee can be started; what is stored is safe.
        """
        interrupted = False
        try:
            async with trio.open_nursery() as nursery:
                stop = trio.CancelScope()
                nursery.start_soon(self._write)
                nursery.start_soon(self._publish)
                if wind_down_after_s is not None:
                    nursery.start_soon(self._wind_down, wind_down_after_s)
                await nursery.start(_stop_on_signal, stop)
                with stop:
                    await backend.play(self.director, self)
                interrupted = stop.cancelled_caught
                nursery.cancel_scope.cancel()
        except BaseExceptionGroup as group:
            _raise_unless_strict(group)
        finally:
            with trio.CancelScope(shield=True):
                await self._store_all()
        await self._publish_once()
        return Ending(
            complete=self.director.complete and not interrupted and not self._strict_fault,
            interrupted=interrupted,
            set_aside=len(self.store.set_aside()),
            strict_fault=self._strict_fault,
        )

    # -- a sink for the backend -------------------------------------------------------------------------------

    def started(self, fixture: Fixture, slot: int) -> None:
        """Pass it on."""
        self.watcher.started(fixture, slot)

    async def played(self, match: MatchPlayed, fixture: Fixture, slot: int) -> None:
        """Take a result: the director knows it at once, the watcher when it is on disk.

        Results are stored in the order in which they came, so that what a later one depends on is never missing.
        """
        del slot
        stored = StoredMatch(number=fixture.number, row=match.summary, record=bytes(match.record))
        self.director.finished(stored.row)
        self._deliveries.append(_Delivery(stored, match.faults))
        self._arrived.set()
        while len(self._deliveries) > BACKLOG:
            await self._stored.wait()

    async def lost(self, loss: Loss) -> None:
        """Note it; the backend replays the match."""
        self._events.append(Event(kind="lost", text=self._sentence(loss)))
        self._arrived.set()
        self.watcher.lost(loss)

    async def set_aside(self, loss: Loss) -> None:
        """Note that a match is not tried again."""
        blamed = "" if loss.last_seat is None else loss.fixture.line_up[loss.last_seat]
        self._events.append(Event(kind="set aside", text=self._sentence(loss)))
        self.director.set_aside(loss.fixture.match_id, f"it lost its referee {loss.times} times: {loss.reason}", blamed)
        self._arrived.set()

    @staticmethod
    def _sentence(loss: Loss) -> str:
        fixture = loss.fixture
        last = "nobody" if loss.last_seat is None else f"{fixture.line_up[loss.last_seat]} at seat {loss.last_seat}"
        return f"{fixture.match_id} in slot {loss.slot}: {loss.reason}; the last message came from {last}"

    def note(self, kind: str, text: str) -> None:
        """Keep an event of another kind, for example of a host that came or went."""
        self._events.append(Event(kind=kind, text=text))
        self._arrived.set()

    # -- the writer -------------------------------------------------------------------------------------------

    async def _write(self) -> None:
        while True:
            await self._arrived.wait()
            await self._store_all()
            if self._strict_fault:
                raise _StrictFault

    async def _store_all(self) -> None:
        self._arrived = trio.Event()
        deliveries, self._deliveries = self._deliveries, []
        losses, self._events = self._events, []
        decisions = self.director.decisions()
        if not (deliveries or losses or decisions):
            return
        matches = [delivery.match for delivery in deliveries]
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self.store.insert_many, matches, decisions, losses)
        for delivery in deliveries:
            logs = self._write_logs(delivery)
            self.watcher.played(delivery.match.row, delivery.faults, logs)
        for decision in decisions:
            self.watcher.unscored(decision)
        self.watcher.settled(self.director)
        self._stored.set()
        self._stored = trio.Event()
        if self._strict and not self._strict_fault:
            self._strict_fault = _first_fault(deliveries)

    def _write_logs(self, delivery: _Delivery) -> list[Path]:
        paths = []
        for fault in delivery.faults:
            if fault.forfeits and fault.stderr_tail:
                row = delivery.match.row
                path = self.folder / LOGS / f"{row.match_id}.seat-{fault.seat}.stderr"
                head = f"# {row.match_id}, seat {fault.seat}, {row.line_up[fault.seat]}: {fault.verdict.value}\n"
                try:
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(head + fault.stderr_tail + "\n", "utf-8")
                except OSError as error:
                    raise ArchiveError(str(path), f"can't be written: {error.strerror or error}") from None
                paths.append(path)
        return paths

    # -- standings and time -----------------------------------------------------------------------------------

    async def _publish(self) -> None:
        while self._standings is not None:
            await self._stored.wait()
            began = trio.current_time()
            await self._publish_once()
            await trio.sleep(max(STANDINGS_EVERY_S, STANDINGS_SHARE * (trio.current_time() - began)))

    async def _publish_once(self) -> None:
        if self._standings is None:
            return
        await trio.to_thread.run_sync(self._write_standings, self._standings)

    def _write_standings(self, make: Callable[[Sequence[MatchRow]], bytes]) -> None:
        with RunReader(self.folder) as reader:
            rows = reader.rows()
        write_atomically(self.folder / STANDINGS, make(rows))

    async def _wind_down(self, after_s: float) -> None:
        await trio.sleep(max(0.0, after_s))  # the time may have come before the first match
        self.director.wind_down()


async def _stop_on_signal(stop: trio.CancelScope, task_status: trio.TaskStatus[None]) -> None:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            stop.cancel()


def _first_fault(deliveries: Sequence[_Delivery]) -> str:
    """Return a sentence about the first fault, with the stderr of its bot; "" when there was none."""
    for delivery in deliveries:
        for fault in delivery.faults:
            row = delivery.match.row
            tail = f"\n{fault.stderr_tail}" if fault.stderr_tail else ""
            where = f"{row.line_up[fault.seat]} at seat {fault.seat} of {row.match_id}"
            return f"{where}: {fault.verdict.value}: {clean(fault.reason, 2000)}{tail}"
    return ""


def _raise_unless_strict(group: BaseExceptionGroup[BaseException]) -> None:
    """Raise the first error that people can understand, else the group; nothing when only a strict fault is there."""
    _, rest = group.split(_StrictFault)
    if rest is None:
        return
    for error in _leaves(rest):
        if isinstance(error, ArenaError):
            raise error from None
    raise rest


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
