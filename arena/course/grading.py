"""From what a run says about a student to points, by the mapping in `course.toml`. Pure.

The points of a student are those of the verdict plus those of the rating. What the mapping doesn't name is 0 and
flagged, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from arena.referee.record import Verdict
from arena.report.values import StandingRow

CLEAN = "clean"  #: no more forfeits than are tolerated
ABSENT = "did not take part"  #: handed in, but the run had to do without it
NOTHING = "nothing handed in"
UNPLAYED = "not played"  #: in the run, but without a match that counts
#: Every verdict that a mapping may name.
VERDICTS = (CLEAN, *(one.value for one in Verdict if one is not Verdict.REFEREE_ERROR), ABSENT, NOTHING, UNPLAYED)


@attrs.frozen(kw_only=True)
class RatingStep:
    """Points for a rating; the first step that fits counts."""

    points: float
    elo: float | None = None  #: at least so much; against the anchor, else against the mean of the field
    above: str | None = None  #: or: rated above this reference bot


@attrs.frozen(kw_only=True)
class GradeTable:
    """The written mapping."""

    verdicts: Mapping[str, float] = attrs.field(factory=dict)
    ratings: tuple[RatingStep, ...] = ()
    tolerate_percent: float = 0.0  #: share of matches that may be forfeited by a bot that still counts as clean


@attrs.frozen(kw_only=True)
class Grade:
    """The points of one student and how they came about."""

    verdict: str
    verdict_points: float = 0.0
    rating_points: float = 0.0
    matches: int = 0
    forfeits: int = 0
    elo: float | None = None
    plus_minus: float | None = None
    flags: tuple[str, ...] = ()  #: sentences: what the teacher should look at

    @property
    def points(self) -> float:
        """All points together."""
        return self.verdict_points + self.rating_points


def grade_absent(table: GradeTable, verdict: str) -> Grade:
    """Return the grade of a student who is in no standings; `verdict` is `ABSENT` or `NOTHING`."""
    points, flags = _points_of(table, verdict)
    return Grade(verdict=verdict, verdict_points=points, flags=flags)


def grade(table: GradeTable, row: StandingRow, standings: Mapping[str, StandingRow]) -> Grade:
    """Return the grade of a student.

    Args:
        table: the mapping.
        row: the student's row of the standings.
        standings: all rows by entrant, for reference bots.
    """
    verdict = _verdict(table, row)
    verdict_points, verdict_flags = _points_of(table, verdict)
    rating_points, rating_flags = _rating_points(table, row, standings)
    return Grade(
        verdict=verdict,
        verdict_points=verdict_points,
        rating_points=rating_points,
        matches=row.matches,
        forfeits=row.forfeits,
        elo=row.elo,
        plus_minus=row.plus_minus,
        flags=(*verdict_flags, *rating_flags),
    )


def _verdict(table: GradeTable, row: StandingRow) -> str:
    """Return what describes a bot: clean, or what cost it the most matches; of equals the one with fewest points."""
    if not row.matches:
        return UNPLAYED
    if 100 * row.forfeits <= table.tolerate_percent * row.matches or not row.faults:
        return CLEAN
    return min(row.faults, key=lambda verdict: (-row.faults[verdict], table.verdicts.get(verdict, 0.0), verdict))


def _points_of(table: GradeTable, verdict: str) -> tuple[float, tuple[str, ...]]:
    if verdict in table.verdicts:
        return table.verdicts[verdict], ()
    return 0.0, (f"no points are written for the verdict {verdict!r}",)


def _rating_points(
    table: GradeTable, row: StandingRow, standings: Mapping[str, StandingRow]
) -> tuple[float, Sequence[str]]:
    if not table.ratings:
        return 0.0, ()
    if row.elo is None:
        return 0.0, ("there is no rating",)
    if row.group != 0:
        return 0.0, ("the rating is not comparable: this bot never met the main field",)
    flags = []
    for step in table.ratings:
        if step.above is None:
            assert step.elo is not None
            mark: float | None = step.elo
            fits = row.elo >= step.elo
        else:
            other = standings.get(step.above)
            mark = other.elo if other is not None and other.group == row.group else None
            fits = mark is not None and row.elo > mark
        if mark is None:
            flags.append(f"{step.above} has no rating to compare with")
        elif fits:
            return step.points, flags
    return 0.0, flags
