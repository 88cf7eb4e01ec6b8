"""What a team lacks for a tile or a festival: the cheapest additional castellers and ranks.

A shortest-path search (A*) over towers from the top level down, thinned as in `tile_search`: a step adds a level and
costs the castellers that are lacking for it and the ranks that its skills need beyond those at hand. The estimate of
what is still to be paid is what the levels to come need at least: castellers, and a rank for each skill not yet known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

import attrs

from arena.games.castell.actions import Level, Tower
from arena.games.castell.edition import BALANCE, BASE, MIX, SKILLS, STRENGTH, WIDTH, Tile, TowerRules
from arena.games.castell.judge import STANDARD
from arena.games.castell.tile_search import FLAGS

#: levels, biggest size of the lowest level, how many of it are used, castellers of the lowest level, uses of
#: balance, strength, mix and base, skills still to be shown.
_Node: TypeAlias = tuple[int, int, int, int, int, int, int, int, int]
_Chain: TypeAlias = "tuple[Level, _Chain] | None"


@attrs.frozen(kw_only=True)
class Missing:
    """The cheapest additions that make a tower possible, and such a tower."""

    castellers: Level  #: sizes to recruit, falling
    ranks: tuple[int, ...]  #: ranks to train, in the order of the skills
    cost: int
    tower: Tower


@attrs.frozen(kw_only=True)
class _Target:
    """What the tower must be."""

    shape: tuple[int, ...] = ()  #: counts of its levels, top first; empty: any
    levels: int  #: at least so many levels
    exactly: bool = False
    wanted: int = 0  #: skills to be used, as `FLAGS`
    sizes: tuple[int, ...] = ()  #: every one must stand in the tower; rising


def missing_for_tile(
    tile: Tile,
    team: Sequence[int],
    ranks: Sequence[int],
    rules: TowerRules = STANDARD,
    *,
    rank_cost: int = 2,
    supply: Sequence[int] | None = None,
) -> Missing | None:
    """Return what is missing to perform `tile`, or None when no additions suffice.

    Args:
        tile: the tile to perform.
        team: castellers at hand, as counts by size.
        ranks: ranks at hand.
        rules: the tower rules of the edition.
        rank_cost: the cost of a rank; a casteller costs 1. A turn recruits two castellers and trains one rank.
        supply: castellers that can be had in addition, as counts by size; by default all others in the game.
    """
    if tile.shape:
        target = _Target(shape=tile.shape[::-1], levels=len(tile.shape), exactly=True)
    else:
        wanted = sum(FLAGS[skill] for skill in tile.skills)
        exactly = rules.exhibition_levels == "exactly"
        target = _Target(levels=tile.points, exactly=exactly, wanted=wanted)
    return _remembered(target, bytes(team), tuple(ranks), rules, rank_cost, None if supply is None else tuple(supply))


def missing_for_festival(
    sizes: Iterable[int],
    team: Sequence[int],
    ranks: Sequence[int],
    rules: TowerRules = STANDARD,
    *,
    rank_cost: int = 2,
    supply: Sequence[int] | None = None,
) -> Missing | None:
    """Return what is missing to enter a festival that shows `sizes`, or None; arguments as in `missing_for_tile`."""
    target = _Target(levels=rules.festival_least_levels, sizes=tuple(sorted(set(sizes))))
    return _remembered(target, bytes(team), tuple(ranks), rules, rank_cost, None if supply is None else tuple(supply))


@lru_cache(maxsize=1 << 14)
def _remembered(
    target: _Target,
    team: bytes,
    ranks: tuple[int, ...],
    rules: TowerRules,
    rank_cost: int,
    supply: tuple[int, ...] | None,
) -> Missing | None:
    return _Search(target, team, ranks, rules, rank_cost, supply).find()


class _Search:
    """One search."""

    def __init__(
        self,
        target: _Target,
        team: Sequence[int],
        ranks: Sequence[int],
        rules: TowerRules,
        rank_cost: int,
        supply: Sequence[int] | None,
    ) -> None:
        self.target, self.ranks, self.rules, self.rank_cost = target, tuple(ranks), rules, rank_cost
        self.most = len(team)
        self.have = (0, *team)
        more = [all_of - mine for all_of, mine in zip(rules.supply, team, strict=True)] if supply is None else supply
        self.limit_of = (0, *(mine + other for mine, other in zip(team, more, strict=True)))
        self.base_most = rules.highest_rank if rules.base_levels == "each_use" else 1
        sizes = target.sizes
        self.above = [sum(team[top:]) for top in range(self.most + 1)]  #: castellers bigger than `top`
        untrained = [bit for skill, bit in FLAGS.items() if skill != "width" and not ranks[SKILLS.index(skill)]]
        self.unknown = [sum(bool(flags & bit) for bit in untrained) for flags in range(32)]  #: skills to be learnt
        self.whole = sum(target.shape) or sum(self.limit_of)  #: no tower has more castellers
        self.lacks: dict[int, list[int]] = {}
        self.next = [min((size for size in sizes if size > top), default=self.most + 1) for top in range(self.most + 1)]

    def find(self) -> Missing | None:
        """Search with every useful number of uses of width and return the cheapest result."""
        rank, best = self.ranks[WIDTH], None
        first = 0 if self.target.wanted & FLAGS["base"] else rank
        if self.target.wanted & FLAGS["width"]:
            first = max(first, 1)
        for width in sorted(range(first, self.rules.highest_rank + 1), key=lambda w: (max(w, rank), w)):
            cost = self.rank_cost * max(0, width - rank)
            if best is not None and cost >= best[0]:
                break
            found = self.shortest(width, cost, best[0] if best else 1 << 30)
            if found is not None:
                best = (*found, width)
        return None if best is None else self.result(*best)

    def shortest(self, width: int, start_cost: int, below: int) -> tuple[int, Tower, _Node] | None:
        """Return cost, tower and last node of the cheapest way that costs less than `below`, or None."""
        limit, goal = self.rules.width_limit + width, self.target
        start: _Node = (0, 0, 0, 0, 0, 0, 0, 0, goal.wanted)
        number = count()
        heap: list[tuple[int, int, int, int, _Node, _Chain]] = [(start_cost, 0, next(number), start_cost, start, None)]
        done: set[_Node] = set()
        while heap:
            _, _, _, cost, node, chain = heappop(heap)
            if node in done:
                continue
            done.add(node)
            levels, top, wanted = node[0], node[1], node[8]
            enough = levels >= goal.levels
            if enough and not wanted and self.next[top] > self.most:
                return cost, _unchain(chain), node
            if enough and goal.exactly:
                continue
            for step, after, level in self.steps(node, limit):
                total = cost + step + self.estimate(after, limit)
                if after not in done and total < below:
                    heappush(heap, (total, -after[0], next(number), cost + step, after, (level, chain)))
        return None

    def estimate(self, node: _Node, limit: int) -> int:
        """Return a lower bound of what the levels below `node` will cost; it never falls by more than a step costs.

        Counting all castellers that the levels to come need at least, and counting level by level what the two best
        neighbouring sizes lack, are two such bounds; ranks of skills that must be learnt are paid besides.
        """
        levels, top, used, above = node[:4]
        wanted = node[8]
        shape, more = self.target.shape, self.target.levels - levels
        if shape:
            counts = list(shape[levels:])
        else:
            counts = [above] * more
            for flag, n in (("width", self.rules.width_limit + 1), ("base", limit + 1)):
                if wanted & FLAGS[flag]:
                    counts = [*counts[1:], max(n, above)]
        at_hand = self.above[top] + max(0, self.have[top] - used)
        lacking = max(sum(counts) - at_hand, sum([self.lack_of(n)[top] for n in counts]), 0)
        return lacking + self.rank_cost * self.unknown[wanted]

    def lack_of(self, n: int) -> list[int]:
        """Return, by the biggest size above, how many castellers are lacking at least for a level of `n`."""
        if n not in self.lacks:
            have = (*self.have, 0)
            best, row = n, []
            for size in range(self.most, -1, -1):
                best = min(best, max(0, n - have[size] - have[size + 1])) if size else best
                row.append(best)
            self.lacks[n] = row[::-1]
        return self.lacks[n]

    def steps(self, node: _Node, limit: int) -> Iterator[tuple[int, _Node, Level]]:
        """Yield the cost of each level that may come below, the node after it, and the level."""
        levels, top, used, above, balance, strength, mix, base, wanted = node
        highest, plain = self.rules.highest_rank, self.rules.width_limit
        for n in self.counts(levels, above, wanted, limit):
            free, even = base + (n > limit), balance + (n == above)
            if free > self.base_most or even > highest:
                continue
            still = wanted
            if n == above:
                still &= ~FLAGS["balance"]
            if n > limit:
                still &= ~FLAGS["base"]
            elif n > plain:
                still &= ~FLAGS["width"]
            price = self.over(free, base, BASE) + self.over(even, balance, BALANCE)
            for small in range(max(top, 1), min(self.next[top], self.most) + 1):
                touching = strength + (small == top)
                if touching > highest:
                    continue
                dear = price + self.over(touching, strength, STRENGTH)
                after = still & ~FLAGS["strength"] if small == top else still
                already = used if small == top else 0
                lack = self.lack(small, already, n)
                if lack is not None:
                    deeper = min(levels + 1, self.target.levels)
                    place = (deeper, small, already + n, n, even, touching, mix, free, after)
                    yield dear + lack, place, (small,) * n
                if small == self.most or mix == highest:
                    continue
                dear += self.over(mix + 1, mix, MIX)
                for a in range(max(1, min(n - 1, self.have[small] - already)), n):
                    fewer, bigger = self.lack(small, already, a), self.lack(small + 1, 0, n - a)
                    if fewer is not None and bigger is not None:
                        deeper = min(levels + 1, self.target.levels)
                        mixed = after & ~FLAGS["mix"]
                        place = (deeper, small + 1, n - a, n, even, touching, mix + 1, free, mixed)
                        yield dear + fewer + bigger, place, (small + 1,) * (n - a) + (small,) * a
                        if self.limit_of[small + 1] >= self.whole:
                            break  # with as many as may be wanted of the bigger size, none is spared for later

    def counts(self, levels: int, above: int, wanted: int, limit: int) -> list[int]:
        """Return the counts worth trying for the next level; see `tile_search`."""
        if self.target.shape:
            return [self.target.shape[levels]]
        counts = [above, above + 1] if above else [1]
        jumps = {self.rules.width_limit + 1} if wanted & FLAGS["width"] else set()
        if wanted & FLAGS["base"]:
            jumps.add(limit + 1)
        if not above and wanted & FLAGS["mix"]:
            jumps.add(2)
        return counts + sorted(n for n in jumps if n > above + 1)

    def over(self, uses: int, before: int, skill: int) -> int:
        """Return the cost of the ranks that `uses` need beyond those needed `before`."""
        rank = self.ranks[skill]
        if self.rules.base_levels == "lowest_only" and skill == BASE:
            uses, before = min(uses, 1), min(before, 1)
        return self.rank_cost * (max(uses, rank) - max(before, rank))

    def lack(self, size: int, used: int, n: int) -> int | None:
        """Return how many of `size` are lacking when `n` more than `used` are wanted, or None if too many."""
        if used + n > self.limit_of[size]:
            return None
        have = self.have[size]
        return max(used + n, have) - max(used, have)

    def result(self, cost: int, tower: Tower, node: _Node, width: int) -> Missing:
        """Return the additions that the way to `node` has paid for."""
        needed = {BALANCE: node[4], STRENGTH: node[5], MIX: node[6], BASE: node[7], WIDTH: width}
        ranks = tuple(max(0, needed[skill] - self.ranks[skill]) for skill in range(len(SKILLS)))
        lacking: list[int] = []
        for size in range(self.most, 0, -1):
            wanted = sum(level.count(size) for level in tower)
            lacking += [size] * max(0, wanted - self.have[size])
        return Missing(castellers=tuple(lacking), ranks=ranks, cost=cost, tower=tower)


def _unchain(chain: _Chain) -> Tower:
    levels = []
    while chain is not None:
        level, chain = chain
        levels.append(level)
    return tuple(levels)
