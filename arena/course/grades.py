"""Grades of a class as CSV that is safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import attrs

from arena.course.config import Course
from arena.course.grading import ABSENT, NOTHING, Grade, grade, grade_absent
from arena.course.pages import Played, run_name
from arena.course.students import Student, Students
from arena.report.export import safe_cell

FILE = "grades.csv"
_COLUMNS = (
    "student", "name", "invented name", "verdict", "matches", "forfeits", "elo", "plus_minus", "verdict_points",
    "rating_points", "points", "flags",
)  # fmt: skip


@attrs.frozen(kw_only=True)
class Graded:
    """One student with the grade."""

    student: Student
    name: str  #: the real one
    grade: Grade


def grade_all(course: Course, students: Students, played: Played) -> list[Graded]:
    """Return the grade of everybody: who handed something in, and who is on the roster."""
    return [_graded(course, student, played) for student in students]


def _graded(course: Course, student: Student, played: Played) -> Graded:
    name = run_name(student, played)
    row = played.snapshot.standing.get(name)
    if row is not None and name not in played.snapshot.plan.excluded:
        found = grade(course.grades, row, played.snapshot.standing)
    else:
        found = grade_absent(course.grades, NOTHING if student.submission is None and not name else ABSENT)
    flags = list(found.flags)
    if not name and student.submission is not None:
        flags.append(f"handed in after {played.round.name} had begun")
    if student.refused:
        flags.append(f"the last submission was refused: {student.refused}")
    if course.roster and student.id not in course.roster:
        flags.append("not on the roster")
    if not played.over:
        flags.append(f"{played.round.name} is not over")
    return Graded(
        student=student,
        name=course.roster.get(student.id, student.id),
        grade=attrs.evolve(found, flags=tuple(flags)),
    )


def to_csv(graded: Sequence[Graded]) -> str:
    """Return the table; no cell is taken for a formula."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in graded:
        found = one.grade
        cells = (
            one.student.id, one.name, one.student.alias, found.verdict, found.matches, found.forfeits,
            _rounded(found.elo), _rounded(found.plus_minus), found.verdict_points, found.rating_points,
            found.points, "; ".join(found.flags),
        )  # fmt: skip
        writer.writerow([f"{cell:g}" if isinstance(cell, float) and cell >= 0 else safe_cell(cell) for cell in cells])
    return file.getvalue()


def _rounded(value: float | None) -> float | str:
    return "" if value is None else round(value, 1)
