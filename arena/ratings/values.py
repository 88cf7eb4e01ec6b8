"""What a fit answers: `Ratings` with a `Rating` for each entrant, terms of seats, and comparisons of two entrants."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from math import exp, inf, log, sqrt

import attrs
import numpy as np

from arena.ratings.choices import Design, Floats, Ints
from arena.ratings.spread import Spread
from arena.ratings.student import t_cdf, t_quantile

ELO = 400 / log(10)  #: Elo of one natural logarithm of weight
CONFIDENCE = 0.95
_LEAST_DEGREES = 0.9  #: of freedom for an interval; two samples have one


class Cluster(StrEnum):
    """Which matches count together as one sample."""

    AUTO = "auto"  #: deals, or blocks where there are fewer than `arena.ratings.fit.ENOUGH_DEALS` deals
    DEAL = "deal"  #: all matches that play one deal
    BLOCK = "block"  #: all matches of one line-up and one deal


class Streak(StrEnum):
    """That an entrant's results never varied, so that its rating is held by the prior and its interval by the model."""

    NONE = ""
    NEVER_BEATEN = "never beaten"
    NEVER_BEAT = "never beat anyone"
    ONLY_TIED = "only tied"


@attrs.frozen
class Estimate:
    """A difference on the Elo scale."""

    elo: float
    error: float | None  #: standard error in Elo; None when the results can't tell (n/a)
    degrees: float = inf  #: degrees of freedom of Student's t

    @property
    def plus_minus(self) -> float | None:
        """Half the width of the 95 % interval in Elo, or None."""
        return None if self.error is None else self.error * t_quantile((1 + CONFIDENCE) / 2, self.degrees)

    @property
    def superiority(self) -> float | None:
        """The likelihood that the true difference is above 0, between 0 and 1, or None."""
        return None if self.error is None else t_cdf(self.elo / self.error, self.degrees)


@attrs.frozen(kw_only=True)
class Rating:
    """The rating of one entrant."""

    entrant: str
    group: int  #: 0 for the largest set of entrants that met, directly or through others
    rank: int  #: in its group, 1 is best; equal ratings share a rank
    elo: float  #: with the anchor at its Elo, or in a group without it with the mean at 0
    against_mean: Estimate  #: seen from the entrant: above 0 is better than the mean of its group
    against_anchor: Estimate | None  #: seen from the entrant; None without an anchor in its group, and for the anchor
    clusters: int  #: number of deals (or blocks) it has played in
    streak: Streak = Streak.NONE
    alone: bool = False  #: it met nobody, so there is nothing to rate


@attrs.frozen(kw_only=True)
class SeatTerm:
    """What sitting at one seat is worth."""

    table_size: int
    seat: int  #: 0-based
    advantage: Estimate  #: against the mean of the table's seats


@attrs.frozen(kw_only=True, eq=False)
class Ratings:
    """All ratings of one joint fit."""

    rows: tuple[Rating, ...]  #: by group, then from the best
    seats: tuple[SeatTerm, ...]  #: empty when the fit had no seat terms
    groups: int  #: number of groups that never met; ranks and differences exist within one only
    anchor: str | None
    prior: float  #: virtual draws
    clustered_by: Cluster  #: DEAL or BLOCK
    clusters: int
    notes: tuple[str, ...]  #: sentences to print beneath a table
    fitted: Fitted

    def __getitem__(self, entrant: str) -> Rating:
        """Return one entrant's rating; raise `KeyError` when it has no match."""
        return self._by_name[entrant]

    @cached_property
    def _by_name(self) -> dict[str, Rating]:
        return {row.entrant: row for row in self.rows}

    def difference(self, one: str, other: str) -> Estimate | None:
        """Return by how much `one` is better than `other`; None when they are in groups that never met."""
        if one != other and self[one].group != self[other].group:
            return None
        return self.fitted.difference(self.fitted.index(one), self.fitted.index(other))

    def superiority(self, one: str, other: str) -> float | None:
        """Return the likelihood that `one` is better than `other`, None when the results can't tell."""
        difference = self.difference(one, other)
        return None if difference is None or one == other else difference.superiority

    def chances(self, line_up: tuple[str, ...]) -> list[list[float]]:
        """Return the probability by the fit that each seat beats each other one; a tie is half; 0.5 with itself."""
        strengths = self.fitted.strengths(line_up)
        return [[1 / (1 + exp(other - one)) for other in strengths] for one in strengths]


@attrs.frozen(kw_only=True, eq=False)
class Fitted:
    """A maximum and its precision, in natural logarithms of weights; answers contrasts in Elo."""

    design: Design
    parameters: Floats
    spread: Spread

    def index(self, entrant: str) -> int:
        """Return the parameter of an entrant; raise `KeyError` when it has no match."""
        return self._index[entrant]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.design.names)}

    def strengths(self, line_up: tuple[str, ...]) -> list[float]:
        """Return strength + seat of every seat of a table."""
        first = self.design.seat_parameter(len(line_up), 0)
        return [
            float(self.parameters[self._index[name]] + self.parameters[first + s]) for s, name in enumerate(line_up)
        ]

    def streak(self, entrant: int) -> Streak:
        """Return whether the entrant's results never varied."""
        beaten, beaten_by = self.design.beaten[entrant], self.design.beaten_by[entrant]
        if beaten and beaten_by:
            return Streak.NONE
        return Streak.NEVER_BEATEN if beaten else Streak.NEVER_BEAT if beaten_by else Streak.ONLY_TIED

    def difference(self, one: int, other: int) -> Estimate:
        """Return by how much the entrant `one` is better than `other`."""
        contrast = np.zeros(self.design.size)
        contrast[one] += 1
        contrast[other] -= 1
        return self._estimate(contrast, (one, other))

    def against_mean(self, entrant: int, group: Ints) -> Estimate:
        """Return by how much an entrant is better than the mean of its group."""
        contrast = np.zeros(self.design.size)
        contrast[group] -= 1 / len(group)
        contrast[entrant] += 1
        return self._estimate(contrast, (entrant,) if len(group) > 1 else ())

    def seat_advantage(self, table_size: int, seat: int) -> Estimate:
        """Return by how much a seat is better than the mean seat of its table."""
        first = self.design.seat_parameter(table_size, 0)
        contrast = np.zeros(self.design.size)
        contrast[first : first + table_size] = -1 / table_size
        contrast[first + seat] += 1
        return self._estimate(contrast, None)

    def _estimate(self, contrast: Floats, entrants: tuple[int, ...] | None) -> Estimate:
        """Return an estimate; `entrants` are those it is about, None for a seat, nobody when there is nothing to tell.

        The variance is at least the model's own by the number of clusters and one: clusters that happen
        to agree exactly prove no certainty. An entrant whose results never varied gets all of the model's own.
        """
        elo = float(contrast @ self.parameters) * ELO
        seen = self.spread.clusters
        if entrants is not None:
            seen = min((int(self.spread.seen[entrant]) for entrant in entrants), default=0)
        if seen < 2 or not contrast.any():
            return Estimate(elo, None)
        variance, degrees = self.spread.variance(contrast, seen)
        own = float(contrast @ self.spread.inverse @ contrast)
        if any(self.streak(entrant) for entrant in entrants or ()):
            return Estimate(elo, sqrt(max(variance, own)) * ELO)
        variance = max(variance, own / (seen + 1))
        return Estimate(elo, sqrt(variance) * ELO if degrees >= _LEAST_DEGREES else None, degrees)
