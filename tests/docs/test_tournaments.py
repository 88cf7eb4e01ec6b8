"""The example tournaments load, and docs/tournaments.md knows every key there is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import attrs
import pytest

from arena import plugins
from arena.referee.settings import Clock, Limits
from arena.tournament import formats
from arena.tournament.config import TournamentConfig, load
from arena.tournament.plan import preview
from arena.tournament.planning import make_plan

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tournaments").glob("*.toml"))
PAGE = (ROOT / "docs" / "tournaments.md").read_text("utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_example_can_be_played(path: Path) -> None:
    config = load(path, plugins.games(), plugins.bots())
    assert config.name == path.stem
    assert preview(make_plan(config)).pairings
    assert path.read_text("utf-8").startswith("# ")  # says when to use it
    assert f"`{path.name}`" in PAGE


def test_there_is_an_example_of_every_format() -> None:
    used = {tomllib.loads(path.read_text("utf-8"))["format"]["name"] for path in FILES}
    assert used >= set(plugins.formats(path=[]))


def test_the_page_knows_every_key() -> None:
    keys = {field.name for kind in (Clock, Limits) for field in attrs.fields(kind)}
    keys |= {field.name for field in attrs.fields(TournamentConfig)}
    keys -= {"source", "settings", "fingerprint", "format", "format_settings", "entrants", "unusable"}
    for name in plugins.formats(path=[]):
        assert f"**{name}**" in PAGE
        keys |= {setting.name for setting in formats.find(name).settings}
    keys |= {
        "bot",
        "command",
        "glob",
        "folder",
        "options",
        "env",
        "runtime",
        "build",
        "game",
        "seats",
        "fresh",
        "sandbox",
    }
    assert {key for key in keys if f"`{key}`" not in PAGE} == set()


def test_the_whole_file_on_the_page_is_right(tmp_path: Path) -> None:
    _, _, rest = PAGE.partition("```toml\n")
    text, _, _ = rest.partition("```")
    for folder in ("bots/mine", "submissions/anna"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "main.py").touch()
    path = tmp_path / "spring.toml"
    path.write_text(text)
    config = load(path, plugins.games(), plugins.bots())
    assert [one.entrant.name for one in config.entrants] == ["greedy", "mine", "anna"]
