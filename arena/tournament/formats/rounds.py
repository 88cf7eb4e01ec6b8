"""What formats that play in rounds share: a round is drawn when every result of the round before it is in."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence

from arena.tournament.formats.api import DONE, WAIT, Answer, Field, Pairing, Played, Schedule
from arena.tournament.formats.blocks import block_pairings


class RoundsSchedule(Schedule):
    """Plays round after round; subclasses draw them."""

    def __init__(self, field: Field, deals: int) -> None:
        """`deals` blocks are played by every table of a round, the same deals at all of them."""
        self.field = field
        self.deals = deals
        self.round = 0  #: number of the round to be drawn next, from 0
        self.active = list(field.entrants)  #: who has not been disabled, in the order of the file
        self.over = False  #: no round follows
        self._queue: deque[Pairing] = deque()
        self._unheard = 0

    @abstractmethod
    def draw(self) -> list[tuple[str, ...]]:
        """Return the tables of the next round; none: the tournament is over."""

    @abstractmethod
    def heard(self, played: Played) -> None:
        """Take a result of the present round."""

    def next(self) -> Answer:
        """Return the next pairing of the round; a new round is drawn when the last result is in."""
        if not self._queue:
            if self._unheard:
                return WAIT
            self._queue.extend(self._pairings(self.draw()))
            if not self._queue:
                self.over = True
                return DONE
            self.round += 1
        self._unheard += 1
        return self._queue.popleft()

    def result(self, played: Played) -> None:
        """Take a result."""
        self._unheard -= 1
        self.heard(played)

    def disabled(self, entrant: str) -> None:
        """Draw the entrant no more."""
        if entrant in self.active:
            self.active.remove(entrant)

    def still_in(self, names: Sequence[str]) -> Sequence[str]:
        """Return those of the names that have not been disabled; all of them when everybody has."""
        return [name for name in names if name in self.active] or names

    def _pairings(self, tables: Sequence[tuple[str, ...]]) -> list[Pairing]:
        """Return the blocks of a round, deal after deal, so that tables end at about the same time."""
        return [
            pairing
            for number in range(self.round * self.deals, (self.round + 1) * self.deals)
            for index, table in enumerate(tables)
            for pairing in block_pairings(
                table, deal=number, block=f"r{self.round + 1}-t{index:03d}-d{number:03d}", turn=number
            )
        ]
