"""Swiss: for many entrants; in each round those with like results meet, and nobody meets anybody twice if avoidable.

Every table plays whole blocks, so seats are balanced exactly. When the entrants don't fill the tables, those with the
fewest byes so far, the last in rank among them, sit out. A bye neither helps nor hurts: ranks go by the mean share of
the table left behind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from math import ceil, log2

from arena.errors import Problem
from arena.tournament.formats.api import Field, Format, Played, Schedule, Setting
from arena.tournament.formats.grouping import BARRED, Cost, free_tables, least_tables
from arena.tournament.formats.round_robin import int_setting
from arena.tournament.formats.rounds import RoundsSchedule
from arena.tournament.formats.scores import Tally
from arena.wording import counted

_BYES_TRIED = 40
_BYES_TRIED_AGAIN = 2  #: where nobody can be kept from meeting again

Seating = Callable[[int, int, Cost], list[tuple[int, ...]] | None]


class Swiss(Format):
    """A few rounds among many."""

    name = "swiss"
    summary = "a ranking of many entrants in few matches: those with like results meet"
    settings = (
        Setting(name="rounds", default=0, minimum=0, help="0: one more than halving the field down to one takes"),
        Setting(
            name="deals", default=1, minimum=1, help="how many deals every table of a round plays in all rotations"
        ),
    )

    def check(self, field: Field) -> list[Problem]:
        """Refuse a field in which one bot has more entrants than there are tables."""
        tables = len(field.entrants) // field.seats
        bot, entrants = Counter(field.bots.values()).most_common(1)[0] if field.bots else ("", 0)
        if entrants <= tables:
            return []
        return [Problem("", f"{bot} has {entrants} entrants that may not share one of {tables} tables")]

    def schedule(self, field: Field) -> Schedule:
        """Return the schedule before round 1."""
        return _SwissSchedule(field)

    def notes(self, field: Field) -> list[str]:
        """Say how many rounds there are, and who sits out."""
        byes = len(field.entrants) % field.seats
        sitting = f"; {byes} of {len(field.entrants)} sit out in each" if byes else ""
        return [f"{rounds_of(field)} rounds{sitting}"]


def rounds_of(field: Field) -> int:
    """Return the number of rounds."""
    return int_setting(field, "rounds") or ceil(log2(len(field.entrants))) + 1


class _SwissSchedule(RoundsSchedule):
    def __init__(self, field: Field) -> None:
        super().__init__(field, int_setting(field, "deals"))
        self._rounds = rounds_of(field)
        self._tally = Tally()
        self._met: Counter[tuple[str, str]] = Counter()
        self._byes: Counter[str] = Counter()
        self.total = self._rounds * self.deals * (len(field.entrants) // field.seats) * field.seats

    def state(self) -> str:
        """Say which round it is and who leads, and in the end who won."""
        if self._tally.is_empty:
            return f"round {self.round} of {self._rounds}"
        first = self._tally.ranked(self.still_in(self.field.entrants))[0]
        if self.over:
            return f"{first} won after {counted(self.round, 'round')}"
        return f"round {self.round} of {self._rounds}, {first} leads"

    def heard(self, played: Played) -> None:
        """Count a result."""
        self._tally.add(played)

    def draw(self) -> list[tuple[str, ...]]:
        """Return the tables of the next round."""
        if self.round == self._rounds:
            return []
        ranked = self._tally.ranked(self.active)
        for seated in range(len(ranked) // self.field.seats * self.field.seats, 0, -self.field.seats):
            tables = self._tables(ranked, seated)
            if tables is not None:
                self._note(ranked, tables)
                return tables
        return []

    def _tables(self, ranked: list[str], seated: int) -> list[tuple[str, ...]] | None:
        """Return tables for `seated` of the ranked: without a pair that meets again, or with few of them."""
        for byes in islice(self._bye_choices(ranked, len(ranked) - seated), _BYES_TRIED):
            tables = self._seat(ranked, byes, free_tables)
            if tables is not None:
                return tables
        again = islice(self._bye_choices(ranked, len(ranked) - seated), _BYES_TRIED_AGAIN)
        found = [tables for byes in again if (tables := self._seat(ranked, byes, least_tables)) is not None]
        return min(found, key=self._rematches, default=None)

    def _rematches(self, tables: list[tuple[str, ...]]) -> int:
        return sum(self._met[pair] for table in tables for pair in _pairs(table))

    def _seat(self, ranked: list[str], byes: frozenset[str], seat: Seating) -> list[tuple[str, ...]] | None:
        playing = [name for name in ranked if name not in byes]
        order = _folded(playing, self.field.seats) if self.round == 0 else playing

        def cost(one: int, other: int) -> int:
            names = order[one], order[other]
            return self._met[_pair(*names)] if self.field.may_meet(*names) else BARRED

        tables = seat(len(order), self.field.seats, cost)
        return None if tables is None else [tuple(order[rank] for rank in ranks) for ranks in tables]

    def _bye_choices(self, ranked: list[str], byes: int) -> Iterator[frozenset[str]]:
        """Yield who may sit out: always those with the fewest byes so far, and of equals the last in rank first."""
        if not byes:
            yield frozenset()
            return
        rank = {name: place for place, name in enumerate(ranked)}
        waiting = sorted(ranked, key=lambda name: (self._byes[name], -rank[name]))
        most = self._byes[waiting[byes - 1]]
        sure = [name for name in waiting if self._byes[name] < most]
        level = [name for name in waiting if self._byes[name] == most]
        for others in combinations(level, byes - len(sure)):
            yield frozenset((*sure, *others))

    def _note(self, ranked: list[str], tables: list[tuple[str, ...]]) -> None:
        seated = {name for table in tables for name in table}
        self._byes.update(name for name in ranked if name not in seated)
        self._met.update(pair for table in tables for pair in _pairs(table))


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _pairs(table: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return (_pair(one, other) for one, other in combinations(table, 2))


def _folded(names: list[str], seats: int) -> list[str]:
    """Return the names so that tables of neighbours hold one of each strength: the file may be sorted by it."""
    tables = len(names) // seats
    return [names[place * tables + table] for table in range(tables) for place in range(seats)]
