"""How much two slots on two cores play of what one plays, with bots that answer at once.

All are measured in turns in one run, through the real scheduler and store: with new bot processes for every match,
as tournaments do, and with bots that live on, where a match is over in half a millisecond. Two slots are compared
with one that shares its core with the scheduler, and with one that leaves the scheduler the other core: that one
uses both cores already, so that of very short matches a second slot can't play as many again. Run it alone:

    python -m benchmarks.slots [MATCHES] [ROUNDS]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path

import trio

from arena.referee.record import Fault
from arena.referee.settings import Fixture
from arena.referee.summary import MatchRow
from arena.tournament.backend import Loss
from arena.tournament.cores import claim
from arena.tournament.director import Director, Unscored
from arena.tournament.pool import Pool
from arena.tournament.run import Run
from arena.tournament.store import RunStore
from benchmarks.instant import build, plan


class Nobody:
    """A watcher that looks away."""

    def started(self, fixture: Fixture, slot: int) -> None:
        """Do nothing."""

    def played(self, row: MatchRow, faults: Sequence[Fault], logs: Sequence[Path]) -> None:
        """Do nothing."""

    def unscored(self, decision: Unscored) -> None:
        """Do nothing."""

    def lost(self, loss: Loss) -> None:
        """Do nothing."""

    def settled(self, director: Director) -> None:
        """Do nothing."""


def matches_a_second(
    program: Path, folder: Path, slots: int, matches: int, *, fresh: bool = False, all_on: Collection[int] = ()
) -> float:
    """Play so many matches, scheduler and all on these cores if given; return the rate, referees' start included."""
    cores_before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, all_on or cores_before)
    began = time.perf_counter()
    try:
        with RunStore(folder, plan(program, matches // 2, fresh=fresh)) as store, claim(slots) as cores:
            run = Run(store, folder, Nobody())
            ending = trio.run(run.play, Pool(run.setup, cores.slots))
            assert ending.complete
    finally:
        os.sched_setaffinity(0, cores_before)
    return matches / (time.perf_counter() - began)


def main(matches: int = 1000, rounds: int = 3) -> None:
    """Print rates and ratios, round by round."""
    first = {min(os.sched_getaffinity(0))}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build(folder)
        if program is None:
            sys.exit("no C compiler (cc) here to build the instant bot with")
        for fresh in (True, False):
            many = matches if fresh else 4 * matches
            ratios = []
            for number in range(rounds):
                shared, alone, two = (
                    matches_a_second(program, folder / f"{fresh}-{number}-{place}", slots, many, fresh=fresh, all_on=on)
                    for place, (slots, on) in enumerate([(1, first), (1, ()), (2, ())])
                )
                ratios.append((two / shared, two / alone))
                print(
                    f"fresh {fresh!s:5}   two slots {two:6.0f} matches/s   one on a core {shared:6.0f}:"
                    f" {two / shared:.2f} times   one beside the scheduler {alone:6.0f}: {two / alone:.2f} times",
                    flush=True,
                )
            shared, alone = (statistics.median(column) for column in zip(*ratios, strict=True))
            print(f"fresh {fresh!s:5}   medians {shared:.2f} and {alone:.2f} times", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
