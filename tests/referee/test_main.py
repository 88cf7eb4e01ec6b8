"""The referee process as the scheduler sees it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.referee import procfs
from arena.referee.__main__ import Outbox, Stopped
from arena.referee.settings import BotKind, Entrant, Fixture, SandboxPolicy, Settings
from arena.referee.wire import Alive, CannotPlay, Play, Setup
from tests.referee.test_driver import THINKER

NOISY = """
from arena import plugins
from arena.errors import ArenaError
from arena.referee.__main__ import main

def game(name):
    print("debug: looking for", name)
    raise ArenaError("it is broken")

plugins.game = game
main()
"""


def test_what_a_game_prints_is_no_message() -> None:
    setup = Setup(settings=Settings(game="noisy", seats=2), entrants=(), slot=0, cores=())
    done = subprocess.run(
        [sys.executable, "-c", NOISY], input=msgspec.json.encode(setup) + b"\n", capture_output=True, timeout=60
    )
    assert msgspec.json.decode(done.stdout, type=CannotPlay) == CannotPlay("it is broken")
    assert done.stderr.decode() == "debug: looking for noisy\n"
    assert done.returncode == 0


HANGS = """
import time
from arena import plugins
from arena.referee import __main__ as referee
from tests.referee.pile import Pile, PileState

def hang(self, action):
    while True: pass

PileState.apply = hang
plugins.game = lambda name: Pile()
referee.HUNG_AFTER_S = 0.5
referee.main()
"""


def test_a_referee_that_hangs_does_not_outlive_its_scheduler(tmp_path: Path) -> None:
    note_pid = THINKER.replace("THINK", "open(f'pid-{os.getpid()}', 'w')").replace("import json", "import os, json")
    bot = Entrant(name="a", kind=BotKind.COMMAND, argv=("python3", "-S", "-c", note_pid), folder=str(tmp_path))
    settings = Settings(game="pile", game_options={"size": 10}, seats=2, sandbox=SandboxPolicy.OFF)
    fixture = Fixture(
        match_id="m", number=0, line_up=("a", "a"), deal=0, block="b", rotation=0, key="00" * 16, bot_seeds=(1, 2)
    )
    setup = Setup(settings=settings, entrants=(bot,), slot=0, cores=())
    lines = b"".join(msgspec.json.encode(message) + b"\n" for message in (setup, Play((fixture,))))
    with subprocess.Popen(
        [sys.executable, "-c", HANGS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as referee:
        assert referee.stdin is not None
        assert referee.stdout is not None
        assert referee.stderr is not None
        referee.stdin.write(lines)
        referee.stdin.flush()
        until = time.monotonic() + 20
        while not (pids := [int(path.name[4:]) for path in tmp_path.glob("pid-*")]):
            assert time.monotonic() < until
            time.sleep(0.02)
        referee.stdin.close()
        referee.stdout.close()
        assert referee.wait(timeout=2.5) == 1
        assert "in hang" in referee.stderr.read().decode()
    until = time.monotonic() + 2
    while any(map(procfs.is_alive, pids)):
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.fixture
def pipes() -> Iterator[tuple[int, int, int, int]]:
    """Yield the ends of a pipe to write to, then those of one that wakes."""
    ends = (*os.pipe(), *os.pipe())
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def test_a_match_never_waits_for_a_scheduler_that_does_not_read(pipes: tuple[int, int, int, int]) -> None:
    reader, writer, wakeup, _ = pipes
    outbox = Outbox(writer, wakeup)
    sent = [Alive("m" * (number % 9000), number) for number in range(500)]
    for message in sent:
        outbox.add(message)
        outbox.flush()
    assert not outbox.flush()
    got = b""

    def read() -> None:
        nonlocal got
        while got.count(b"\n") < len(sent):
            got += os.read(reader, 777)

    reading = threading.Thread(target=read)
    reading.start()
    outbox.drain()
    reading.join(20)
    assert [msgspec.json.decode(line, type=Alive) for line in got.splitlines()] == sent


@pytest.mark.parametrize("ends", ["a signal", "the end of the scheduler"])
def test_a_referee_that_waits_for_its_scheduler_can_be_ended(ends: str, pipes: tuple[int, int, int, int]) -> None:
    reader, writer, wakeup, wake = pipes
    outbox = Outbox(writer, wakeup)
    outbox.add(Alive("m" * 200_000, 0))
    assert not outbox.flush()
    timer = threading.Timer(0.1, lambda: os.write(wake, b"x") if ends == "a signal" else os.close(reader))
    timer.start()
    with pytest.raises(Stopped):
        outbox.drain()
    timer.join(5)
