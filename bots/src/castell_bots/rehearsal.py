"""Playing on with simple players: what a turn leads to."""

from __future__ import annotations

import random
from collections.abc import Callable

import attrs

from arena.games.castell.actions import END
from arena.games.castell.scoring import points_of
from arena.games.castell.state import State
from castell_bots.greedy import best_action


def play_on(state: State, turns: int, check: Callable[[], None]) -> None:
    """End the turn that is on; let everybody play greedily until its seat has had `turns` more and is to begin one.

    The match may be over before. `check` is called before every action and may raise.
    """
    seat = state.acting
    state.apply(END)
    while state.seat is not None:
        if state.seat == seat and state.in_turn and not state.done:
            if not turns:
                return
            turns -= 1
            play_turn(state, check)
        else:
            check()
            state.apply(best_action(state))


def play_turn(state: State, check: Callable[[], None]) -> None:
    """Play the turn that is on greedily to its end."""
    seat = state.seat
    while state.seat == seat and state.in_turn:
        check()
        action = best_action(state)
        state.apply(action)
        if action is END:
            return


def redrawn(state: State, rng: random.Random) -> State:
    """Return a copy of the state in which the unseen bag has another order."""
    twin = state.copy()
    bag = list(state.deal.bag[state.bag_at :])
    rng.shuffle(bag)
    twin.deal = attrs.evolve(state.deal, bag=(*state.deal.bag[: state.bag_at], *bag))
    return twin


def lead(state: State, seat: int, rivalry: float) -> float:
    """Return what the seat has scored so far, less the share `rivalry` of what its best rival has."""
    points = [sum(points_of(state, other)) for other in range(state.seats)]
    mine = points.pop(seat)
    return mine - rivalry * max(points)
