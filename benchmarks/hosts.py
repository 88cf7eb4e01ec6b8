"""How far one scheduler carries a run on many hosts: measured with fake matches, calculated, and simulated.

    python -m benchmarks.hosts measure     # overhead a match, CPU time a batch and a match, with real processes
    python -m benchmarks.hosts simulate    # the curve up to 1,000 workers, from COSTS below
    python -m benchmarks.hosts worker ADDRESS SLOTS SECONDS    # what `measure` starts: a worker whose matches are fake

Fake matches sleep and return a record of Castell; everything else (Dask, desk, director, store) is real.
"""

from __future__ import annotations

import asyncio
import heapq
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from arena import __version__, plugins
from arena.hosts import work
from arena.hosts.backend import HostsBackend
from arena.hosts.cluster import Cluster
from arena.hosts.desk import Batch, Desk
from arena.hosts.engine import RESOURCE, dask, quiet
from arena.hosts.kit import make_kit
from arena.hosts.station import Station
from arena.hosts.wire import Answer, Facts, Job, Kit, Ready, Result
from arena.options import complete_options
from arena.referee import record as records
from arena.referee.record import Record
from arena.referee.settings import BotKind, Entrant, Fixture, Settings
from arena.referee.summary import summarise
from arena.referee.wire import MatchPlayed
from arena.testing.records import fixture_of, random_record
from arena.tournament.entrants import EntrantConfig
from arena.tournament.plan import Plan, Stage
from arena.tournament.run import Run
from arena.tournament.store import RunStore
from benchmarks.slots import Nobody

NAMES = ("a", "b")
TICKS = os.sysconf("SC_CLK_TCK")


# -- fake matches ---------------------------------------------------------------------------------------------------


@cache
def template() -> Record:
    """Return a record of Castell at two seats: what travels is of honest size."""
    return random_record(plugins.game("castell"), fixture_of(NAMES))


def fake(fixture: Fixture) -> MatchPlayed:
    record = attrs.evolve(
        template(),
        match_id=fixture.match_id,
        line_up=fixture.line_up,
        deal=fixture.deal,
        block=fixture.block,
        key=fixture.key,
    )
    return MatchPlayed(summarise(record), record.faults, msgspec.Raw(records.encode(record)))


class FakeStation(Station):
    """A host that is ready at once and sleeps instead of playing."""

    seconds = 0.0

    def ready(self, kit: Kit, bundles: object) -> Answer:
        """Say so."""
        del kit, bundles
        return Ready(Facts(machine=f"fake-{os.getpid()}"))

    def play(self, job: Job) -> Result:
        """Sleep."""
        time.sleep(self.seconds * len(job.fixtures))
        seconds = max(self.seconds, 1e-4) * len(job.fixtures)
        return Result(played=tuple(map(fake, job.fixtures)), seconds=seconds)


async def fake_worker(address: str, slots: int, seconds: float) -> None:
    FakeStation.seconds = seconds
    vars(work)["Station"] = FakeStation
    quiet()
    template()
    async with dask().Worker(
        address, nthreads=slots + 1, resources={RESOURCE: slots}, memory_limit=0, dashboard=False
    ) as worker:
        await worker.finished()


def plan(deals: int) -> Plan:
    game = plugins.game("castell")
    options = complete_options(game, {})
    return Plan(
        name="fake",
        settings=Settings(game=game.name, game_options=options, seats=2),
        fingerprint=game.fingerprint(options),
        arena=__version__,
        entrants=tuple(Entrant(name=name, kind=BotKind.COMMAND, argv=("x",), content_hash="x") for name in NAMES),
        format="round-robin",
        stages=(Stage(entrants=NAMES, settings={"deals": deals, "max_matches": 0}),),
        secret="ab" * 16,
    )


# -- measuring ------------------------------------------------------------------------------------------------------


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def lab(workers: int, slots: int, seconds: float) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Yield the address of a scheduler with fake workers, and its process."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        command = ["-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--host", "127.0.0.1", "--port", "0"]

        def begin(*words: str) -> subprocess.Popen[bytes]:
            paths = os.environ | {"PYTHONPATH": str(Path.cwd())}
            return subprocess.Popen([sys.executable, *words], cwd=folder, stderr=subprocess.DEVNULL, env=paths)

        scheduler = begin(*command, "--scheduler-file", str(file))
        started = [scheduler]
        try:
            while not file.exists() or not file.read_text().endswith("}"):
                time.sleep(0.05)
            address = msgspec.json.decode(file.read_bytes())["address"]
            for _ in range(workers):
                started.append(begin("-m", "benchmarks.hosts", "worker", address, str(slots), str(seconds)))
            yield address, scheduler
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


@attrs.frozen(kw_only=True)
class Measured:
    """One run of fake matches."""

    matches: int
    batches: int
    wall_s: float  #: from the first result to the last
    run_cpu_s: float
    scheduler_cpu_s: float


class Clocked(Nobody):
    """A watcher that notes when the first result came."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def played(self, *_: object) -> None:
        """Note the time."""
        self.times.append(time.monotonic())


def measure(workers: int, slots: int, seconds: float, deals: int) -> Measured:
    """Play 2 matches a deal on fake hosts, through the real run and store."""
    batches = 0

    class Counting(Cluster):
        def submit(self, ticket: object, *rest: Any, **more: Any) -> None:
            nonlocal batches
            batches += isinstance(ticket, Batch)
            super().submit(ticket, *rest, **more)

    whole = plan(deals)
    kit = make_kit(whole, [EntrantConfig(entrant=entrant) for entrant in whole.entrants])
    watch = Clocked()
    with (
        lab(workers, slots, seconds) as (address, scheduler),
        tempfile.TemporaryDirectory() as folder,
        RunStore(Path(folder) / "run", whole) as store,
    ):
        run = Run(store, Path(folder) / "run", watch)
        backend = HostsBackend(lambda: Counting(address), kit, lambda _: b"", note=lambda *_: None)
        before = time.process_time(), cpu_s(scheduler.pid)
        assert trio.run(partial(run.play, backend)).complete
        after = time.process_time(), cpu_s(scheduler.pid)
    return Measured(
        matches=2 * deals,
        batches=batches,
        wall_s=watch.times[-1] - watch.times[0],
        run_cpu_s=after[0] - before[0],
        scheduler_cpu_s=after[1] - before[1],
    )


def report() -> None:
    """Print what a match of a second costs, and what batches and matches cost by themselves."""
    one = measure(4, 2, 1.0, 84)
    ideal_s = (one.matches - 8) / 8
    print(f"1-second matches in 8 slots: {one.matches} in {one.batches} batches; {one.wall_s:.2f} s from the first")
    print(f"result to the last, {ideal_s:.2f} s without any overhead: {one.wall_s / ideal_s - 1:+.1%}")
    for seconds, slots, deals in ((2.1, 128, 640), (0.0, 8, 8000)):
        found = measure(2, slots // 2, seconds, deals)
        print(
            f"{seconds:g} s: {found.matches} matches in {found.batches} batches, {found.matches / found.wall_s:.0f} a"
            f" second; CPU of the run {found.run_cpu_s:.2f} s, of Dask's scheduler {found.scheduler_cpu_s:.2f} s"
        )
    print(f"a record is {len(records.encode(template())):,} bytes long")


# -- simulating -----------------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Costs:
    """CPU seconds, as `measure` finds them."""

    run_batch: float
    run_match: float
    scheduler_batch: float
    scheduler_match: float


COSTS = Costs(run_batch=0.0010, run_match=0.00015, scheduler_batch=0.0014, scheduler_match=0.00002)


def capacity(costs: Costs, slots: int, length_s: float) -> tuple[float, str]:
    """Return how many matches a second can be played by calculation, and what gives first."""
    size = max(1, min(500, int(max(2.0, slots / 200) / length_s)))
    limits = {
        "slots": slots / length_s,
        "run": 1 / (costs.run_match + costs.run_batch / size),
        "Dask": 1 / (costs.scheduler_match + costs.scheduler_batch / size),
    }
    first = min(limits, key=lambda name: limits[name])
    return limits[first], first


class Endless:
    """A source of so many matches in blocks of two."""

    def __init__(self, matches: int) -> None:
        self.left = matches
        self.fixture = fixture_of(NAMES)

    def next_fixture(self) -> Fixture | None:
        """Return the next one."""
        if not self.left:
            return None
        self.left -= 1
        return attrs.evolve(self.fixture, match_id=f"m{self.left}", block=f"b{self.left // 2}")

    @property
    def done(self) -> bool:
        """Whether that was all."""
        return not self.left


@attrs.define
class Server:
    """A program that does one thing after the other."""

    free_s: float = 0.0
    busy_s: float = 0.0

    def serve(self, now_s: float, cost_s: float) -> float:
        """Return when something that arrives now is done."""
        self.free_s = max(self.free_s, now_s) + cost_s
        self.busy_s += cost_s
        return self.free_s


def simulate(costs: Costs, workers: int, slots: int, length_s: float, matches: int) -> tuple[float, float, float]:
    """Return matches a second in the steady middle, and how busy run and Dask's scheduler were, with the real desk."""
    desk, run, scheduler = Desk(Endless(matches)), Server(), Server()
    match = fake(fixture_of(NAMES))
    for number in range(workers):
        desk.join(f"h{number}", slots)
    desk._mean_s = length_s  # the steady state: nobody has to find out first
    free = {f"h{number}": slots for number in range(workers)}
    waiting: dict[str, deque[Batch]] = {key: deque() for key in free}
    events: list[tuple[float, int, str, Batch]] = []
    ended: list[tuple[float, int]] = []

    def send(now_s: float) -> None:
        for batch in desk.deal():
            there_s = scheduler.serve(run.serve(now_s, costs.run_batch / 2), costs.scheduler_batch / 2)
            heapq.heappush(events, (there_s, batch.number, "arrives", batch))

    def begin(now_s: float, host: str) -> None:
        while free[host] and waiting[host]:
            batch = waiting[host].popleft()
            free[host] -= 1
            heapq.heappush(events, (now_s + length_s * len(batch.fixtures), batch.number, "ends", batch))

    send(0.0)
    while events:
        now_s, number, kind, batch = heapq.heappop(events)
        if kind == "arrives":
            waiting[batch.host].append(batch)
            begin(now_s, batch.host)
        elif kind == "ends":
            free[batch.host] += 1
            begin(now_s, batch.host)
            cost_s = costs.scheduler_batch / 2 + costs.scheduler_match * len(batch.fixtures)
            heapq.heappush(events, (scheduler.serve(now_s, cost_s), number, "home", batch))
        else:
            size = len(batch.fixtures)
            stored_s = run.serve(now_s, costs.run_batch / 2 + costs.run_match * size)
            ended.append((stored_s, size))
            desk.done(batch, Result(played=(match,) * size, seconds=length_s * size))
            send(stored_s)
    ended.sort()
    first, last = ended[len(ended) // 4][0], ended[3 * len(ended) // 4][0]
    between = sum(size for at_s, size in ended if first < at_s <= last)
    return between / max(last - first, 1e-9), run.busy_s / run.free_s, scheduler.busy_s / run.free_s


def curve() -> None:
    """Print calculation beside simulation; ten million matches are what a rate is good for."""
    print(
        "| workers of 8 slots | match s | calculated a s | gives first | simulated a s | run busy | Dask busy |", end=""
    )
    print(" 10 million take |\n|" + "---|" * 8)
    for workers in (4, 30, 100, 300, 1000):
        for length_s in (0.1, 1.0, 10.0, 60.0):
            calculated, first = capacity(COSTS, 8 * workers, length_s)
            size = max(1, min(500, int(max(2.0, 8 * workers / 200) / length_s)))
            matches = min(300_000, 8 * workers * size * 8)
            simulated, run, scheduler = simulate(COSTS, workers, 8, length_s, matches)
            hours = 1e7 / simulated / 3600
            print(
                f"| {workers:,} | {length_s:g} | {calculated:,.0f} | {first} | {simulated:,.0f} | {run:.0%} |"
                f" {scheduler:.0%} | {hours:,.1f} h |",
                flush=True,
            )


def main() -> None:
    match sys.argv[1:]:
        case ["worker", address, slots, seconds]:
            asyncio.run(fake_worker(address, int(slots), float(seconds)))
        case ["measure"]:
            report()
        case ["simulate"]:
            curve()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
