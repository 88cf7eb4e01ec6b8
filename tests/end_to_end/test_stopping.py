"""Whoever of us is stopped, however: results are safe, we leave in time, and no bot or grandchild of one lives on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.command import children_of, marked, start, stored, wait_until

LEAVE_S = 2.0  #: from a signal to our exit, and to the end of everything that bots started
#: Deaf to signals; leaves behind a daemon of its own in every match; answers in the first block and then thinks on.
BOT = """
import json, os, signal, sys, time
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, signal.SIG_IGN)
def daemonise():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in (0, 1, 2): os.close(descriptor)
            time.sleep(600)
        os._exit(0)
    os.wait()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "start"):
        if message["type"] == "start":
            thinks_long = "d000" not in message["match"]
            daemonise()
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "act":
        if thinks_long: time.sleep(600)
        print(json.dumps({"type": "action", "id": message["id"], "option": 0}), flush=True)
"""
CUP = """
name = "cup"
game = "connect-four"
sandbox = "SANDBOX"
[format]
deals = 2
[clock]
startup_ms = 60_000
per_action_ms = 600_000
[[entrants]]
name = "one"
folder = "bot"
command = ["python3", "-S", "bot.py"]
env = { MARK = "VALUE" }
BUILD
[[entrants]]
name = "two"
folder = "bot"
command = ["python3", "-S", "bot.py"]
env = { MARK = "VALUE" }
"""


def write_cup(folder: Path, mark: str, *, sandbox: str = "off", bot: str = BOT, build: str = "") -> None:
    (folder / "bot").mkdir()
    (folder / "bot" / "bot.py").write_text(bot)
    text = CUP.replace("SANDBOX", sandbox).replace("VALUE", mark)
    (folder / "cup.toml").write_text(text.replace("BUILD", f'build = ["sh", "-c", "{build}"]' if build else ""))


@contextlib.contextmanager
def started_cup(folder: Path, mark: str) -> Iterator[subprocess.Popen[str]]:
    with start("run", "cup.toml", "--slots", "1", folder=folder, MARK=mark) as arena:
        try:
            yield arena
        finally:
            arena.kill()


def bots(mark: str) -> list[int]:
    """Return the bots and their daemons, without the wrappers that start them."""
    return [pid for pid, words in marked(mark).items() if words[1:] == ["-S", "bot.py"]]


def wait_for_the_long_think(folder: Path, mark: str) -> list[int]:
    """Wait until the first block is stored and the next match goes on; return its bots and their daemons."""
    wait_until(lambda: stored(folder / "runs/cup") == 2 and len(bots(mark)) == 4)
    return bots(mark)


def gone(pids: list[int], mark: str) -> bool:
    return not set(pids) & marked(mark).keys()


@pytest.mark.lesson(5, 6)
@pytest.mark.parametrize("sandbox", ["auto", "off"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_scheduler_that_is_stopped_in_a_long_think(number: signal.Signals, sandbox: str, tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    write_cup(tmp_path, mark, sandbox=sandbox)
    with started_cup(tmp_path, mark) as scheduler:
        wait_for_the_long_think(tmp_path, mark)
        stopped_s = time.monotonic()
        scheduler.send_signal(number)
        said, _ = scheduler.communicate(timeout=LEAVE_S)
        wait_until(lambda: not marked(mark), within_s=LEAVE_S - (time.monotonic() - stopped_s))
    if number is not signal.SIGKILL:
        assert scheduler.returncode == 1
        assert "interrupted: 2 matches safe in runs/cup; go on with: arena run cup.toml --slots 1" in said
        assert "Traceback" not in said
    assert stored(tmp_path / "runs/cup") == 2


@pytest.mark.lesson(5, 6)
def test_ctrl_c_reaches_the_whole_group_of_a_terminal(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    write_cup(tmp_path, mark)
    with started_cup(tmp_path, mark) as scheduler:
        wait_for_the_long_think(tmp_path, mark)
        stopped_s = time.monotonic()
        for _ in range(3):  # an impatient person
            with contextlib.suppress(ProcessLookupError):
                os.killpg(scheduler.pid, signal.SIGINT)
            time.sleep(0.1)
        said, _ = scheduler.communicate(timeout=LEAVE_S)
        wait_until(lambda: not marked(mark), within_s=LEAVE_S - (time.monotonic() - stopped_s))
    assert "2 matches safe" in said
    assert "Traceback" not in said


@pytest.mark.lesson(6)
def test_a_referee_that_hangs_does_not_keep_the_scheduler(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    write_cup(tmp_path, mark)
    with started_cup(tmp_path, mark) as scheduler:
        wait_for_the_long_think(tmp_path, mark)
        (referee,) = children_of(scheduler.pid)
        os.kill(referee, signal.SIGSTOP)
        stopped_s = time.monotonic()
        scheduler.send_signal(signal.SIGINT)
        said, _ = scheduler.communicate(timeout=LEAVE_S)
        wait_until(lambda: not marked(mark), within_s=LEAVE_S - (time.monotonic() - stopped_s))
    assert "2 matches safe" in said


@pytest.mark.lesson(11)
def test_a_referee_that_is_frozen_for_a_while_blames_nobody(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    punctual = BOT.replace("daemonise()\n        print", "pass\n        print").replace("time.sleep(600)", "pass")
    write_cup(tmp_path, mark, bot=punctual.replace("print(json", "time.sleep(0.05); print(json"))
    file = tmp_path / "cup.toml"
    file.write_text(file.read_text().replace("600_000", "400").replace("deals = 2", "deals = 1"))
    with started_cup(tmp_path, mark) as scheduler:
        wait_until(lambda: len(bots(mark)) == 2 and len(children_of(scheduler.pid)) == 1)
        (referee,) = children_of(scheduler.pid)
        for _ in range(2):
            time.sleep(0.2)
            os.kill(referee, signal.SIGSTOP)
            time.sleep(0.7)
            os.kill(referee, signal.SIGCONT)
        said, _ = scheduler.communicate(timeout=30)
    assert "complete: 2 matches" in said
    assert "forfeits:" not in said


@pytest.mark.lesson(5)
@pytest.mark.parametrize(("sandbox", "first"), [("auto", signal.SIGINT), ("off", signal.SIGTERM)])
def test_a_referee_that_is_stopped_takes_its_bots_along_and_the_match_is_played_again(
    sandbox: str, first: signal.Signals, tmp_path: Path
) -> None:
    mark = uuid.uuid4().hex
    write_cup(tmp_path, mark, sandbox=sandbox)
    with started_cup(tmp_path, mark) as scheduler:
        for number in (first, signal.SIGKILL):  # a third loss would set the match aside
            playing = wait_for_the_long_think(tmp_path, mark)
            (referee,) = children_of(scheduler.pid)
            os.kill(referee, number)
            wait_until(lambda pids=playing: gone(pids, mark), within_s=LEAVE_S)  # type: ignore[misc]
        wait_for_the_long_think(tmp_path, mark)
        scheduler.send_signal(signal.SIGINT)
        said, _ = scheduler.communicate(timeout=LEAVE_S)
    assert "2 matches safe" in said
    assert marked(mark) == {}


@pytest.mark.lesson(5)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("moment", ["preflight", "build"])
def test_an_arena_that_is_stopped_before_match_1(moment: str, number: signal.Signals, tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    asleep = BOT.replace('message["type"] in', 'daemonise() or time.sleep(600) or message["type"] in')
    build = "setsid sleep 600 & sleep 600" if moment == "build" else ""
    write_cup(tmp_path, mark, bot=asleep, build=build)
    with started_cup(tmp_path, mark) as arena:
        if moment == "build":
            wait_until(lambda: sum(words[0] == "sleep" for words in marked(mark).values()) == 2)
        else:
            wait_until(lambda: len(bots(mark)) == 4)
        stopped_s = time.monotonic()
        arena.send_signal(number)
        said, _ = arena.communicate(timeout=LEAVE_S)
        wait_until(lambda: not marked(mark), within_s=LEAVE_S - (time.monotonic() - stopped_s))
    if number is not signal.SIGKILL:
        assert arena.returncode == 1
        assert "interrupted" in said
        assert "Traceback" not in said
