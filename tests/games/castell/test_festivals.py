"""Worked examples for section 7 of the rules: festivals, prizes and size tokens."""

from __future__ import annotations

from arena.games.castell.edition import shipped_edition
from arena.games.castell.festival import award_prizes, prize_winners, token_winner
from tests.games.castell.play import dealt
from tests.games.castell.situations import at_festival, before_festivals, edition_with, play, player, refusal

FOUR_NINES = "9 9 9 8 8 7 6 5"
PLAIN = "compete 9 9 9/8 8/7/6"  # with 9 and 7 shown: 4 levels and 4 castellers
TALL = "compete 9 9 9/8 8/7/6/5"


def test_only_players_in_the_region_are_asked_in_turn_order_from_the_first_player() -> None:
    state = at_festival("9 7", {0: FOUR_NINES, 2: FOUR_NINES}, first=1)
    assert state.view(0)["phase"] == "festival"
    assert (state.to_act, state.asked) == (2, (0,))
    play(state, "decline")
    assert state.to_act == 0
    play(state, "decline")
    assert state.view(0)["phase"] == "turn"


def test_who_can_build_no_such_tower_is_asked_too_and_decline_is_the_only_action() -> None:
    state = at_festival("9 7", {0: "9 8", 1: FOUR_NINES})
    assert [str(action) for action in state.legal_actions()] == ["decline"]
    assert [str(action) for action in state.options()] == ["decline"]
    assert "at least 4 levels" in refusal(state, "compete 9/8")
    assert "a festival is on" in refusal(state, "end")
    assert "a festival is on" in refusal(state, "move valls")


def test_each_sees_what_was_built_before() -> None:
    state = at_festival("9 7", {0: FOUR_NINES, 1: FOUR_NINES})
    play(state, PLAIN)
    assert state.view(1)["built"] == [[0, "9 9 9/8 8/7/6"]]


def test_declining_is_as_if_absent() -> None:
    state = at_festival("9 7", {0: FOUR_NINES, 1: FOUR_NINES})
    play(state, "decline", PLAIN)
    assert state.prizes == ((), (("trophy", 1),), ())
    assert state.best == [0, 8, 0]


def test_a_players_best_festival_score_is_kept() -> None:
    state = at_festival("9 7", {0: FOUR_NINES})
    state.best[0] = 30
    play(state, PLAIN)
    assert state.best[0] == 30
    assert state.standing().categories["festival"] == (30, 0, 0)


def test_prizes_by_number_of_players() -> None:
    edition = shipped_edition()
    assert prize_winners(edition, 4, [9, 12, 8, 7]) == ["medal", "trophy", "ribbon", None]
    assert prize_winners(edition, 3, [9, 12, 8]) == ["medal", "trophy", None]
    assert prize_winners(edition, 2, [9, 12]) == [None, "trophy"]
    assert prize_winners(edition, 4, [9]) == ["trophy"]
    assert prize_winners(edition, 4, []) == []


def test_tied_players_all_get_the_prize_and_the_places_after_are_skipped() -> None:
    edition = shipped_edition()
    assert prize_winners(edition, 4, [12, 12, 12, 9]) == ["trophy", "trophy", "trophy", None]
    assert prize_winners(edition, 4, [12, 10, 10, 9]) == ["trophy", "medal", "medal", None]
    assert prize_winners(edition, 4, [12, 12, 9, 9]) == ["trophy", "trophy", "ribbon", "ribbon"]


def test_when_a_kind_runs_short_it_goes_in_turn_order_without_substitute() -> None:
    tower = ((9,), (8,), (7,), (6,))
    built = [(2, tower), (3, tower), (0, tower)]
    supply = {"trophy": 2, "medal": 9, "ribbon": 9}
    assert award_prizes(shipped_edition(), 4, [9], built, supply) == [(2, "trophy"), (3, "trophy")]


def test_prizes_that_ran_out_in_play() -> None:
    state = at_festival("9 7", {0: FOUR_NINES, 1: FOUR_NINES})
    state.prize_left = (1, 14, 12)
    play(state, PLAIN, PLAIN)
    assert state.prizes == ((("trophy", 1),), (), ())
    assert state.prize_left == (0, 14, 12)


def test_each_size_token_goes_to_the_most_castellers_of_that_size_in_the_tower_just_shown() -> None:
    state = at_festival("8 6", {0: "9 9 9 8 8 7 6", 1: "9 9 9 8 7 7 6 6 5"}, skills={"balance": 2})
    play(state, "compete 9 9 9/8 8/7/6", "compete 9 9/8/7/6")
    assert state.size_tokens == (((6, 1), (8, 1)), (), ())
    state = at_festival("8 6", {0: "9 9 9 8 8 7 6", 1: "9 9 9 8 7 7 6 6 5"}, skills={"balance": 3, "mix": 1})
    play(state, "compete 9 9 9/8 8/7/6", "compete 9 9 9/8 7/6 6/5")
    assert state.size_tokens == (((8, 1),), ((6, 1),), ())


def test_a_tie_for_a_size_token_goes_to_the_higher_tower_and_then_to_nobody() -> None:
    state = at_festival("9 7", {0: FOUR_NINES, 1: FOUR_NINES})
    play(state, PLAIN, TALL)
    assert state.size_tokens == ((), ((7, 1), (9, 1)), ())
    state = at_festival("9 7", {0: FOUR_NINES, 1: FOUR_NINES})
    play(state, PLAIN, PLAIN)
    assert state.size_tokens == ((), (), ())
    assert state.gone == (7, 9)


def test_a_size_shown_twice_gives_both_tokens_to_one_builder_or_to_nobody() -> None:
    state = at_festival("9 9", {0: FOUR_NINES, 1: FOUR_NINES})
    play(state, PLAIN, "decline")
    assert state.size_tokens[0] == ((9, 1), (9, 1))
    state = at_festival("9 9", {0: FOUR_NINES, 1: FOUR_NINES})
    play(state, PLAIN, PLAIN)
    assert state.gone == (9, 9)


def test_if_nobody_builds_or_comes_the_tokens_leave_the_game() -> None:
    state = at_festival("9 7", {0: FOUR_NINES})
    play(state, "decline")
    assert state.gone == (7, 9)
    state = before_festivals([("girona", "3 4")])
    play(state, "end")
    assert state.gone == (3, 4)
    assert state.round == 6


def test_with_two_players_only_the_first_festival_of_a_round_takes_place() -> None:
    for seats, held in ((2, 1), (3, 2), (4, 2)):
        state = before_festivals([("girona", "9 7"), ("valls", "8 6")], seats)
        player(state, 0, pawn="girona")
        player(state, 1, pawn="valls")
        play(state, "end")
        festivals = 0
        while state.festival >= 0:
            festivals += 1
            play(state, "decline")
        assert festivals == held
        assert sorted(state.gone) == [6, 7, 8, 9]


def test_festivals_come_in_calendar_order() -> None:
    state = before_festivals([("valls", "9 7"), ("girona", "8 6")])
    player(state, 0, pawn="girona")
    player(state, 1, pawn="valls")
    play(state, "end")
    assert state.to_act == 1
    play(state, "decline")
    assert state.to_act == 0


def test_rounds_one_and_two_have_no_festival() -> None:
    state = dealt(3)
    assert {f.round for f in state.deal.festivals} == set(range(3, 11))


def test_ruling_prizes_by_builders() -> None:
    edition = edition_with(prizes_by='"builders"')
    assert prize_winners(edition, 4, [9, 12]) == [None, "trophy"]
    assert prize_winners(edition, 4, [9]) == ["trophy"]
    assert prize_winners(edition, 4, [9, 12, 8]) == ["medal", "trophy", None]
    assert prize_winners(shipped_edition(), 4, [9, 12]) == ["medal", "trophy"]


def test_ruling_prize_ties_turn_order() -> None:
    edition = edition_with(prize_ties='"turn_order"')
    assert prize_winners(edition, 4, [12, 12, 12, 9]) == ["trophy", "medal", "ribbon", None]


def test_ruling_size_token_ties() -> None:
    plain, tall = ((9, 9), (8,), (7,), (6,)), ((9, 9), (8,), (7,), (6,), (5,))
    cases = {'["tower_score", "nobody"]': (1, None), '["turn_order"]': (0, 0), '["nobody"]': (None, None)}
    for value, expected in cases.items():
        edition = edition_with(size_token_ties=value)
        winners = (
            token_winner(edition, [9], 9, [(0, plain), (1, tall)]),
            token_winner(edition, [9], 9, [(0, plain), (1, plain)]),
        )
        assert winners == expected


def test_nobody_gets_a_token_where_nobody_built() -> None:
    assert token_winner(shipped_edition(), [9], 9, []) is None
