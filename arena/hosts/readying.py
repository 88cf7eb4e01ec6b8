"""`python -m arena.hosts.readying`: gets a host ready for a run, in a process of its own.

Bots are started on a main thread only, and Dask calls on others. Takes a `Task` on stdin: builds what has to be built,
starts every entrant once, and answers on stdout with the entrants as they stand here and the facts of the host, or
with the reason why it can't take part.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

import msgspec

from arena.child import child
from arena.errors import ArenaError
from arena.hosts.wire import Facts, Unfit
from arena.referee.__main__ import processor
from arena.referee.preflight import Unstartable, preflight
from arena.referee.sandbox import choose_rung, warning
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import Entrant, Settings
from arena.referee.speed import measure_speed
from arena.tournament.build import build_all
from arena.tournament.entrants import EntrantConfig
from arena.wording import counted

READY_WITHIN_S = 1800.0  #: builds of many bots included


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What to get ready."""

    settings: Settings
    entrants: tuple[Entrant, ...]  #: with their folders of this host
    builds: tuple[tuple[str, ...], ...]  #: the build step of each, () for none
    folder: str  #: where what is built is kept
    machine: str


class Prepared(msgspec.Struct, tag="prepared", frozen=True):
    """All entrants start here."""

    entrants: tuple[Entrant, ...]  #: as built
    facts: Facts


_task_decoder = msgspec.json.Decoder(Task)
Outcome: TypeAlias = Prepared | Unfit
_outcome_decoder: msgspec.json.Decoder[Outcome] = msgspec.json.Decoder(Outcome)


def get_ready(task: Task) -> Outcome:
    """Carry out a task in a new process; may be called on any thread."""
    with child([sys.executable, "-m", "arena.hosts.readying"]) as process:
        try:
            answer, _ = process.communicate(msgspec.json.encode(task), timeout=READY_WITHIN_S)
        except subprocess.TimeoutExpired:
            return Unfit(f"its bots were not ready within {READY_WITHIN_S / 60:.0f} min")
    if process.returncode:
        return Unfit(f"getting it ready failed with exit code {process.returncode}; its own output tells more")
    return _outcome_decoder.decode(answer)


def carry_out(task: Task) -> Outcome:
    """Get ready in this process; main thread only."""
    try:
        rung = choose_rung(task.settings.sandbox, task.entrants)
        wanted = [
            EntrantConfig(entrant=entrant, build=build)
            for entrant, build in zip(task.entrants, task.builds, strict=True)
        ]
        with scratch_root() as scratch:
            built, failures = build_all(wanted, Path(task.folder), rung, scratch)
            entrants = tuple(one.entrant for one in built)
            at_once = max(2, os.cpu_count() or 1)
            failures += preflight(entrants, task.settings, rung, scratch, at_once=at_once)
    except ArenaError as error:
        return Unfit(str(error))
    if failures:
        return Unfit(_told(failures))
    facts = Facts(
        machine=task.machine,
        processor=processor() or platform.machine(),
        cores=os.cpu_count() or 0,
        rung=rung.name,
        user=rung.user,
        speed=measure_speed(),
        warning=warning(rung),
    )
    return Prepared(entrants, facts)


def _told(failures: list[Unstartable]) -> str:
    first = failures[0]
    tail = first.stderr_tail.strip().splitlines()
    more = f", and {counted(len(failures) - 1, 'other entrant')}" if len(failures) > 1 else ""
    said = f" (its stderr ends with: {tail[-1]})" if tail else ""
    return f"{first.entrant} can't be started there{more}: {first.reason}{said}"


def main() -> None:
    """Take a task, answer it."""
    answer = carry_out(_task_decoder.decode(sys.stdin.buffer.read()))
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    main()
