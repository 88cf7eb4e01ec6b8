"""The referee process as the scheduler sees it."""

from __future__ import annotations

import subprocess
import sys

import msgspec

from arena.referee.settings import Settings
from arena.referee.wire import CannotPlay, Setup

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
