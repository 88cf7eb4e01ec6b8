"""Deals: the same for the same key, fair for different ones.

Each fairness test counts over `DEALS` keys where pieces end up and compares the chi-square statistic with a bound that
a fair shuffle exceeds with a probability of about one in a million (Wilson and Hilferty's approximation, z = 4.75).
The dozen statistics here together raise a false alarm for about one set of keys in 80,000; the keys are fixed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import permutations

import pytest

from arena.games.castell.game import Castell
from arena.games.castell.setup import below, shuffled
from arena.games.castell.state import State
from tests.games.castell.play import dealt

DEALS = 1500


def bound(freedom: int) -> float:
    """Return the chi-square value that a fair shuffle exceeds about once in a million times."""
    third = 2 / (9 * freedom)
    return float(freedom * (1 - third + 4.75 * third**0.5) ** 3)


def check_fair(seen: Iterable[object], expected: Sequence[tuple[object, float]]) -> None:
    counts = Counter(seen)
    assert set(counts) <= {value for value, _ in expected}
    statistic = sum((counts[value] - want) ** 2 / want for value, want in expected)
    assert statistic < bound(len(expected) - 1)


@cache
def deals() -> list[State]:
    return [dealt(3, number) for number in range(DEALS)]


SIZES = [(size, DEALS / 10) for size in range(1, 11)]


def test_the_bound_tells_a_biased_shuffle() -> None:
    """A shuffle that swaps with any position, the classic mistake, is caught."""
    rng, seen = random.Random(1), []
    for _ in range(DEALS * 4):
        items = [0, 1, 2]
        for i in range(3):
            j = below(rng, 3)
            items[i], items[j] = items[j], items[i]
        seen.append(tuple(items))
    orders = [(order, DEALS * 4 / 6) for order in permutations(range(3))]
    with pytest.raises(AssertionError):
        check_fair(seen, orders)
    rng = random.Random(1)
    check_fair((tuple(shuffled(rng, [0, 1, 2])) for _ in range(DEALS * 4)), orders)


def test_the_bag_is_fair_at_its_ends_and_in_its_middle() -> None:
    for place in (0, 50, 100):
        check_fair((state.deal.bag[place] for state in deals()), SIZES)


def test_regions_and_teams_get_castellers_alike() -> None:
    for packed in ([state.regions[0] for state in deals()], [state.teams[2] for state in deals()]):
        tables = deals()[0].deal.tables
        drawn = [size for number in packed for size in tables.falling(number)]
        check_fair(drawn, [(size, len(drawn) / 10) for size in range(1, 11)])


def test_the_wheel_is_fair() -> None:
    kinds = ("balance", "base", "mix", "strength", "width")
    want = [*((kind, DEALS / 8) for kind in kinds), ("special", DEALS * 3 / 8)]
    check_fair((state.deal.ring[0] for state in deals()), want)
    check_fair((state.deal.ring[5] for state in deals()), want)


def test_festival_places_and_tokens_are_fair() -> None:
    places = [(region, DEALS / 7) for region in range(7)]
    check_fair((state.deal.festivals[0].region for state in deals()), places)
    check_fair((state.deal.festivals[-1].region for state in deals()), places)
    tokens = [size for state in deals() for size in state.deal.spare]
    check_fair(tokens, [(size, len(tokens) / 10) for size in range(1, 11)])


def test_local_performance_tiles_are_fair() -> None:
    tiles = [tile for state in deals() for tile in state.rows[3]]
    check_fair(tiles, [(tile, len(tiles) / 32) for tile in range(1, 33)])


def test_a_draw_below_n_is_exact() -> None:
    class Scripted(random.Random):
        """Gives the topmost of the 2**53 values first, which must be rejected below 3."""

        def __init__(self) -> None:
            super().__init__(0)
            self.values = [1 - 2**-53, 0.5]

        def random(self) -> float:
            return self.values.pop(0)

    assert (2**53) % 3 == 2
    assert below(Scripted(), 3) == 2**52 % 3


def test_equal_keys_give_equal_deals_and_other_keys_others() -> None:
    game, options = Castell(), {"side": "standard", "edition": ""}
    one, same = (game.deal(3, b"k" * 16, options) for _ in range(2))
    assert one.digest() == same.digest()
    assert len({game.deal(3, bytes([i]) * 16, options).digest() for i in range(50)}) == 50


def test_the_same_key_lays_out_the_same_bag_for_both_sides() -> None:
    standard, advanced = dealt(3, 1), dealt(3, 1, side="advanced")
    assert standard.deal.bag == advanced.deal.bag
    assert standard.digest() != advanced.digest()


def test_the_shuffles_of_one_deal_are_independent_of_each_other() -> None:
    same = sum(state.deal.festivals[0].region == state.deal.festivals[7].region for state in deals())
    assert abs(same - DEALS / 7) < 4.9 * (DEALS * 6 / 49) ** 0.5


def test_a_deal_stays_the_same_for_ever() -> None:
    """Records replay only while this digest holds; a change of the shuffles must raise the game's version."""
    state = dealt(3, 1)
    assert state.deal.bag[:8] == BAG
    assert state.deal.ring == RING


BAG = (1, 1, 8, 9, 10, 7, 4, 3)
RING = ("base", "width", "special", "strength", "special", "mix", "special", "balance")
