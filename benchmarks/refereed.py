"""What a refereed action costs beside a bare blocking pipe round trip of the same bytes to the same bot.

Everything - rules, clock, verdict logic, record - is in the refereed figure; both are measured in turns in one run,
in one process pinned to one core with its bots, sandbox off, bots kept (`fresh = false`). A line fitted through matches
of all lengths tells what one more action adds. Run it alone:

    python -m benchmarks.refereed [MATCHES] [ROUNDS]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.games.connect_four import ConnectFour
from arena.referee.driver import Driver
from arena.referee.sandbox import choose_rung
from arena.referee.settings import Fixture
from benchmarks.instant import build, entrants, plan


@contextmanager
def table(program: Path, folder: Path) -> Iterator[Driver]:
    """Yield a driver with two instant bots that live on."""
    settings = plan(program, 1).settings
    driver = Driver(ConnectFour(), settings, entrants(program), choose_rung(settings.sandbox), folder)
    try:
        yield driver
    finally:
        driver.close()


def fixture(number: int) -> Fixture:
    """Return a match of the two."""
    return Fixture(
        match_id=f"m{number}",
        number=number,
        line_up=("a", "b"),
        deal=number,
        block=f"b{number}",
        rotation=0,
        key=number.to_bytes(16, "big").hex(),
        bot_seeds=(1, 2),
    )


def refereed(driver: Driver, matches: int, first: int = 0) -> list[tuple[int, float]]:
    """Return of each match how many requests it had and how long it took, in us."""
    taken = []
    for number in range(first, first + matches):
        began = time.perf_counter_ns()
        record, _ = driver.play(fixture(number))
        taken.append((len(record.requests), (time.perf_counter_ns() - began) / 1000))
    return taken


def line(matches: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Return what one more action adds and what a match costs besides, in us; the slowest 5 % are left out."""
    kept = sorted(matches, key=lambda one: one[1] / one[0])[: len(matches) * 95 // 100]
    return statistics.linear_regression(*zip(*kept, strict=True))


#: A request and an answer of a Connect Four match in the middle.
REQUEST = b'{"type":"act","id":10,"count":7,"options":["1","2","3","4","5","6","7"],"limit_ms":1000,"last_ms":0}\n'
ANSWER = b'{"type":"action","id":10,"option":0}\n'


def bare_us(program: Path, trips: int) -> float:
    """Return the mean time of a blocking pipe round trip of the same bytes to the same bot, in us."""
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        write, read = bot.stdin.fileno(), bot.stdout.fileno()
        began = time.perf_counter_ns()
        for _ in range(trips):
            os.write(write, REQUEST)
            assert os.read(read, 65536) == ANSWER
        took = (time.perf_counter_ns() - began) / trips / 1000
        bot.stdin.close()
    return took


def main(matches: int = 400, rounds: int = 7) -> None:
    """Print both figures and their ratio, round by round."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        if program is None:
            sys.exit("no C compiler (cc) here to build the instant bot with")
        with table(program, Path(folder)) as driver:
            refereed(driver, 20)
            ratios, everything = [], []
            for number in range(rounds):
                bare = bare_us(program, 10 * matches)
                taken = refereed(driver, matches, first=20 + number * matches)
                mean = sum(us for _, us in taken) / sum(requests for requests, _ in taken)
                everything += taken
                ratios.append(mean / bare)
                print(f"bare {bare:6.2f} us   refereed {mean:6.2f} us   {ratios[-1]:5.2f} times", flush=True)
    action, match = line(everything)
    print(f"one more action {action:.2f} us, a match besides {match:.0f} us")
    print(f"median {statistics.median(ratios):.2f} times, from {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
