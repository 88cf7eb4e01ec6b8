"""How often the sequential test errs, by simulation at both of its hypotheses and between them. Prints a table.

python -m benchmarks.sprt_errors [TESTS]   (2,000 a cell unless given; some minutes)

Candidate and base sit at one table as the line-up says, every deal is played in all seat rotations, and a deal favours
seats. Luck is Gumbel and places are rounded to points, so tied seats happen. The hypotheses are expected scores; deals
that favour seats bring more luck than the model knows of, so the strength that gives such a score is sought first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import attrs
import numpy as np
from numpy.typing import NDArray
from tabulate import tabulate

from arena.ratings import ELO, Hypotheses, expected_score
from arena.ratings.sprt import likelihood_ratios

_BATCH = 100  #: tests simulated at a time, for memory


@attrs.frozen(kw_only=True)
class Errors:
    """What became of simulated tests."""

    accept_h0: float  #: share of tests
    accept_h1: float
    blocks: float  #: mean length of those that stopped


def block_scores(
    line_up: str, elo: float, shape: tuple[int, int], rng: np.random.Generator, *, deal_by_seat: float, point: float
) -> NDArray[np.float64]:
    """Return scores of blocks, of the given shape.

    Args:
        line_up: the seats of the first match of a block, "c" for the candidate and "b" for the base.
        elo: by how much the candidate is stronger.
        shape: tests, blocks.
        rng: the dice.
        deal_by_seat: standard deviation of what a deal is worth to a seat, in natural logarithms.
        point: size of one point of score, 0 for no ties.
    """
    seats = len(line_up)
    candidate = np.array([[line_up[(seat + turn) % seats] == "c" for seat in range(seats)] for turn in range(seats)])
    utility = rng.gumbel(0, 1, (*shape, seats, seats)) + candidate * (elo / ELO)
    utility += deal_by_seat * rng.normal(0, 1, (*shape, 1, seats))
    score = np.floor(utility / point) if point else utility
    before = (score[..., :, None] > score[..., None, :]) + 0.5 * (score[..., :, None] == score[..., None, :])
    compared = candidate[:, :, None] & ~candidate[:, None, :]
    scores: NDArray[np.float64] = (before * compared).sum(axis=(2, 3, 4)) / compared.sum()
    return scores


def measure(
    line_up: str,
    elo: float,
    hypotheses: Hypotheses,
    *,
    tests: int,
    blocks: int,
    seed: int,
    deal_by_seat: float = 0.5,
    point: float = 0.3,
) -> Errors:
    """Return what tests of at most `blocks` blocks end with when the candidate is `elo` stronger."""
    rng = np.random.default_rng(seed)
    dice = {"deal_by_seat": deal_by_seat, "point": point}
    planted = elo * _strength_of_one_elo(line_up, rng, dice)
    lower, upper = hypotheses.bounds
    expected = expected_score(hypotheses.elo0), expected_score(hypotheses.elo1)
    h0 = h1 = length = 0
    for first in range(0, tests, _BATCH):
        shape = min(_BATCH, tests - first), blocks
        scores = block_scores(line_up, planted, shape, rng, **dice)
        paths = likelihood_ratios(scores, *expected)
        out = (paths <= lower) | (paths >= upper)
        stopped, at = out.any(axis=1), out.argmax(axis=1)
        final = paths[np.arange(len(paths)), at]
        h0 += int((stopped & (final <= lower)).sum())
        h1 += int((stopped & (final >= upper)).sum())
        length += int((at + 1)[stopped].sum())
    return Errors(accept_h0=h0 / tests, accept_h1=h1 / tests, blocks=length / max(1, h0 + h1))


def _strength_of_one_elo(line_up: str, rng: np.random.Generator, dice: Mapping[str, float]) -> float:
    """Return how many planted Elo make the mean score that one Elo makes under the fitted model."""
    far = 60.0
    scores = block_scores(line_up, far, (40, 5000 // len(line_up)), rng, **dice)
    return (expected_score(far) - 0.5) / (float(scores.mean()) - 0.5)


def main(tests: int, show: Callable[[str], None]) -> None:
    """Print the table."""
    rows: list[list[str]] = []
    for line_up, elo1, blocks in (("cb", 20, 4000), ("cbbb", 20, 2000), ("ccbb", 20, 2000), ("cbbb", 60, 400)):
        hypotheses = Hypotheses(elo0=0, elo1=elo1)
        for elo in (0.0, elo1 / 2, float(elo1)):
            found = measure(line_up, elo, hypotheses, tests=tests, blocks=blocks, seed=len(rows))
            row = [line_up, f"0 / {elo1}", f"{elo:g}", f"{found.accept_h0:.1%}", f"{found.accept_h1:.1%}"]
            rows.append([*row, f"{found.blocks:.0f}", f"{found.blocks * len(line_up):.0f}"])
    heads = ["line-up", "Elo 0 / 1", "true Elo", "accept H0", "accept H1", "blocks", "matches"]
    show(tabulate(rows, heads, tablefmt="github"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, print)
