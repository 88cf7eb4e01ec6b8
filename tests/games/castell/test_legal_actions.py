"""The two lists of actions: laziness, order, membership, and what `options` promises."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from arena.games.castell.actions import Compete, Perform, Special
from tests.games.castell.play import aiming, dealt, playing
from tests.games.castell.situations import at_festival, player, region, standing_in


def target(action: object) -> object:
    """Return what an action counts as when towers are not told apart."""
    if isinstance(action, Compete):
        return "compete"
    if isinstance(action, Special) and isinstance(action.effect, Perform):
        return (action.free, action.effect.tile)
    return action


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_options_are_legal_and_hold_each_target_exactly_once(seats: int) -> None:
    towers = 0
    for number in range(4):
        for state, _ in playing(dealt(seats, number), aiming, random.Random(number)):
            options = state.options()
            for option in options:
                state.check(option)
            targets = [target(option) for option in options]
            assert len(targets) == len(set(targets))
            if sum(state.deal.tables.counts(state.teams[state.acting])) > 17:
                continue  # there are too many towers to list them at every step
            legal = list(state.legal_actions())
            assert len(legal) == len(set(legal))
            assert {target(action) for action in legal} == set(targets)
            assert set(options) <= set(legal)
            towers += len(legal) - len(options)
            for action in legal[:: max(1, len(legal) // 20)]:
                state.check(action)
    assert towers > 0


def test_the_list_is_lazy() -> None:
    team = " ".join(f"{n} {n} {n} {n}" for n in range(1, 11))
    state = at_festival("9 7", {0: team}, skills={"width": 2, "balance": 2, "mix": 2, "strength": 2, "base": 2})
    assert len(list(islice(state.legal_actions(), 1000))) == 1000
    assert len(state.options()) > 1


def test_the_order_is_the_one_stated() -> None:
    state = standing_in("girona", team="9 9 9 8 8 7")
    region(state, "girona", castellers="9 4", offers="mix special", tiles=[1])
    player(state, 0, skills={})
    verbs = [" ".join(str(action).split()[: 2 if "perform" in str(action) else 1]) for action in state.legal_actions()]
    assert verbs == ["move"] * 3 + ["recruit"] * 3 + ["train"] + ["wheel"] * 5 + ["wheel perform"] + ["special"] * 5 + [
        "special perform",
        "end",
    ]
    assert [str(action) for action in state.options()][3:6] == ["recruit 9", "recruit 4", "recruit 9 4"]


def test_the_festival_option_is_the_best_tower() -> None:
    state = at_festival("9 7", {0: "9 9 9 8 8 7 6 5"}, skills={"width": 1, "balance": 1})
    best = state.options()[0]
    assert isinstance(best, Compete)
    scores = []
    for action in state.legal_actions():
        if isinstance(action, Compete):
            after = state.copy()
            after.apply(action)
            scores.append(after.best[0])
    after = state.copy()
    after.apply(best)
    assert after.best[0] == max(scores)
