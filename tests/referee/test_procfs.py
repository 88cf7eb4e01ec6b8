"""Whose a process is."""

from __future__ import annotations

import pytest

from arena.referee.procfs import ProcessTable

REFEREE, BOT, OTHER_BOT = 10, 20, 30


@pytest.fixture
def parents(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Return who is whose parent, to be changed by the test."""
    known = {1: 0, REFEREE: 1, BOT: REFEREE, OTHER_BOT: REFEREE, 21: BOT, 22: 21}
    monkeypatch.setattr(ProcessTable, "_parent", staticmethod(lambda pid: known.get(pid, 0)))
    return known


@pytest.fixture
def table(parents: dict[int, int]) -> ProcessTable:
    table = ProcessTable()
    table.register(BOT)
    table.register(OTHER_BOT)
    table.seen({pid: 1000 + pid for pid in parents})
    return table


def test_whatever_a_bot_started_is_its_own_for_good(table: ProcessTable, parents: dict[int, int]) -> None:
    assert table.members(BOT) == [BOT, 21, 22]
    parents[22] = 1  # an orphan
    table.seen({pid: 1000 + pid for pid in parents if pid != 21})
    assert table.members(BOT) == [BOT, 22]
    assert table.members(OTHER_BOT) == [OTHER_BOT]


@pytest.mark.parametrize(("pid", "parent", "owner"), [(22, 1, None), (22, 30, OTHER_BOT), (40, 21, BOT)])
def test_a_number_that_another_process_took_over_is_attributed_anew(
    pid: int, parent: int, owner: int | None, table: ProcessTable, parents: dict[int, int]
) -> None:
    parents.setdefault(pid, 1)
    present = {pid: 1000 + pid for pid in parents}
    table.seen(present)  # 40 is nobody's
    parents[pid] = parent
    table.seen(present | {pid: 5000})
    assert [root for root in (BOT, OTHER_BOT) if pid in table.members(root)] == ([] if owner is None else [owner])


def test_inodes_that_were_made_anew_change_nothing(table: ProcessTable, parents: dict[int, int]) -> None:
    table.seen({pid: 2000 + pid for pid in parents})
    assert sorted(table.members(BOT)) == [BOT, 21, 22]
    assert table.members(OTHER_BOT) == [OTHER_BOT]


def test_what_is_gone_is_forgotten(table: ProcessTable, parents: dict[int, int]) -> None:
    table.seen({pid: 1000 + pid for pid in parents if pid not in (21, 22)})
    assert table.members(BOT) == [BOT]
    table.forget(BOT)
    assert table.members(BOT) == []
