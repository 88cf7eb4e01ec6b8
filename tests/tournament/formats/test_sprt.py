from __future__ import annotations

from collections import Counter

import pytest

from arena.ratings.sprt import Hypotheses, run_sprt
from arena.testing.formats import made_up, make_field, simulate
from arena.tournament import formats
from arena.tournament.formats.api import Field, Pairing
from arena.tournament.formats.sprt import SprtSchedule, arrangements


def _field(seats: int = 2, **settings: float) -> Field:
    return make_field(formats.find("sprt"), 2, seats, {"elo1": 100.0, "deals": 400, **settings})


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_stops_by_itself_and_says_why(seats: int) -> None:
    schedule = formats.find("sprt").schedule(_field(seats))
    course = simulate(schedule, strengths={"e00": 30.0}, ahead=50)
    assert schedule.counted == len(course.pairings) < 400
    assert "accept H1" in schedule.state()
    weaker = formats.find("sprt").schedule(_field(seats))
    simulate(weaker, strengths={"e01": 30.0}, ahead=50)
    assert "accept H0" in weaker.state()


def test_the_decision_falls_at_a_whole_block_the_test_itself_names() -> None:
    field = _field()
    course = simulate(formats.find("sprt").schedule(field), strengths={"e00": 10.0}, ahead=1)
    scores = []
    for first, second in zip(course.played[::2], course.played[1::2], strict=True):
        shares = [
            (one.places[other] > one.places[me]) + (one.places[other] == one.places[me]) / 2
            for one in (first, second)
            for me, other in [(one.pairing.line_up.index("e00"), one.pairing.line_up.index("e01"))]
        ]
        scores.append(sum(shares) / 2)
    state = run_sprt(scores, Hypotheses(elo0=0.0, elo1=100.0))
    assert state.blocks == len(scores)


def test_the_rule_that_stops_is_a_parameter() -> None:
    field = _field()
    calm = run_sprt([], Hypotheses(elo0=0, elo1=1))
    schedule = SprtSchedule(field, lambda _: calm)
    assert schedule.state().endswith("after 0 blocks: continue")
    assert len(simulate(schedule).pairings) == 800
    assert schedule.counted is None
    assert schedule.state().endswith("after 400 blocks: undecided, and all `deals` are played; raise `deals` to go on")


def test_a_disabled_entrant_ends_it() -> None:
    schedule = formats.find("sprt").schedule(_field())
    course = simulate(schedule, disable={6: "e01"}, ahead=4)
    assert len(course.pairings) == 6
    assert schedule.state().endswith("undecided, for one of the two was disabled")


def test_a_block_without_a_result_is_left_out_of_the_test() -> None:
    schedule = formats.find("sprt").schedule(_field())
    for number in range(6):
        pairing = schedule.next()
        assert isinstance(pairing, Pairing)
        played = made_up(pairing)
        schedule.result(played if number != 3 else type(played)(pairing=pairing))
    assert "after 2 blocks" in schedule.state()


@pytest.mark.parametrize(("seats", "circles"), [(2, 1), (3, 2), (4, 2), (5, 4)])
def test_two_entrants_share_the_seats_evenly(seats: int, circles: int) -> None:
    found = arrangements(seats)
    assert len(found) == circles
    assert {sum(circle) for circle in found} == {seats // 2, seats - seats // 2}


def test_over_its_arrangements_everybody_sits_everywhere_equally_often() -> None:
    course = simulate(formats.find("sprt").schedule(_field(3, deals=2)), ahead=9)
    sat = Counter((seat, name) for one in course.pairings for seat, name in enumerate(one.line_up))
    assert len(sat) == 6
    assert len(set(sat.values())) == 1


def test_wrong_settings_are_named() -> None:
    format_ = formats.find("sprt")
    three = make_field(format_, 3, 2, {"elo0": 5.0, "elo1": 5.0})
    assert [problem.path for problem in format_.check(three)] == ["name", "elo1"]


def test_only_more_deals_can_be_added() -> None:
    format_ = formats.find("sprt")
    assert format_.continued([_field(), _field(deals=500)]) is not None
    assert format_.continued([_field(), _field(deals=300)]) is None
    assert format_.continued([_field(), _field(elo1=50.0)]) is None
