"""A balanced subset of line-ups: every pair meets equally often within one, everybody plays equally often within one.

Found by annealing from a fixed start, so the same numbers give the same subset everywhere. Where the budget's own
number of line-ups can't be balanced (two tables of four out of six entrants share a pair), the next
smaller number that can is taken: one line-up always can.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations

import attrs

LineUp = tuple[int, ...]
Pair = tuple[int, int]
Draw = Callable[[], float]

_STEPS_PER_LINE_UP = 1_500
_MOST_STEPS = 250_000
_HOT, _COLD = 1.2, 0.08


@attrs.frozen(kw_only=True)
class Balance:
    """Chosen line-ups and how balanced they are."""

    line_ups: tuple[LineUp, ...]  #: rising indices of entrants; all different
    pairs: tuple[int, int]  #: how often a pair that may meet meets: least, most
    plays: tuple[int, int]  #: how many line-ups an entrant is in: least, most

    @property
    def even(self) -> bool:
        """Whether both are within one."""
        return all(most - least <= 1 for least, most in (self.pairs, self.plays))

    def sentence(self) -> str:
        """Say how balanced they are."""
        least, most = self.pairs
        return f"every pair meets in {least} of them" if least == most else f"pairs meet in {least} to {most} of them"


@lru_cache(maxsize=16)
def balanced_subset(entrants: int, seats: int, at_most: int, barred: frozenset[Pair] = frozenset()) -> Balance:
    """Return a balanced choice of `at_most` (at least 1) line-ups, or of the next smaller number that has one.

    `barred` pairs, the smaller index first, never share a table. There must be more than `at_most` line-ups.
    """
    for count in range(at_most, 1, -1):
        for attempt in range(max(1, _MOST_STEPS // (_STEPS_PER_LINE_UP * count))):
            found = _Search(entrants, seats, count, barred, attempt).run()
            if found is not None:
                return found
    return _Search(entrants, seats, 1, barred, 0).measure()


class _Search:
    """Annealing over sets of line-ups; the energy is the sum of squares of meetings and of appearances.

    For given totals that sum is smallest exactly when all counts are within one of each other.
    """

    def __init__(self, entrants: int, seats: int, count: int, barred: frozenset[Pair], attempt: int) -> None:
        self._entrants, self._seats, self._barred = entrants, seats, barred
        self._random = random.Random(f"{entrants} {seats} {count} {attempt}")
        self._met = [[0] * entrants for _ in range(entrants)]
        self._plays = [0] * entrants
        self._line_ups: list[list[int]] = []
        self._taken: set[LineUp] = set()
        for _ in range(count):
            self._add(self._greedy())

    def run(self) -> Balance | None:
        """Return a balanced choice, or None when none was found."""
        steps = min(_MOST_STEPS, _STEPS_PER_LINE_UP * len(self._line_ups))
        excess = self._energy() - self._least_energy()
        draw = self._random.random
        for step in range(steps):
            if excess == 0:
                break
            temperature = _HOT * (_COLD / _HOT) ** (step / steps)
            excess += self._try(draw, temperature)
        found = self.measure()
        return found if found.even else None

    def measure(self) -> Balance:
        """Return the present choice."""
        met = [self._met[one][other] for one, other in combinations(range(self._entrants), 2) if self._may(one, other)]
        return Balance(
            line_ups=tuple(sorted((tuple(sorted(line_up)) for line_up in self._line_ups), key=lambda one: one[::-1])),
            pairs=(min(met), max(met)),
            plays=(min(self._plays), max(self._plays)),
        )

    def _may(self, one: int, other: int) -> bool:
        return (one, other) not in self._barred and (other, one) not in self._barred

    def _greedy(self) -> list[int]:
        """Return an untaken line-up of those who have played and met least."""
        noise = 1.5
        while True:
            chosen: list[int] = []
            noise *= 1.1  # whatever is taken: in the end it is any line-up
            candidates = list(range(self._entrants))
            while candidates and len(chosen) < self._seats:
                new = min(candidates, key=lambda one: self._urgency(one, chosen, noise))
                chosen.append(new)
                candidates = [one for one in candidates if one != new and self._may(one, new)]
            if len(chosen) == self._seats and tuple(sorted(chosen)) not in self._taken:
                return chosen

    def _urgency(self, one: int, chosen: list[int], noise: float) -> float:
        met = self._met[one]
        return self._plays[one] + sum(met[other] for other in chosen) + noise * self._random.random()

    def _add(self, line_up: list[int]) -> None:
        for one in line_up:
            self._plays[one] += 1
            for other in line_up:
                if other != one:
                    self._met[one][other] += 1
        self._line_ups.append(line_up)
        self._taken.add(tuple(sorted(line_up)))

    def _energy(self) -> int:
        return sum(count * count for row in self._met for count in row) // 2 + sum(n * n for n in self._plays)

    def _least_energy(self) -> int:
        pairs = self._entrants * (self._entrants - 1) // 2 - len(self._barred)
        count = len(self._line_ups)
        return _least_squares(count * self._seats * (self._seats - 1) // 2, pairs) + _least_squares(
            count * self._seats, self._entrants
        )

    def _try(self, draw: Draw, temperature: float) -> int:
        """Swap one member of one line-up for another entrant if that is accepted; return the change of energy."""
        line_up = self._line_ups[int(draw() * len(self._line_ups))]
        place = int(draw() * self._seats)
        new = int(draw() * self._entrants)
        if new in line_up:
            return 0
        old = line_up[place]
        met_new, met_old = self._met[new], self._met[old]
        change = 2 * (self._plays[new] - self._plays[old] + 1)
        for other in line_up:
            if other != old:
                change += 2 * (met_new[other] - met_old[other] + 1)
        if change > 0 and draw() >= math.exp(-change / (2 * temperature)):
            return 0
        swapped = [*line_up[:place], new, *line_up[place + 1 :]]
        key = tuple(sorted(swapped))
        if key in self._taken or (self._barred and not all(self._may(new, other) for other in line_up if other != old)):
            return 0
        self._taken.remove(tuple(sorted(line_up)))
        self._taken.add(key)
        self._replace(line_up, place, new)
        return change

    def _replace(self, line_up: list[int], place: int, new: int) -> None:
        old = line_up[place]
        self._plays[old] -= 1
        self._plays[new] += 1
        for other in line_up:
            if other != old:
                self._met[old][other] -= 1
                self._met[other][old] -= 1
                self._met[new][other] += 1
                self._met[other][new] += 1
        line_up[place] = new


def _least_squares(total: int, parts: int) -> int:
    """Return the least sum of squares of `parts` whole numbers that add up to `total`."""
    low, extra = divmod(total, parts)
    return parts * low * low + extra * (2 * low + 1)
