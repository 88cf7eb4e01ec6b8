"""`course.toml`: what is made can be read, and all that is wrong is told at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import plugins
from arena.course import config, making
from arena.course.config import Names
from arena.course.grading import VERDICTS
from arena.errors import ArenaError, ConfigError

WRONG = """
title = 3
names = "hidden"
colour = "red"

[tournament]
game = "connect-for"
name = "x"
slotz = 2
clock = { per_action_ms = 0 }

[final.format]
name = "swiss"
roundz = 3

[[references]]
bot = "randon"

[[references]]
glob = "*"

[[rounds]]
name = "../x"

[intake]
files = 0

[grades]
tolerate_percent = 200

[grades.verdicts]
cleen = 5
crash = "many"

[[grades.ratings]]
points = 5

[roster]
"<b>" = "Bea"
"""
PROBLEMS = {
    "title", "names", "colour", "tournament.game", "tournament.name", "tournament.slotz",
    "tournament.clock.per_action_ms",
    "final.format.roundz", "references[1].bot", "references[2].glob", "rounds[1].name", "rounds[1].at", "intake.files",
    "grades.tolerate_percent", "grades.verdicts.cleen", "grades.verdicts.crash", "grades.ratings[1]", "roster.<b>",
}  # fmt: skip


@pytest.mark.parametrize(("game", "seats"), [("castell", 3), ("connect-four", 2)])
def test_a_new_course_can_be_played_as_it_is(tmp_path: Path, game: str, seats: int) -> None:
    references = ["greedy", "random"] if game == "castell" else ["random"]
    making.make(tmp_path / "ai", 'a "quoted" \\ title', plugins.game(game), seats, references)
    course = config.load(tmp_path / "ai", plugins.games(), plugins.bots())
    assert course.title == 'a "quoted" \\ title'
    assert course.names is Names.INVENTED
    assert course.reference_names == tuple(references)
    assert course.tournament.anchor == references[0]
    assert set(course.grades.verdicts) == set(VERDICTS)
    assert [step.above for step in course.grades.ratings] == references
    with pytest.raises(ArenaError, match="is there already"):
        making.make(tmp_path / "ai", "", plugins.game(game), seats, references)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(WRONG)
    with pytest.raises(ConfigError) as caught:
        config.load(tmp_path, plugins.games(), plugins.bots())
    told = [problem.path for problem in caught.value.problems]
    assert set(told) == PROBLEMS
    assert "did you mean 'connect-four'" in str(caught.value)
    assert "did you mean 'clean'" in str(caught.value)


@pytest.mark.lesson(16)
def test_a_file_from_another_system_is_the_same_course(tmp_path: Path) -> None:
    making.make(tmp_path / "ai", "class", plugins.game("connect-four"), 2, ["random"])
    here = config.load(tmp_path / "ai", plugins.games(), plugins.bots())
    file = tmp_path / "ai" / "course.toml"
    file.write_text("\ufeff" + file.read_text("utf-8"), "utf-8", newline="\r\n")
    assert config.load(tmp_path / "ai", plugins.games(), plugins.bots()) == here


def test_a_folder_without_course_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="arena course init"):
        config.load(tmp_path, plugins.games(), plugins.bots())
