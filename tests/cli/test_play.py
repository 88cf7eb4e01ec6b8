"""`arena play`: bots in their sandbox, and a person at a seat."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.cli import ExitCode, execute
from arena.cli.seating import entrant_of, line_up, unique
from arena.errors import ConfigError
from arena.referee.sandbox.scratch import PREFIX
from arena.referee.settings import BotKind

FIRST = """\
from arena.sdk import Bot, run
class First(Bot):
    def choose(self, turn):
        self.note("as always")
        return 0
run(First)
"""


@pytest.fixture
def first(tmp_path: Path) -> str:
    """A bot that drops its discs into the first open column."""
    file = tmp_path / "first.py"
    file.write_text(FIRST)
    return str(file)


C4 = ["--game", "connect-four", "--no-sandbox"]


def test_a_match_between_bots_is_told(first: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["play", first, first, *C4, "--seed", "3"]) == ExitCode.COMPLETE
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "connect-four (opening 0): first, first-2"
    assert lines[1].split(maxsplit=2) == ["0", "first", "drops a disc into column 1"]
    assert lines[2].split(maxsplit=2) == ["1", "first-2", "drops a disc into column 1"]
    assert "the same deals again: --seed 3" in lines


def test_a_single_bot_fills_the_table_and_seats_rotate(first: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["play", first, *C4, "--matches", "2", "--json"]) == ExitCode.COMPLETE
    records = json.loads(capsys.readouterr().out)
    assert [record["line_up"] for record in records] == [["first", "first-2"], ["first-2", "first"]]


@pytest.mark.lesson(6)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_match_that_is_stopped_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "asleep.py").write_text("import time\ntime.sleep(600)\n")
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    arena = subprocess.Popen(
        [sys.executable, "-m", "arena", "play", str(tmp_path / "asleep.py"), *C4, "--no-time-limit"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(scratch)},
    )
    assert arena.stdout is not None
    assert arena.stdout.readline() == b"connect-four (opening 0): asleep, asleep-2\n"
    assert len(list(scratch.glob(f"{PREFIX}*"))) == 1
    arena.send_signal(number)
    _, err = arena.communicate(timeout=2)
    assert (arena.returncode, err.strip()) == (ExitCode.INTERRUPTED, b"arena: interrupted")
    assert not list(scratch.glob(f"{PREFIX}*"))


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the person types, line by line."""
    lines: list[str] = []

    def read(prompt: str) -> str:
        if not lines:
            raise EOFError
        return lines.pop(0)

    monkeypatch.setattr("builtins.input", read)
    return lines


@pytest.mark.parametrize("silent", [False, True])
def test_a_person_wins_against_a_program(
    first: str, silent: bool, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    if silent:
        Path(first).write_text(FIRST.replace('        self.note("as always")\n', ""))
    typed += ["?", "2", "3", "9", "4", "5"]
    assert execute(["play", "human", first, *C4]) == ExitCode.COMPLETE
    out = capsys.readouterr().out
    assert "'9' is no action" in out
    assert "first  drops a disc into column 1" in out
    assert "human  drops a disc into column 2" not in out  # what one did oneself needs no telling
    assert out.split("place")[1].split()[2:5] == ["1.", "human", "2"]


def test_a_person_may_leave(first: str, typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    typed += ["quit"]
    assert execute(["play", first, "human", *C4, "--seed", "9"]) == ExitCode.INTERRUPTED
    assert "you left the match; the same deals again: --seed 9" in capsys.readouterr().out


def test_two_people_may_share_a_terminal(typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    typed += ["1", "2"] * 4
    assert execute(["play", "human", "human", *C4]) == ExitCode.COMPLETE
    assert "human-2  drops a disc into column 2" in capsys.readouterr().out


def test_a_person_is_told_which_rule_of_castell_is_broken(typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    typed += ["girona", "recruit 1 2 3", "quit"]
    assert execute(["play", "human", "human", "--game", "castell", "--side", "advanced"]) == ExitCode.INTERRUPTED
    out = capsys.readouterr().out
    assert "castell (side advanced): human, human-2" in out
    assert "human is at seat 0" in out
    assert "recruit takes one or two castellers, not 3" in out
    assert out.count("Round 1 of 10") == 1  # nobody else has acted since the board was drawn


def test_a_program_that_fails_forfeits_to_the_person(
    tmp_path: Path, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    failing = tmp_path / "failing.py"
    failing.write_text(FIRST.replace('self.note("as always")', 'raise ValueError("lost")'))
    typed += ["1"]
    assert execute(["play", "human", str(failing), *C4]) == ExitCode.COMPLETE
    assert "failing forfeits: crash" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("does", "verdict", "reason"),
    [
        ("import time; time.sleep(60)", "timeout", "no answer within 150 ms"),
        ("os._exit(3)", "crash", "ended with exit code 3"),
        ("os.write(stdout, b'hello\\n')", "protocol", "hello"),
        ("return 99", "illegal", "99"),
    ],
)
def test_what_a_program_did_to_a_person_is_called_by_its_name(
    does: str, verdict: str, reason: str, tmp_path: Path, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    failing = tmp_path / "failing.py"
    failing.write_text("import os\nstdout = os.dup(1)\n" + FIRST.replace('self.note("as always")', does))
    typed += ["1"]
    assert execute(["play", "human", str(failing), *C4, "--limit", "100", "--json"]) == ExitCode.COMPLETE
    out = capsys.readouterr().out
    (record,) = json.loads(out[out.index("[\n") :])
    (fault,) = record["faults"]
    assert (fault["verdict"], fault["forfeits"]) == (verdict, True)
    assert reason in fault["reason"]


def test_a_line_for_each_match_then_who_won_how_often(first: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["play", first, first, *C4, "--matches", "3", "--quiet", "--seed", "3"]) == ExitCode.COMPLETE
    lines, table = (part.splitlines() for part in capsys.readouterr().out.split("\n\n"))
    assert [line.split() for line in lines] == [
        ["0", "first", "1.", "2", "first-2", "2.", "0"],
        ["1", "first-2", "1.", "2", "first", "2.", "0"],
        ["2", "first", "1.", "2", "first-2", "2.", "0"],
    ]
    assert table[0].split() == ["entrant", "matches", "won", "tied", "lost", "forfeits", "score", "Elo", "±"]
    rows = {words[0]: words[1:] for words in map(str.split, table[2:4])}
    assert rows["first"][:6] == ["3", "2", "0", "1", "0", "1.3"]
    assert rows["first"][6:] == ["0", "-"]
    assert rows["first-2"][:6] == ["3", "1", "0", "2", "0", "0.7"]
    assert rows["first-2"][6].startswith("-")
    assert "how much stronger than first, put at 0; intervals take 3 deals as samples" in "\n".join(table)


def test_boards_are_followed_by_the_same_table(first: str, capsys: pytest.CaptureFixture[str]) -> None:
    play = ["play", first, first, *C4, "--matches", "2", "--seed", "3"]
    assert execute([*play, "--quiet"]) == execute(play) == ExitCode.COMPLETE
    quiet, loud = capsys.readouterr().out.split("connect-four (opening 0)", 1)
    assert loud.endswith(quiet[quiet.index("\nentrant ") :])


def test_one_quiet_match_is_one_line_with_its_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failing = tmp_path / "failing.py"
    failing.write_text(FIRST.replace('self.note("as always")', "raise ValueError"))
    assert execute(["play", str(failing), str(failing), *C4, "--quiet", "--seed", "3"]) == ExitCode.COMPLETE
    line, again = capsys.readouterr().out.splitlines()
    assert line.endswith("failing forfeits: crash")
    assert again == "the same deals again: --seed 3"


@pytest.mark.lesson(8)
@pytest.mark.parametrize("chat", ['self.note("still thinking"); time.sleep(0.02)', "os.write(2, bytes(1 << 22))"])
def test_a_program_that_chats_is_late_for_a_person_too(
    chat: str, tmp_path: Path, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    chatty = tmp_path / "chatty.py"
    chatty.write_text("import os, time\n" + FIRST.replace('self.note("as always")', f"while True: {chat}"))
    typed += ["1"]
    began_s = time.monotonic()
    assert execute(["play", "human", str(chatty), *C4]) == ExitCode.COMPLETE
    assert "chatty forfeits: timeout: no answer within 1,050 ms" in capsys.readouterr().out
    assert time.monotonic() - began_s < 1.05 + 1


def test_a_program_that_cannot_start_is_named_with_its_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_module")
    assert execute(["play", "human", str(broken), *C4]) == ExitCode.ENTRANT
    err = capsys.readouterr().err
    assert "broken can't be started: ended with exit code 1" in err
    assert "    | ModuleNotFoundError: No module named 'no_such_module'" in err


def test_the_deal_of_a_stored_match_is_played_again(
    run_folder: str, first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["show", run_folder, "--json"]) == ExitCode.COMPLETE
    match = json.loads(capsys.readouterr().out)[0]["match_id"]
    assert execute(["show", run_folder, match, "--json"]) == ExitCode.COMPLETE
    stored = json.loads(capsys.readouterr().out)
    arguments = ["play", first, "--no-sandbox", "--json", "--deal-of", run_folder, match]
    assert execute(arguments) == ExitCode.COMPLETE
    (played,) = json.loads(capsys.readouterr().out)
    assert (played["key"], played["match_id"], played["game"]) == (stored["key"], match, "connect-four")
    arguments = ["play", first, "--no-sandbox", "--matches", "4", "--quiet", "--deal-of", run_folder, match]
    assert execute(arguments) == ExitCode.COMPLETE
    assert "intervals take 1 deal as samples" in capsys.readouterr().out  # one deal four times tells little


def test_bots_are_found_by_file_folder_command_and_name(first: str) -> None:
    folder = str(Path(first).parent)
    assert entrant_of(first).entrant.argv == ("python3", "first.py")
    assert entrant_of(folder).entrant.folder == folder
    command = entrant_of(f"python3 {first}").entrant
    assert (command.kind, command.argv) == (BotKind.COMMAND, ("python3", "first.py"))
    with pytest.raises(ConfigError, match=r"there is no bot 'fist'.*a file, a folder or a command will do too"):
        entrant_of("fist", {})
    with pytest.raises(ConfigError, match=r"^there is no file and no folder \./fist$"):
        entrant_of("./fist", {})


def test_a_folder_that_is_no_bot_is_told_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(ConfigError, match=r"^mine: \S+/mine has no arena\.toml with a command, and no file called"):
        entrant_of(str(tmp_path / "mine"))
    (tmp_path / "mine" / "pyproject.toml").touch()
    with pytest.raises(ConfigError, match=r"^mine: \S+/mine is a distribution: install it \(`pip install -e \S+/mine`"):
        entrant_of(str(tmp_path / "mine"))


def test_an_installed_bot_is_not_hidden_by_a_folder_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("greedy", "mine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").touch()
    assert entrant_of("greedy").entrant.kind is BotKind.PLUGIN
    assert entrant_of("./greedy").entrant.kind is entrant_of("mine").entrant.kind is BotKind.COMMAND


def test_a_source_file_points_to_its_folder(tmp_path: Path) -> None:
    (tmp_path / "bot.cpp").touch()
    (tmp_path / "arena.toml").touch()
    with pytest.raises(ConfigError, match=r"bot\.cpp is no program, but a part of the bot in its folder: name that, /"):
        entrant_of(str(tmp_path / "bot.cpp"))


def test_names_at_a_table_are_unique(first: str) -> None:
    names = [one.entrant.name if one else None for one in line_up([first, "human"], 4)]
    assert names == ["first", None, "first-2", None]
    assert unique(["a", "b", "a", "a"]) == ["a", "b", "a-2", "a-3"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{first}", "{first}", "{first}", *C4], "connect-four is played at 2 seats, not 3"),
        (["{first}", *C4, "--option", "opening"], "'opening' is no pair; write it as NAME=VALUE"),
        (["{first}", *C4, "--option", "opening=5"], "5 is none of the choices"),
        (["{first}", "--game", "castell", "--side", "north"], "'north' is none of the choices"),
        (["{first}", *C4, "--side", "advanced"], "there is no option of connect-four 'side'"),
    ],
)
def test_wrong_use_is_a_sentence(
    first: str, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["play", *(text.format(first=first) for text in arguments)]) == ExitCode.USAGE
    assert sentence in capsys.readouterr().err
