"""The oracle against the examples in the rules, and its enumeration of towers against one that prunes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import judge
from tests.oracle.counting import collapsed, complete
from tests.oracle.edition import SHIPPED, SKILLS, Edition, load
from tests.oracle.model import Position, set_up, simple_actions
from tests.oracle.playing import play

ALL = dict.fromkeys(SKILLS, 5)


def ranks(**given_ranks: int) -> dict[str, int]:
    return {skill: given_ranks.get(skill, 0) for skill in SKILLS}


def people(tower: judge.Tower) -> list[int]:
    return [size for level in tower for size in level]


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("6 6 5/4 4", {"mix": 1}),
        ("6 6 5/5 5", {"mix": 1, "strength": 1}),
        ("6 6 5/5 4", {"mix": 2, "strength": 1}),
        ("6 6 6/6 5", {"strength": 1, "mix": 1}),
        ("6 6 6/5 4", {"mix": 1}),
    ],
)
def test_examples_of_uses(text: str, needed: dict[str, int]) -> None:
    tower, edition = judge.read_tower(text), load()
    assert judge.uses_by_width(tower, ranks(**needed), edition)
    for skill in needed:
        assert not judge.uses_by_width(tower, ranks(**{**needed, skill: needed[skill] - 1}), edition)


def test_bigger_above_smallest_below_never_stands() -> None:
    assert not judge.stands(judge.read_tower("6 6 5/6 6"), [5, 6, 6, 6, 6], ALL, load())


def widths(*counts: int) -> judge.Tower:
    return tuple((10 - number,) * wide for number, wide in enumerate(counts))


@pytest.mark.parametrize(
    ("counts", "lists"),
    [
        ((4, 3, 2, 1), [{"base"}, {"width"}]),
        ((5, 3, 2, 1), [{"base"}]),
        ((5, 4, 3, 2, 1), [{"base"}, {"width"}, {"base", "width"}]),
    ],
)
def test_examples_of_width_and_base(counts: tuple[int, ...], lists: list[set[str]]) -> None:
    usable = judge.usable_lists(widths(*counts), ranks(width=1, base=1), load())
    assert usable == {frozenset(), *map(frozenset, lists)}


def every_tower_unpruned(team: list[int]) -> Iterator[judge.Tower]:
    """Yield every list of disjoint levels, by giving each size some castellers on each of as many levels."""
    owned = sorted(Counter(team).items(), reverse=True)
    for height in range(1, len(team) + 1):
        splits = [
            [split for split in product(range(number + 1), repeat=height) if sum(split) <= number]
            for _, number in owned
        ]
        for choice in product(*splits):
            levels = tuple(
                tuple(size for (size, _), split in zip(owned, choice, strict=True) for _ in range(split[level]))
                for level in range(height)
            )
            if all(levels):
                yield levels


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5), st.fixed_dictionaries({s: st.integers(0, 2) for s in SKILLS})
)
def test_towers_are_all_that_stand(team: list[int], rank: dict[str, int]) -> None:
    edition = load()
    found = list(judge.towers(team, rank, edition))
    assert len(found) == len(set(found))
    assert set(found) == {tower for tower in every_tower_unpruned(team) if judge.stands(tower, team, rank, edition)}


def plain_opening(seats: int, side: str, edition: Edition) -> Position:
    castellers = [size for _ in range(15) for size in range(1, 11)]
    tokens = [size for _ in range(3) for size in range(1, 11)]
    return set_up(
        edition,
        side,
        seats,
        castellers=castellers,
        ring=edition.data["wheel"]["tiles"],
        locations=[*edition.regions, *edition.regions],
        size_tokens=tokens,
        tiles=range(1, 33),
    )


def test_opening_by_hand() -> None:
    opening = plain_opening(2, "standard", load())
    assert simple_actions(opening) == {"end", *(f"move {region}" for region in load().regions)}
    # 2 players: 3 castellers a region, 10 9 8 ... drawn in turn; All Regions faces balance, Barcelona faces mix
    barcelona = play(opening, "move barcelona")
    assert simple_actions(barcelona) == {
        *("end", "train balance", "train mix"),
        *("recruit 1", "recruit 2", "recruit 3", "recruit 2 1", "recruit 3 1", "recruit 3 2"),
        *("special recruit 1", "special recruit 2", "special recruit 3"),
        *("special move girona", "special move lleida", "special move vilafranca", "special move vilanova"),
    }


def test_counts_by_hand() -> None:
    opening = plain_opening(2, "advanced", load())
    assert [collapsed(opening, depth) for depth in (0, 1)] == [1, 8]
    assert complete(opening, 1) == 8


def test_the_shipped_file_is_read() -> None:
    assert Path(SHIPPED).is_file()
    assert len(load().tiles) == 32
