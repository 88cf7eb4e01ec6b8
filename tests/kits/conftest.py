"""Kits as they come out of `arena new`, each made, built and played once for all tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest

from arena.kits import LANGUAGES
from tests.kits.playing import Played, entered, play

Match = Callable[[str], Played]


@pytest.fixture(scope="session")
def match(tmp_path_factory: pytest.TempPathFactory) -> Match:
    """Return a function that makes and builds the kit of a language and plays its match, once."""
    parent = tmp_path_factory.mktemp("kits")
    played: dict[str, Played] = {}

    def player(language: str) -> Played:
        if language not in played:
            need(language)
            scratch = parent / "scratch" / language
            scratch.mkdir(parents=True)
            played[language] = play(entered(language, parent), scratch)
        return played[language]

    return player


def need(language: str) -> None:
    """Skip the test when what the language needs is not installed; fail it where everything is expected."""
    missing = [program for program in LANGUAGES[language].programs if shutil.which(program) is None]
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"{', '.join(missing)} can't be found, and is expected here")
    if missing:
        pytest.skip(f"{', '.join(missing)} can't be found on this machine")
