"""The sequential test: its score, its bounds, its memory of where it stopped, and how often it errs."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings import Decision, Hypotheses, Result, block_score, expected_score, fit, run_sprt
from arena.ratings.sprt import likelihood_ratios
from benchmarks.sprt_errors import measure

USUAL = Hypotheses(elo0=0, elo1=20)
scores = st.lists(st.integers(0, 12).map(lambda twelfths: twelfths / 12), max_size=60)


def test_bounds_are_those_of_wald() -> None:
    assert USUAL.bounds == pytest.approx((-log(19), log(19)))
    assert Hypotheses(elo0=-5, elo1=5, alpha=0.01, beta=0.1).bounds == pytest.approx((log(0.1 / 0.99), log(0.9 / 0.01)))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 is 5 and elo1 is 5"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.0}, "alpha is 0.0"),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, "beta is 0.5"),
    ],
)
def test_senseless_hypotheses_are_refused(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Hypotheses(**wrong)


def test_a_blocks_score_is_the_share_of_opponents_seats_beaten() -> None:
    block = [
        Result(("new", "old", "old"), (1, 2, 3), "b", 0),  # beats 2 of 2
        Result(("old", "old", "new"), (1, 3, 2), "b", 0),  # beats 1 of 2
        Result(("old", "new", "old"), (1, 1, 3), "b", 0),  # beats 1 and ties 1 of 2
    ]
    assert block_score(block, "new") == pytest.approx((2 + 1 + 1.5) / 6)
    assert block_score(block, "old") == pytest.approx((0 + 1 + 0.5) / 6)


def test_seats_of_the_same_entrant_are_no_opponents() -> None:
    assert block_score([Result(("new", "new", "old"), (1, 3, 2), "b", 0)], "new") == 0.5
    assert block_score([Result(("new", "new"), (1, 2), "b", 0)], "new") is None


def test_forfeiters_lose_to_everybody_and_tie_with_each_other() -> None:
    assert block_score([Result(("new", "old"), (1, 2), "b", 0, (0,))], "new") == 0
    assert block_score([Result(("new", "old"), (1, 1), "b", 0, (0, 1))], "new") == 0.5


def test_expected_score_is_that_of_the_fitted_model() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(20, (5, 1, -6)) + expected_score(-20, (5, 1, -6)) == pytest.approx(1)
    results = [Result(pair, (1, 2), f"b{n}", n) for n in range(3) for pair in (("a", "b"), ("a", "b"), ("b", "a"))]
    ratings = fit(results)
    seats = [term.advantage.elo for term in ratings.seats]
    chances = ratings.chances(("a", "b"))[0][1] + ratings.chances(("b", "a"))[1][0]
    difference = ratings.difference("a", "b")
    assert difference is not None
    assert expected_score(difference.elo, seats) == pytest.approx(chances / 2)


def test_nothing_is_known_before_the_first_block() -> None:
    state = run_sprt([], USUAL)
    assert (state.decision, state.llr, state.blocks) == (Decision.CONTINUE, 0, 0)
    assert state.score is state.elo is state.plus_minus is None


def test_a_clear_winner_and_a_clear_loser_stop_the_test() -> None:
    won = run_sprt([0.75, 1.0] * 40, USUAL)
    lost = run_sprt([0.25, 0.0] * 40, USUAL)
    assert won.decision is Decision.ACCEPT_H1
    assert won.llr >= won.upper
    assert lost.decision is Decision.ACCEPT_H0
    assert lost.llr <= lost.lower
    assert won.blocks < 80
    assert (won.elo or 0) > 150


def test_what_comes_after_the_decision_changes_nothing() -> None:
    decided = run_sprt([0.75, 1.0] * 40, USUAL)
    assert run_sprt([*([0.75, 1.0] * 40), *([0.0] * 500)], USUAL) == decided


def test_blocks_that_all_tie_prove_no_certainty_at_once() -> None:
    assert run_sprt([0.5] * 20, USUAL).decision is Decision.CONTINUE
    assert run_sprt([0.5] * 200, USUAL).decision is Decision.ACCEPT_H0


@given(scores)
def test_exchanging_the_sides_exchanges_the_answer(found: list[float]) -> None:
    mirrored = run_sprt([1 - score for score in found], Hypotheses(elo0=-20, elo1=0))
    state = run_sprt(found, USUAL)
    assert mirrored.llr == pytest.approx(-state.llr, abs=1e-9)
    assert mirrored.blocks == state.blocks


@given(scores.filter(bool))
def test_the_path_is_that_of_every_prefix(found: list[float]) -> None:
    path = likelihood_ratios(np.array(found), 0.5, 0.55)
    for count in range(1, len(found) + 1):
        mean = sum(found[:count]) / count
        spread = [sum((score - expected) ** 2 for score in found[:count]) for expected in (0.5, 0.55)]
        virtual = [0.25 + (mean - expected) ** 2 for expected in (0.5, 0.55)]
        exact = count / 2 * log((spread[0] + virtual[0]) / (spread[1] + virtual[1]))
        assert path[count - 1] == pytest.approx(exact, abs=1e-9)


def test_errors_stay_near_what_was_asked() -> None:
    asked = Hypotheses(elo0=0, elo1=60)
    at_h0 = measure("cbbb", 0, asked, tests=300, blocks=300, seed=1)
    at_h1 = measure("cbbb", 60, asked, tests=300, blocks=300, seed=2)
    assert at_h0.accept_h1 < 0.09
    assert at_h1.accept_h0 < 0.09
    assert at_h0.accept_h0 + at_h0.accept_h1 > 0.97
    assert at_h1.accept_h1 > 0.88


@pytest.mark.heavy
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("line_up", "blocks"), [("cb", 4000), ("cbbb", 2000), ("ccbb", 2000)])
def test_error_rates_at_both_bounds(line_up: str, blocks: int) -> None:
    assert measure(line_up, 0, USUAL, tests=2000, blocks=blocks, seed=3).accept_h1 < 0.065
    assert measure(line_up, 20, USUAL, tests=2000, blocks=blocks, seed=4).accept_h0 < 0.065
