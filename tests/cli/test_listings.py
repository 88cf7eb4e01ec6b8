"""Verbs that list: bots, games, schema, table, perft."""

from __future__ import annotations

import json

import pytest

from arena.cli import ExitCode, execute
from arena.discovery import EntryPoint, InstalledBot, PluginFacts
from arena.protocol.schema import schema_text

FACTS = (
    PluginFacts(
        entry_point=EntryPoint(distribution="pack", version="2", name="pack", value="pack"),
        bots=(
            InstalledBot(name="zed", target="p:Z", games=("castell",), seats=(2, 4), version="2", distribution="pack"),
            InstalledBot(name="any", target="p:A", version="2", distribution="pack", summary="plays all"),
        ),
    ),
    PluginFacts(
        entry_point=EntryPoint(distribution="bad", version="1", name="bad", value="bad"), reason="raised KeyError: 'x'"
    ),
)


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.plugins.discover", lambda path=None: FACTS)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert execute(arguments) == ExitCode.COMPLETE
    return capsys.readouterr()


def test_bots_are_listed_with_what_they_play(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = printed(capsys, "bots")
    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == ["bot", "plays", "seats", "version", "from"]
    assert rows[1] == ["any", "any", "game", "any", "2", "pack", "plays", "all"]
    assert rows[2] == ["zed", "castell", "2", "or", "4", "2", "pack"]
    assert err == "warning: plugin bad is left out: it raised KeyError: 'x'\n"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--game", "connect-four"], {"any"}),
        (["--game", "castell", "--seats", "3"], {"any"}),
        (["--seats", "4"], {"any", "zed"}),
    ],
)
def test_bots_are_chosen_by_game_and_seats(
    arguments: list[str], names: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = printed(capsys, "bots", "--json", *arguments)
    listed = json.loads(out)
    assert {bot["name"] for bot in listed["bots"]} == names
    assert listed["left_out"] == [{"plugin": "bad", "reason": "raised KeyError: 'x'"}]


def test_games_are_listed_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, "games")
    assert out.startswith("castell  ")
    assert "    side     standard | advanced" in out
    facts = json.loads(printed(capsys, "games", "connect-four", "--json")[0])
    assert [(game["name"], game["seats"]) for game in facts] == [("connect-four", [2])]


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed(capsys, "schema")[0]) == json.loads(schema_text())


def test_the_table_of_a_run(run_folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, "table", run_folder)
    assert out.startswith("Standings")
    assert {"ann", "bob", "cy"} <= set(out.split())
    full, _ = printed(capsys, "table", run_folder, "--full", "--clean", "--anchor", "bob")
    assert "Odd pairs" in full
    assert "Odd pairs" not in out
    tables = json.loads(printed(capsys, "table", run_folder, "--json", "--clean")[0])
    assert tables["matches"] == 11
    assert execute(["table", run_folder, "--anchor", "bo"]) == ExitCode.USAGE
    assert "there is no entrant 'bo'; did you mean 'bob'?" in capsys.readouterr().err


def test_perft_counts_by_depth(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(printed(capsys, "perft", "4", "--game", "connect-four", "--json")[0])
    assert [row["complete"] for row in rows] == [7, 49, 343, 2401]
    rows = json.loads(printed(capsys, "perft", "2", "--json", "--seats", "3", "--after", "move girona")[0])
    assert [set(row) for row in rows] == [{"depth", "collapsed", "complete", "seconds"}] * 2


def test_perft_divides_by_first_action(capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.loads(printed(capsys, "perft", "3", "--json")[0])[-1]
    parts = json.loads(printed(capsys, "perft", "3", "--json", "--divide")[0])
    assert sum(part["complete"] for part in parts) == whole["complete"]
    columns = json.loads(printed(capsys, "perft", "2", "--game", "connect-four", "--json", "--divide")[0])
    assert [column["complete"] for column in columns] == [7] * 7


def test_perft_refuses_an_illegal_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["perft", "1", "--game", "connect-four", "--after", "9"]) == ExitCode.USAGE
    assert "'9' is no action" in capsys.readouterr().err
