"""A state of Castell as the values that its drawing in the browser needs; everything in it is public."""

from __future__ import annotations

from arena.games.api import Json
from arena.games.castell.edition import SKILLS, Edition
from arena.games.castell.judge import festival_score
from arena.games.castell.scoring import CATEGORIES, points_of
from arena.games.castell.state import State
from arena.games.castell.view import public_view

#: Keys of the view that a drawing has no use for.
_UNUSED = ("seat", "edition", "spare", "gone", "bag", "points")


def scene(state: State) -> dict[str, Json]:
    """Return the public view, points by category, what is still in the bag, and (always equal) the edition's data."""
    facts = public_view(state, 0)
    for key in _UNUSED:
        del facts[key]
    sizes = state.deal.festivals[state.festival].sizes if state.festival >= 0 else ()
    facts["scores"] = [festival_score(tower, sizes) for _, tower in state.built]
    facts["points"] = [list(points_of(state, seat)) for seat in range(state.seats)]
    facts["in_bag"] = len(state.deal.bag) - state.bag_at
    facts["board"] = board(state.deal.tables.edition, state.seats)
    return facts


def board(edition: Edition, seats: int) -> dict[str, Json]:
    """Return what never changes in a match."""
    return {
        "rounds": edition.rounds,
        "skills": list(SKILLS),
        "categories": list(CATEGORIES),
        "highest_rank": edition.highest_rank,
        "borders": [list(pair) for pair in edition.borders],
        "dotted": [list(pair) for pair in edition.dotted],
        "slots": list(edition.slots),
        "turns": 1 if edition.rulings.wheel_turns == "clockwise" else -1,
        "held": edition.held_per_round[seats],
        "tiles": [
            {"shape": list(tile.shape), "skills": list(tile.skills), "points": tile.points} for tile in edition.tiles
        ],
        "tokens": edition.special_action_tokens,
        "least_levels": edition.festival_least_levels,
    }
