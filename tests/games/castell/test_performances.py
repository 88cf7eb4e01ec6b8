"""Worked examples for section 6 of the rules: local performances."""

from __future__ import annotations

import pytest

from arena.games.castell.edition import shipped_edition
from tests.games.castell.situations import allows, edition_with, play, player, ranks, refusal, region, standing_in

SHAPE = 1  # 3-2-1, 2 points
MIX, WIDTH, BASE_WIDTH = 19, 21, 28


def test_the_tile_numbers_used_here() -> None:
    tiles = shipped_edition().tiles
    assert [str(tiles[n - 1]) for n in (SHAPE, MIX, WIDTH, BASE_WIDTH)] == ["3-2-1", "mix", "width", "base+width"]
    assert [tiles[n - 1].points for n in (SHAPE, MIX, WIDTH, BASE_WIDTH)] == [2, 4, 4, 5]


def test_the_pawn_must_be_in_the_tiles_region() -> None:
    state = standing_in("girona", team="9 9 9 8 8 7")
    region(state, "girona", tiles=[2])
    region(state, "lleida", tiles=[SHAPE])
    assert "does not lie in girona" in refusal(state, "special perform #1 9 9 9/8 8/7")


def test_the_counts_equal_the_shape_exactly() -> None:
    state = standing_in("girona", team="9 9 9 8 8 7 6")
    region(state, "girona", tiles=[SHAPE])
    assert "the tower's is 3-2-1-1" in refusal(state, "special perform #1 9 9 9/8 8/7/6")
    assert "the tower's is 3-2" in refusal(state, "special perform #1 9 9 9/8 8")
    play(state, "special perform #1 9 9 9/8 8/7")
    assert state.won[0] == ((SHAPE, 1),)
    assert state.rows[1] == ()


def test_an_exhibition_has_exactly_as_many_levels_as_points_and_uses_all_skills() -> None:
    state = standing_in("girona", team="9 9 9 8 8 7 7 6 5", skills={"mix": 1, "balance": 2})
    region(state, "girona", tiles=[MIX])
    assert "asks for 4 levels, but the tower has 3" in refusal(state, "special perform #19 9 9 8/7 7/6")
    assert "asks for 4 levels, but the tower has 5" in refusal(state, "special perform #19 9 9 8/8 7/7/6/5")
    assert "uses mix; this one does not" in refusal(state, "special perform #19 9 9/8 8/7/6")
    play(state, "special perform #19 9 9 8/7 7/6/5")


def test_an_exhibition_that_only_one_split_satisfies() -> None:
    """5-4-3-2-1 with width 2 and base 2 uses both skills with one use of width only: w=0 frees 5 and 4, w=2 none."""
    team = "10 10 10 10 10 9 9 9 9 8 8 8 7 7 6"
    state = standing_in("girona", team=team, skills={"width": 2, "base": 2})
    region(state, "girona", tiles=[BASE_WIDTH])
    assert allows(state, "special perform #28 10 10 10 10 10/9 9 9 9/8 8 8/7 7/6")
    player(state, 0, skills={"width": 2, "base": 0})
    assert "uses base and width; this one does not" in refusal(
        state, "special perform #28 10 10 10 10 10/9 9 9 9/8 8 8/7 7/6"
    )


def test_the_performer_takes_every_token_of_the_region_laid_before_this_action() -> None:
    state = standing_in("girona", team="9 9 9 8 8 7")
    region(state, "girona", tiles=[SHAPE], laid={0: 1, 2: 2})
    play(state, "special perform #1 9 9 9/8 8/7")
    assert state.collected[0] == (0, 3, 0, 0, 0, 0, 0)
    assert state.laid[1] == 1, "the token of this action is laid afterwards, and stays"
    assert state.standing().categories["performances"] == (2 + 3, 0, 0)


def test_one_special_action_performs_one_tile_and_a_taken_tile_is_gone() -> None:
    state = standing_in("girona", team="9 9 9 8 8 7", skills={"balance": 1})
    region(state, "girona", tiles=[SHAPE, 3], offers="special")
    play(state, "wheel perform #1 9 9 9/8 8/7")
    assert state.tokens[0] == 7
    assert not any(state.laid)
    assert "its tiles: #3" in refusal(state, "special perform #1 9 9 9/8 8/7")


def test_building_uses_nothing_up() -> None:
    state = standing_in("girona", team="9 9 9 8 8 7", skills={"balance": 2})
    team = state.teams[0]
    region(state, "girona", tiles=[SHAPE, 3], offers="special")
    play(state, "wheel perform #1 9 9 9/8 8/7", "special perform #3 9/8/7")
    assert state.teams[0] == team
    assert state.ranks[0] == ranks(balance=2)


def test_an_exhibition_ruled_at_least() -> None:
    text = "special perform #19 9 9 8/7 7/6/5/4"
    for ruling, allowed in (("exactly", False), ("at_least", True)):
        edition = edition_with(exhibition_levels=f'"{ruling}"')
        state = standing_in("girona", edition=edition, team="9 9 9 8 8 7 7 6 5 4", skills={"mix": 1, "balance": 2})
        region(state, "girona", tiles=[MIX])
        assert allows(state, text) == allowed


@pytest.mark.parametrize("number", range(1, 33))
def test_every_tile_of_the_edition_can_be_performed(number: int) -> None:
    """The hardest needs five ranks and nine castellers or more, so ten ranks and a team of twenty do for all."""
    state = standing_in("girona", team=" ".join(f"{n} {n}" for n in range(1, 11)) + " 9 9 10 10 10 8 8")
    player(state, 0, skills={"balance": 3, "base": 1, "mix": 2, "strength": 2, "width": 2})
    region(state, "girona", tiles=[number])
    performs = [option for option in state.options() if f"perform #{number} " in str(option)]
    assert performs
    play(state, str(performs[0]))
    assert state.won[0] == ((number, 1),)
