"""Worked examples for section 8 of the rules: the five categories, ties and places."""

from __future__ import annotations

from arena.games.castell.edition import Edition
from arena.games.castell.state import State
from tests.games.castell.play import dealt
from tests.games.castell.situations import edition_with, play


def with_prizes(*prizes: tuple[tuple[str, int], ...], edition: Edition | None = None) -> State:
    state = dealt(len(prizes), edition=edition)
    state.prizes = prizes
    return state


def test_the_best_festival_score_counts_and_zero_if_none() -> None:
    state = dealt(2)
    state.best = [17, 0]
    assert state.standing().categories["festival"] == (17, 0)


def test_variety_by_regions_in_which_a_prize_or_a_tile_was_won() -> None:
    table = [0, 0, 1, 3, 5, 7, 10, 14]
    for regions in range(8):
        state = dealt(2)
        state.prizes = (tuple(("trophy", r) for r in range(0, regions, 2)), ())
        state.won = (tuple((r + 1, r) for r in range(1, regions, 2)), ())
        assert state.standing().categories["variety"] == (table[regions], 0)


def test_the_same_region_counts_once_and_tokens_do_not_count() -> None:
    state = dealt(2)
    state.prizes = ((("trophy", 1), ("medal", 1)), ())
    state.won = (((1, 1), (2, 3)), ())
    state.size_tokens = (((5, 4),), ())
    state.collected = ((0, 0, 0, 0, 0, 2, 0), (0,) * 7)
    assert state.standing().categories["variety"] == (1, 0)


def test_ruling_variety_counts() -> None:
    for value, points in (
        ('["prize", "tile"]', 1),
        ('["prize", "tile", "size_token"]', 3),
        ('["prize", "tile", "action_token"]', 3),
        ('["action_token", "prize", "size_token", "tile"]', 5),
    ):
        state = dealt(2, edition=edition_with(variety_counts=value))
        state.prizes = ((("trophy", 1),), ())
        state.won = (((2, 3),), ())
        state.size_tokens = (((5, 4),), ())
        state.collected = ((0, 0, 0, 0, 0, 2, 0), (0,) * 7)
        assert state.standing().categories["variety"] == (points, 0)


def test_prizes_are_worth_five_three_and_one() -> None:
    state = with_prizes((("trophy", 0),), (("medal", 0),), (("ribbon", 0), ("ribbon", 0)))
    assert state.standing().categories["prizes"] == (5, 3, 2)


def test_size_tokens_two_for_each_different_size_and_one_for_each_further() -> None:
    state = dealt(2)
    state.size_tokens = (((5, 0), (5, 1), (7, 1)), ((3, 0),))
    assert state.standing().categories["size_tokens"] == (5, 2)


def test_local_performances_points_on_tiles_and_one_for_each_token_collected() -> None:
    state = dealt(2)
    state.won = (((1, 0), (32, 2)), ())
    state.collected = ((0, 3, 0, 0, 1, 0, 0), (0,) * 7)
    assert state.standing().categories["performances"] == (2 + 6 + 4, 0)


def test_most_points_win_and_shared_places_skip_the_next() -> None:
    state = with_prizes((("medal", 0),), (("medal", 0),), (("ribbon", 1),), (("ribbon", 1),))
    assert state.standing().places == (1, 1, 3, 3)
    state = with_prizes((("medal", 0),), (("medal", 0),), (("ribbon", 1),))
    assert state.standing().places == (1, 1, 3)
    state = with_prizes((("trophy", 0),), (("medal", 0),), (("ribbon", 1),))
    assert state.standing().places == (1, 2, 3)


def test_a_tie_goes_to_more_points_from_prizes_and_then_it_is_shared() -> None:
    state = with_prizes((("medal", 0),), (), ())
    state.best = [0, 3, 3]
    assert state.standing().scores == (3, 3, 3)
    assert state.standing().places == (1, 2, 2)


def test_ruling_final_ties() -> None:
    rows = {
        '["prize_points", "regions", "shared"]': (1, 2, 3),
        '["regions", "prize_points", "shared"]': (2, 1, 3),
        '["prize_points", "shared"]': (1, 2, 2),
        '["regions", "shared"]': (2, 1, 2),
        '["shared"]': (1, 1, 1),
    }
    for value, places in rows.items():
        state = dealt(3, edition=edition_with(final_ties=value))
        spread, together = (("ribbon", 0), ("ribbon", 1), ("ribbon", 2)), (("ribbon", 0),) * 3
        state.prizes = ((("trophy", 0),), spread, together)
        state.best = [1, 0, 3]
        assert state.standing().scores == (6, 6, 6)
        assert state.standing().places == places


def test_the_outcome_is_the_standing_of_a_match_that_is_over() -> None:
    state = dealt(2)
    assert state.outcome() is None
    play(state, *["end"] * 20)
    assert state.outcome() == state.standing()
    assert list(state.standing().categories) == ["festival", "variety", "prizes", "size_tokens", "performances"]
