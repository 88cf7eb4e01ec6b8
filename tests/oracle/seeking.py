"""A way of playing that aims at towers; random play seldom builds one."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.oracle.model import Position

_LIKING = {"compete": 200.0, "perform": 60.0, "train": 12.0, "recruit": 4.0, "move": 3.0, "decline": 1.0, "end": 0.3}


def tower_seeking_play(rng: random.Random, position: Position, actions: Sequence[str], recruiting: float = 1.0) -> str:
    """Choose one of these actions: towers if there are any, else what leads to them.

    Args:
        rng: all choices are drawn from it.
        position: what the actions are legal in.
        actions: texts; as `options` gives them, or the simple ones and some towers.
        recruiting: how much recruiting is liked; with little of it teams stay small enough to list all towers.
    """
    seat = position.to_act
    assert seat is not None
    wanted = _wanted_regions(position)
    at_festival = position.players[seat].pawn in {festival.region for festival in position.held}
    weights = []
    for action in actions:
        words = action.split(" ")
        kind = words[1] if words[0] in {"special", "wheel"} else words[0]
        liking = _LIKING[kind]
        if kind == "recruit":
            liking *= recruiting * len(words)
        if kind == "move":
            liking *= wanted.get(words[-1], 0.3)
            if at_festival:
                liking *= 0.02
        if words[0] == "special":
            liking *= 0.2 if kind != "perform" else 1.0
        if kind == "end" and at_festival:
            liking *= 20
        weights.append(liking + 1e-6)
    return rng.choices(actions, weights)[0]


def _wanted_regions(position: Position) -> dict[str, float]:
    wanted = {name: 0.5 + len(region.row) for name, region in position.board}
    for festival in position.held:
        wanted[festival.region] += 20
    return wanted
