"""Divides ranked entrants into tables: neighbours in rank together, no pair that has met while that is avoidable."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

Cost = Callable[[int, int], int]  #: how bad it is that these two, given by rank, meet: 0 is free
BARRED = 1_000_000  #: the cost of a pair that must not meet

_MOST_NODES = 20_000
_STEPS_PER_ENTRANT = 250
_MOST_STEPS = 60_000


def free_tables(number: int, size: int, cost: Cost) -> list[tuple[int, ...]] | None:
    """Return the ranks 0 to `number` - 1 (a multiple of `size`) in tables of `size` without any cost, or None.

    The best-ranked are seated first, with their next neighbours. Searches through everything where entrants are few;
    where they are many, gives up after a bounded number of steps and tries annealing.
    """
    search = _Search(number, size, cost)
    found = search.run()
    if found is None and search.gave_up:
        annealed = least_tables(number, size, cost)
        return annealed if annealed is not None and _total(annealed, cost) == 0 else None
    return found


class _Search:
    """Depth-first: the best unseated rank gets the nearest companions that cost nothing."""

    def __init__(self, number: int, size: int, cost: Cost) -> None:
        self._number, self._size, self._cost = number, size, cost
        self._seated = [False] * number
        self.gave_up = False

    def run(self) -> list[tuple[int, ...]] | None:
        """Return tables without cost; None when there are none, or none was found in `_MOST_NODES` steps."""
        chosen: list[tuple[int, ...]] = []
        stack = [self._tables(0)]
        for _ in range(_MOST_NODES + self._number):
            table = next(stack[-1], None)
            if table is None:
                stack.pop()
                if not stack:
                    return None
                self._seat(chosen.pop(), seated=False)
                continue
            self._seat(table, seated=True)
            chosen.append(table)
            first = next((rank for rank in range(table[0], self._number) if not self._seated[rank]), None)
            if first is None:
                return chosen
            stack.append(self._tables(first))
        self.gave_up = True
        return None

    def _seat(self, table: tuple[int, ...], *, seated: bool) -> None:
        for rank in table:
            self._seated[rank] = seated

    def _tables(self, first: int) -> Iterator[tuple[int, ...]]:
        yield from self._extended((first,))

    def _extended(self, table: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(table) == self._size:
            yield table
            return
        for rank in range(table[-1] + 1, self._number):
            if not self._seated[rank] and all(self._cost(other, rank) == 0 for other in table):
                yield from self._extended((*table, rank))


def least_tables(number: int, size: int, cost: Cost) -> list[tuple[int, ...]] | None:
    """Return tables of a small total cost, found by swapping pairs of entrants; of equal costs those of near ranks.

    None: some pair that must not meet could not be kept apart.
    """
    tables = [list(range(start, start + size)) for start in range(0, number, size)]
    if len(tables) > 1:
        _swap_down(tables, size, cost, min(_MOST_STEPS, _STEPS_PER_ENTRANT * number))
    if any(_pairs_cost(table, cost) >= BARRED for table in tables):
        return None
    return sorted(tuple(sorted(table)) for table in tables)


def _swap_down(tables: list[list[int]], size: int, cost: Cost, steps: int) -> None:
    draw = random.Random(f"{len(tables)} {size}").random
    for step in range(steps):
        heat = 1.5 * (0.02 / 1.5) ** (step / steps)
        one, other = tables[int(draw() * len(tables))], tables[int(draw() * len(tables))]
        if one is other:
            continue
        here, there = int(draw() * size), int(draw() * size)
        before = _energy(one, cost) + _energy(other, cost)
        one[here], other[there] = other[there], one[here]
        change = _energy(one, cost) + _energy(other, cost) - before
        if change > 0 and draw() >= math.exp(-change / heat):
            one[here], other[there] = other[there], one[here]


def _total(tables: list[tuple[int, ...]], cost: Cost) -> int:
    return sum(_pairs_cost(table, cost) for table in tables)


def _energy(table: Sequence[int], cost: Cost) -> float:
    return _pairs_cost(table, cost) + (max(table) - min(table)) / 1_000


def _pairs_cost(table: Sequence[int], cost: Cost) -> int:
    return sum(cost(min(pair), max(pair)) for pair in combinations(table, 2))
