"""Whole matches by the thousand, accounted for after every action. Heavy."""

from __future__ import annotations

import random

import pytest

from arena.games.castell.game import Castell
from arena.games.castell.state import State
from arena.referee.inprocess import play
from arena.referee.verify import replay, verify
from arena.sdk import Bot
from castell_bots.greedy import Greedy
from castell_bots.planner import Planner
from tests.games.castell.conserved import check_conserved
from tests.games.castell.play import at_random, dealt

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_thousand_random_matches(seats: int) -> None:
    for number in range(1000):
        state, rng = dealt(seats, number), random.Random(number)
        while state.to_act is not None:
            state.apply(at_random(state, rng))
            check_conserved(state)
        assert state.outcome() is not None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_hundred_matches_between_greedy_and_planner(seats: int) -> None:
    game = Castell()
    for number in range(100):
        rungs: list[type[Bot]] = [(Greedy, Planner)[(seat + number) % 2] for seat in range(seats)]
        record = play(game, [rung() for rung in rungs], key=b"deal %012d" % number)
        assert not record.faults
        assert verify(record, game) == []
        for step in replay(record, game):
            assert isinstance(step.state, State)
            check_conserved(step.state)
