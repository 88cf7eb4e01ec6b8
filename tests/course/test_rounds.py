"""Which round is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from arena.course.config import PlannedRound
from arena.course.rounds import Due, Later, Over, due, extra_name

START = datetime(2030, 3, 1, 18, tzinfo=UTC)
WEEKS = tuple(PlannedRound(name=f"week-{number}", at=START + timedelta(weeks=number)) for number in range(4))


def test_without_a_plan_every_call_is_a_round() -> None:
    assert due((), (), START) == Due("round-1")
    assert due((), ("round-1", "round-9", "extra-1"), START) == Due("round-10")


def test_a_planned_round_waits_for_its_time() -> None:
    assert due(WEEKS, (), START - timedelta(seconds=1)) == Later(WEEKS[0])
    assert due(WEEKS, (), START) == Due("week-0")
    assert due(WEEKS, ("week-0",), START) == Later(WEEKS[1])


def test_of_several_missed_ones_the_newest_is_played() -> None:
    assert due(WEEKS, ("week-0",), START + timedelta(weeks=3)) == Due("week-3", ("week-1", "week-2"))
    assert due(WEEKS, ("week-3",), START + timedelta(weeks=9)) == Over()


@given(st.integers(-1, 5))
def test_nothing_is_played_before_its_time_or_twice(weeks: int) -> None:
    now, begun = START + timedelta(weeks=weeks), list[str]()
    while isinstance(answer := due(WEEKS, begun, now), Due):
        assert answer.name not in begun
        assert next(one.at for one in WEEKS if one.name == answer.name) <= now
        begun.append(answer.name)
    assert len(begun) <= 1


def test_rounds_beside_the_plan_have_names_of_their_own() -> None:
    assert extra_name(("extra-1", "week-1")) == "extra-2"
