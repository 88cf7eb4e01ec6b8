"""`arena export`."""

from __future__ import annotations

import csv
import importlib.util
import json
from io import StringIO
from pathlib import Path

import attrs
import msgspec
import pytest

from arena.cli import ExitCode, execute
from arena.referee import record as records
from arena.referee.summary import MatchRow
from arena.report.export import safe_cell, write_csv
from arena.tournament.director import Director
from arena.tournament.store import RunReader, RunStore, StoredMatch


def test_csv_has_a_line_for_each_seat(run_folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["export", run_folder]) == ExitCode.COMPLETE
    rows = list(csv.DictReader(StringIO(capsys.readouterr().out)))
    assert len(rows) == 24
    assert {row["entrant"] for row in rows} == {"ann", "bob", "cy"}
    assert [row["forfeit"] for row in rows if row["forfeit"]] == ["crash"]


def test_a_name_cannot_become_a_formula() -> None:
    row = MatchRow(
        match_id="m", line_up=("=1+1", "@b"), places=(1, 2), scores=(3, -4), block="b", deal=0, termination="finished",
        categories={"prizes": (1, 2)},
    )  # fmt: skip
    text = StringIO()
    assert write_csv([row], text) == 2
    first, second = csv.DictReader(StringIO(text.getvalue()))
    assert (first["entrant"], second["entrant"], second["score"]) == ("'=1+1", "'@b", "-4")
    assert second["points_prizes"] == "2"
    assert [safe_cell(cell) for cell in ("+1", "\tx", -1, "ok")] == ["'+1", "'\tx", -1, "ok"]


def test_json_lines_are_the_records_of_a_run_that_is_over(
    run_folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.jsonl"
    assert execute(["export", run_folder, "--out", str(out)]) == ExitCode.COMPLETE
    assert capsys.readouterr().out == f"12 lines in {out}\n"
    with RunReader(Path(run_folder)) as reader:
        assert out.read_bytes().splitlines() == [data for _, data in reader.records()]


def test_while_a_run_goes_on_nobody_is_shown_its_keys(
    run_folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunReader(Path(run_folder)) as whole:
        plan = attrs.evolve(whole.plan, name="half")
        (match_id, data), row = next(whole.records()), whole.rows()[0]
    with RunStore(tmp_path / "half", plan) as store:
        fixture = Director(plan).next_fixture()
        assert fixture is not None
        store.insert_many([StoredMatch(number=0, row=row, record=data)])
    assert records.decode(data).key
    assert execute(["export", str(tmp_path / "half"), "--format", "jsonl"]) == ExitCode.COMPLETE
    assert json.loads(capsys.readouterr().out)["key"] == ""
    assert execute(["show", str(tmp_path / "half"), match_id, "--json"]) == ExitCode.COMPLETE
    assert json.loads(capsys.readouterr().out)["key"] == ""
    assert execute(["show", run_folder, match_id, "--json"]) == ExitCode.COMPLETE
    assert msgspec.json.decode(capsys.readouterr().out)["key"] == records.decode(data).key


def test_parquet_needs_a_file_and_its_library(
    run_folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["export", run_folder, "--format", "parquet"]) == ExitCode.USAGE
    assert "name a file with --out FILE.parquet" in capsys.readouterr().err
    out = tmp_path / "run.parquet"
    code = execute(["export", run_folder, "--out", str(out)])
    if importlib.util.find_spec("pyarrow") is None:
        assert code == ExitCode.USAGE
        assert "pip install castell-arena[parquet]" in capsys.readouterr().err
    else:
        assert code == ExitCode.COMPLETE
        assert out.read_bytes()[:4] == b"PAR1"


def test_a_file_that_cannot_be_written_is_named(run_folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["export", run_folder, "--out", "/nowhere/x.csv"]) == ExitCode.USAGE
    assert "/nowhere/x.csv can't be written: No such file or directory" in capsys.readouterr().err
