"""Does the block help? How much narrower intervals get when each deal is played in all seat rotations. Prints a table.

python -m benchmarks.blocks_help [DEALS]   (20 unless given: about four minutes)

The same bots play as many matches in three ways: as tournaments do (all line-ups play the same deals, each in all seat
rotations), with rotations but a new deal for every block, and with a new deal for every match. Seats are balanced
alike in all three. The figures compare standard errors: the number of deals does not matter through Student's t.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from tabulate import tabulate

from arena.games.castell.game import Castell
from arena.ratings import Cluster, Result, fit
from arena.referee.inprocess import play
from arena.sdk import Bot, Turn
from arena.tournament.keys import deal_key
from castell_bots.greedy import Greedy
from castell_bots.planner import Planner

WAYS = ("shared deals, rotated", "own deals, rotated", "every match its own deal")


class Careless(Greedy):
    """Greedy, but now and then it plays a random option: a bot a little weaker than another."""

    slips = 0.1  #: share of its choices

    def choose(self, turn: Turn) -> str:
        """Return a random option or the greedy one."""
        if self.rng.random() < self.slips:
            return str(self.rng.choice(self.state(turn, random.Random(0)).options()))
        return super().choose(turn)


class VeryCareless(Careless):
    """Slips more often."""

    slips = 0.25


BOTS: dict[str, type[Bot]] = {"planner": Planner, "greedy": Greedy, "careless": Careless, "very careless": VeryCareless}


def fixtures(way: str, seats: int, deals: int) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Yield line-up, block and number of the deal of every match; the same line-ups and seats in every way."""
    number = 0
    for deal in range(deals):
        for index, line_up in enumerate(combinations(BOTS, seats)):
            block = f"{deal}-{index}"
            for turn in range(seats):
                seated = line_up[turn:] + line_up[:turn]
                numbers = {WAYS[0]: deal, WAYS[1]: deal * 1000 + index, WAYS[2]: number}
                yield seated, block if way != WAYS[2] else f"{number}", numbers[way]
                number += 1


def results(way: str, seats: int, deals: int, secret: bytes) -> list[Result]:
    """Return what the bots make of it."""
    played = []
    for number, (line_up, block, deal) in enumerate(fixtures(way, seats, deals)):
        record = play(
            Castell(),
            [BOTS[name]() for name in line_up],
            key=deal_key(secret, deal),
            names=line_up,
            bot_seeds=[1000 * number + seat for seat in range(seats)],
        )
        played.append(Result(line_up, record.places, block, deal, record.forfeited))
    return played


def errors(found: Sequence[Result]) -> tuple[float, float]:
    """Return the mean standard error in Elo of differences of two bots, and of the advantage of a seat."""
    ratings = fit(found, cluster=Cluster.DEAL)
    pairs = [ratings.difference(*pair) for pair in combinations(BOTS, 2)]
    seats = [term.advantage.error for term in ratings.seats]
    return (
        float(np.mean([pair.error for pair in pairs if pair is not None and pair.error is not None])),
        float(np.mean([error for error in seats if error is not None])),
    )


def main(deals: int, show: Callable[[str], None]) -> None:
    """Print the table."""
    rows = []
    for seats in (2, 3, 4):
        of_matches: tuple[float, float] | None = None
        for way in reversed(WAYS):
            found = results(way, seats, deals, b"does the block help?")
            measured = errors(found)
            of_matches = of_matches or measured
            ratios = [f"{ours / theirs:.2f}" for ours, theirs in zip(measured, of_matches, strict=True)]
            rows.append([seats, way, len(found), f"{measured[0]:.1f}", f"{measured[1]:.1f}", *ratios])
    heads = ["seats", "deals", "matches", "error of a difference", "of a seat", "ratio", "ratio for seats"]
    show(tabulate(rows, heads, tablefmt="github"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, print)
