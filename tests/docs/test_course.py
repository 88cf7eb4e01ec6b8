"""docs/course.md, typed through as a teacher would: every command it shows, in an empty folder."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from arena import plugins
from arena.cli import ExitCode, execute
from arena.course import config
from arena.course.grading import VERDICTS

PAGE = (Path(__file__).parents[2] / "docs" / "course.md").read_text("utf-8")
COURSE = Path("ai-2030")


def make_quick(file: Path) -> None:
    """Let a course play two at a table, two rounds each, against one reference: all that time is good for here."""
    text = file.read_text("utf-8").replace("seats = 3", "seats = 2\nclock = { per_action_ms = 300 }")
    text = re.sub(r"^rounds = \d+", "rounds = 2", text, flags=re.MULTILINE)
    file.write_text(text + '[roster]\nanna = "Anna Serra"\nben = "Ben"\nzoe = "Zoë"\n', "utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_typed_through_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    told: dict[str, str] = {}
    for command in "".join(blocks("sh")).splitlines():
        program, *arguments = shlex.split(command)
        if program != "arena":
            assert program == "python3"
            subprocess.run([sys.executable, *arguments], check=True, timeout=60)
            continue
        more = ["--slots", "1"] if arguments[1] in ("play", "final") else []  # other tests may play, too
        assert execute([*arguments, *more]) == ExitCode.COMPLETE, capsys.readouterr()
        told[arguments[1]] = told.get(arguments[1], "") + capsys.readouterr().out
        if arguments[1] == "init":
            make_quick(COURSE / "course.toml")
    assert told["take"].count(", passes") == 2
    assert "every one equal" in told["ai-2030/final/run"]
    rows = {row["student"]: row for row in csv.DictReader((COURSE / "grades.csv").read_text("utf-8").splitlines())}
    assert [row["verdict"] for row in rows.values()] == ["clean", "clean", "nothing handed in"]
    assert float(rows["anna"]["points"]) >= 50
    assert not [row["flags"] for row in rows.values() if row["flags"]]
    assert len(list((COURSE / "pages").glob("student-*.html"))) == 3
    assert "final" in (COURSE / "pages" / "index.html").read_text("utf-8")
    shutil.copytree(COURSE / "final" / "run", "elsewhere")  # anyone can check it
    shutil.rmtree(COURSE)
    assert execute(["verify", "elsewhere", "--json"]) == ExitCode.COMPLETE
    found = json.loads(capsys.readouterr().out)
    assert found["checked"] > 0
    assert not found["wrong"]


def test_the_keys_on_the_page_are_right(tmp_path: Path) -> None:
    base = '[tournament]\ngame = "castell"\nseats = 3\n[[references]]\nbot = "greedy"\n'
    (tmp_path / "course.toml").write_text(base + "\n".join(blocks("toml")))
    course = config.load(tmp_path, plugins.games(), plugins.bots())
    assert [one.name for one in course.rounds] == ["week-1", "week-2"]
    assert len(course.grades.ratings) == 2
    limits = attrs.asdict(course.intake)
    assert all(f"`{name}` ({value}" in PAGE for name, value in limits.items())


def test_the_page_names_every_verdict() -> None:
    assert [verdict for verdict in VERDICTS if f"`{verdict}`" not in PAGE] == []
