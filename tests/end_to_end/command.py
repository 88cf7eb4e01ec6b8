"""Running the command `arena` as a person would, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from arena.errors import ArchiveError
from arena.referee.procfs import is_alive, read_proc
from arena.referee.record import Record, decode
from arena.tournament.store import RunReader

TOURNAMENTS = Path(__file__).parents[2] / "tournaments"
ARENA = (sys.executable, "-m", "arena")


def start(*arguments: str, folder: Path, **environment: str) -> subprocess.Popen[str]:
    """Start a command line; its session is its own, so that a whole process group can be signalled."""
    return subprocess.Popen(
        [*ARENA, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONWARNINGS": "error"} | environment,
    )


def arena(*arguments: str, folder: Path, code: int = 0) -> str:
    """Run a command line to its end and return what it printed."""
    with start(*arguments, folder=folder) as process:
        try:
            output, _ = process.communicate(timeout=90)
        finally:
            process.kill()  # it has ended, unless it hangs
    assert process.returncode == code, output
    return output


def records_of(run: Path) -> dict[str, Record]:
    """Return the records of a run by match id."""
    with RunReader(run) as reader:
        return {match_id: decode(data) for match_id, data in reader.records()}


def stored(run: Path) -> int:
    """Return how many matches a run holds, 0 while it is being made."""
    try:
        with RunReader(run) as reader:
            return reader.count()
    except ArchiveError:
        return 0


def wait_until(condition: Callable[[], bool], within_s: float = 60) -> None:
    """Look at a condition of other processes until it holds."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def processes_in(folder: Path) -> list[int]:
    """Return the processes whose command line names `folder`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(folder).encode() in words:
                found.append(int(entry.name))
    return found


def marked(mark: str) -> dict[int, list[str]]:
    """Return the live processes with `mark` in their environment, which children inherit, and their command lines."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and mark.encode() in read_proc(pid := int(entry.name), "environ") and is_alive(pid):
            words = read_proc(pid, "cmdline").decode("utf-8", "replace").rstrip("\0").split("\0")
            found[pid] = words
    return found


def children_of(pid: int) -> list[int]:
    """Return the children of a process, whichever of its threads started them."""
    return [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]
