"""What every fit must do, whatever the results."""

from __future__ import annotations

import random
from math import log, sqrt

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import ELO, Cluster, Result, Streak, fit
from arena.ratings.choices import read_results
from arena.ratings.groups import find_groups
from arena.ratings.model import Model
from benchmarks.planted import Planted

NAMES = ("ada", "ben", "cleo", "dan", "eve")


@st.composite
def tournaments(draw: st.DrawFn) -> list[Result]:
    """Draw up to twelve matches of two to four seats; names may sit twice, seats may tie or forfeit."""
    results = []
    for number in range(draw(st.integers(1, 12))):
        seats = draw(st.integers(2, 4))
        line_up = tuple(draw(st.lists(st.sampled_from(NAMES), min_size=seats, max_size=seats)))
        places = tuple(draw(st.lists(st.integers(1, seats), min_size=seats, max_size=seats)))
        forfeited = tuple(sorted(draw(st.sets(st.integers(0, seats - 1), max_size=2))))
        results.append(Result(line_up, places, f"b{number // 2}", number // 3, forfeited))
    return results


def elos(results: list[Result], **options: object) -> dict[str, float]:
    return {row.entrant: row.elo for row in fit(results, **options).rows}  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(tournaments(), st.randoms(use_true_random=False))
def test_order_of_results_changes_nothing(results: list[Result], rng: random.Random) -> None:
    shuffled = list(results)
    rng.shuffle(shuffled)
    one, other = fit(results), fit(shuffled)
    assert [(row.entrant, row.rank, row.group) for row in one.rows] == [
        (row.entrant, row.rank, row.group) for row in other.rows
    ]
    for left, right in zip(one.rows, other.rows, strict=True):
        assert left.elo == pytest.approx(right.elo, abs=1e-5)
        assert (left.against_mean.error is None) == (right.against_mean.error is None)
        if left.against_mean.error is not None:
            assert left.against_mean.error == pytest.approx(right.against_mean.error, rel=1e-5)


@settings(max_examples=60, deadline=None)
@given(tournaments())
def test_everything_is_finite_or_not_available(results: list[Result]) -> None:
    ratings = fit(results)
    for row in ratings.rows:
        assert np.isfinite(row.elo)
        assert row.against_mean.plus_minus is None or 0 < row.against_mean.plus_minus < 1e7
    for group in {row.group for row in ratings.rows}:
        assert sum(row.elo for row in ratings.rows if row.group == group) == pytest.approx(0, abs=1e-6)
    for one in ratings.rows:
        for other in ratings.rows:
            likelihood, opposite = (ratings.superiority(*pair) for pair in _both(one.entrant, other.entrant))
            if likelihood is not None and opposite is not None:
                assert likelihood + opposite == pytest.approx(1)


def _both(one: str, other: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (one, other), (other, one)


@settings(max_examples=60, deadline=None)
@given(tournaments(), st.data())
def test_a_better_place_never_rates_lower(results: list[Result], data: st.DataObject) -> None:
    """Moving an entrant past the one before it never lowers it against that one, nor when the two tie before.

    With fixed seats this is a theorem: the change pushes the likelihood up at one of the two only, or down at the
    other only, and the information is the matrix of a network of resistors (see docs/ratings.md).
    """
    names = data.draw(st.permutations(NAMES))[:4]
    rest = data.draw(st.permutations(range(4)))
    seat_up, seat_down = rest[0], rest[1]
    places = [0, 0, 0, 0]
    before = data.draw(st.integers(0, 2))
    for number, seat in enumerate(rest[2:]):
        places[seat] = 10 if number < before else 1
    line_up = tuple(names)
    pair = (line_up[seat_up], line_up[seat_down])
    elo = []
    for up, down in ((6, 5), (5, 5), (5, 6)):
        places[seat_up], places[seat_down] = up, down
        changed = [*results, Result(line_up, tuple(places), "new", 99)]
        difference = fit(changed, seats=False).difference(*pair)
        assert difference is not None
        elo.append(difference.elo)
    assert elo[0] <= elo[1] + 1e-6
    assert elo[1] <= elo[2] + 1e-6


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4))
def test_one_match_ranks_as_it_ended(places: list[int]) -> None:
    ratings = fit([Result(NAMES[: len(places)], tuple(places), "b", 0)], seats=False)
    for one, place in zip(NAMES, places, strict=False):
        for other, other_place in zip(NAMES, places, strict=False):
            if place < other_place:
                assert ratings[one].elo > ratings[other].elo
                assert ratings[one].rank < ratings[other].rank
            if place == other_place:
                assert ratings[one].elo == pytest.approx(ratings[other].elo, abs=1e-6)
                assert ratings[one].rank == ratings[other].rank


def test_one_match_has_no_interval() -> None:
    ratings = fit([Result(("ada", "ben"), (1, 2), "b", 0)])
    assert ratings["ada"].against_mean.plus_minus is None
    assert ratings.superiority("ada", "ben") is None


def test_no_results_have_no_ratings() -> None:
    assert fit([]).rows == ()


def rotated(line_up: tuple[str, ...], order: tuple[str, ...], deals: int) -> list[Result]:
    """Return blocks in which everybody ends as in `order`, from every seat."""
    results = []
    for deal in range(deals):
        for turn in range(len(line_up)):
            seated = line_up[turn:] + line_up[:turn]
            places = tuple(order.index(name) + 1 for name in seated)
            results.append(Result(seated, places, f"b{deal}", deal))
    return results


def test_ten_to_nil_is_finite_and_says_so() -> None:
    ratings = fit(rotated(("ada", "ben"), ("ada", "ben"), 5))
    assert 150 < ratings["ada"].elo < 600
    assert ratings["ada"].streak is Streak.NEVER_BEATEN
    assert ratings["ben"].streak is Streak.NEVER_BEAT
    assert (ratings["ada"].against_mean.plus_minus or 0) > 100
    assert any("ada never beaten" in note for note in ratings.notes)
    assert 0.9 < (ratings.superiority("ada", "ben") or 0) < 1


def test_all_tied_is_zero_with_an_interval_that_shrinks() -> None:
    def tied(deals: int) -> list[Result]:
        return [Result(("ada", "ben"), (1, 1), f"b{deal}", deal) for deal in range(deals)]

    few, many = fit(tied(5)), fit(tied(50))
    assert few["ada"].elo == few["ben"].elo == 0
    assert few["ada"].rank == few["ben"].rank == 1
    assert few.superiority("ada", "ben") == 0.5
    assert 0 < (many["ada"].against_mean.plus_minus or 0) < (few["ada"].against_mean.plus_minus or 0)


def test_blocks_that_agree_exactly_prove_no_certainty() -> None:
    first_seat_wins = [
        Result(pair, (1, 2), f"b{deal}", deal) for deal in range(8) for pair in (("ada", "ben"), ("ben", "ada"))
    ]
    ratings = fit(first_seat_wins)
    assert ratings["ada"].elo == pytest.approx(0, abs=1e-6)
    assert (ratings["ada"].against_mean.plus_minus or 0) > 10


def test_equal_results_give_equal_ratings() -> None:
    circle = [("ada", "ben", "cleo"), ("ben", "cleo", "ada"), ("cleo", "ada", "ben")]
    results = [result for order in circle for result in rotated(circle[0], order, 6)]
    results = [attrs_block(result, number) for number, result in enumerate(results)]
    ratings = fit(results)
    assert [row.elo for row in ratings.rows] == pytest.approx([0, 0, 0], abs=1e-6)
    assert {row.rank for row in ratings.rows} == {1}
    widths = [row.against_mean.plus_minus for row in ratings.rows]
    assert widths == pytest.approx([widths[0]] * 3)
    assert ratings.superiority("ada", "ben") == pytest.approx(0.5, abs=1e-6)


def attrs_block(result: Result, number: int) -> Result:
    return Result(result.line_up, result.places, f"b{number // 3}", number // 3)


def test_forfeiters_are_not_ordered_among_themselves() -> None:
    one = fit([Result(("ada", "ben", "cleo"), (1, 2, 2), "b", 0, (1, 2))], seats=False)
    assert one["ben"].elo == pytest.approx(one["cleo"].elo)
    tie = fit([Result(("ada", "ben", "cleo"), (1, 2, 2), "b", 0)], seats=False)
    assert tie["ben"].elo < one["ben"].elo  # a tie for last adds a choice set that both are seen to play


def test_who_only_forfeited_together_never_met() -> None:
    results = [
        Result(("ada", "ben"), (1, 1), "b0", 0, (0, 1)),
        Result(("ada", "cleo"), (1, 2), "b1", 1),
        Result(("cleo", "ada"), (1, 2), "b2", 2),
    ]
    ratings = fit(results)
    assert ratings.groups == 2
    assert ratings["ben"].alone
    assert ratings.difference("ada", "ben") is None


def test_groups_that_never_met_are_not_ranked_together() -> None:
    results = [*rotated(("ada", "ben"), ("ada", "ben"), 6), *rotated(("cleo", "dan", "eve"), ("eve", "dan", "cleo"), 6)]
    ratings = fit(results, anchor="ben", anchor_elo=1000)
    assert ratings.groups == 2
    assert [(row.entrant, row.group, row.rank) for row in ratings.rows] == [
        ("eve", 0, 1), ("dan", 0, 2), ("cleo", 0, 3), ("ada", 1, 1), ("ben", 1, 2),
    ]  # fmt: skip
    assert ratings.superiority("ada", "eve") is None
    assert ratings["ben"].elo == 1000
    assert sum(ratings[name].elo for name in ("cleo", "dan", "eve")) == pytest.approx(0, abs=1e-6)
    assert ratings["dan"].against_anchor is None
    assert any("2 groups never met" in note and "ben" in note for note in ratings.notes)


def test_the_anchor_moves_everybody_alike() -> None:
    results = Planted(seats=3).play(6, np.random.default_rng(3))
    free, held = fit(results), fit(results, anchor="bot2", anchor_elo=1500)
    assert held["bot2"].elo == pytest.approx(1500)
    assert held["bot2"].against_anchor is None
    shift = 1500 - free["bot2"].elo
    for row in free.rows:
        assert held[row.entrant].elo == pytest.approx(row.elo + shift)
        assert held[row.entrant].rank == row.rank
    anchored = held["bot0"].against_anchor
    assert anchored == held.difference("bot0", "bot2")


def test_a_bot_may_sit_twice_at_a_table() -> None:
    results = [Result(("ada", "ada", "ben"), places, f"b{n}", n) for n, places in enumerate([(1, 3, 2), (2, 3, 1)] * 4)]
    ratings = fit(results, prior=0, seats=False)
    difference = ratings.difference("ada", "ben")
    assert difference is not None
    assert np.isfinite(difference.elo)
    mirrored = [Result(("ada", "ada"), (1, 2), f"b{n}", n) for n in range(6)]
    assert fit(mirrored)["ada"].elo == 0


def test_planted_strengths_and_seats_are_found() -> None:
    planted = Planted(seats=4, seat_worth=0.6)
    ratings = fit(planted.play(150, np.random.default_rng(11)))
    for name, strength in zip(planted.names, planted.strengths, strict=True):
        assert ratings[name].elo == pytest.approx(strength * ELO, abs=3 * (ratings[name].against_mean.error or 0))
    for term, worth in zip(ratings.seats, (0.3, 0.1, -0.1, -0.3), strict=True):
        assert term.advantage.elo == pytest.approx(worth * ELO, abs=3 * (term.advantage.error or 0))
        assert (term.advantage.error or 0) < 10


def test_chances_are_those_of_the_scale() -> None:
    ratings = fit(Planted(seats=4).play(5, np.random.default_rng(1)))
    line_up = ("bot0", "bot3", "bot3", "bot5")
    chances = ratings.chances(line_up)
    seats = [term.advantage.elo for term in ratings.seats]
    difference = ratings["bot5"].elo + seats[3] - ratings["bot0"].elo - seats[0]
    assert chances[3][0] == pytest.approx(1 / (1 + 10 ** (-difference / 400)))
    assert chances[0][3] == pytest.approx(1 - chances[3][0])
    assert chances[1][1] == 0.5


def test_copies_of_a_block_add_no_certainty_and_new_deals_do() -> None:
    results = Planted(seats=3).play(12, np.random.default_rng(5))
    copied = results + results
    fresh = results + [Result(r.line_up, r.places, f"{r.block}+", r.deal + 100) for r in results]
    one, same, more = (fit(part, prior=0)["bot0"].against_mean.error or 0 for part in (results, copied, fresh))
    assert same == pytest.approx(one, rel=1e-6)
    assert more == pytest.approx(one / sqrt(2), rel=0.1)


def test_two_entrants_have_the_textbook_interval() -> None:
    """With equal clusters the sandwich is the sample variance of their scores, by the delta method, with n - 1."""
    scores = [2, 1, 1, 2, 0, 1, 2, 1.5]
    results = []
    for deal, score in enumerate(scores):
        for match in range(2):
            won = min(1.0, max(0.0, score - match))
            places = {1.0: (1, 2), 0.5: (1, 1), 0.0: (2, 1)}[won]
            results.append(Result(("ada", "ben"), places, f"b{deal}", deal))
    share = np.array(scores) / 2
    estimate = fit(results, prior=0, seats=False).difference("ada", "ben")
    assert estimate is not None
    mean = share.mean()
    assert estimate.elo == pytest.approx(400 / log(10) * log(mean / (1 - mean)))
    assert estimate.error == pytest.approx(ELO * share.std(ddof=1) / sqrt(len(scores)) / (mean * (1 - mean)), rel=1e-3)
    assert estimate.degrees == pytest.approx(len(scores) - 1, rel=1e-3)


def test_deals_are_the_samples_and_too_few_are_said() -> None:
    planted = Planted(seats=2)
    assert fit(planted.play(6, np.random.default_rng(2))).clustered_by is Cluster.DEAL
    few = fit(planted.play(2, np.random.default_rng(2)))
    assert few.clustered_by is Cluster.BLOCK
    assert "Only 2 deals" in few.notes[0]
    assert fit(planted.play(2, np.random.default_rng(2)), cluster=Cluster.DEAL).clusters == 2
    wide = fit(planted.play(4, np.random.default_rng(2)))
    assert wide.clustered_by is Cluster.DEAL
    assert wide.notes == ("Only 4 deals: intervals are wide; more deals make them narrower.",)


def test_many_clusters_are_corrected_like_few() -> None:
    """The quick way for very many clusters agrees with the exact one where both are good."""
    results = Planted(seats=4).play(80, np.random.default_rng(8))
    exact = fit([Result(r.line_up, r.places, r.block, number // 4) for number, r in enumerate(results)])
    assert exact.fitted.spread.informations is not None
    again = attrs.evolve(exact.fitted.spread, informations=None)
    contrast = np.zeros(exact.fitted.design.size)
    contrast[:2] = 1, -1
    slow, fast = exact.fitted.spread.variance(contrast, 600), again.variance(contrast, 600)
    assert fast[0] == pytest.approx(slow[0], rel=0.01)
    assert fast[1] == 599


def test_without_a_prior_endless_ratings_are_refused() -> None:
    with pytest.raises(ArithmeticError, match="never won or never lost"):
        fit(rotated(("ada", "ben"), ("ada", "ben"), 3), prior=0)


def test_mistakes_are_named() -> None:
    result = Result(("ada", "ben"), (1, 2), "b", 0)
    with pytest.raises(ValueError, match="anchor 'zoe' has played no match"):
        fit([result], anchor="zoe")
    with pytest.raises(ValueError, match="prior is -1"):
        fit([result], prior=-1)
    with pytest.raises(ValueError, match=r"places \(1, 2, 3\) for the line-up \('ada', 'ben'\)"):
        fit([Result(("ada", "ben"), (1, 2, 3), "b", 0)])
    with pytest.raises(KeyError):
        fit([result])["zoe"]


def test_void_matches_are_left_out() -> None:
    results = rotated(("ada", "ben"), ("ada", "ben"), 3)
    assert elos([*results, Result(("ada", "zoe"), (), "v", 9)]) == elos(results)


@pytest.mark.parametrize("prior", [0.0, 1.0])
@pytest.mark.parametrize("seats", [True, False])
def test_slopes_are_those_of_the_likelihood(prior: float, seats: bool) -> None:
    results = Planted(seats=3, point=0.7).play(4, np.random.default_rng(4))
    design = read_results([*results, Result(("bot0", "bot1"), (2, 1), "x", 9)])
    model = Model(design=design, prior=prior, with_seats=seats, groups=find_groups(design))
    at = np.random.default_rng(0).normal(0, 0.5, design.size)
    if not seats:
        at[len(design.names) :] = 0
    gradient, information = model.slope(at)
    free = range(design.size if seats else len(design.names))
    for number in free:
        step = np.zeros(design.size)
        step[number] = 1e-5
        slope = (model.likelihood(at + step) - model.likelihood(at - step)) / 2e-5
        assert gradient[number] == pytest.approx(slope, abs=1e-5)
        if prior:
            bend = (model.slope(at - step)[0] - model.slope(at + step)[0]) / 2e-5
            assert information[number][list(free)] == pytest.approx(bend[list(free)], abs=1e-5)
