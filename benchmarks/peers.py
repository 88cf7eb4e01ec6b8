"""Random play of our games beside well-known peers, steps a second in one run on one core, as a table of ratios.

It installs nothing: peers that are missing are left out. Run it alone:

    pip install chess pettingzoo pygame open_spiel kaggle-environments
    python -m benchmarks.peers [SECONDS] [ROUNDS]
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import os
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

from tabulate import tabulate

from arena import plugins
from arena.options import complete_options

#: Plays one game of random legal moves and returns how many there were.
Playout: TypeAlias = Callable[[], int]


def ours(name: str, seats: int) -> Playout:
    """Play one of our games through the public interface: `options`, choice, `apply`."""
    game = plugins.game(name)
    options = complete_options(game, {})
    draw = random.Random(1).random
    deals = iter(range(10**9))

    def playout() -> int:
        state, steps = game.deal(seats, next(deals).to_bytes(16, "big"), options), 0
        while state.to_act is not None:
            choices = state.options()
            state.apply(choices[int(draw() * len(choices))])
            steps += 1
        return steps

    return playout


def greedy_castell() -> Playout:
    """Play Castell rich in towers: perform and compete whenever that is offered."""
    game = plugins.game("castell")
    options = complete_options(game, {})
    draw = random.Random(1).random
    deals = iter(range(10**9))

    def playout() -> int:
        state, steps = game.deal(3, next(deals).to_bytes(16, "big"), options), 0
        while state.to_act is not None:
            choices = state.options()
            towers = [choice for choice in choices if "/" in str(choice)]
            liked = towers or choices[:-1] or choices
            state.apply(liked[int(draw() * len(liked))])
            steps += 1
        return steps

    return playout


def chess() -> Playout:
    """Play python-chess."""
    library = importlib.import_module("chess")
    draw = random.Random(1).random

    def playout() -> int:
        board, steps = library.Board(), 0
        while not board.is_game_over() and steps < 300:
            moves = list(board.legal_moves)
            board.push(moves[int(draw() * len(moves))])
            steps += 1
        return steps

    return playout


def pettingzoo() -> Playout:
    """Play PettingZoo's raw Connect Four, without its wrappers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        environment = importlib.import_module("pettingzoo.classic.connect_four.connect_four").raw_env()
    draw = random.Random(1).random

    def playout() -> int:
        environment.reset()
        steps = 0
        while not any(environment.terminations.values()):
            mask = environment.observe(environment.agent_selection)["action_mask"]
            moves = [move for move in range(7) if mask[move]]
            environment.step(moves[int(draw() * len(moves))])
            steps += 1
        return steps

    return playout


def kaggle() -> Playout:
    """Play connectx of kaggle-environments with its own random agents."""
    logging.disable(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        make = importlib.import_module("kaggle_environments").make
        environment = make("connectx")

    def playout() -> int:
        return len(environment.run(["random", "random"])) - 1

    return playout


def open_spiel() -> Playout:
    """Play OpenSpiel's C++ Connect Four, driven from Python."""
    game = importlib.import_module("pyspiel").load_game("connect_four")
    draw = random.Random(1).random

    def playout() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            moves = state.legal_actions()
            state.apply_action(moves[int(draw() * len(moves))])
            steps += 1
        return steps

    return playout


#: Name, maker, and the row it is compared with.
CONTESTANTS: tuple[tuple[str, Callable[[], Playout], str], ...] = (
    ("Castell, random, 3 seats", lambda: ours("castell", 3), "python-chess"),
    ("Castell, rich in towers", greedy_castell, "python-chess"),
    ("python-chess", chess, ""),
    ("Connect Four", lambda: ours("connect-four", 2), ""),
    ("PettingZoo connect_four, raw", pettingzoo, "Connect Four"),
    ("kaggle-environments connectx", kaggle, "Connect Four"),
    ("OpenSpiel connect_four, C++", open_spiel, "Connect Four"),
)


def rate(playout: Playout, seconds: float) -> float:
    """Return steps a second over whole games for about so long."""
    steps, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        steps += playout()
    return steps / took


def main(seconds: float = 1.0, rounds: int = 5) -> None:
    """Print medians, spreads and ratios."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    present: dict[str, Playout] = {}
    for name, make, _ in CONTESTANTS:
        try:
            present[name] = make()
        except ImportError as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
    rates: dict[str, list[float]] = {name: [] for name in present}
    for _ in range(rounds):
        for name, playout in present.items():
            rates[name].append(rate(playout, seconds))
    rows: list[list[Any]] = []
    for name, _, other in CONTESTANTS:
        if name in present:
            ratios = [a / b for a, b in zip(rates[name], rates.get(other, []), strict=False)]
            beside = f"{statistics.median(ratios):.3g} times {other}" if ratios else ""
            rows.append([name, f"{statistics.median(rates[name]):,.0f}", _spread(rates[name]), beside])
    print(tabulate(rows, headers=["random play", "steps/s", "from - to", "in the same round"], disable_numparse=True))


def _spread(values: list[float]) -> str:
    return f"{min(values):,.0f} - {max(values):,.0f}"


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, int(sys.argv[2]) if len(sys.argv) > 2 else 5)
