"""The builder against brute force, on random teams, ranks and rules."""

from __future__ import annotations

import random

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.castell import builder as builder_module
from arena.games.castell.actions import Tower
from arena.games.castell.builder import Builder, best_festival_tower, tower_for, towers
from arena.games.castell.edition import TowerRules, shipped_edition
from arena.games.castell.judge import (
    STANDARD,
    count_of,
    festival_problem,
    festival_score,
    tile_problem,
    tower_problem,
)
from tests.games.castell.situations import counts, ranks

TILES = shipped_edition().tiles
OTHER = attrs.evolve(STANDARD, base_levels="lowest_only", exhibition_levels="at_least")

teams = st.lists(st.one_of(st.sampled_from([3, 4, 5]), st.integers(1, 10)), min_size=3, max_size=12).map(
    lambda sizes: tuple(sizes.count(size) for size in range(1, 11))
)
rank_tuples = st.tuples(*[st.sampled_from([0, 0, 1, 1, 2, 3])] * 5)
rules = st.sampled_from([STANDARD, OTHER])


def merit(tower: Tower, sizes: tuple[int, ...]) -> tuple[int, int]:
    """Return what the builder maximises: the score, then castellers of shown sizes."""
    return festival_score(tower, sizes), sum(count_of(tower, size) for size in set(sizes))


@settings(max_examples=80, deadline=None)
@given(teams, rank_tuples, rules, st.lists(st.integers(1, 10), min_size=1, max_size=3))
def test_everything_agrees_with_brute_force(
    team: tuple[int, ...], rank: tuple[int, ...], rule: TowerRules, sizes: list[int]
) -> None:
    build = Builder(rule)
    every = list(build.towers(team, rank))
    assert len(every) == len(set(every))
    for tower in every[:: max(1, len(every) // 50)]:
        assert tower_problem(tower, team, rank, rule) is None
    for tile in TILES:
        possible = [tower for tower in every if tile_problem(tile, tower, team, rank, rule) is None]
        assert list(build.tile_towers(tile, team, rank)) == possible
        found = build.tower_for(tile, team, rank)
        assert (found in possible) if possible else (found is None)
    shown = tuple(sizes)
    entering = [tower for tower in every if festival_problem(tower, shown, team, rank, rule) is None]
    assert list(build.festival_towers(team, rank, shown)) == entering
    best = build.best_festival_tower(team, rank, shown)
    if entering:
        assert best in entering
        assert merit(best, shown) == max(merit(tower, shown) for tower in entering)
    else:
        assert best is None


def likely(rng: random.Random) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return a team, ranks and shown sizes with which a festival tower often exists."""
    sizes = [rng.randint(1, 10) for _ in range(13)]
    team = tuple(sizes.count(size) for size in range(1, 11))
    shown = (rng.choice(sizes), rng.choice(sizes))
    return team, tuple(rng.choice([0, 1, 1, 2]) for _ in range(5)), shown


@pytest.mark.heavy
def test_best_towers_thoroughly() -> None:
    found = 0
    for seed in range(3000):
        team, rank, shown = likely(random.Random(seed))
        entering = [tower for tower in towers(team, rank) if festival_problem(tower, shown, team, rank) is None]
        best = best_festival_tower(team, rank, shown)
        assert (best is None) == (not entering)
        if best is not None:
            found += 1
            assert merit(best, shown) == max(merit(tower, shown) for tower in entering)
    assert found > 1000


def test_towers_come_in_the_stated_order() -> None:
    every = list(towers(counts("3 3 2 1"), ranks()))
    assert every == [((3, 3),), ((3, 3), (2,)), ((3, 3), (1,)), ((3,),), ((2,),), ((1,),)]
    mixed = list(towers(counts("3 2 2"), ranks(mix=1)))
    assert mixed == [((3, 2, 2),), ((3, 2),), ((2, 2),), ((3,),), ((2,),)]


def test_a_tie_in_score_goes_to_more_shown_castellers() -> None:
    team, rank, shown = counts("6 6 5 3 3 2 1"), ranks(balance=4), (3,)
    wide, high = ((6, 6), (3, 3), (2,), (1,)), ((6,), (5,), (3,), (2,), (1,))
    assert festival_score(wide, shown) == festival_score(high, shown) == 6
    assert festival_problem(high, shown, team, rank) is None
    assert best_festival_tower(team, rank, shown) == wide


def test_answers_are_remembered_and_caches_stay_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder_module, "_REMEMBERED", 3)
    build = Builder()
    team, rank = counts("9 9 9 8 8 7 6 5"), ranks(balance=1)
    assert build.tower_for(TILES[0], team, rank) is build.tower_for(TILES[0], list(team), list(rank))
    for tile in TILES:
        build.tower_for(tile, team, rank)
        build.best_festival_tower(team, rank, (1 + tile.number % 10,))
        assert len(build._tiles) <= 3
        assert len(build._festivals) <= 3


def test_the_functions_are_the_standard_builders() -> None:
    team, rank = counts("9 9 9 8 8 7 6 5"), ranks(balance=1)
    assert tower_for(TILES[0], team, rank) == Builder().tower_for(TILES[0], team, rank)
    assert best_festival_tower(team, rank, [9, 7]) == Builder().best_festival_tower(team, rank, (9, 7))
