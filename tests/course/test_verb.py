"""`arena course`: what is due, what is frozen, and that one garbage submission hurts nobody."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from arena.cli import ExitCode, execute
from arena.course.rounds import chosen, rounds
from arena.course.students import changing
from arena.errors import ArenaError
from tests.course.classroom import HOSTILE, bot, hand_in, load, new_course, play

GARBAGE = {"readme.txt": "no bot"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a course with two bots that can't really play."""
    course = new_course(tmp_path / "ai")
    hand_in(course, bot(tmp_path / "in" / "anna"), bot(tmp_path / "in" / "ben"))
    return course.folder


def test_garbage_is_refused_and_the_rest_is_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot(folder / "inbox" / "cleo")
    bot(folder / "inbox" / "dan", GARBAGE)
    (folder / "inbox" / "eve.zip").write_bytes(b"PK")
    (folder / "inbox" / f"{HOSTILE.replace('/', '')}\x1b[2J.py").write_text("")
    (folder / "inbox" / "fay").symlink_to("/etc")
    assert execute(["course", "take", str(folder), "--no-check", "--json"]) == ExitCode.COMPLETE
    told = {one["source"]: one["refused"] for one in json.loads(capsys.readouterr().out)}
    assert told["cleo"] == ""
    assert all(told[name] for name in ("dan", "eve.zip", "fay"))
    assert len(told) == 5
    assert execute(["course", "take", str(folder), "--no-check"]) == ExitCode.COMPLETE
    out = capsys.readouterr().out
    assert "2 of 5 submissions taken" in out
    assert "\x1b[2J" not in out


def test_nothing_is_played_before_its_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = (datetime.now() + timedelta(days=3)).isoformat(timespec="seconds")  # noqa: DTZ005 - of this place, as typed
    with (folder / "course.toml").open("a") as file:
        file.write(f'[[rounds]]\nname = "week-1"\nat = {at}\n')
    assert execute(["course", "play", str(folder)]) == ExitCode.COMPLETE
    assert "nothing is due: week-1 is on" in capsys.readouterr().out
    assert rounds(load(folder)) == []


def test_a_round_that_never_began_is_frozen_anew(folder: Path, tmp_path: Path) -> None:
    course = load(folder)
    with changing(folder) as students:
        play(course, students)
        shutil.rmtree(folder / "rounds" / "round-1" / "run")
    hand_in(course, bot(tmp_path / "more" / "cleo"))
    with changing(folder) as students:
        play(course, students)
    assert len(list((folder / "rounds" / "round-1" / "bots").iterdir())) == 3
    assert chosen(course, None).over
    assert not list((folder / "rounds").glob(".draft*"))


def test_what_was_played_stays_frozen(folder: Path, tmp_path: Path) -> None:
    course = load(folder)
    with changing(folder) as students:
        place = play(course, students).folder
    before = {path: path.read_text() for path in sorted((place / "bots").rglob("*.py"))}
    hand_in(course, bot(tmp_path / "new" / "anna", {"main.py": "# better"}))
    assert {path: path.read_text() for path in sorted((place / "bots").rglob("*.py"))} == before
    with changing(folder) as students, pytest.raises(AssertionError, match="what was played stays"):
        play(course, students)


def test_a_round_without_students_is_no_round(tmp_path: Path) -> None:
    course = new_course(tmp_path / "ai")
    assert execute(["course", "play", str(course.folder)]) == ExitCode.USAGE
    assert rounds(course) == []
    with pytest.raises(ArenaError, match="no round was played yet"):
        chosen(course, None)


def test_a_round_that_there_is_not_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course = load(folder)
    with changing(folder) as students:
        play(course, students)
    assert execute(["course", "grades", str(folder), "--round", "round-2"]) == ExitCode.USAGE
    assert "did you mean 'round-1'" in capsys.readouterr().err
    assert execute(["course", "grades", str(folder)]) == ExitCode.COMPLETE
    assert execute(["course", "pages", str(folder)]) == ExitCode.COMPLETE
    assert (folder / "grades.csv").stat().st_mode & 0o777 == 0o600
