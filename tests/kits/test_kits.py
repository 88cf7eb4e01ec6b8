"""Each kit plays a real match, in the sandbox, and beats a bot that plays at random."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from arena import plugins
from arena.cli import execute
from arena.errors import ConfigError
from arena.kits import ALIASES, LANGUAGES, make
from tests.kits.conftest import Match


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_plays_at_once_and_better_than_random(language: str, match: Match) -> None:
    record = match(language).record
    assert not record.faults
    assert record.places == (1, 2), record.scores


def test_the_distribution_is_found_once_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "my-plugin"
    assert execute(["new", "my-plugin", "--language", "python", "--in", str(tmp_path)]) == 0
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    ((entry, module),) = project["entry-points"]["arena"].items()
    # What an installer writes: the distribution's name and its entry points beside the package.
    facts = folder / "src" / "my_plugin-0.1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    (facts / "entry_points.txt").write_text(f"[arena]\n{entry} = {module}\n")
    bot = plugins.bot("my-plugin", (str(folder / "src"), *sys.path))
    assert bot.target == "my_plugin.bot:MyPlugin"
    assert bot.plays("castell", 4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_kit_is_complete(language: str) -> None:
    kit = make("my-bot", language)
    for path, text in kit.files.items():
        assert "@" not in path
        assert not re.search("@[A-Z_]+@", text), path
        assert text.endswith("\n"), path
        if path.endswith(".py"):
            ast.parse(text)
    assert "README.md" in kit.files
    source = LANGUAGES[language].source.replace("@MODULE@", "my_bot")
    assert source in kit.files
    assert "my-bot" in kit.files[source]
    assert all("my-bot" in step for step in kit.steps)


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_makes_what_it_stands_for(alias: str) -> None:
    assert make("my-bot", alias) == make("my-bot", ALIASES[alias])


@pytest.mark.parametrize(
    "name", ["", "My-Bot", "my bot", "-bot", "bot-", "my--bot", "1bot", "../bot", "a" * 41, "bot\n"]
)
def test_a_name_that_would_not_do_everywhere_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="won't do as a bot's name"):
        make(name, "bash")


def test_all_problems_are_told_together() -> None:
    with pytest.raises(ConfigError) as caught:
        make("My Bot", "cobol")
    assert [problem.path for problem in caught.value.problems] == ["name", "language"]


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "my-bot").mkdir()
    assert execute(["new", "my-bot", "-l", "bash", "--in", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert not list((tmp_path / "my-bot").iterdir())


def test_without_a_language_it_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["new", "my-bot"]) == 2
    said = capsys.readouterr().err
    assert all(language in said for language in LANGUAGES)


def test_it_says_what_to_type_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["new", "my-bot", "-l", "cpp", "--in", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "g++" not in told  # building is not for people
    assert "arena play ./my-bot greedy random" in told
