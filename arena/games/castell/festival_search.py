"""The exact search for the best festival tower, from the top level down, by branch and bound.

It thins towers like `tile_search`: a level without shown sizes is as narrow as the level above it allows, and takes
the smallest castellers there are. Levels that hold a shown size may be wider, because every shown casteller scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

from arena.games.castell.actions import Level, Tower
from arena.games.castell.edition import BALANCE, MIX, STRENGTH, WIDTH, TowerRules
from arena.games.castell.judge import base_allowed

#: A level with the levels above it.
_Chain: TypeAlias = "tuple[Level, _Chain] | None"
#: A way to fill a level: its smaller size, how many of it, its bigger size, how many; 0 of a bigger size when unmixed.
_Fill: TypeAlias = tuple[int, int, int]
_LEVEL = 1 << 10  #: the worth of a level; a shown casteller is worth one more, which breaks ties by shown castellers


def best_tower(team: Sequence[int], ranks: Sequence[int], sizes: Sequence[int], rules: TowerRules) -> Tower | None:
    """Return a tower of the highest festival score, and of those one with the most shown castellers; or None."""
    if any(not team[size - 1] for size in sizes):
        return None
    limit = rules.width_limit + ranks[WIDTH]
    base = base_allowed(ranks, rules)
    if limit + ranks[BALANCE] + base < rules.festival_least_levels:
        return None
    if sum(map(bool, team)) + ranks[STRENGTH] < rules.festival_least_levels:
        return None
    search = _Search(team, sizes, limit, rules.festival_least_levels)
    search.explore(0, 0, 0, 0, 0, ranks[BALANCE], ranks[STRENGTH], ranks[MIX], base, None)
    levels = []
    chain = search.best
    while chain is not None:
        level, chain = chain
        levels.append(level)
    return tuple(levels) if levels else None


@cache
def _narrowest(above: int, balance: int, levels: int) -> int:
    """Return the fewest castellers of `levels` levels below one of `above`."""
    total, count, equal = 0, above, balance if above else 0
    for _ in range(levels):
        if equal:
            equal -= 1
        else:
            count += 1
            equal += balance if count == 1 else 0
        total += count
    return total


class _Search:
    """One search; `best` is the best chain of levels so far, ground first."""

    __slots__ = (
        "best",
        "best_value",
        "distinct",
        "have",
        "least",
        "limit",
        "most",
        "next",
        "seen",
        "shown",
        "shown_above",
        "total_above",
    )

    def __init__(self, team: Sequence[int], sizes: Sequence[int], limit: int, least: int) -> None:
        most = len(team)
        self.most = most
        self.have = (0, *team, 0)
        self.limit = limit
        self.least = least
        self.shown = [False] * (most + 2)
        for size in sizes:
            self.shown[size] = True
        self.next = [most + 1] * (most + 2)  #: the smallest shown size above
        self.distinct = [0] * (most + 2)  #: sizes above that the team has
        self.shown_above = [0] * (most + 2)  #: castellers of the shown sizes above
        self.total_above = [0] * (most + 2)
        for size in range(most - 1, -1, -1):
            up = size + 1
            self.next[size] = up if self.shown[up] else self.next[up]
            self.distinct[size] = self.distinct[up] + (self.have[up] > 0)
            self.total_above[size] = self.total_above[up] + self.have[up]
            self.shown_above[size] = self.shown_above[up] + (self.have[up] if self.shown[up] else 0)
        self.best: _Chain = None
        self.best_value = -1
        self.seen: dict[tuple[int, ...], int] = {}

    def explore(
        self,
        top: int,
        left: int,
        above: int,
        levels: int,
        value: int,
        balance: int,
        strength: int,
        mix: int,
        base: int,
        chain: _Chain,
    ) -> None:
        """Try every level below a level of `above` castellers with biggest size `top`, of which `left` are unused."""
        after = self.next[top]
        if value > self.best_value and after > self.most and levels >= self.least:
            self.best, self.best_value = chain, value
        limit = self.limit
        more = base if above > limit else limit - above + balance + base
        more = min(more, self.distinct[top] + strength)
        pool = self.total_above[top] + (left if strength else 0)
        while more > 0 and _narrowest(above, balance, more) > pool:
            more -= 1
        if more <= 0 or levels + more < self.least:
            return
        castellers = self.shown_above[top] + (left if strength and self.shown[top] else 0)
        if not base:
            castellers = min(castellers, more * limit)
        if value + more * _LEVEL + castellers * (_LEVEL + 1) <= self.best_value:
            return
        key = (top, left, above, min(levels, self.least), balance, strength, mix, base)
        if self.seen.get(key, -1) >= value:
            return
        self.seen[key] = value
        shown = self.shown
        narrow = above if above and balance else above + 1
        for fill in self.fills(top, left, narrow, above + 1, strength, mix, limit if not base else 999):
            small, a, b = fill
            n = a + b
            big = small + 1 if b else small
            used = b or a
            gain = _LEVEL
            if shown[small]:
                gain += a * (_LEVEL + 1)
            if b and shown[big]:
                gain += b * (_LEVEL + 1)
            equal = small == top
            self.explore(
                big,
                (left if big == top else self.have[big]) - used,
                n,
                levels + 1,
                value + gain,
                balance - (n == above),
                strength - equal,
                mix - (b > 0),
                base - (n > limit),
                ((big,) * b + (small,) * a, chain),
            )

    def fills(
        self, top: int, left: int, narrow: int, wide: int, strength: int, mix: int, most_wide: int
    ) -> list[_Fill]:
        """Return the ways worth trying; unshown levels have `narrow` to `wide` castellers."""
        have, shown, most = self.have, self.shown, self.most
        after = self.next[top]
        fills: list[_Fill] = []
        if wide > most_wide:
            wide = most_wide
        for n in range(narrow, wide + 1):
            size = top + 1
            while size < after and have[size] < n:
                size += 1
            if size < after:
                fills.append((size, n, 0))
            if mix and n > 1:
                for small in range(top + 1, min(size, after - 1)):
                    if have[small] and have[small + 1] and have[small] + have[small + 1] >= n:
                        a = min(have[small], n - 1)
                        fills.append((small, a, n - a))
                        break
            if strength and not shown[top] and left >= n:
                fills.append((top, n, 0))
        if after <= most:
            fills += [(after, n, 0) for n in range(narrow, min(have[after], most_wide) + 1)]
            if mix:
                if after - 1 > top:
                    fills += self.mixed(after - 1, have[after - 1], narrow, wide, most_wide)
                fills += self.mixed(after, have[after], narrow, wide, most_wide)
        if strength and left:
            if shown[top]:
                fills += [(top, n, 0) for n in range(narrow, min(left, most_wide) + 1)]
            if mix and top < most:
                fills += self.mixed(top, left, narrow, wide, most_wide)
        return fills

    def mixed(self, small: int, have_small: int, narrow: int, wide: int, most_wide: int) -> list[_Fill]:
        """Return the ways to mix `small` with the next size."""
        shown, have_big = self.shown, self.have[small + 1]
        if not have_small or not have_big:
            return []
        total = have_small + have_big
        fills: list[_Fill] = []
        if shown[small + 1] and not shown[small]:
            for n in range(max(narrow, 2), min(wide, total) + 1):
                fills += [(small, n - b, b) for b in range(max(1, n - have_small), min(n - 1, have_big) + 1)]
            fills += [(small, 1, n - 1) for n in range(max(wide + 1, 2), min(have_big + 1, most_wide) + 1)]
            return fills
        widest = wide
        if shown[small]:
            widest = min(most_wide, total if shown[small + 1] else max(wide, have_small + 1))
        for n in range(max(narrow, 2), min(widest, total) + 1):
            a = min(have_small, n - 1)
            fills.append((small, a, n - a))
        return fills
