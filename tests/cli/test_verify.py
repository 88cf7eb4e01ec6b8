"""`arena verify` on an honest run and on one that was changed."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from pathlib import Path

import attrs
import msgspec
import pytest

from arena.cli import ExitCode, execute
from arena.referee import record as records
from arena.referee.record import Record
from arena.tournament.audit import check_plan
from arena.tournament.store import RunReader


def changed(run_folder: str, tmp_path: Path, number: int, **change: object) -> str:
    """Copy the run and change one record in it."""
    copy = tmp_path / "copy"
    shutil.copytree(run_folder, copy)
    with sqlite3.connect(copy / "run.sqlite") as database:
        ((blob,),) = database.execute("SELECT record FROM records WHERE number = ?", (number,)).fetchall()
        record = attrs.evolve(records.decode(zlib.decompress(blob)), **change)  # type: ignore[arg-type]
        database.execute(
            "UPDATE records SET record = ? WHERE number = ?", (zlib.compress(records.encode(record)), number)
        )
    database.close()
    return str(copy)


def test_an_honest_run_is_equal_throughout(run_folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["verify", run_folder]) == ExitCode.COMPLETE
    assert capsys.readouterr().out == "12 matches replayed, every one equal\n"


def test_a_changed_record_is_named_with_what_differs(
    run_folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = changed(run_folder, tmp_path, 5, digest="f" * 32)
    assert execute(["verify", copy]) == ExitCode.FAILED
    out = capsys.readouterr().out
    assert "digest: ffffffffffffffffffffffffffffffff is stored, the replay ends in" in out
    assert out.endswith("12 matches replayed, 1 differ\n")
    assert execute(["verify", copy, "--json"]) == ExitCode.FAILED
    assert json.loads(capsys.readouterr().out)["checked"] == 12


def test_a_summary_that_is_not_the_records_is_found(
    run_folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = changed(run_folder, tmp_path, 3, faults=())
    assert execute(["verify", copy]) == ExitCode.FAILED
    assert "  summary: it is not what the record says" in capsys.readouterr().out.splitlines()


def test_a_record_of_another_plan_is_found(run_folder: str) -> None:
    with RunReader(Path(run_folder)) as reader:
        plan = reader.plan
        record: Record = msgspec.json.decode(next(reader.records())[1], type=Record)
    assert check_plan(record, plan) == []
    stranger = attrs.evolve(record, key="00" * 32, line_up=("ann", "eve"), game_options={"opening": 2})
    assert [difference.where for difference in check_plan(stranger, plan)] == ["key", "game_options", "line_up"]
