"""Exact searches for a tower that performs a local performance tile, from the top level down.

Why top down: the level below any level may be as narrow as that level plus one (or equal, by balance), so a tower
can be thinned, level by level from the top, to the narrowest one that still does the job. What is left to choose for
a level of `n` castellers above whose ground side lies a level with biggest size `top`, of which `left` castellers
are unused, is at most four things: the smallest size above `top` with enough castellers; the smallest mix above
`top`; `top` itself (strength); `top` mixed with `top + 1` (strength and mix). A smallest choice leaves all bigger
castellers unused, so no bigger one of the same price can do better.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from arena.games.castell.actions import Level, Tower
from arena.games.castell.edition import BALANCE, MIX, STRENGTH, WIDTH, Tile, TowerRules
from arena.games.castell.judge import base_allowed

#: What an exhibition still has to show, as bits.
FLAGS = {"mix": 1, "strength": 2, "balance": 4, "width": 8, "base": 16}
_MIX, _STRENGTH, _BALANCE, _WIDTH, _BASE = FLAGS.values()


def shape_tower(shape: Sequence[int], team: Sequence[int], ranks: Sequence[int], rules: TowerRules) -> Tower | None:
    """Return a tower with these counts by level (ground first), or None when the team can't build one."""
    if sum(shape) > sum(team):
        return None
    if sum(a == b for a, b in pairwise(shape)) > ranks[BALANCE]:
        return None
    limit = rules.width_limit + ranks[WIDTH]
    if shape[0] > limit and sum(count > limit for count in shape) > base_allowed(ranks, rules):
        return None
    have = (0, *team, 0)
    last = len(shape) - 1
    counts = shape[::-1]
    most = len(team)
    dead: set[tuple[int, int, int, int, int]] = set()
    levels: list[Level] = []

    def place(i: int, top: int, left: int, strength: int, mix: int) -> bool:
        """Put level `i` (from the top) and all below it under a level with biggest size `top`."""
        key = (i, top, left, strength, mix)
        if key in dead:
            return False
        n = counts[i]
        size = top + 1
        while size <= most and have[size] < n:
            size += 1
        if size <= most and (i == last or place(i + 1, size, have[size] - n, strength, mix)):
            levels.append((size,) * n)
            return True
        if strength and left >= n and (i == last or place(i + 1, top, left - n, strength - 1, mix)):
            levels.append((top,) * n)
            return True
        if mix and n > 1:
            for small in range(top + 1, min(size, most)):
                big = have[small + 1]
                if have[small] and big and have[small] + big >= n:
                    a = min(have[small], n - 1)
                    if i == last or place(i + 1, small + 1, big - n + a, strength, mix - 1):
                        levels.append((small + 1,) * (n - a) + (small,) * a)
                        return True
                    break
            if strength and left and have[top + 1] and left + have[top + 1] >= n:
                a = min(left, n - 1)
                if i == last or place(i + 1, top + 1, have[top + 1] - n + a, strength - 1, mix - 1):
                    levels.append((top + 1,) * (n - a) + (top,) * a)
                    return True
        dead.add(key)
        return False

    return tuple(levels) if place(0, 0, 0, ranks[STRENGTH], ranks[MIX]) else None


def exhibition_tower(tile: Tile, team: Sequence[int], ranks: Sequence[int], rules: TowerRules) -> Tower | None:
    """Return a tower with as many levels as `tile` has points that uses all its skills, or None."""
    wanted = sum(FLAGS[skill] for skill in tile.skills)
    widths: Sequence[int] = (ranks[WIDTH],)
    if wanted & _BASE:
        widths = range(1 if wanted & _WIDTH else 0, ranks[WIDTH] + 1)
    allowed = base_allowed(ranks, rules)
    for flag, skill in ((_MIX, MIX), (_STRENGTH, STRENGTH), (_BALANCE, BALANCE), (_WIDTH, WIDTH)):
        if wanted & flag and not ranks[skill]:
            return None
    if wanted & _BASE and not allowed:
        return None
    for width in widths:
        tower = _Exhibition(tile.points, wanted, width, allowed, team, ranks, rules).find()
        if tower is not None:
            return tower
    return None


class _Exhibition:
    """One search with a fixed number of uses of width."""

    def __init__(
        self,
        levels: int,
        wanted: int,
        width: int,
        base: int,
        team: Sequence[int],
        ranks: Sequence[int],
        rules: TowerRules,
    ) -> None:
        self.levels_wanted = levels
        self.wanted = wanted
        self.plain = rules.width_limit
        self.limit = rules.width_limit + width
        self.base = base
        self.exactly = rules.exhibition_levels == "exactly"
        self.have = (0, *team, 0)
        self.most = len(team)
        self.ranks = ranks
        self.above = [0] * (self.most + 3)  #: castellers of size k and bigger
        for size in range(self.most, -1, -1):
            self.above[size] = self.above[size + 1] + self.have[size]
        self.dead: set[tuple[int, ...]] = set()
        self.levels: list[Level] = []

    def find(self) -> Tower | None:
        ranks = self.ranks
        found = self.place(
            self.levels_wanted, 0, 0, 0, ranks[BALANCE], ranks[STRENGTH], ranks[MIX], self.base, self.wanted
        )
        return tuple(self.levels) if found else None

    def place(
        self, more: int, top: int, left: int, above: int, balance: int, strength: int, mix: int, base: int, wanted: int
    ) -> bool:
        """Put `more` levels below a level of `above` castellers, still showing the skills `wanted`."""
        if more <= 0 and (not wanted or self.exactly):
            return not wanted
        if more * max(above, 1) > left + self.above[top + 1]:
            return False
        key = (more, top, left, above, balance, strength, mix, base, wanted)
        if key in self.dead:
            return False
        for n in self.counts(above, balance, wanted):
            still, base_left = wanted, base
            if n > self.limit:
                base_left -= 1
                still &= ~_BASE
                if base_left < 0:
                    continue
            elif n > self.plain:
                still &= ~_WIDTH
            if n == above:
                still &= ~_BALANCE
            spent = balance - (n == above)
            if self.choose(n, more, top, left, spent, strength, mix, base_left, still):
                return True
        self.dead.add(key)
        return False

    def counts(self, above: int, balance: int, wanted: int) -> list[int]:
        """Return the counts worth trying: the narrowest, and those that make a skill used."""
        counts = [above] if above and balance else []
        counts.append(above + 1)
        jumps = [self.plain + 1] if wanted & _WIDTH else []
        if wanted & _BASE:
            jumps.append(self.limit + 1)
        if not above and wanted & _MIX:
            jumps.append(2)
        return counts + sorted({n for n in jumps if n > above + 1})

    def choose(
        self, n: int, more: int, top: int, left: int, balance: int, strength: int, mix: int, base: int, wanted: int
    ) -> bool:
        """Choose the sizes of a level of `n` castellers."""
        have, most = self.have, self.most

        def below(level: Level, new_top: int, new_left: int, s: int, m: int, still: int) -> bool:
            if self.place(more - 1, new_top, new_left, n, balance, s, m, base, still):
                self.levels.append(level)
                return True
            return False

        every = bool(wanted & _STRENGTH)  # a bigger size may be the one that meets strength below
        size = top + 1
        first = most + 1
        while size <= most:
            if have[size] >= n:
                first = min(first, size)
                if below((size,) * n, size, have[size] - n, strength, mix, wanted):
                    return True
                if not every:
                    break
            size += 1
        equal = wanted & ~_STRENGTH
        if strength and left >= n and below((top,) * n, top, left - n, strength - 1, mix, equal):
            return True
        if not mix or n < 2:
            return False
        shown = wanted & ~_MIX
        for small in range(top + 1, most if every or wanted & _MIX else min(first, most)):
            big = have[small + 1]
            if have[small] and big and have[small] + big >= n:
                a = min(have[small], n - 1)
                level = (small + 1,) * (n - a) + (small,) * a
                if below(level, small + 1, big - n + a, strength, mix - 1, shown):
                    return True
                if not every:
                    break
        big = have[top + 1]
        if strength and left and big and left + big >= n:
            a = min(left, n - 1)
            level = (top + 1,) * (n - a) + (top,) * a
            return below(level, top + 1, big - n + a, strength - 1, mix - 1, shown & equal)
        return False
