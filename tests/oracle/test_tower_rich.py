"""Whole sets of legal actions where towers are many: states of play whose acting seat gets another team and ranks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from arena.games.castell.actions import parse_action
from arena.games.castell.edition import parse_edition
from arena.games.castell.state import State
from tests.oracle import making
from tests.oracle.bridge import SIDES, deal, oracle_edition, position_of
from tests.oracle.counting import one_for_each_target
from tests.oracle.model import Position, simple_actions, tower_actions
from tests.oracle.playing import play
from tests.oracle.seeking import tower_seeking_play
from tests.oracle.test_play import Tally, compare_actions, compare_points
from tests.oracle.variants import OTHER_RULINGS, changed


def strengthened(rng: random.Random, state: State, text: str, most: int) -> State:
    """Return the state with a new team and new ranks for the seat that acts, and its pawn where tiles are."""
    facts: Any = msgspec.json.decode(msgspec.json.encode(state.view(0)))
    seat, people = facts["to_act"], making.random_team(rng, most)
    if facts["festival"] is not None:  # with everybody who must be there
        _, _, *shown = facts["festivals"][facts["festival"]]
        people = tuple(sorted([*people, *shown]))[-most:]
    facts["teams"][seat] = [people.count(size) for size in range(1, 11)]
    facts["ranks"][seat] = list(making.random_ranks(rng, rng.choice([2, 3])).values())
    if facts["phase"] == "turn":
        facts["pawns"][seat] = rng.choice(
            [name for name, row in zip(facts["regions"], facts["tiles"], strict=True) if row]
        )
        facts["tokens"][seat] = max(1, facts["tokens"][seat])
    return State.from_view(facts, rng, parse_edition(text))


def towers_soon(position: Position) -> bool:
    """Tell whether the seat that acts begins a turn or is asked at a festival."""
    begins = position.turn is not None and not position.done and any(region.row for _, region in position.board)
    return position.to_act is not None and (begins or position.turn is None)


def rich_states(number: int, seed: int, text: str, most: int) -> Iterator[tuple[random.Random, State]]:
    """Yield that many states, turns and festivals about equally often."""
    rng, found = random.Random(seed), 0
    for key in range(seed * 1000, seed * 1000 + 1000):
        state, position = deal(rng.choice([2, 3, 4]), rng.choice(SIDES), key, text)
        while position.to_act is not None:
            if towers_soon(position) and rng.random() < (0.9 if position.turn is None else 0.15):
                yield rng, strengthened(rng, state, text, most)
                found += 1
                if found == number:
                    return
            choice = tower_seeking_play(rng, position, sorted(simple_actions(position)), 0.3)
            state.apply(parse_action(choice))
            position = play(position, choice)


def compare_rich(number: int, seed: int, text: str, most: int) -> Tally:
    """Compare whole sets, and what one tower for each target does."""
    tally = Tally()
    for rng, state in rich_states(number, seed, text, most):
        position = position_of(state, oracle_edition(text))
        compare_actions(rng, state, position, tally, most)
        for choice in one_for_each_target(position, tower_actions(position)).values():
            after = state.copy()
            after.apply(parse_action(choice))
            assert position_of(after, position.edition) == play(position, choice)
            compare_points(after, play(position, choice))
            tally.add("towers played")
    return tally


def test_rich_states_agree() -> None:
    tally = compare_rich(160, 1, changed({}), 10)
    assert tally.counts["whole sets with towers"] > 40


@pytest.mark.heavy
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(2, 8))
def test_rich_states_agree_for_long(seed: int) -> None:
    rng = random.Random(seed)
    other = {} if seed % 2 else dict(rng.sample(OTHER_RULINGS, 7))
    print(compare_rich(250, seed, changed(other), 12))
