"""`python -m arena.testing.badbots` as a command."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.errors import ConfigError
from arena.referee.sandbox import forced
from arena.testing.badbots.__main__ import main

ONE_BOT = """
import runpy, sys
import arena.testing.badbots.table as table
table.BAD_BOTS = table.BAD_BOTS[:1]
sys.argv = ["badbots", "off"]
runpy.run_module("arena.testing.badbots", run_name="__main__")
"""


def test_the_table_says_what_became_of_a_bot() -> None:
    done = subprocess.run([sys.executable, "-c", ONE_BOT], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "exits-at-once  failed to start" in done.stdout
    assert done.stdout.endswith("all as promised\n")


def test_who_reads_no_more_ends_it_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", ONE_BOT], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_help_plays_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    assert "bubblewrap,landlock,rlimits,off" in capsys.readouterr().out


def test_a_rung_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["landlok"])
    assert left.value.code == 2
    assert "'landlok'" in capsys.readouterr().err
    with pytest.raises(ConfigError, match=r"no rung 'landlok': they are bubblewrap, landlock, rlimits, off"):
        forced("landlok")
