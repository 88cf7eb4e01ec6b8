"""Points come from the written mapping alone."""

from __future__ import annotations

import attrs
import pytest

from arena.course.grading import ABSENT, NOTHING, VERDICTS, GradeTable, RatingStep, grade, grade_absent
from arena.report.values import StandingRow

ROW = StandingRow(
    rank=1, entrant="anna", group=0, elo=50.0, plus_minus=9.0, matches=100, mean_place=1.5, wins=50, ties=0, losses=50,
    forfeits=0, mean_score=9.0, faults={}, strikes=0, mean_ms=1.0, max_ms=2.0, clusters=9,
)  # fmt: skip
GREEDY = attrs.evolve(ROW, entrant="greedy", elo=0.0)
CHAMPION = attrs.evolve(ROW, entrant="champion", elo=300.0)
STANDINGS = {row.entrant: row for row in (ROW, GREEDY, CHAMPION)}
TABLE = GradeTable(
    verdicts={"clean": 50, "timeout": 30, "illegal": 20, ABSENT: 5, NOTHING: 0},
    ratings=(
        RatingStep(points=50, above="champion"),
        RatingStep(points=40, above="greedy"),
        RatingStep(points=9, elo=-99),
    ),
    tolerate_percent=2,
)


@pytest.mark.parametrize(
    ("change", "verdict", "points", "flags"),
    [
        ({}, "clean", 90, 0),
        ({"elo": 301.0}, "clean", 100, 0),
        ({"elo": 0.0}, "clean", 59, 0),
        ({"elo": -99.0}, "clean", 59, 0),
        ({"elo": -100.0}, "clean", 50, 0),
        ({"forfeits": 2, "faults": {"crash": 2}}, "clean", 90, 0),
        ({"forfeits": 3, "faults": {"timeout": 2, "illegal": 1}}, "timeout", 70, 0),
        ({"forfeits": 4, "faults": {"timeout": 2, "illegal": 2}}, "illegal", 60, 0),
        ({"forfeits": 3, "faults": {"crash": 3}}, "crash", 40, 1),
        ({"forfeits": 3, "faults": {"spontaneous combustion": 3}}, "spontaneous combustion", 40, 1),
        ({"matches": 0, "elo": None}, "not played", 0, 2),
        ({"group": 1}, "clean", 50, 1),
    ],
)
def test_a_standing_becomes_points(change: dict[str, object], verdict: str, points: float, flags: int) -> None:
    row = attrs.evolve(ROW, **change)  # type: ignore[arg-type]  # values of many types
    found = grade(TABLE, row, {**STANDINGS, "anna": row})
    assert (found.verdict, found.points, len(found.flags)) == (verdict, points, flags)


def test_an_unknown_verdict_is_nothing_and_flagged() -> None:
    found = grade(TABLE, attrs.evolve(ROW, forfeits=9, faults={"crash": 9}), STANDINGS)
    assert found.verdict_points == 0
    assert found.flags == ("no points are written for the verdict 'crash'",)


def test_a_reference_without_rating_gives_nothing_and_is_flagged() -> None:
    found = grade(TABLE, ROW, {"anna": ROW, "greedy": GREEDY})
    assert found.rating_points == 40
    assert found.flags == ("champion has no rating to compare with",)


def test_who_is_in_no_standings_is_graded_too() -> None:
    assert grade_absent(TABLE, ABSENT).points == 5
    assert grade_absent(TABLE, NOTHING).flags == ()
    assert grade_absent(GradeTable(), NOTHING).flags


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_can_be_given_points(verdict: str) -> None:
    assert grade_absent(GradeTable(verdicts={verdict: 7}), verdict).points == 7
