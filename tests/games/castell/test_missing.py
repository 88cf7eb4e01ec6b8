"""What is missing: possible afterwards, never possible for less, and nothing exactly when nothing is missing."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

import attrs
import pytest

from arena.games.castell.actions import Tower
from arena.games.castell.builder import Builder
from arena.games.castell.edition import TowerRules, shipped_edition
from arena.games.castell.judge import STANDARD, festival_problem, tile_problem
from arena.games.castell.missing import Missing, missing_for_festival, missing_for_tile
from tests.games.castell.situations import counts, ranks

TILES = shipped_edition().tiles
OTHER = attrs.evolve(STANDARD, base_levels="lowest_only", exhibition_levels="at_least")


def added(team: Sequence[int], rank: Sequence[int], missing: Missing) -> tuple[tuple[int, ...], tuple[int, ...]]:
    more = tuple(have + missing.castellers.count(size) for size, have in enumerate(team, 1))
    return more, tuple(have + new for have, new in zip(rank, missing.ranks, strict=True))


def cheaper_suffices(
    team: Sequence[int], rank: Sequence[int], cost: int, test: Callable[[list[int], list[int]], Tower | None]
) -> bool:
    """Tell, by brute force, whether additions that cost `cost - 1` make a tower possible."""
    for learnt in range((cost - 1) // 2 + 1):
        for skills in itertools.combinations_with_replacement(range(5), learnt):
            better = [have + skills.count(skill) for skill, have in enumerate(rank)]
            for sizes in itertools.combinations_with_replacement(range(10), cost - 1 - 2 * learnt):
                more = [have + sizes.count(i) for i, have in enumerate(team)]
                if max(better) <= 5 and test(more, better) is not None:
                    return True
    return False


@pytest.mark.parametrize("seed", range(40))
def test_the_additions_suffice_and_no_cheaper_ones_do(seed: int) -> None:
    rng = random.Random(seed)
    rule: TowerRules = OTHER if seed % 4 == 0 else STANDARD
    build = Builder(rule)
    sizes = [rng.randint(1, 10) for _ in range(rng.randint(6, 16))]
    team = tuple(sizes.count(size) for size in range(1, 11))
    rank = tuple(rng.choice([0, 1, 1, 2]) for _ in range(5))
    tile, shown = rng.choice(TILES), (rng.randint(1, 10), rng.randint(1, 10))

    for_tile = missing_for_tile(tile, team, rank, rule)
    assert for_tile is not None
    more, better = added(team, rank, for_tile)
    assert tile_problem(tile, for_tile.tower, more, better, rule) is None
    for_festival = missing_for_festival(shown, team, rank, rule)
    assert for_festival is not None
    more, better = added(team, rank, for_festival)
    assert festival_problem(for_festival.tower, shown, more, better, rule) is None
    assert (for_tile.cost == 0) == (build.tower_for(tile, team, rank) is not None)
    assert (for_festival.cost == 0) == (build.best_festival_tower(team, rank, shown) is not None)
    for missing in (for_tile, for_festival):
        assert missing.cost == len(missing.castellers) + 2 * sum(missing.ranks)
    if 0 < for_tile.cost <= 3:
        assert not cheaper_suffices(team, rank, for_tile.cost, lambda t, r: build.tower_for(tile, t, r))
    if 0 < for_festival.cost <= 3:
        assert not cheaper_suffices(team, rank, for_festival.cost, lambda t, r: build.best_festival_tower(t, r, shown))


def test_an_example() -> None:
    missing = missing_for_festival([9, 7], counts("9 8 8 7"), ranks(balance=1), rank_cost=9)
    assert missing is not None
    assert missing.ranks == (0, 0, 0, 0, 0)
    assert missing.cost == len(missing.castellers) == 3
    dear = missing_for_tile(TILES[0], counts("9 9 9 8 8"), ranks())
    assert dear is not None
    assert dear.cost == 1


def test_the_costs_of_ranks_and_the_supply_are_heeded() -> None:
    team = counts("9 9 9 9")
    cheap_ranks = missing_for_tile(TILES[2], team, ranks(), rank_cost=0)  # 1-1-1
    assert cheap_ranks is not None
    assert cheap_ranks.cost == 0
    assert cheap_ranks.castellers == ()
    nobody = missing_for_tile(TILES[0], counts("9 9"), ranks(), supply=(0,) * 10)
    assert nobody is None
    only_threes = missing_for_tile(TILES[2], counts("9"), ranks(balance=2), supply=(0, 0, 9, 0, 0, 0, 0, 0, 0, 0))
    assert only_threes is not None
    assert only_threes.castellers == (3, 3)
    assert only_threes.ranks == ranks(strength=1)


def test_what_is_out_of_reach_is_none() -> None:
    low = attrs.evolve(STANDARD, highest_rank=0)
    exhibition = next(tile for tile in TILES if tile.skills)
    assert missing_for_tile(exhibition, counts("9 9 8"), ranks(), low) is None
    assert missing_for_festival([9], counts("9"), ranks(), low) is None
