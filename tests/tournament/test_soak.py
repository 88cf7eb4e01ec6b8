"""Ten thousand matches in one run: what a match costs must not grow. Heavy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from arena.referee.record import Fault
from arena.referee.settings import Clock
from arena.referee.summary import MatchRow
from arena.tournament.cores import claim
from arena.tournament.pool import Pool
from arena.tournament.run import Run
from arena.tournament.store import RunStore
from benchmarks.instant import build, plan
from benchmarks.slots import Nobody

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1800)]
TICKS = os.sysconf("SC_CLK_TCK")


def children() -> list[int]:
    """Return the referees: children of this process that run Python."""
    mine = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in mine if b"arena.referee" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def pages(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1])


class Meter(Nobody):
    """Reads CPU time and memory of this process and its referees at every thousandth match."""

    def __init__(self) -> None:
        self.seen = 0
        self.forfeits = 0
        self.cpu: list[float] = []
        self.memory: list[int] = []

    def played(self, row: MatchRow, faults: Sequence[Fault], logs: Sequence[Path]) -> None:
        self.seen += 1
        self.forfeits += len(row.forfeited)
        if self.seen % 1000 == 0:
            pids = [os.getpid(), *children()]
            self.cpu.append(sum(map(cpu_s, pids)))
            self.memory.append(sum(map(pages, pids)))


@pytest.mark.lesson(42)
def test_ten_thousand_matches_cost_the_same_from_first_to_last(tmp_path: Path) -> None:
    program = build(tmp_path)
    if program is None:
        pytest.skip("no C compiler to build the instant bot with")
    meter = Meter()
    with RunStore(tmp_path / "run", plan(program, 5000)) as store, claim(1) as cores:
        run = Run(store, tmp_path / "run", meter)
        assert trio.run(run.play, Pool(run.setup, cores.slots)).complete
    spent = [after - before for before, after in zip(meter.cpu, meter.cpu[1:], strict=False)]
    print("CPU s for each thousand:", [round(one, 2) for one in spent], "pages:", meter.memory)
    # The first thousand fill caches; the machine is shared, so the best of three stands for a thousand.
    assert min(spent[-3:]) <= 1.05 * min(spent[:3])
    assert meter.memory[-1] <= 1.05 * meter.memory[1]


@pytest.mark.lesson(18)
def test_instant_bots_never_forfeit_at_50_ms(tmp_path: Path) -> None:
    program = build(tmp_path)
    if program is None:
        pytest.skip("no C compiler to build the instant bot with")
    meter = Meter()
    clock = Clock(per_action_ms=50, margin_ms=0)
    with RunStore(tmp_path / "run", plan(program, 300, clock)) as store, claim(None) as cores:
        run = Run(store, tmp_path / "run", meter)
        assert trio.run(run.play, Pool(run.setup, cores.slots)).complete
    assert meter.seen == 600  # of about 20 requests each
    assert meter.forfeits == 0
