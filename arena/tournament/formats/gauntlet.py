"""Gauntlet: one or a few challengers against everybody else; the others don't play among themselves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from arena.errors import Problem
from arena.tournament.formats.api import Field, Pairing, Setting, StaticFormat
from arena.tournament.formats.balance import balanced_subset
from arena.tournament.formats.blocks import block_pairings, combinations_by_last
from arena.tournament.formats.round_robin import DEALS, MAX_MATCHES, int_setting, seatable
from arena.wording import counted


class Gauntlet(StaticFormat):
    """Challengers meet the field: all sets of opponents, over the same deals."""

    name = "gauntlet"
    summary = "how good is the new one: it meets everybody else, who don't meet without it"
    settings = (
        DEALS,
        MAX_MATCHES,
        Setting(name="challengers", default=(), help="who runs the gauntlet; none named: the first entrant"),
    )

    def check(self, field: Field) -> list[Problem]:
        """Refuse too few opponents, a challenger named twice, and a budget that buys too little."""
        challengers = _challengers(field)
        if len(set(challengers)) < len(challengers):
            return [Problem("challengers", "names somebody twice")]
        opponents = _opponents(field)
        if len(opponents) < field.seats - 1:
            return [
                Problem("challengers", f"{field.seats} seats need {field.seats - 1} opponents, not {len(opponents)}")
            ]
        if not any(True for _ in self._tables(field)):
            return [Problem("", f"nobody can fill {field.seats} seats while allow_self_play is false")]
        return _check_budget(field)

    def pairings(self, field: Field) -> Iterator[Pairing]:
        """Yield deal after deal, in each every challenger with every set of opponents."""
        for deal in range(int_setting(field, "deals")):
            for block, names in self._tables(field):
                yield from block_pairings(names, deal=deal, block=f"{block}-d{deal:03d}", turn=deal)

    def notes(self, field: Field) -> list[str]:
        """Say what a budget left out."""
        subset = _subset(field)
        if subset is None:
            return []
        budget = int_setting(field, "max_matches")
        return [f"a budget of {budget:,} matches: each challenger meets {counted(len(subset), 'set')} of opponents"]

    def _tables(self, field: Field) -> Iterator[tuple[str, list[str]]]:
        """Yield name of the block, without its deal, and line-up."""
        opponents, others = _opponents(field), field.seats - 1
        for number, challenger in enumerate(_challengers(field)):
            chosen = _subset(field)
            for index, members in enumerate(combinations_by_last(len(opponents), others) if chosen is None else chosen):
                names = [challenger, *(opponents[member] for member in members)]
                if seatable(field, names):
                    yield f"c{number:02d}-l{index:03d}", names


def _challengers(field: Field) -> tuple[str, ...]:
    named = field.settings["challengers"]
    assert isinstance(named, tuple), "challengers was checked to be a list"
    return named or field.entrants[:1]


def _opponents(field: Field) -> list[str]:
    challengers = _challengers(field)
    return [name for name in field.entrants if name not in challengers]


def _sets(field: Field) -> int:
    """Return how many sets of opponents there are."""
    return sum(1 for _ in combinations_by_last(len(_opponents(field)), field.seats - 1))


def _affordable(field: Field) -> int:
    return int_setting(field, "max_matches") // (int_setting(field, "deals") * field.seats * len(_challengers(field)))


def _subset(field: Field) -> tuple[tuple[int, ...], ...] | None:
    """Return the sets of opponents that a budget allows; None: all of them."""
    if not int_setting(field, "max_matches") or _affordable(field) >= _sets(field):
        return None
    opponents = _opponents(field)
    barred = frozenset(
        (one, other)
        for one, other in combinations(range(len(opponents)), 2)
        if not field.may_meet(opponents[one], opponents[other])
    )
    return balanced_subset(len(opponents), field.seats - 1, _affordable(field), barred).line_ups


def _check_budget(field: Field) -> list[Problem]:
    if not int_setting(field, "max_matches") or _affordable(field) >= _sets(field):
        return []
    if field.seats == 2:
        price = int_setting(field, "deals") * field.seats * len(_challengers(field)) * len(_opponents(field))
        problem = f"the challengers meet every opponent in {price:,} matches; raise the budget or lower deals"
        return [Problem("max_matches", problem)]
    if not _affordable(field):
        return [Problem("max_matches", "does not pay for one set of opponents; raise it or lower deals")]
    return []
