"""Views say nothing of the order of the bag: whole matches on two deals that differ only in it."""

from __future__ import annotations

import random

import msgspec
import pytest

from arena.games.castell.actions import parse_action
from arena.games.castell.state import State
from tests.oracle.bridge import SIDES, deal, position_of
from tests.oracle.seeking import tower_seeking_play
from tests.oracle.variants import changed


def twin_with_other_bag(state: State, seed: int) -> State:
    """Return a state that differs from this one in the order of the bag alone."""
    facts = msgspec.json.decode(msgspec.json.encode(state.view(0)))
    twin = State.from_view(facts, random.Random(seed))
    assert twin.truth() != state.truth()
    return twin


def shown(state: State) -> bytes:
    """Return everything that a bot may be sent about a state, for every seat."""
    options = [str(action) for action in state.options()]
    views = [list(state.view(seat).items()) for seat in range(state.seats)]  # the order of keys counts too
    default = str(state.default_action()) if state.to_act is not None else ""
    return msgspec.json.encode([views, options, default])


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("side", SIDES)
def test_nothing_differs_up_to_the_first_refill_that_shows_it(seats: int, side: str) -> None:
    rng = random.Random(seats)
    state, position = deal(seats, side, 30 + seats, changed({}))
    twin = twin_with_other_bag(state, 1)
    shown_alike = 0
    while state.to_act is not None:
        differs = state.truth()["castellers"] != twin.truth()["castellers"]
        if differs:
            break
        assert shown(state) == shown(twin)
        shown_alike += 1
        choice = tower_seeking_play(rng, position, [str(action) for action in state.options()])
        state.apply(parse_action(choice))
        twin.apply(parse_action(choice))
        position = position_of(state, position.edition)
    assert position.round == 3, "the first refill shows it"
    assert shown_alike > 4 * seats


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_views_differ_in_nothing_but_what_was_drawn_at_any_time(seats: int) -> None:
    rng = random.Random(seats)
    state, position = deal(seats, SIDES[seats % 2], 40 + seats, changed({}))
    compared = 0
    while state.to_act is not None:
        if position.turn is not None and len(set(position.bag)) > 1 and rng.random() < 0.3:
            assert shown(twin_with_other_bag(state, compared)) == shown(state)
            compared += 1
        choice = tower_seeking_play(rng, position, [str(action) for action in state.options()])
        state.apply(parse_action(choice))
        position = position_of(state, position.edition)
    assert compared > 5
