"""Kits as they come out of `arena new`, built once for all tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.cli import execute
from arena.kits import LANGUAGES
from arena.referee.settings import Entrant
from arena.tournament.entrants import EntrantConfig, read_entrants
from arena.tournament.reading import Table

PROGRAMS = [name for name, language in LANGUAGES.items() if language.programs]  #: all kits but the distribution
Maker = Callable[[str], Entrant]


@pytest.fixture(scope="session")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Maker:
    """Return a function that makes and builds the kit of a language, once, as a folder of bots would be entered."""
    parent = tmp_path_factory.mktemp("kits")
    made: dict[str, Entrant] = {}

    def maker(language: str) -> Entrant:
        if language not in made:
            need(language)
            assert execute(["new", f"my-{language}", "--language", language, "--in", str(parent)]) == 0
            made[language] = built(parent, f"my-{language}")
        return made[language]

    return maker


def need(language: str) -> None:
    """Skip the test when what the language needs is not installed; fail it where everything is expected."""
    missing = [program for program in LANGUAGES[language].programs if shutil.which(program) is None]
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"{', '.join(missing)} can't be found, and is expected here")
    if missing:
        pytest.skip(f"{', '.join(missing)} can't be found on this machine")


def built(parent: Path, name: str) -> Entrant:
    """Return the bot in a folder, built as its `arena.toml` says."""
    table = Table({"glob": name}, "entrants[1]", [])
    (config,) = read_entrants([table], parent, {}, "castell", 2)
    assert isinstance(config, EntrantConfig), config
    if config.build:
        subprocess.run(config.build, cwd=parent / name, check=True, timeout=60)
    return config.entrant
