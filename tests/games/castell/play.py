"""Ways to play for tests: at random, and aiming at towers, which random play seldom builds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TypeAlias

from arena.games.castell.actions import Compete, Decline, End, Move, Perform, Special, Train
from arena.games.castell.edition import Edition, Side, shipped_edition
from arena.games.castell.guide import coming_festivals, distances
from arena.games.castell.setup import deal
from arena.games.castell.state import State

Policy: TypeAlias = Callable[[State, random.Random], object]


def dealt(seats: int = 3, number: int = 0, *, side: Side = "standard", edition: Edition | None = None) -> State:
    return deal(edition or shipped_edition(), side, seats, number.to_bytes(16, "big"))


def at_random(state: State, rng: random.Random) -> object:
    options = state.options()
    return options[int(rng.random() * len(options))]


def aiming(state: State, rng: random.Random) -> object:
    """Perform and compete whenever possible, walk to festivals, use every action of a turn."""
    options = state.options()
    for option in options:
        if isinstance(option, Compete) or (isinstance(option, Special) and isinstance(option.effect, Perform)):
            return option
    useful = [option for option in options if not isinstance(option, End | Decline)]
    if not useful or rng.random() < 0.02:
        return options[int(rng.random() * len(options))]
    trains = [option for option in useful if isinstance(option, Train)]
    if trains and rng.random() < 0.5:
        return trains[int(rng.random() * len(trains))]
    goals = coming_festivals(state, state.acting)[:2]
    moves = [option for option in useful if isinstance(option, Move)]
    if goals and moves and rng.random() < 0.7:
        ways = distances(state)
        return min(moves, key=lambda move: min(ways[move.region][goal.region] for goal in goals))
    others = [option for option in useful if not isinstance(option, Special) or rng.random() < 0.3] or useful
    return others[int(rng.random() * len(others))]


def playing(state: State, policy: Policy, rng: random.Random) -> Iterator[tuple[State, object]]:
    """Yield the state before each action, and the action; then play it."""
    while state.to_act is not None:
        action = policy(state, rng)
        yield state, action
        state.apply(action)
