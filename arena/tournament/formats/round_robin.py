"""Round-robin: every line-up plays the same deals; a balanced subset of line-ups when there are too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from arena.errors import Problem
from arena.tournament.formats.api import Field, Pairing, Setting, StaticFormat
from arena.tournament.formats.balance import Balance, balanced_subset
from arena.tournament.formats.blocks import block_pairings, combinations_by_last
from arena.wording import counted

DEALS = Setting(name="deals", default=4, minimum=1, help="how many deals every line-up plays, each in all rotations")
MAX_MATCHES = Setting(
    name="max_matches", default=0, minimum=0, help="a budget: a balanced subset of line-ups is played; 0: no budget"
)


class RoundRobin(StaticFormat):
    """Everybody meets everybody, over the same deals."""

    name = "round-robin"
    summary = "the fairest comparison of a few entrants: everybody meets everybody over the same deals"
    settings = (DEALS, MAX_MATCHES)

    def check(self, field: Field) -> list[Problem]:
        """Refuse a budget below one line-up, and a field in which nobody may meet."""
        return check_budget(field)

    def pairings(self, field: Field) -> Iterator[Pairing]:
        """Yield deal after deal, in each every line-up: a run that is cut short is balanced as far as it came."""
        chosen = self._subset(field)
        for deal in range(int_setting(field, "deals")):
            for index, members in enumerate(_all(field) if chosen is None else iter(chosen.line_ups)):
                names = [field.entrants[member] for member in members]
                if chosen is None and not seatable(field, names):
                    continue
                yield from block_pairings(names, deal=deal, block=f"l{index:03d}-d{deal:03d}", turn=deal)

    def count(self, field: Field) -> int:
        """Return line-ups times deals times rotations."""
        chosen = self._subset(field)
        line_ups = possible_line_ups(field) if chosen is None else len(chosen.line_ups)
        return line_ups * int_setting(field, "deals") * field.seats

    def notes(self, field: Field) -> list[str]:
        """Say what a budget left out."""
        chosen = self._subset(field)
        if chosen is None:
            return []
        total = possible_line_ups(field)
        played = counted(len(chosen.line_ups), "line-up")
        budget = int_setting(field, "max_matches")
        return [f"a budget of {budget:,} matches: {played} of {total:,} play; {chosen.sentence()}"]

    def _subset(self, field: Field) -> Balance | None:
        """Return the chosen line-ups, or None when all are played."""
        affordable = affordable_line_ups(field)
        if affordable is None or affordable >= possible_line_ups(field):
            return None
        indices = range(len(field.entrants))
        barred = frozenset(
            (one, other)
            for one, other in combinations(indices, 2)
            if not field.may_meet(field.entrants[one], field.entrants[other])
        )
        return balanced_subset(len(field.entrants), field.seats, affordable, barred)


def _all(field: Field) -> Iterator[tuple[int, ...]]:
    return combinations_by_last(len(field.entrants), field.seats)


def possible_line_ups(field: Field) -> int:
    """Return how many line-ups there are in which no two entrants of one bot meet, where that is forbidden."""
    by_size = [1] + [0] * field.seats  # by the number of seats taken so far
    for entrants in Counter(field.bots.get(name, name) for name in field.entrants).values():
        for size in range(field.seats, 0, -1):
            by_size[size] += by_size[size - 1] * entrants
    return by_size[field.seats]


def seatable(field: Field, names: list[str]) -> bool:
    """Whether these entrants may sit at one table."""
    return not field.bots or all(field.may_meet(one, other) for one, other in combinations(names, 2))


def affordable_line_ups(field: Field) -> int | None:
    """Return how many line-ups the budget pays for; None without a budget."""
    budget = int_setting(field, "max_matches")
    return budget // (int_setting(field, "deals") * field.seats) if budget else None


def check_budget(field: Field) -> list[Problem]:
    """Return the problem with a budget that doesn't pay for one line-up, or with a field that can't fill a table."""
    problems = []
    if affordable_line_ups(field) == 0:
        price = int_setting(field, "deals") * field.seats
        budget = int_setting(field, "max_matches")
        problems.append(
            Problem("max_matches", f"{budget} is less than the {price} matches of one line-up; raise it or lower deals")
        )
    different = len({field.bots.get(name, name) for name in field.entrants})
    if different < field.seats:
        problems.append(
            Problem("", f"{field.seats} seats need {field.seats} different bots, as allow_self_play is false")
        )
    return problems


def int_setting(field: Field, name: str) -> int:
    """Return a whole-number setting of the field."""
    value = field.settings[name]
    assert isinstance(value, int), f"{name} was checked to be a whole number"
    return value
