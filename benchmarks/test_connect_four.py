"""Random play of Connect Four: the work that peers can be timed on."""

from __future__ import annotations

import random

from pytest_benchmark.fixture import BenchmarkFixture

from arena.games.connect_four import ConnectFour

GAMES = 100


def test_random_games(benchmark: BenchmarkFixture) -> None:
    """Whole games by `options`, a random choice and `apply`; steps a second stand in `extra_info`."""
    game, options = ConnectFour(), {"opening": 0}

    def play() -> int:
        choose, steps = random.Random(7).choice, 0
        for _ in range(GAMES):
            state = game.deal(2, bytes(16), options)
            while state.to_act is not None:
                state.apply(choose(state.options()))
                steps += 1
        return steps

    steps = benchmark(play)
    if benchmark.stats is not None:
        benchmark.extra_info["steps_per_s"] = round(steps / benchmark.stats.stats.min)
