"""Start small Python bots on a rung and talk with them, for the tests of processes and of the sandbox."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator
from pathlib import Path

from arena.referee import procfs
from arena.referee.process import BotProcess, spawn
from arena.referee.rung import Rung
from arena.referee.sandbox import forced
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import BotKind, Entrant, Limits

RUNGS = ("bubblewrap", "landlock", "rlimits", "off")
HANGING_S = 10.0


def entrant(code: str, *, folder: str = "", processes: int | None = None, memory_mb: int | None = None) -> Entrant:
    """Return an entrant that runs `code` by the arena's interpreter."""
    argv = ("python3", "-I", "-S", "-c", code)
    return Entrant(name="bot", kind=BotKind.COMMAND, argv=argv, folder=folder, processes=processes, memory_mb=memory_mb)


@contextlib.contextmanager
def running(bot: Entrant, rung: Rung | str, *, limits: Limits | None = None, seat: int = 0) -> Iterator[BotProcess]:
    """Yield the running bot; kill it afterwards."""
    chosen = forced(rung) if isinstance(rung, str) else rung
    with scratch_root() as root:
        process = spawn(bot, chosen, limits or Limits(), root / "scratch", number=seat)
        try:
            yield process
        finally:
            gone = process.kill()
            process.close()
            assert gone


def line_of(process: BotProcess) -> str:
    """Return the next lines that came together, without the last line end."""
    data = b""
    until = time.monotonic() + HANGING_S
    while not data.endswith(b"\n"):
        assert select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))[0], f"silent: {data!r}"
        part = os.read(process.stdout, 65536)
        assert part, f"ended: {data!r} {process.exit_status(wait_ms=500)} {errors_of(process)}"
        data += part
    return data.decode().rstrip("\n")


def errors_of(process: BotProcess) -> str:
    """Return what it wrote to stderr so far."""
    try:
        return os.read(process.stderr, 65536).decode()
    except BlockingIOError:
        return ""


def ended(process: BotProcess) -> None:
    """Wait until the bot has ended."""
    assert select.select([process.pidfd], [], [], HANGING_S)[0]


def all_gone(pids: list[int]) -> bool:
    """Return whether none of the processes lives 2 s from now at the latest."""
    until = time.monotonic() + 2.0
    while alive := [pid for pid in pids if procfs.is_alive(pid)]:
        if time.monotonic() > until:
            return False
        select.select([], [], [], 0.01)
    return not alive


def pids_named(marker: str) -> list[int]:
    """Return the live processes that have `marker` in their command line."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and int(path.name) != os.getpid():
            pid = int(path.name)
            if marker.encode() in procfs.read_proc(pid, "cmdline") and procfs.is_alive(pid):
                found.append(pid)
    return found
