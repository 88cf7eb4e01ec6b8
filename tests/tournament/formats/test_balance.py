from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.tournament.formats.balance import balanced_subset


def _spread(counts: Counter[int] | Counter[tuple[int, int]], keys: int) -> int:
    most = max(counts.values())
    least = min(counts.values()) if len(counts) == keys else 0
    return most - least


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 14), st.integers(2, 4), st.data())
def test_pairs_and_plays_are_within_one(entrants: int, seats: int, data: st.DataObject) -> None:
    assume(seats < entrants)
    at_most = data.draw(st.integers(1, min(comb(entrants, seats) - 1, 60)))
    found = balanced_subset(entrants, seats, at_most)
    assert 1 <= len(found.line_ups) <= at_most
    assert len(set(found.line_ups)) == len(found.line_ups)
    assert all(list(line_up) == sorted(set(line_up)) and len(line_up) == seats for line_up in found.line_ups)
    met = Counter(pair for line_up in found.line_ups for pair in combinations(line_up, 2))
    assert _spread(met, comb(entrants, 2)) <= 1
    assert _spread(Counter(one for line_up in found.line_ups for one in line_up), entrants) <= 1
    assert found.even


@pytest.mark.parametrize(
    ("entrants", "seats", "at_most", "least"),
    [
        (30, 4, 200, 198),
        (16, 3, 100, 100),
        (10, 4, 50, 50),
        (7, 4, 20, 20),
        (100, 2, 500, 500),
        (6, 4, 7, 6),
        (12, 4, 12, 12),
    ],
)
def test_little_of_a_budget_is_lost(entrants: int, seats: int, at_most: int, least: int) -> None:
    assert len(balanced_subset(entrants, seats, at_most).line_ups) >= least


def test_barred_pairs_never_meet() -> None:
    barred = frozenset((number, number + 1) for number in range(0, 12, 2))
    found = balanced_subset(12, 3, 40, barred)
    assert len(found.line_ups) >= 36
    assert not barred & {pair for line_up in found.line_ups for pair in combinations(line_up, 2)}
    assert found.even


def test_the_same_numbers_give_the_same_line_ups() -> None:
    first = balanced_subset(9, 3, 20)
    balanced_subset.cache_clear()
    assert balanced_subset(9, 3, 20) == first
