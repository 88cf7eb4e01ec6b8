"""`arena check`: good bots pass, bad ones are diagnosed by name; the whole table of bad bots is the referee's test."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from arena import plugins
from arena.cli import ExitCode, execute
from arena.options import complete_options
from arena.referee.sandbox import choose_rung
from arena.referee.settings import SandboxPolicy
from arena.testing.badbots import BAD_BOTS, Needs, good_bot, settings_for
from arena.testing.check import Result, check
from arena.tournament.entrants import EntrantConfig

SETTINGS = """\
game = "connect-four"
sandbox = "off"
clock = { startup_ms = 5000, per_action_ms = 150, margin_ms = 20 }
[[entrants]]
command = ["python3", "a.py"]
[[entrants]]
command = ["python3", "b.py"]
"""
DIAGNOSED = [
    bad
    for bad in BAD_BOTS
    if bad.name in ("exits-at-once", "illegal-action", "option-out-of-range", "floods-lines", "not-executable")
]


@pytest.fixture
def like(tmp_path: Path) -> str:
    """A tournament file whose settings checks are made with."""
    for name in "ab":
        (tmp_path / f"{name}.py").write_text("")
    (tmp_path / "like.toml").write_text(SETTINGS)
    return str(tmp_path / "like.toml")


@pytest.fixture(autouse=True)
def as_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `check NAME` take the bots of the kit of bad bots."""
    entrants = {bad.name: bad.entrant() for bad in BAD_BOTS} | {"good": good_bot()}
    monkeypatch.setattr("arena.cli.check.entrant_of", lambda name, **_: EntrantConfig(entrant=entrants[name]))


def test_a_good_bot_passes_on_every_seat(like: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["check", "good", "--as-in", like]) == ExitCode.COMPLETE
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "checking good: connect-four (opening 0), 2 seats"
    assert [line.split(":")[0].strip() for line in lines if "actions" in line][:2] == ["seat 0", "seat 1"]
    assert sum(line.strip().startswith("pass ") for line in lines) == 7
    assert any(line.startswith("time: median ") and "of 150 ms allowed" in line for line in lines)
    assert lines[-1] == "good passes"


def test_a_terminal_shows_how_far_it_is_and_keeps_nothing_of_that(
    like: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert execute(["check", "sleeps-for-ever", "--as-in", like]) == ExitCode.FAILED
    assert "\r" not in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert execute(["check", "sleeps-for-ever", "--as-in", like]) == ExitCode.FAILED
    shown = [line.removesuffix("\x1b[K") for line in capsys.readouterr().err.split("\r")[1:]]
    assert {line.split(":")[0] for line in shown[:-1]} == {f"  sleeps-for-ever on seat {seat}" for seat in (0, 1)}
    assert all(line.endswith(" so far") for line in shown[:-1])
    assert shown[-1] == ""


@pytest.mark.parametrize("bad", DIAGNOSED, ids=lambda bad: bad.name)
def test_a_bad_bot_is_diagnosed_by_name(bad: object, like: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, verdict = getattr(bad, "name", ""), getattr(bad, "verdict", "")
    assert execute(["check", name, "--as-in", like, "--json"]) == ExitCode.FAILED
    found = json.loads(capsys.readouterr().out)
    assert not found["passed"]
    broken = [rule for rule in found["report"]["rules"] if rule["result"] == "fail"]
    assert [rule["rule"] for rule in broken] == [verdict]
    assert broken[0]["advice"]


def test_a_broken_rule_is_told_with_its_line_and_advice(like: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["check", "illegal-action", "--as-in", like]) == ExitCode.FAILED
    out = capsys.readouterr().out
    assert "  fail       illegal: played `cheat`" in out
    assert "advice: " in out
    assert out.endswith("illegal-action fails 1 of 7 rules\n")


def test_what_was_never_reached_is_not_called_a_pass(like: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["check", "exits-at-once", "--as-in", like]) == ExitCode.FAILED
    assert capsys.readouterr().out.count("not tried") == 6


def test_an_unfit_table_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(shlex.split("check good --game connect-four --seats 3")) == ExitCode.USAGE
    assert "connect-four is played at 2 seats, not 3" in capsys.readouterr().err


@pytest.mark.heavy
def test_every_bad_bot_is_diagnosed_by_name(tmp_path: Path) -> None:
    rung, game = choose_rung(SandboxPolicy.AUTO), plugins.game("connect-four")
    options = complete_options(game, {})
    wrong = {}
    for number, bad in enumerate(BAD_BOTS):
        scratch = tmp_path / str(number)
        scratch.mkdir(mode=0o711)
        argument = {Needs.NOTHING: "", Needs.FILE: str(tmp_path), Needs.PORT: "9"}[bad.needs]
        settings = settings_for(bad, game.name, 2, options=options)
        found, _ = check(bad.entrant(argument), game, settings, rung, scratch)
        broken = [rule.rule for rule in found.rules if rule.result is Result.FAIL]
        verdict = bad.behind_wrapper if rung.name == "bubblewrap" and bad.behind_wrapper else bad.verdict
        if broken != ([] if verdict is None else [verdict]) and not bad.full_pipe:
            wrong[bad.name] = broken
    assert not wrong
