"""Finished runs to look at, and one that grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.tournament.store import RunStore
from tests.web.making import make_plan, play_into


@pytest.fixture(scope="session")
def castell_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of Castell, three seats, one deal: 3 matches."""
    folder = tmp_path_factory.mktemp("runs") / "castell"
    with RunStore(folder, make_plan("castell", 3)) as store:
        assert play_into(store) == 3
    return folder


@pytest.fixture(scope="session")
def four_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of Connect Four: 12 matches."""
    folder = tmp_path_factory.mktemp("runs") / "four"
    with RunStore(folder, make_plan("connect-four", 2, deals=2)) as store:
        assert play_into(store) == 12
    return folder


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[tuple[Path, Callable[[], int]]]:
    """A run that grows by a match whenever the function is called."""
    folder = tmp_path / "growing"
    with RunStore(folder, make_plan("connect-four", 2, deals=2)) as store:
        play_into(store, 2)
        yield folder, lambda: play_into(store, 1)
