"""The choices that a finishing order stands for."""

from __future__ import annotations

from itertools import permutations
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.orders import read_order

STRENGTHS = [0.3, -0.7, 1.1, 0.05, -1.3]


def by_choices(places: tuple[int, ...], forfeited: tuple[int, ...] = ()) -> float:
    order = read_order(places, forfeited)
    won = sum(win * STRENGTHS[seat] for seat, win in enumerate(order.wins))
    return won - sum(weight * log(sum(exp(STRENGTHS[seat]) for seat in chosen)) for chosen, weight in order.sets)


def by_orders(places: tuple[int, ...], forfeited: tuple[int, ...] = ()) -> float:
    """Return the mean log-likelihood of all orders that the places allow, forfeiters left unordered at the end."""
    racers = [seat for seat in range(len(places)) if seat not in forfeited]
    allowed = [order for order in permutations(racers) if list(order) == sorted(order, key=lambda seat: places[seat])]
    total = 0.0
    for order in allowed:
        left = [*order, *forfeited]
        for seat in order:
            total += STRENGTHS[seat] - log(sum(exp(STRENGTHS[other]) for other in left))
            left.remove(seat)
    return total / len(allowed)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.sets(st.integers(0, 4)))
def test_ties_are_the_mean_over_all_orders(places: list[int], forfeited: set[int]) -> None:
    out = tuple(sorted(seat for seat in forfeited if seat < len(places)))
    assert by_choices(tuple(places), out) == pytest.approx(by_orders(tuple(places), out))


def test_a_tie_of_two_is_half_a_win_and_half_a_loss() -> None:
    order = read_order((1, 1))
    assert order.sets == (((0, 1), 1.0),)
    assert order.wins == (0.5, 0.5)


def test_only_the_order_of_places_counts() -> None:
    assert read_order((1, 2, 3)) == read_order((2, 7, 40))


def test_forfeiters_stand_behind_everybody_whatever_their_places_say() -> None:
    assert read_order((1, 2, 3), (0,)) == read_order((3, 1, 2), (0,))
    assert read_order((1, 1, 1), (0, 1, 2)).sets == ()


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.sets(st.integers(0, 3)))
def test_before_says_who_beat_whom(places: list[int], forfeited: set[int]) -> None:
    out = {seat for seat in forfeited if seat < len(places)}
    order = read_order(tuple(places), tuple(sorted(out)))
    for one, other in permutations(range(len(places)), 2):
        assert order.before[one][other] + order.before[other][one] == 1
        if one in out or other in out:
            expected = 0.5 if {one, other} <= out else float(other in out)
        else:
            expected = 0.5 if places[one] == places[other] else float(places[one] < places[other])
        assert order.before[one][other] == expected
    assert sum(order.beaten) == sum(order.beaten_by)


def test_a_seat_that_is_not_there_cannot_forfeit() -> None:
    with pytest.raises(ValueError, match=r"forfeited seats \[2\] of a table with 2 seats"):
        read_order((1, 2), (2,))
