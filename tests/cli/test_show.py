"""`arena show` on a stored run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.cli import ExitCode, execute


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert execute(["show", *arguments]) == ExitCode.COMPLETE
    out, err = capsys.readouterr()
    assert not err
    return out


@pytest.fixture
def ids(run_folder: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [row["match_id"] for row in json.loads(shown(capsys, run_folder, "--json"))]


def test_without_a_match_the_matches_are_listed(run_folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, run_folder).splitlines()
    assert lines[0].split()[:2] == ["match", "deal"]
    assert len(lines) == 1 + 12 + 1
    assert lines[-1].startswith("12 matches; `arena show ")


def test_the_list_can_be_filtered(run_folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(json.loads(shown(capsys, run_folder, "--json", "--entrant", "cy"))) == 8
    assert len(json.loads(shown(capsys, run_folder, "--json", "--faults"))) == 1
    assert len(json.loads(shown(capsys, run_folder, "--json", "--of-deal", "1"))) == 6
    assert shown(capsys, run_folder, "--entrant", "nobody") == "no match is stored that fits\n"


def test_a_match_is_told_from_the_opening_to_the_result(
    run_folder: str, ids: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, run_folder, ids[0])
    assert text.startswith(f"{ids[0]}: connect-four (opening 0)\n")
    assert text.count("1 2 3 4 5 6 7") == 2
    assert "drops a disc into column" in text
    assert text.splitlines()[-3].split() == ["place", "entrant", "score"]


def test_a_fault_is_told_where_it_happened(run_folder: str, ids: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.strip() for line in shown(capsys, run_folder, ids[3]).splitlines()]
    fault = next(index for index, line in enumerate(lines) if "forfeits: crash: the program ended" in line)
    assert lines[fault - 1].startswith("2  ")
    assert lines[fault + 1 : fault + 3] == ["it ended with exit code 3", "advice: read its stderr"]


def test_boards_between(run_folder: str, ids: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.loads(shown(capsys, run_folder, ids[0], "--json"))
    actions = len(whole["actions"])
    assert shown(capsys, run_folder, ids[0], "--steps").count("1 2 3 4 5 6 7") == actions + 1
    opening = shown(capsys, run_folder, ids[0], "--deal")
    assert opening == shown(capsys, run_folder, ids[0], "--at", "0")
    assert "x" not in opening
    assert sum(shown(capsys, run_folder, ids[0], "--at", "3").count(mark) for mark in "xo") == 3
    final = shown(capsys, run_folder, ids[0], "--at", str(actions))
    assert sum(final.count(mark) for mark in "xo") == actions
    only = shown(capsys, run_folder, ids[0], "--seat", "1")
    assert only.count("drops a disc") == sum(action["seat"] == 1 for action in whole["actions"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{run}", "{id}x"], "there is no match '{id}x'; did you mean '{id}'?"),
        (["{run}", "{id}", "--at", "99"], "actions, not 99"),
        (["{run}", "{id}", "--seat", "2"], "has seats 0 to 1, no seat 2"),
        (["nowhere"], "nowhere: there is no run of this name or in this folder"),
    ],
)
def test_what_is_not_there_is_named(
    run_folder: str, ids: list[str], arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = [text.format(run=run_folder, id=ids[0]) for text in arguments]
    assert execute(["show", *filled]) == ExitCode.USAGE
    assert sentence.format(id=ids[0]) in capsys.readouterr().err


def test_a_run_is_found_by_its_name(
    run_folder: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(run_folder).parent)
    monkeypatch.setattr("arena.cli.runs.RUNS", Path(run_folder).parent)
    monkeypatch.chdir("/")
    assert "12 matches" in shown(capsys, "quick")
    assert execute(["show", "quik"]) == ExitCode.USAGE
    assert "did you mean 'quick'?" in capsys.readouterr().err
