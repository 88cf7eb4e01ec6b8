"""Worked examples for sections 3 and 4 of the rules: rounds, turns, special actions and their tokens."""

from __future__ import annotations

import pytest

from arena.errors import IllegalAction
from arena.games.castell.tables import KINDS
from tests.games.castell.play import dealt
from tests.games.castell.situations import allows, edition_with, play, player, refusal, region, standing_in


def names(state_options: list[object], verb: str) -> set[str]:
    return {str(option) for option in state_options if str(option).startswith(verb)}


def test_a_pawn_off_the_board_allows_only_move_to_any_region_and_end() -> None:
    state = dealt()
    assert len(state.options()) == 8
    assert names(state.options(), "move") == {f"move {name}" for name in state.deal.tables.names}
    for text in ("recruit 5", "train mix", "special recruit 5", "special move girona", "wheel move girona"):
        assert "off the board" in refusal(state, text)
    play(state, "end")
    assert state.pawns[0] == -1
    assert state.to_act == 1


def test_move_goes_to_a_neighbour_by_border_or_dotted_line() -> None:
    state = standing_in("girona")
    assert names(state.options(), "move") == {"move barcelona", "move lleida", "move tarragona"}
    assert "is no neighbour of girona" in refusal(state, "move valls")
    assert "in girona already" in refusal(state, "move girona")
    assert "there is no region paris" in refusal(state, "move paris")


def test_recruit_takes_one_or_two_as_a_multiset_at_once() -> None:
    state = standing_in("girona", team="")
    region(state, "girona", castellers="9 9 4 1")
    expected = {"recruit 9", "recruit 4", "recruit 1", "recruit 9 9", "recruit 9 4", "recruit 9 1", "recruit 4 1"}
    assert names(state.options(), "recruit") == expected
    assert "one or two castellers, not 3" in refusal(state, "recruit 9 9 4")
    assert "there: 9 9 4 1" in refusal(state, "recruit 4 4")
    play(state, "recruit 9 4")
    assert state.deal.tables.falling(state.teams[0]) == [9, 4]
    assert state.deal.tables.falling(state.regions[1]) == [9, 1]


def test_each_action_at_most_once_in_any_order_and_then_the_turn_ends() -> None:
    state = standing_in("girona")
    region(state, "girona", castellers="9 9", offers="mix")
    region(state, "lleida", castellers="8 8", offers="base")
    play(state, "train mix", "special recruit 9", "recruit 9", "move lleida")
    assert "once a turn" in refusal(state, "train base")
    assert "once a turn" in refusal(state, "special recruit 8")
    assert "once a turn" in refusal(state, "recruit 8")
    assert "once a turn" in refusal(state, "move girona")
    assert [str(option) for option in state.options()] == ["end"]
    assert [str(action) for action in state.legal_actions()] == ["end"]


def test_train_raises_the_skill_facing_the_region_or_all_regions() -> None:
    state = dealt(side="standard")
    common = set.intersection(*(set(offer) for offer in state.offers))
    assert common
    player(state, 0, pawn="girona")
    region(state, "girona", offers="mix width")
    assert names(state.options(), "train") == {"train mix", "train width"}
    assert "offers mix and width in girona" in refusal(state, "train base")
    assert "no special action" in refusal(state, "wheel recruit 4")
    assert "there is no skill juggling" in refusal(state, "train juggling")
    assert "wheel action" in refusal(state, "train special")


def test_on_the_advanced_side_nobody_trains_what_faces_no_regions() -> None:
    for number in range(20):
        standard, advanced = dealt(number=number), dealt(number=number, side="advanced")
        assert advanced.deal.ring == standard.deal.ring
        everywhere = KINDS.index(standard.deal.ring[0])
        for wide, narrow in zip(standard.offers, advanced.offers, strict=True):
            assert len(narrow) == 1
            assert set(wide) == {*narrow, everywhere}


def test_the_same_kind_twice_is_one_offer_one_rank() -> None:
    state = next(state for state in (dealt(number=n) for n in range(50)) if state.deal.ring[0] == "special")
    at = next(i for i, offer in enumerate(state.offers) if len(offer) == 1)
    player(state, 0, pawn=state.deal.tables.names[at])
    frees = [option for option in state.options() if str(option).startswith("wheel recruit")]
    assert len(frees) == len(set(frees))


def test_the_pawn_trains_where_it_is_at_that_moment() -> None:
    state = standing_in("girona")
    region(state, "girona", offers="mix")
    region(state, "lleida", offers="base")
    play(state, "move lleida")
    assert "not mix" in refusal(state, "train mix")
    play(state, "train base")
    assert state.ranks[0] == (0, 1, 0, 0, 0)


def test_a_skill_at_its_cap_cannot_be_trained() -> None:
    state = standing_in("girona", skills={"mix": 5})
    region(state, "girona", offers="mix")
    assert "rank 5, the highest" in refusal(state, "train mix")


def test_a_special_tile_grants_a_special_action_without_token_even_to_one_who_has_none() -> None:
    state = standing_in("girona", tokens=0)
    region(state, "girona", castellers="9 8", offers="special", laid={})
    assert "no special action token left" in refusal(state, "special recruit 9")
    play(state, "wheel recruit 9")
    assert state.tokens[0] == 0
    assert not any(state.laid)
    assert "trained this turn" in refusal(state, "wheel recruit 8")


def test_the_free_special_action_does_not_use_up_the_paid_one() -> None:
    state = standing_in("girona")
    region(state, "girona", castellers="9 8", offers="special")
    play(state, "wheel recruit 9", "special recruit 8")
    assert state.tokens[0] == 6


def test_a_special_action_recruits_one_casteller_only() -> None:
    state = standing_in("girona")
    region(state, "girona", castellers="9 8")
    assert "recruits one casteller, not 2" in refusal(state, "special recruit 9 8")
    assert "does not have" in refusal(state, "special recruit 7")


def test_a_special_move_goes_to_a_neighbour_and_the_token_is_laid_where_the_pawn_then_is() -> None:
    state = standing_in("girona")
    assert "is no neighbour" in refusal(state, "special move valls")
    play(state, "special move lleida")
    assert state.laid[state.deal.tables.index["lleida"]] == 1
    assert state.laid[state.deal.tables.index["girona"]] == 0
    assert state.tokens[0] == 6


def test_any_number_of_tokens_lies_in_a_region() -> None:
    state = standing_in("girona")
    region(state, "girona", castellers="9", laid={0: 2, 1: 1})
    play(state, "special recruit 9")
    assert state.view(0)["laid"][1] == [3, 1, 0]  # type: ignore[index]


def test_turns_go_clockwise_from_the_first_player_and_the_marker_passes() -> None:
    state = dealt(3)
    order = []
    for _ in range(6):
        order.append(state.to_act)
        play(state, "end")
    assert order == [0, 1, 2, 1, 2, 0]


def test_the_wheel_turns_one_step_a_round_from_round_two() -> None:
    state = dealt(2, side="advanced")
    slots, ring = state.deal.tables.edition.slots, state.deal.ring
    for number in (1, 2, 3):
        facing = {slot: ring[(i + number - 1) % 8] for i, slot in enumerate(slots)}
        offered = dict(zip(state.deal.tables.names, state.view(0)["offers"], strict=True))  # type: ignore[arg-type]
        assert offered == {name: [facing[name]] for name in offered}
        play(state, "end", "end")


def test_regions_are_filled_up_before_rounds_3_5_7_9_and_who_stays_stays() -> None:
    state = dealt(3)
    play(state, "move girona")
    region(state, "girona", castellers="9 8 7 1")
    play(state, "recruit 9 8", "end", "end", "end")
    assert state.round == 2
    assert state.deal.tables.falling(state.regions[1]) == [7, 1]
    drawn = state.deal.bag[:2]
    play(state, "end", "end", "end")
    assert state.round == 3
    assert state.deal.tables.falling(state.regions[1]) == sorted([7, 1, *drawn], reverse=True)


def test_the_bag_runs_dry_region_by_region_in_the_editions_order() -> None:
    short = edition_with(count_by_size="[7, 7, 7, 7, 6, 6, 6, 6, 6, 6]")  # 64, of which 49 are dealt to 3 players
    state = dealt(3, edition=short)
    for name in ("barcelona", "girona", "lleida", "tarragona", "valls"):
        region(state, name, castellers="")
    play(state, *["end"] * 6)
    assert [len(state.deal.tables.falling(packed)) for packed in state.regions] == [4, 4, 4, 3, 0, 4, 4]
    assert state.bag_at == len(state.deal.bag) == 15
    play(state, *["end"] * 6)
    assert state.round == 5


@pytest.mark.parametrize(("seats", "each"), [(2, 3), (3, 4), (4, 5)])
def test_set_up(seats: int, each: int) -> None:
    state = dealt(seats)
    tables = state.deal.tables
    assert [len(tables.falling(packed)) for packed in state.regions] == [each] * 7
    assert [len(tables.falling(team)) for team in state.teams] == [7] * seats
    assert state.pawns == [-1] * seats
    assert state.tokens == [7] * seats
    assert (state.round, state.first, state.to_act) == (1, 0, 0)
    assert [len(row) for row in state.rows] == [2] * 7
    assert len(state.deal.spare) == 2
    by_kind = [[f.region for f in state.deal.festivals if (f.round < 7) == early] for early in (True, False)]
    assert [sorted(kind) for kind in by_kind] == [list(range(7))] * 2


def test_a_match_is_over_after_round_ten_and_nothing_can_be_done() -> None:
    state = dealt(2)
    play(state, *["end"] * 20)
    assert state.to_act is None
    for text in ("end", "decline", "move girona", "compete 9/8/7/6"):
        assert "the match is over" in refusal(state, text)
    assert not list(state.legal_actions())


def test_something_that_is_no_action_is_refused() -> None:
    state = dealt(2)
    with pytest.raises(IllegalAction, match="no action of Castell"):
        state.apply("end")
    with pytest.raises(IllegalAction, match="no action of Castell"):
        state.check("end")
    assert not allows(state, "decline")


def test_a_refusal_stays_short_however_long_the_action_is() -> None:
    endless = "/".join(["9 9 9"] * 1000)
    state = standing_in("girona")
    region(state, "girona", tiles=[1])
    assert len(refusal(state, f"special perform #1 {endless}")) < 400
    assert refusal(state, f"compete {endless}").endswith("...: no festival is on")
