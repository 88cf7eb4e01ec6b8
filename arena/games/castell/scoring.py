"""Points and places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.games.api import Outcome

if TYPE_CHECKING:
    from arena.games.castell.state import State

#: The scoring categories, in the order of the rules.
CATEGORIES = ("festival", "variety", "prizes", "size_tokens", "performances")


def regions_won(state: State, seat: int) -> int:
    """Return in how many regions the seat has won something that counts for variety."""
    counted = state.deal.tables.edition.rulings.variety_counts
    regions = {region for _, region in state.prizes[seat]} | {region for _, region in state.won[seat]}
    if "size_token" in counted:
        regions |= {region for _, region in state.size_tokens[seat]}
    if "action_token" in counted:
        regions |= {region for region, count in enumerate(state.collected[seat]) if count}
    return len(regions)


def prize_points(state: State, seat: int) -> int:
    """Return the seat's points from prizes."""
    points = state.deal.tables.edition.prize_points
    return sum([points[kind] for kind, _ in state.prizes[seat]])


def points_of(state: State, seat: int) -> tuple[int, int, int, int, int]:
    """Return the seat's points by category, in the order of `CATEGORIES`, as if the match ended now."""
    edition = state.deal.tables.edition
    sizes = [size for size, _ in state.size_tokens[seat]]
    different = len(set(sizes))
    return (
        state.best[seat],
        edition.variety[regions_won(state, seat)],
        prize_points(state, seat),
        different * edition.size_token_first + (len(sizes) - different) * edition.size_token_repeat,
        sum([edition.tiles[tile - 1].points for tile, _ in state.won[seat]])
        + edition.special_action_token * sum(state.collected[seat]),
    )


def outcome(state: State) -> Outcome:
    """Return places and scores as if the match ended now."""
    points = [points_of(state, seat) for seat in range(state.seats)]
    scores = tuple(map(sum, points))
    keys: list[tuple[int, ...]] = [(score,) for score in scores]
    if len(set(scores)) < len(scores):
        keys = [(score, *_tie_breaks(state, seat)) for seat, score in enumerate(scores)]
    return Outcome(
        places=tuple([1 + sum([other > key for other in keys]) for key in keys]),
        scores=scores,
        categories=dict(zip(CATEGORIES, zip(*points, strict=True), strict=True)),
    )


def _tie_breaks(state: State, seat: int) -> tuple[int, ...]:
    """Return what decides between equal points, first the most important; more is better."""
    values = {"prize_points": prize_points, "regions": regions_won}
    ties = state.deal.tables.edition.rulings.final_ties
    return tuple(values[name](state, seat) for name in ties if name != "shared")
