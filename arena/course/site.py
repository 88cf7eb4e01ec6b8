"""Writes the pages of a course: a leaderboard, and one page for each student under an unguessable name."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from arena.course.config import Course
from arena.course.pages import Played, board, student_page
from arena.course.students import Student, Students, write_private
from arena.errors import ArenaError
from arena.report.export import safe_cell
from arena.tournament.files import write_atomically
from arena.web.export import FileLinks
from arena.web.rendering import asset, render

PAGES = "pages"
LINKS = "links.csv"  #: who gets which address: private
_ASSETS = ("style.css", "theme.js")


def page_name(student: Student) -> str:
    """Return the name of a student's page; nobody can guess it."""
    return f"student-{student.token}.html"


def write_pages(course: Course, students: Students, played: Played | None, address: str = "") -> Path:
    """Write every page and the private list of addresses; return the folder of the pages.

    Args:
        course: whose.
        students: of the class.
        played: the round that is shown; None before the first.
        address: where the folder will be found, for the list of addresses.

    Raises:
        ArenaError: the folder can't be written.
    """
    folder = course.folder / PAGES
    texts = _pages(course, students, played)
    try:
        folder.mkdir(mode=0o755, exist_ok=True)
        for name in _ASSETS:
            write_atomically(folder / name, asset(name))
        for name, text in texts.items():
            write_atomically(folder / name, text)
        for path in folder.glob("student-*.html"):
            if path.name not in texts:
                path.unlink()
    except OSError as error:
        raise ArenaError(f"{folder} can't be written: {error.strerror or error}") from None
    write_private(course.folder / LINKS, _links(course, students, address or f"{folder}/"))
    return folder


def _pages(course: Course, students: Students, played: Played | None) -> Mapping[str, str]:
    links = FileLinks(entrants={}, replays={}, lists=frozenset())
    texts = {
        "index.html": render(
            "course_board", links, course=course, data=board(course, students, played) if played else None
        )
    }
    for student in students:
        page = student_page(course, students, student, played)
        texts[page_name(student)] = render("course_student", links, course=course, data=page)
    return texts


def _links(course: Course, students: Students, address: str) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("student", "name", "invented name", "page"))
    prefix = address if address.endswith("/") else f"{address}/"
    for student in students:
        cells = (student.id, course.roster.get(student.id, student.id), student.alias, prefix + page_name(student))
        writer.writerow(map(safe_cell, cells))
    return file.getvalue()
