"""Worked examples for section 5 of the rules, each named after its sentence."""

from __future__ import annotations

import attrs
import pytest

from arena.games.castell.actions import parse_tower
from arena.games.castell.edition import TowerRules
from arena.games.castell.judge import (
    STANDARD,
    count_of,
    festival_problem,
    festival_score,
    needs,
    splits,
    structure_problem,
    tower_problem,
    used_skills,
    uses_all,
)
from tests.games.castell.situations import ranks

EVERYBODY = (15,) * 10
LOWEST_ONLY = attrs.evolve(STANDARD, base_levels="lowest_only")


def problem(text: str, rules: TowerRules = STANDARD, team: tuple[int, ...] = EVERYBODY, **skills: int) -> str | None:
    return tower_problem(parse_tower(text), team, ranks(**skills), rules)


def test_all_castellers_of_a_level_have_one_size() -> None:
    assert problem("6 6 6/5 5/4") is None
    assert "needs one use of mix" in str(problem("6 6 5/4 4/3"))


def test_every_levels_size_is_smaller_than_below() -> None:
    assert "needs one use of strength" in str(problem("6 6 6/6 6"))
    assert "sizes get smaller upwards" in str(problem("5 5 5/6 6", strength=5))


def test_every_level_has_fewer_castellers_than_below() -> None:
    assert "needs one use of balance" in str(problem("6 6/5 5"))
    assert "counts get smaller upwards" in str(problem("6 6/5 5 5", balance=5))


def test_no_level_has_more_than_three() -> None:
    assert problem("6 6 6") is None
    assert "no level may have more than 3 castellers" in str(problem("6 6 6 6"))


def test_a_level_holds_one_or_more_of_the_team_and_each_stands_once() -> None:
    team = (0, 0, 0, 0, 1, 2, 0, 0, 0, 0)
    assert problem("6 6/5", team=team) is None
    assert "uses 2 castellers of size 5, but your team has 1" in str(problem("6 6/5/5", team=team, strength=1))
    assert "size 11" in str(problem("11", team=team))
    assert structure_problem(()) is not None
    assert structure_problem(((),)) is not None


def test_sizes_of_a_level_stand_falling() -> None:
    assert "write 6 5" in str(structure_problem(((5, 6),)))


@pytest.mark.parametrize(
    ("text", "mix", "strength"),
    [
        ("6 6 5/4 4", 1, 0),
        ("6 6 5/5 5", 1, 1),
        ("6 6 5/5 4", 2, 1),
        ("6 6 6/6 5", 1, 1),
        ("6 6 6/5 4", 1, 0),
        ("6 6 5/5 4/4", 2, 2),
    ],
)
def test_mixed_levels_over_mixed_levels(text: str, mix: int, strength: int) -> None:
    need = needs(parse_tower(text))
    assert (need.mix, need.strength) == (mix, strength)
    assert problem(text, mix=mix, strength=strength) is None
    assert problem(text, mix=mix - 1, strength=strength) is not None
    if strength:
        assert problem(text, mix=mix, strength=strength - 1) is not None


def test_the_biggest_is_never_bigger_than_the_smallest_below() -> None:
    assert "a 6 above a 5" in str(problem("6 6 5/6 6", mix=5, strength=5, balance=5))


def test_never_three_sizes_nor_sizes_apart() -> None:
    assert "mix k and k+1" in str(problem("6 5 4", mix=5))
    assert "mix k and k+1" in str(problem("6 6 4", mix=5))


def test_a_skill_may_be_used_as_often_as_its_rank_in_each_tower() -> None:
    assert problem("9 9/8 8/7 7", balance=2) is None
    assert "needs 2 uses of balance, but your rank is 1" in str(problem("9 9/8 8/7 7", balance=1))


def test_width_raises_the_limit_for_the_whole_tower() -> None:
    assert problem("9 9 9 9 9/8 8 8 8/7", width=2) is None
    assert problem("9 9 9 9 9/8 8 8 8/7", width=1) is not None


def test_base_frees_one_level_for_each_use() -> None:
    assert problem("9 9 9 9 9 9 9 9/8", base=1) is None
    assert problem("9 9 9 9 9/8 8 8 8/7", base=1) is not None
    assert problem("9 9 9 9 9/8 8 8 8/7", base=2) is None


def test_ruling_base_levels_lowest_only() -> None:
    assert problem("9 9 9 9 9/8 8 8 8/7", base=2) is None
    assert problem("9 9 9 9 9/8 8 8 8/7", LOWEST_ONLY, base=2) is not None
    assert problem("9 9 9 9 9/8 8 8/7", LOWEST_ONLY, base=2) is None


def used(text: str, *skills: str, rules: TowerRules = STANDARD, **by_skill: int) -> bool:
    return uses_all(skills, parse_tower(text), ranks(**by_skill), rules)


def test_width_and_base_trade_off() -> None:
    four, five, both = "9 9 9 9/8 8 8/7 7/6", "9 9 9 9 9/8 8 8/7 7/6", "9 9 9 9 9/8 8 8 8/7 7 7/6 6/5"
    assert used(four, "base", width=1, base=1)
    assert used(four, "width", width=1, base=1)
    assert not used(four, "base", "width", width=1, base=1)
    assert used(five, "base", width=1, base=1)
    assert not used(five, "width", width=1, base=1)
    assert used(both, "base", "width", width=1, base=1)


def test_a_listed_set_is_used_by_one_split_only() -> None:
    tower = parse_tower("9 9 9 9 9/8 8 8 8/7 7 7/6 6/5")
    rank = ranks(width=2, base=2)
    assert splits(tower, rank) == (0, 1, 2)
    assert [sorted(used_skills(tower, w)) for w in (0, 1, 2)] == [["base"], ["base", "width"], ["width"]]
    assert uses_all(["base", "width"], tower, rank)
    assert not used("9 9 9 9 9/8 8 8 8/7 7 7/6 6/5", "base", "width", rules=LOWEST_ONLY, width=2, base=0)


def test_skills_that_are_not_listed_may_be_used_too() -> None:
    assert used("6 6 5/5 5/4", "mix", mix=1, strength=1)


def test_a_festival_tower_needs_four_levels_and_every_shown_size() -> None:
    rank = ranks(balance=5)
    assert "at least 4 levels" in str(festival_problem(parse_tower("9 9/8 8/7"), [9], EVERYBODY, rank))
    assert "shows size 3" in str(festival_problem(parse_tower("9 9/8 8/7/6"), [9, 3], EVERYBODY, rank))
    assert festival_problem(parse_tower("9 9/8 8/7/6"), [9, 7], EVERYBODY, rank) is None


def test_the_score_is_levels_plus_shown_castellers_and_a_size_shown_twice_counts_once() -> None:
    tower = parse_tower("9 9/8 8/7/6")
    assert festival_score(tower, [9, 7]) == 4 + 3
    assert festival_score(tower, [9, 9]) == 4 + 2
    assert count_of(tower, 8) == 2
