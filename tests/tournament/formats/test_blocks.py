from __future__ import annotations

from itertools import combinations
from math import comb, factorial

import pytest

from arena.tournament.formats.blocks import block_pairings, combinations_by_last, cyclic_orders


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_in_a_block_everybody_sits_everywhere_once_in_one_circle(seats: int) -> None:
    names = [f"e{number}" for number in range(seats)]
    for turn in range(factorial(seats - 1)):
        block = list(block_pairings(names, deal=turn, block="b", turn=turn))
        assert len(block) == seats
        for seat in range(seats):
            assert sorted(pairing.line_up[seat] for pairing in block) == names
        behind = {frozenset(zip(one.line_up, one.line_up[1:] + one.line_up[:1], strict=True)) for one in block}
        assert len(behind) == 1  # everybody has the same neighbour in the whole block


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_cyclic_orders_are_all_there_once(seats: int) -> None:
    orders = cyclic_orders(seats)
    assert len(set(orders)) == len(orders) == factorial(seats - 1)
    assert all(order[0] == 0 for order in orders)


@pytest.mark.parametrize("seats", [3, 4])
def test_over_all_orders_everybody_sits_behind_everybody_equally_often(seats: int) -> None:
    behind: dict[tuple[int, int], int] = {}
    for order in cyclic_orders(seats):
        for pair in zip(order, order[1:] + order[:1], strict=True):
            behind[pair] = behind.get(pair, 0) + 1
    assert len(behind) == seats * (seats - 1)
    assert len(set(behind.values())) == 1


@pytest.mark.parametrize(("number", "size"), [(5, 2), (6, 3), (7, 4), (4, 4)])
def test_one_more_entrant_comes_behind_all_line_ups_without_it(number: int, size: int) -> None:
    found = list(combinations_by_last(number, size))
    assert sorted(found) == list(combinations(range(number), size))
    assert found[: comb(number - 1, size)] == list(combinations_by_last(number - 1, size))
