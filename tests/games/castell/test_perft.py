"""Counts of sequences: against plain enumeration, and between the two columns."""

from __future__ import annotations

from arena.games.castell.actions import Compete
from arena.games.castell.judge import count_of, festival_score
from arena.games.castell.perft import Counts, divide, perft
from arena.games.castell.state import State
from tests.games.castell.play import dealt
from tests.games.castell.situations import at_festival, play


def plainly(state: State, depth: int) -> int:
    """Count every sequence by playing it."""
    if depth == 0:
        return 1
    total = 0
    for action in state.legal_actions():
        after = state.copy()
        after.apply(action)
        total += plainly(after, depth - 1)
    return total


def test_the_complete_count_is_the_number_of_sequences() -> None:
    for number in range(6):
        counts = perft(dealt(3, number), 2)
        assert counts.collapsed == counts.complete == plainly(dealt(3, number), 2)
    state = at_festival("9 7", {0: "9 9 9 8 8 7 6 5", 1: "9 9 8 7 7 6 5 4"}, skills={"width": 1, "balance": 2})
    counts = perft(state, 2)
    assert counts.complete == plainly(state, 2)
    assert 4 < counts.collapsed < counts.complete


def test_the_collapsed_count_takes_equal_scores_and_counts_as_one() -> None:
    state = at_festival("9 7", {0: "9 9 9 8 8 7 6 5"}, skills={"width": 1, "balance": 2})
    towers = [action.tower for action in state.legal_actions() if isinstance(action, Compete)]
    kinds = {(festival_score(tower, (7, 9)), count_of(tower, 7), count_of(tower, 9)) for tower in towers}
    assert perft(state, 1) == Counts(len(kinds) + 1, len(towers) + 1)
    assert 1 < len(kinds) < len(towers)


def test_divide_sums_up_to_perft_and_leaves_the_state_alone() -> None:
    state = dealt(3, 1)
    digest = state.digest()
    parts = divide(state, 3)
    counts = perft(state, 3)
    assert list(parts) == list(map(str, state.options()))
    assert sum(part.collapsed for part in parts.values()) == counts.collapsed
    assert sum(part.complete for part in parts.values()) == counts.complete
    assert state.digest() == digest


def test_depth_zero_and_the_end_of_the_match() -> None:
    state = dealt(2)
    play(state, *["end"] * 19)
    assert perft(state, 0) == Counts(1, 1)
    last = perft(state, 1)
    play(state, "end")
    assert perft(state, 0) == Counts(1, 1)
    assert perft(state, 1) == Counts(0, 0)
    assert last.collapsed == 8
