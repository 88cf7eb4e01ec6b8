from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.tournament import cores
from arena.tournament.cores import claim


@pytest.fixture(autouse=True)
def four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "available", lambda: [0, 1, 4, 5])


def test_a_match_a_core(tmp_path: Path) -> None:
    with claim(None, folder=tmp_path) as held:
        assert [slot.cores for slot in held.slots] == [(0,), (1,), (4,), (5,)]


def test_several_cores_a_match(tmp_path: Path) -> None:
    with claim(None, cores_per_match=3, folder=tmp_path) as held:
        assert [slot.cores for slot in held.slots] == [(0, 1, 4)]


@pytest.mark.lesson(22)
def test_two_runs_never_share_a_core_unless_told_to(tmp_path: Path) -> None:
    with claim(3, folder=tmp_path) as first:
        assert [slot.cores for slot in first.slots] == [(0,), (1,), (4,)]
        with claim(None, folder=tmp_path) as second:
            assert [slot.cores for slot in second.slots] == [(5,)]
            with pytest.raises(ConfigError, match="other runs hold 4 of 4 cores"):
                claim(None, folder=tmp_path)
        with claim(2, folder=tmp_path) as third:
            assert [slot.cores for slot in third.slots] == [(5,), ()]
            assert "share cores" in third.warning
    with claim(None, folder=tmp_path) as last:
        assert len(last.slots) == 4


@pytest.mark.lesson(22)
def test_more_slots_than_cores_must_be_insisted_on(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="5 slots on 4 cores would spoil the clocks; take at most 4"):
        claim(5, folder=tmp_path)
    with pytest.raises(ConfigError, match="1 slot with 8 each on 4 cores"):
        claim(None, cores_per_match=8, folder=tmp_path)
    with claim(5, oversubscribe=True, folder=tmp_path) as held:
        assert [slot.cores for slot in held.slots] == [(0,), (1,), (4,), (5,), ()]
