"""How much two slots on two cores play of what one plays, with bots that answer at once.

Both are measured in turns in one run, through the real scheduler and store: with new bot processes for every match,
as tournaments do, and with bots that live on, where a match is over in half a millisecond and the scheduler, which
needs a core for itself then, is what limits both. Run it alone:

    python -m benchmarks.slots [MATCHES] [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
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


def matches_a_second(program: Path, folder: Path, slots: int, matches: int, *, fresh: bool = False) -> float:
    """Play so many matches and return the rate, referees' start included."""
    began = time.perf_counter()
    with RunStore(folder, plan(program, matches // 2, fresh=fresh)) as store, claim(slots) as cores:
        run = Run(store, folder, Nobody())
        ending = trio.run(run.play, Pool(run.setup, cores.slots))
        assert ending.complete
    return matches / (time.perf_counter() - began)


def main(matches: int = 1000, rounds: int = 3) -> None:
    """Print rates and ratios, round by round."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build(folder)
        if program is None:
            sys.exit("no C compiler (cc) here to build the instant bot with")
        for fresh in (True, False):
            number_of_matches = matches if fresh else 4 * matches
            ratios = []
            for number in range(rounds):
                one, two = (
                    matches_a_second(
                        program, folder / f"{fresh}-{number}-{slots}", slots, number_of_matches, fresh=fresh
                    )
                    for slots in (1, 2)
                )
                ratios.append(two / one)
                print(
                    f"fresh {fresh!s:5}   one slot {one:6.0f}   two slots {two:6.0f} matches/s   {ratios[-1]:.2f} times"
                )
            print(f"fresh {fresh!s:5}   median {statistics.median(ratios):.2f} times", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
