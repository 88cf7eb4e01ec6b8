"""Times the tower builder cold: `python -m benchmarks.builder [MATCHES] [HUNT_S]`.

Questions come from matches that aim at towers; each is asked of an empty builder, the better of two times counts.
Then a hill climb hunts for the hardest team that ten rounds allow: 34 castellers and ten ranks.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

from tabulate import tabulate

from arena.games.castell.builder import Builder
from arena.games.castell.edition import shipped_edition
from arena.games.castell.guide import coming_festivals
from arena.games.castell.missing import _remembered, missing_for_festival, missing_for_tile
from tests.games.castell.play import aiming, dealt, playing

EDITION = shipped_edition()
RULES = EDITION.tower_rules
MOST_CASTELLERS, MOST_RANKS = 34, 10


def questions(matches: int) -> tuple[list[Any], list[Any]]:
    """Return (team, ranks, sizes) of coming festivals and (tile, team, ranks) of tiles at hand, each once."""
    festivals: set[tuple[bytes, tuple[int, ...], tuple[int, ...]]] = set()
    tiles: set[tuple[int, bytes, tuple[int, ...]]] = set()
    for number in range(matches):
        for seats in (2, 3, 4):
            for state, _ in playing(dealt(seats, number), aiming, random.Random(number)):
                seat = state.acting
                team, ranks = state.deal.tables.counts(state.teams[seat]), state.ranks[seat]
                festivals.update((team, ranks, coming.sizes) for coming in coming_festivals(state, seat)[:2])
                if state.pawns[seat] >= 0:
                    tiles.update((tile, team, ranks) for tile in state.rows[state.pawns[seat]])
    return sorted(festivals), sorted(tiles)


def timed(ask: Callable[[], object]) -> float:
    """Return the better of two times, in microseconds."""
    times = []
    for _ in range(2):
        start = time.perf_counter()
        ask()
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


def row(name: str, asks: list[Callable[[], object]]) -> list[object]:
    """Return name, number, median, 99 % and worst."""
    times = sorted(timed(ask) for ask in asks)
    return [name, len(times), times[len(times) // 2], times[len(times) * 99 // 100], times[-1]]


def best_of(team: Any, ranks: Any, sizes: Any) -> Callable[[], object]:
    """Return the question for the best festival tower, cold."""
    return lambda: Builder(RULES).best_festival_tower(team, ranks, sizes)


def tile_of(number: int, team: Any, ranks: Any) -> Callable[[], object]:
    """Return the question for a tile's tower, cold."""
    return lambda: Builder(RULES).tower_for(EDITION.tiles[number - 1], team, ranks)


def cold(ask: Callable[..., object], *arguments: Any) -> Callable[[], object]:
    """Return a question about what is missing that forgets first."""

    def run() -> object:
        _remembered.cache_clear()
        return ask(*arguments)

    return run


def hardest(seconds: float) -> tuple[float, Any]:
    """Hunt for the slowest festival question; returns microseconds and the question."""
    rng, end = random.Random(1), time.monotonic() + seconds
    worst: tuple[float, Any] = (0.0, None)
    team, ranks, sizes = [3] * 9 + [7], [2] * 5, (5, 10)
    while time.monotonic() < end:
        trial, skills, shown = list(team), list(ranks), sizes
        for _ in range(rng.randint(1, 3)):
            a, b = rng.randrange(10), rng.randrange(10)
            if a != b and trial[a] and trial[b] < 15:
                trial[a], trial[b] = trial[a] - 1, trial[b] + 1
        a, b = rng.randrange(5), rng.randrange(5)
        if a != b and skills[a] and skills[b] < 5:
            skills[a], skills[b] = skills[a] - 1, skills[b] + 1
        if rng.random() < 0.3:
            shown = (rng.randint(1, 10), rng.randint(1, 10))
        taken = timed(best_of(trial, skills, shown))
        if taken > worst[0]:
            worst, team, ranks, sizes = (taken, (trial, skills, shown)), trial, skills, shown
        elif rng.random() < 0.01:
            team, ranks = [rng.randint(0, 7) for _ in range(10)], [2] * 5
            while sum(team) > MOST_CASTELLERS:
                team[rng.randrange(10)] = 0
    return worst


def main() -> None:
    """Print the table."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    festivals, tiles = questions(matches)
    rng = random.Random(2)
    fewer = rng.sample(tiles, min(300, len(tiles)))
    rows = [
        row("best_festival_tower", [best_of(*question) for question in festivals]),
        row("tower_for", [tile_of(*question) for question in tiles]),
        row("missing_for_tile", [cold(missing_for_tile, EDITION.tiles[n - 1], t, r) for n, t, r in fewer]),
        row(
            "missing_for_festival",
            [cold(missing_for_festival, s, t, r) for t, r, s in rng.sample(festivals, min(300, len(festivals)))],
        ),
    ]
    builder = Builder(RULES)
    team, ranks, sizes = festivals[-1]
    builder.best_festival_tower(team, ranks, sizes)
    rows.append(row("remembered", [lambda: builder.best_festival_tower(team, ranks, sizes)] * 1000))
    headers = ["question, cold", "asked", "median us", "99 % us", "worst us"]
    print(tabulate(rows, headers=headers, floatfmt=".1f"))
    worst, question = hardest(float(sys.argv[2]) if len(sys.argv) > 2 else 20)
    print(f"\nhardest team found: {worst / 1000:.1f} ms for {question}")


if __name__ == "__main__":
    main()
