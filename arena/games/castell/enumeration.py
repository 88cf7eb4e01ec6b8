"""Lazy enumeration of towers, ground first. The searches never use it: it serves complete counts and lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.games.castell.actions import Level, Tower
from arena.games.castell.edition import BALANCE, MIX, STRENGTH, WIDTH, TowerRules
from arena.games.castell.judge import base_allowed


def all_towers(
    team: Sequence[int],
    ranks: Sequence[int],
    rules: TowerRules,
    shape: Sequence[int] | None = None,
    most_levels: int | None = None,
) -> Iterator[Tower]:
    """Yield every distinct tower once; a tower comes before those that add levels to it.

    Levels are tried from wide to narrow, and those of one width from big sizes to small. With `shape` only towers
    whose lowest levels have these counts (and at most that many levels) are made.
    """
    have = [0, *team, 0]
    limit = rules.width_limit + ranks[WIDTH]
    if shape is not None:
        most_levels = len(shape)

    def levels(count: int, top: int, low: int) -> Iterator[Level]:
        """Yield every level of `count` castellers with no size above `top`; mixed ones only if `low`."""
        for size in range(top, 0, -1):
            if have[size] >= count:
                yield (size,) * count
            if low and size > 1:
                least = max(1, count - have[size - 1])
                for big in range(min(have[size], count - 1), least - 1, -1):
                    yield (size,) * big + (size - 1,) * (count - big)

    def build(tower: Tower, balance: int, base: int, mix: int, strength: int) -> Iterator[Tower]:
        if tower:
            yield tower
            if most_levels is not None and len(tower) >= most_levels:
                return
            below = tower[-1]
            widest, top = len(below) - (not balance), below[-1] - (not strength)
        else:
            below = ()
            widest, top = sum(have), len(team)
        counts = range(widest, 0, -1) if shape is None else (shape[len(tower)],)
        for count in counts:
            free = base - (count > limit)
            if free < 0 or count > widest:
                continue
            equal = balance - (count == len(below))
            for level in levels(count, top, mix):
                big, small = level[0], level[-1]
                number = level.count(big)
                have[big] -= number
                if small != big:
                    have[small] -= count - number
                touches = bool(below) and big == below[-1]
                yield from build((*tower, level), equal, free, mix - (big != small), strength - touches)
                have[big] += number
                if small != big:
                    have[small] += count - number

    allowed = base_allowed(ranks, rules)
    yield from build((), ranks[BALANCE], allowed, ranks[MIX], ranks[STRENGTH])
