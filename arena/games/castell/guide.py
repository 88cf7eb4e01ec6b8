"""Facts that bots ask for: ways between regions, coming festivals, what a team lacks.

Regions are named here, as in views and notation; castellers are counts by size.
"""

from __future__ import annotations

from functools import lru_cache

import attrs

from arena.games.castell.state import State
from arena.games.castell.tables import KINDS, Tables


@attrs.frozen(kw_only=True)
class Coming:
    """A festival that will be held (or is on)."""

    round: int
    region: str
    sizes: tuple[int, ...]  #: of its size tokens, rising
    turns: int  #: whole turns that the seat still has before it, the one in progress included


def distances(state: State) -> dict[str, dict[str, int]]:
    """Return the number of moves between any two regions, by name; 0 from a region to itself."""
    names, ways = state.deal.tables.names, _distances(state.deal.tables)
    return {a: {b: ways[i][j] for j, b in enumerate(names)} for i, a in enumerate(names)}


@lru_cache(maxsize=64)
def _distances(tables: Tables) -> tuple[tuple[int, ...], ...]:
    rows = []
    for start in range(len(tables.names)):
        steps, edge = {start: 0}, [start]
        for here in edge:
            for there in tables.neighbours[here]:
                if there not in steps:
                    steps[there] = steps[here] + 1
                    edge.append(there)
        rows.append(tuple(steps[end] for end in range(len(tables.names))))
    return tuple(rows)


def coming_festivals(state: State, seat: int) -> list[Coming]:
    """Return the festivals still to be held, in calendar order; those of the round in progress included."""
    deal = state.deal
    held = deal.tables.edition.held_per_round[state.seats]
    coming = []
    for number, indices in deal.by_round.items():
        for index in indices[:held]:
            over = number < state.round or (number == state.round and not _ahead(state, index))
            if not over and state.seat is not None:
                festival = deal.festivals[index]
                turns = number - state.round + _turn_left(state, seat)
                region = deal.tables.names[festival.region]
                coming.append(Coming(round=number, region=region, sizes=festival.sizes, turns=turns))
    return coming


def _ahead(state: State, index: int) -> bool:
    """Return whether a festival of this round is on or still to come."""
    return state.in_turn or state.festival <= index


def _turn_left(state: State, seat: int) -> int:
    """Return 1 when the seat's turn of this round is not over, else 0."""
    return int(state.in_turn and state.deal.tables.orders[state.first].index(seat) >= state.turn)


def offers(state: State, number: int) -> dict[str, tuple[str, ...]]:
    """Return by region the kinds that the wheel offers there in round `number`, from 1 to the last."""
    rows = state.deal.offers[number - 1]
    return {name: tuple(KINDS[kind] for kind in row) for name, row in zip(state.deal.tables.names, rows, strict=True)}


def team(state: State, seat: int) -> tuple[int, ...]:
    """Return the seat's castellers as counts by size, as `builder` wants them."""
    return tuple(state.deal.tables.counts(state.teams[seat]))
