"""One refereed action over a process beside a bare pipe round trip of the same bytes to the same bot.

`python -m benchmarks.refereed` measures the same as a ratio, pinned to one core.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.instant import build
from benchmarks.refereed import ANSWER, REQUEST, refereed, table


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiled = build(tmp_path_factory.mktemp("instant"))
    if compiled is None:
        pytest.skip("no C compiler to build the instant bot with")
    return compiled


@pytest.fixture
def bare(program: Path) -> Iterator[tuple[int, int]]:
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        yield bot.stdin.fileno(), bot.stdout.fileno()
        bot.stdin.close()


@pytest.mark.benchmark(group="an action")
def test_bare_round_trip(benchmark: BenchmarkFixture, bare: tuple[int, int]) -> None:
    write, read = bare

    def trip() -> bytes:
        os.write(write, REQUEST)
        return os.read(read, 65536)

    assert benchmark(trip) == ANSWER


@pytest.mark.benchmark(group="a match of 20 to 25 actions")
def test_refereed_match(benchmark: BenchmarkFixture, program: Path, tmp_path: Path) -> None:
    numbers = count()
    with table(program, tmp_path) as driver:
        refereed(driver, 1)
        ((requests, _),) = benchmark(lambda: refereed(driver, 1, first=next(numbers)))
        assert requests > 0
