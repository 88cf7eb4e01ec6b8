"""Submissions: whose they are, what is refused, and what stays when a new one is."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from arena.course.intake import submit
from arena.course.students import Checked, changing, load
from tests.course.classroom import bot, hand_in, new_course
from tests.course.test_unpacking import zipped


def test_the_newest_counts_and_a_refused_one_leaves_it_in_place(tmp_path: Path) -> None:
    course = new_course(tmp_path / "ai")
    assert hand_in(course, bot(tmp_path / "1" / "anna")) == [""]
    assert hand_in(course, zipped(tmp_path / "anna.zip", {"anna/main.py": b"# new", "anna/lib/a.py": b""})) == [""]
    own = course.folder / "submissions" / "anna"
    assert (own / "main.py").read_text() == "# new"
    (refused,) = hand_in(course, zipped(tmp_path / "anna.zip", {"../main.py": b"# evil"}))
    assert "leads outside" in refused
    assert (own / "main.py").read_text() == "# new"
    anna = load(course.folder).get("Anna")
    assert anna is not None
    assert anna.submission is not None
    assert (anna.submission.number, anna.refused) == (2, refused)
    assert not list((course.folder / ".drafts").iterdir())


@pytest.mark.parametrize(
    ("name", "files", "words"),
    [
        ("random", {"main.py": ""}, "reference bot"),
        ("---", {"main.py": ""}, "tells no student"),
        ("dan", {"readme.txt": ""}, "no arena.toml with a command"),
        ("dan", {"main.py": "", "arena.toml": "comand = []"}, "did you mean 'command'"),
        ("dan", {"main.py": "", "arena.toml": 'runtime = ["/home"]'}, "only the organiser"),
        ("dan", {"main.py": "", "arena.toml": "\x00"}, "can't be read"),
    ],
)
def test_what_is_no_bot_is_refused_with_a_sentence(
    tmp_path: Path, name: str, files: dict[str, str], words: str
) -> None:
    course = new_course(tmp_path / "ai")
    (refused,) = hand_in(course, bot(tmp_path / "in" / name, files))
    assert words in refused
    assert str(tmp_path) not in refused


def test_one_student_cannot_replace_another(tmp_path: Path) -> None:
    course = new_course(tmp_path / "ai")
    told = hand_in(course, bot(tmp_path / "a b"), bot(tmp_path / "a-b"), bot(tmp_path / "A B"))
    assert told[0] == ""
    assert all("under which another was taken" in one for one in told[1:])


def test_a_name_in_arena_toml_cannot_take_anybodys_place(tmp_path: Path) -> None:
    course = new_course(tmp_path / "ai")
    files = {"main.py": "", "arena.toml": 'name = "random"\nmemory_mb = 100000'}
    assert hand_in(course, bot(tmp_path / "anna", files), bot(tmp_path / "ben", files)) == ["", ""]
    assert [one.id for one in load(course.folder) if one.submission] == ["anna", "ben"]


def test_what_was_checked_before_is_not_checked_again(tmp_path: Path) -> None:
    course, source, checked = new_course(tmp_path / "ai"), bot(tmp_path / "anna"), []

    def checker(entrant: object) -> Checked:
        checked.append(entrant)
        return Checked(passed=True, rules=())

    with changing(course.folder) as students:
        assert [submit(course, students, source, checker).unchanged for _ in range(2)] == [False, True]
    assert len(checked) == 1


def test_invented_names_tell_nothing_and_are_never_taken_twice(tmp_path: Path) -> None:
    course = new_course(tmp_path / "ai")
    with changing(course.folder) as students:
        for number in range(300):
            students.welcome(f"student-{number}")
        everybody = list(students)
    assert len({one.alias for one in everybody}) == len({one.token for one in everybody}) == len(everybody)
    assert all(len(one.token) == 32 for one in everybody)
    path = course.folder / "students.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [attrs.astuple(one) for one in load(course.folder)] == [attrs.astuple(one) for one in everybody]
