"""A sequential test between two entrants: play blocks until the results say which of two Elo differences is true.

The sample is a block, never a match: its score is the share of the opponent's seats that the candidate beats, a tie
half, over all the block's seat rotations. Under the fitted model (`arena.ratings.fit`) an entrant that is d Elo
stronger beats any other seat with probability 1 / (1 + 10^(-d / 400)), whoever else sits at the table, so each
hypothesis is an expected block score. The test is the generalised sequential probability ratio test of a mean
whose variance is unknown: with n blocks, v_k their mean squared distance from what hypothesis k expects, the
log-likelihood ratio is n / 2 * ln(v_0 / v_1), each v_k at the variance that suits it best. Everything is pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import permutations
from math import log, log10, sqrt

import attrs
import numpy as np

from arena.ratings.choices import Floats
from arena.ratings.orders import read_order
from arena.ratings.rows import Finish
from arena.ratings.student import t_quantile
from arena.ratings.values import CONFIDENCE

_VIRTUAL_SPREAD = 0.25  #: squared distance from the mean of one virtual block, so that equal blocks prove no certainty


class Decision(StrEnum):
    """What a sequential test says."""

    CONTINUE = "continue"
    ACCEPT_H0 = "accept H0"  #: the candidate is no more than `elo0` stronger
    ACCEPT_H1 = "accept H1"  #: the candidate is at least `elo1` stronger


@attrs.frozen(kw_only=True)
class Hypotheses:
    """What a sequential test decides between. Differences are seen from the candidate."""

    elo0: float  #: H0: the candidate is this much stronger
    elo1: float  #: H1: the candidate is this much stronger; above `elo0`
    alpha: float = 0.05  #: probability of accepting H1 when H0 is true, at most about
    beta: float = 0.05  #: probability of accepting H0 when H1 is true, at most about

    def __attrs_post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 is {self.elo0} and elo1 is {self.elo1}; elo0 must be less than elo1")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(f"{name} is {value}; it must lie between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test stops: accept H0 at or below, accept H1 at or above."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


@attrs.frozen(kw_only=True)
class SprtState:
    """Where a sequential test stands, or stood when it stopped."""

    decision: Decision
    llr: float  #: log-likelihood ratio of H1 against H0
    lower: float  #: bound of `llr` for H0
    upper: float  #: bound of `llr` for H1
    blocks: int  #: that were used: up to the first at which a bound was reached
    score: float | None  #: mean block score, None before the first block
    elo: float | None  #: the difference that would give this score; None before the first block or at 0 or 1
    plus_minus: float | None  #: half the 95 % interval of `elo`; it ignores that the test chose when to stop


def block_score(matches: Iterable[Finish], candidate: str) -> float | None:
    """Return the share of opponents' seats that `candidate` beat in the matches of a block, ties half.

    None when the candidate never sat at a table with somebody else.
    """
    won, met = 0.0, 0
    for match in matches:
        before = read_order(match.places, match.forfeited).before
        for one, other in permutations(range(len(match.places)), 2):
            if match.line_up[one] == candidate != match.line_up[other]:
                met += 1
                won += before[one][other]
    return won / met if met else None


def expected_score(elo: float, seat_elo: Sequence[float] = (0.0, 0.0)) -> float:
    """Return the mean block score of a candidate that is `elo` stronger.

    Args:
        elo: the difference, seen from the candidate.
        seat_elo: what each seat of the table is worth; every pair of seats counts alike.
    """
    chances = [1 / (1 + 10 ** (-(elo + one - other) / 400)) for one, other in permutations(seat_elo, 2)]
    return sum(chances) / len(chances)


def run_sprt(scores: Sequence[float], hypotheses: Hypotheses, seat_elo: Sequence[float] = (0.0, 0.0)) -> SprtState:
    """Return where the test stands after these block scores, or stood at the first one that reached a bound.

    Args:
        scores: of whole blocks in plan order, without gaps, so that the answer depends on nothing else; each 0 to 1.
        hypotheses: what to decide between.
        seat_elo: what each seat is worth, see `expected_score`.
    """
    lower, upper = hypotheses.bounds
    expected = (expected_score(hypotheses.elo0, seat_elo), expected_score(hypotheses.elo1, seat_elo))
    path = likelihood_ratios(np.asarray(scores, dtype=np.float64), *expected)
    stops = np.flatnonzero((path <= lower) | (path >= upper))
    blocks = int(stops[0]) + 1 if len(stops) else len(path)
    llr = float(path[blocks - 1]) if blocks else 0.0
    decision = Decision.ACCEPT_H1 if llr >= upper else Decision.ACCEPT_H0 if llr <= lower else Decision.CONTINUE
    score, elo, plus_minus = _measure(scores[:blocks])
    return SprtState(
        decision=decision,
        llr=llr,
        lower=lower,
        upper=upper,
        blocks=blocks,
        score=score,
        elo=elo,
        plus_minus=plus_minus,
    )


def likelihood_ratios(scores: Floats, expected0: float, expected1: float) -> Floats:
    """Return the log-likelihood ratio after each block, shape (..., blocks) like `scores`."""
    count = np.arange(1, scores.shape[-1] + 1)
    mean = np.cumsum(scores, axis=-1) / count
    variance = (np.maximum(np.cumsum(scores**2, axis=-1) - count * mean**2, 0) + _VIRTUAL_SPREAD) / (count + 1)
    ratio = (variance + (mean - expected0) ** 2) / (variance + (mean - expected1) ** 2)
    path: Floats = count / 2 * np.log(ratio)
    return path


def _measure(scores: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    if not scores:
        return None, None, None
    mean = sum(scores) / len(scores)
    if not 0 < mean < 1:
        return mean, None, None
    elo = 400 * log10(mean / (1 - mean))
    if len(scores) < 2:
        return mean, elo, None
    error = sqrt(sum((score - mean) ** 2 for score in scores) / (len(scores) - 1) / len(scores))
    slope = 400 / log(10) / (mean * (1 - mean))
    return mean, elo, error * slope * t_quantile((1 + CONFIDENCE) / 2, len(scores) - 1)
