"""Pages show what is theirs and nothing else, and nothing that a student wrote gets out of its text; grades as CSV."""

from __future__ import annotations

import csv
import re
import tomllib
from html import escape
from pathlib import Path

import pytest

from arena.course import grades, site
from arena.course.pages import read
from arena.course.rounds import chosen
from arena.course.students import Students, changing
from tests.course.classroom import HOSTILE, IDS, bot, hand_in, load, new_course, play


class Class:
    """A class after its first round."""

    def __init__(self, folder: Path, names: str) -> None:
        self.course = new_course(folder / "ai", names=names)
        runtime = {"arena.toml": 'runtime = ["/"]', "main.py": ""}
        hand_in(self.course, *(bot(folder / "in" / name) for name in IDS), bot(folder / "in" / HOSTILE, runtime))
        with changing(self.course.folder) as students:
            self.students: Students = students
            self.round = play(self.course, students)
        self.played = read(chosen(self.course, None))
        self.folder = site.write_pages(self.course, self.students, self.played, "https://example.org/ai")

    def page(self, student: str) -> str:
        one = self.students.get(student)
        assert one is not None
        return (self.folder / f"student-{one.token}.html").read_text("utf-8")


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Class:
    return Class(tmp_path_factory.mktemp("class"), "invented")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Class:
    return Class(tmp_path_factory.mktemp("class"), "real")


def test_nothing_a_student_wrote_is_markup(invented: Class) -> None:
    pages = {path.name: path.read_text("utf-8") for path in invented.folder.glob("*.html")}
    assert len(pages) == len(invented.students) + 1
    assert not [name for name, text in pages.items() if HOSTILE in text or "alert('" in text]
    assert all("Content-Security-Policy" in text for text in pages.values())
    assert any(f"played {escape(HOSTILE).replace('&#x27;', '&#39;')}" in text for text in pages.values())


def test_a_student_sees_their_own_stderr_and_nobody_elses(invented: Class) -> None:
    for student in IDS:
        page = invented.page(student)
        assert re.findall(r"of (anna|ben|cleo)\b", page)
        assert set(re.findall(r"of (anna|ben|cleo)\b", page)) == {student}


def test_faults_are_told_to_their_author_alone(invented: Class) -> None:
    with_faults = [name for name in IDS if "Advice: don" in invented.page(name)]
    (row,) = [row for row in invented.played.snapshot.rows if row.forfeited]
    assert with_faults == [invented.students.by_public_name()[row.line_up[0]].id]


def test_invented_names_hide_real_ones_everywhere(invented: Class) -> None:
    board = (invented.folder / "index.html").read_text("utf-8")
    run = (invented.round.tournament).read_text()
    for student in (invented.students.get(name) for name in IDS):
        assert student is not None
        assert student.alias in board
        assert student.alias in run
        assert student.id not in re.findall(r"\w+", board)
        assert student.id not in re.findall(r"\w+", run)
    assert "Serra" not in board
    assert not any(one.token in board for one in invented.students)


def test_real_names_come_from_the_roster(real: Class) -> None:
    board = (real.folder / "index.html").read_text("utf-8")
    assert "=Anna &lt;b&gt;Serra&lt;/b&gt;" in board
    assert ">ben<" in board


def test_who_was_refused_is_told_why(invented: Class) -> None:
    (student,) = [one for one in invented.students if one.refused]
    assert "only the organiser opens" in invented.page(student.id)


def test_pages_of_who_is_gone_are_removed_and_links_stay_private(invented: Class) -> None:
    old = invented.folder / "student-0.html"
    old.write_text("")
    site.write_pages(invented.course, invented.students, None)
    assert not old.exists()
    assert "No round was played yet." in (invented.folder / "index.html").read_text("utf-8")
    site.write_pages(invented.course, invented.students, invented.played, "https://example.org/ai")
    links = invented.course.folder / site.LINKS
    assert links.stat().st_mode & 0o777 == 0o600
    rows = list(csv.DictReader(links.read_text("utf-8").splitlines()))
    assert all((invented.folder / row["page"].removeprefix("https://example.org/ai/")).exists() for row in rows)


def test_a_frozen_round_is_a_plain_tournament(invented: Class) -> None:
    data = tomllib.loads(invented.round.tournament.read_text("utf-8"))
    assert data["entrants"][0]["bot"] == "random"
    for entry in data["entrants"][1:]:
        assert (invented.round.folder / entry["folder"] / "main.py").is_file()


def test_grades_are_safe_in_a_spreadsheet_and_hold_everybody(invented: Class) -> None:
    text = grades.to_csv(grades.grade_all(invented.course, invented.students, invented.played))
    rows = {row["student"]: row for row in csv.DictReader(text.splitlines())}
    assert rows.keys() == {one.id for one in invented.students}
    assert rows["anna"]["name"] == "'=Anna <b>Serra</b>"
    assert rows["zoe"]["verdict"] == "nothing handed in"
    assert float(rows["zoe"]["points"]) == 0
    assert rows["ben"]["flags"] == "not on the roster"
    for row in rows.values():
        assert float(row["points"]) == float(row["verdict_points"]) + float(row["rating_points"])
        assert not any(cell.startswith(("=", "+", "@")) for cell in row.values())


def test_a_verdict_without_points_is_flagged_in_the_grades(invented: Class) -> None:
    file = invented.course.folder / "course.toml"
    whole = file.read_text()
    file.write_text(whole.replace('"nothing handed in" = 0\n', ""))
    graded = grades.grade_all(load(invented.course.folder), invented.students, invented.played)
    file.write_text(whole)
    (zoe,) = [one.grade for one in graded if one.student.id == "zoe"]
    assert (zoe.points, zoe.flags) == (0, ("no points are written for the verdict 'nothing handed in'",))
