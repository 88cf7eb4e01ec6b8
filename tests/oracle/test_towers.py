"""The fast judge and builder of towers against the slow judge."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.castell import edition as fast_edition
from arena.games.castell import judge as fast
from arena.games.castell.builder import builder_for, towers
from tests.oracle import judge
from tests.oracle.edition import SKILLS, Edition, parse
from tests.oracle.making import Case, fitting_tiles, random_case, random_ranks, random_team
from tests.oracle.variants import EASY, changed

LISTS = [frozenset(names) for number in range(6) for names in combinations(SKILLS, number)]
EDITIONS = {
    "shipped": changed({}),
    "lowest only, at least": changed({"base_levels": '"lowest_only"', "exhibition_levels": '"at_least"'}),
    "easy": changed(EASY),
}


def counts_of(team: tuple[int, ...]) -> tuple[int, ...]:
    """Return the team as the fast code has it: the number of castellers of each size from 1."""
    owned = Counter(team)
    return tuple(owned[size] for size in range(1, 11))


def compare(case: Case, rng: random.Random, edition: Edition, data: fast_edition.Edition) -> bool:
    """Put one tower and everything that may be asked about it to both judges; return whether it stands."""
    rules, team = data.tower_rules, counts_of(case.team)
    ranks = tuple(case.ranks[skill] for skill in fast_edition.SKILLS)
    stands = judge.stands(case.tower, case.team, case.ranks, edition)
    assert (fast.tower_problem(case.tower, team, ranks, rules) is None) == stands
    if stands:
        usable = judge.usable_lists(case.tower, case.ranks, edition)
        for names in LISTS:
            assert fast.uses_all(names, case.tower, ranks, rules) == (names in usable)
    for number in fitting_tiles(rng, case.tower, edition):
        tile = data.tile(number)
        assert tile is not None
        performs = judge.performs(edition.tiles[number], case.tower, case.team, case.ranks, edition)
        assert (fast.tile_problem(tile, case.tower, team, ranks, rules) is None) == performs
    people = [size for level in case.tower for size in level]
    for shown in ((rng.choice(people), rng.choice(people)), (rng.choice(people), rng.randint(1, 10))):
        competes = judge.may_compete(case.tower, shown, case.team, case.ranks, edition)
        assert (fast.festival_problem(case.tower, shown, team, ranks, rules) is None) == competes
        assert fast.festival_score(case.tower, shown) == judge.festival_score(case.tower, shown)
    return stands


def compare_many(number: int, seed: int, text: str) -> int:
    """Compare that many random cases; return how many towers stood."""
    rng, edition, data = random.Random(seed), parse(text), fast_edition.parse_edition(text)
    return sum(compare(random_case(rng, edition), rng, edition, data) for _ in range(number))


@pytest.mark.parametrize("name", EDITIONS)
def test_judges_agree(name: str) -> None:
    assert compare_many(1600, 1, EDITIONS[name]) > 500


@pytest.mark.heavy
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", EDITIONS)
def test_judges_agree_for_long(name: str) -> None:
    stood = compare_many(200_000, 2, EDITIONS[name])
    print(f"200,000 towers, {stood} of them stand")


levels = st.lists(st.integers(1, 10), min_size=1, max_size=5).map(lambda sizes: tuple(sorted(sizes, reverse=True)))
rank_of = st.fixed_dictionaries({skill: st.integers(0, 5) for skill in SKILLS})


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.integers(1, 10), max_size=25),
    rank_of,
    st.lists(levels, min_size=1, max_size=7),
    st.booleans(),
    st.randoms(),
)
def test_judges_agree_on_anything(
    team: list[int], ranks: dict[str, int], tower: list[judge.Level], manned: bool, rng: random.Random
) -> None:
    if manned:
        team += [size for level in tower for size in level]
    text = EDITIONS["shipped"]
    compare(Case(tuple(sorted(team)), ranks, tuple(tower)), rng, parse(text), fast_edition.parse_edition(text))


def compare_lists(number: int, seed: int, text: str, most: int, highest: int) -> int:
    """Compare whole lists of towers, and what the builder finds with the best in them; return how many towers."""
    rng, edition, data = random.Random(seed), parse(text), fast_edition.parse_edition(text)
    rules, seen = data.tower_rules, 0
    builder = builder_for(rules)
    for _ in range(number):
        people, rank = random_team(rng, most), random_ranks(rng, highest)
        team, ranks = counts_of(people), tuple(rank[skill] for skill in fast_edition.SKILLS)
        slow = list(judge.towers(people, rank, edition))
        quick = list(towers(team, ranks, rules))
        assert len(quick) == len(set(quick)) == len(slow)
        assert set(quick) == set(slow)
        seen += len(slow)
        for tile in edition.tiles.values():
            asked = data.tile(tile.number)
            assert asked is not None
            made = builder.tower_for(asked, team, ranks)
            possible = [tower for tower in slow if judge.performs(tile, tower, people, rank, edition)]
            assert made in possible if possible else made is None
        for _ in range(3):
            shown = (rng.choice(people), rng.randint(1, 10))
            possible = [tower for tower in slow if judge.may_compete(tower, shown, people, rank, edition)]
            best = builder.best_festival_tower(team, ranks, shown)
            assert best in possible if possible else best is None
            if best is not None:
                most_points = max(judge.festival_score(tower, shown) for tower in possible)
                assert judge.festival_score(best, shown) == most_points
    return seen


@pytest.mark.parametrize("name", EDITIONS)
def test_lists_agree(name: str) -> None:
    assert compare_lists(32, 3, EDITIONS[name], most=11, highest=3) > 1000


@pytest.mark.heavy
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", EDITIONS)
def test_lists_agree_for_long(name: str) -> None:
    seen = compare_lists(400, 4, EDITIONS[name], most=14, highest=5)
    print(f"400 teams, {seen} towers in both lists")
