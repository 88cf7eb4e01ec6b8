"""From the fast code's `truth()`, its public JSON form, to a position of the oracle."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from arena.games.castell.edition import parse_edition
from arena.games.castell.setup import deal as fast_deal
from arena.games.castell.state import State
from tests.oracle import judge
from tests.oracle.edition import Edition, parse
from tests.oracle.model import Built, Festival, Player, Position, Region

SIDES = ("standard", "advanced")
_fast_edition = cache(parse_edition)
oracle_edition = cache(parse)


def deal(seats: int, side: str, key: int, text: str) -> tuple[State, Position]:
    """Return one deal in the edition of this text, as both sides have it; small whole numbers are keys."""
    assert side in SIDES
    state = fast_deal(
        _fast_edition(text), "advanced" if side == "advanced" else "standard", seats, b"oracle %12d" % key
    )
    return state, position_of(state, oracle_edition(text))


def position_of(state: State, edition: Edition) -> Position:
    """Return the oracle's form of a state."""
    facts: Any = state.truth()
    assert isinstance(facts, Mapping)
    assert tuple(facts["regions"]) == edition.regions
    calendar = tuple(Festival(number, region, tuple(sorted(shown))) for number, region, *shown in facts["festivals"])
    festival = None if facts["festival"] is None else calendar[facts["festival"]]
    built = tuple(_built(seat, judge.read_tower(text), festival) for seat, text in facts["built"])
    seats, first, number, turn = len(facts["teams"]), facts["first"], facts["round"], None
    if facts["phase"] == "turn":
        turn = (facts["to_act"] - first) % seats
    if facts["phase"] == "over":  # the oracle takes one step more
        number += 1
        if edition.rulings["first_player"] == "passes":
            first = (first + 1) % seats
    board = tuple(
        (name, Region(tuple(sorted(people)), tuple(sorted(row)), _many(enumerate(laid))))
        for name, people, row, laid in zip(
            edition.regions, facts["castellers"], facts["tiles"], facts["laid"], strict=True
        )
    )
    return Position(
        edition=edition,
        side=facts["side"],
        ring=tuple(facts["wheel"]),
        bag=tuple(facts["bag"]),
        calendar=calendar,
        supply=tuple(sorted(facts["prize_left"].items())),
        board=board,
        players=tuple(_player(facts, edition, seat, built) for seat in range(seats)),
        round=number,
        first=first,
        turn=turn,
        done=frozenset(facts["done"]),
        festival=0 if festival is None else [f for f in calendar if f.round == number].index(festival),
        waiting=() if festival is None else (facts["to_act"], *facts["asked"]),
        built=built,
    )


def _player(facts: Mapping[str, Any], edition: Edition, seat: int, built: tuple[Built, ...]) -> Player:
    return Player(
        team=_many(enumerate(facts["teams"][seat], 1)),
        pawn=facts["pawns"][seat],
        ranks=tuple(facts["ranks"][seat]),
        tokens=facts["tokens"][seat],
        # the fast code counts a tower when the festival is over, the oracle when it is built
        best=max([facts["best"][seat], *(entry.score for entry in built if entry.seat == seat)]),
        prizes=tuple(sorted((kind, region) for kind, region in facts["prizes"][seat])),
        size_tokens=tuple(sorted((size, region) for size, region in facts["size_tokens"][seat])),
        tiles=tuple(sorted((tile, region) for tile, region in facts["won"][seat])),
        collected=tuple(
            sorted(
                name
                for name, number in zip(edition.regions, facts["collected"][seat], strict=True)
                for _ in range(number)
            )
        ),
    )


def _built(seat: int, tower: judge.Tower, festival: Festival | None) -> Built:
    assert festival is not None
    people = sorted(size for level in tower for size in level if size in festival.shown)
    return Built(seat, judge.festival_score(tower, festival.shown), tuple(people))


def _many(counts: Any) -> tuple[int, ...]:
    """Return each thing as often as it is counted."""
    return tuple(thing for thing, number in counts for _ in range(number))
