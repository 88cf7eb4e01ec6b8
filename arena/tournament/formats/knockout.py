"""Knockout with tables of any size: the best of each table go on, until one table is left, the final.

Entrants are seeded in the order of the file. A round begins with whoever is left, sorted by seed; when they are
too many for the next full round, only the last seeds play a preliminary one and the others have a bye.
"""

from __future__ import annotations

from math import ceil

from arena.errors import Problem
from arena.tournament.formats.api import Field, Format, Played, Schedule, Setting
from arena.tournament.formats.round_robin import int_setting
from arena.tournament.formats.rounds import RoundsSchedule
from arena.tournament.formats.scores import Tally
from arena.wording import counted, listed


class Knockout(Format):
    """Lose and leave."""

    name = "knockout"
    summary = "a show with a winner at the end; the others are hardly compared"
    settings = (
        Setting(name="deals", default=3, minimum=1, help="how many deals every table plays in all rotations"),
        Setting(name="advance", default=0, minimum=0, help="how many of a table go on; 0: half of it, rounded down"),
    )

    def check(self, field: Field) -> list[Problem]:
        """Refuse that everybody goes on, and entrants that may not meet."""
        problems = []
        if int_setting(field, "advance") >= field.seats:
            problems.append(
                Problem("advance", f"must be less than the {field.seats} at a table, or nobody is ever knocked out")
            )
        if len(set(field.bots.values())) < len(field.bots):
            problems.append(Problem("", "in a knockout anybody may meet anybody; set allow_self_play = true"))
        return problems

    def schedule(self, field: Field) -> Schedule:
        """Return the schedule before round 1."""
        return _KnockoutSchedule(field)

    def notes(self, field: Field) -> list[str]:
        """Say how many are left after each round."""
        left = [len(field.entrants)]
        while left[-1] > field.seats:
            left.append(left[-1] - knocked_out(left[-1], field.seats, advancing(field))[1])
        return [
            f"entrants by round: {', '.join(map(str, left))}; ties at a table go to more points, then the better seed"
        ]


def advancing(field: Field) -> int:
    """Return how many of a full table go on."""
    return int_setting(field, "advance") or max(1, field.seats // 2)


def knocked_out(left: int, seats: int, advance: int) -> tuple[int, int]:
    """Return how many tables a round with `left` (more than `seats`) entrants has, and how many it knocks out.

    A round aims at the largest number that full rounds of full tables lead from down to the final, so that
    byes come in the first rounds only.
    """
    aim = seats
    while aim % advance == 0 and aim // advance * seats < left:
        aim = aim // advance * seats
    excess = left - aim
    tables = min(left // seats, ceil(excess / (seats - advance)))
    return tables, min(excess, tables * (seats - advance))


class _KnockoutSchedule(RoundsSchedule):
    def __init__(self, field: Field) -> None:
        super().__init__(field, int_setting(field, "deals"))
        self._advance = advancing(field)
        self._left = list(field.entrants)  #: still in, by seed
        self._tables: list[tuple[str, ...]] = []
        self._leaving = 0  #: how many of the present round are knocked out
        self._tally = Tally()
        self._final = False

    def state(self) -> str:
        """Say who is in, and in the end who won."""
        if not self._final:
            left = f"{counted(len(self._left), 'entrant')} left"
            return f"over without a final: {left}" if self.over else f"round {self.round}, {left}"
        table = self._tables[0]
        if self._tally.is_empty:
            return f"the final: {listed(table)}"
        first = self._tally.ranked(self.still_in(table))[0]
        return f"{first} won the final" if self.over else f"the final, {first} leads"

    def heard(self, played: Played) -> None:
        """Count a result."""
        self._tally.add(played)

    def draw(self) -> list[tuple[str, ...]]:
        """Return the tables of the next round."""
        if self._final:
            return []
        self._knock_out()
        seats = self.field.seats
        if len(self._left) < seats:
            return []  # too many were disabled: nobody is left to play against
        self._final = len(self._left) == seats
        tables, self._leaving = (1, 0) if self._final else knocked_out(len(self._left), seats, self._advance)
        playing = self._left[len(self._left) - tables * seats :]
        self._tables = _snake(playing, tables)
        self._tally = Tally()
        return self._tables

    def _knock_out(self) -> None:
        """Take out who lost the round, and whoever was disabled."""
        out: set[str] = set()
        leaving = self._leaving
        for table in self._tables:
            disabled = [name for name in table if name not in self.active]
            standing = self._tally.ranked(name for name in table if name in self.active)
            here = min(leaving, len(table) - self._advance)
            leaving -= here
            out.update(disabled)
            out.update(standing[len(table) - max(here, len(disabled)) :])
        self._left = [name for name in self._left if name not in out and name in self.active]
        self._tables = []


def _snake(names: list[str], tables: int) -> list[tuple[str, ...]]:
    """Return tables of like strength: the seeds go down the tables and back up."""
    seated: list[list[str]] = [[] for _ in range(tables)]
    for number, name in enumerate(names):
        turn, place = divmod(number, tables)
        seated[place if turn % 2 == 0 else tables - 1 - place].append(name)
    return [tuple(table) for table in seated]
