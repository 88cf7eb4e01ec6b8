"""How far the fit may be off: a cluster-robust covariance, and the degrees of freedom of each estimate.

Matches of one deal are no independent samples, so the scores (slopes of the log-likelihood) are summed up by
cluster g, s_g, and the covariance is the sandwich A^-1 (sum of s_g s_g') A^-1 with A the information. Few clusters
make it too small; both cures are those of Bell and McCaffrey (2002) with J_g, the information of one cluster, as the
working model: every s_g is multiplied by (I - J_g A^-1)^(-1/2) ("CR2"), and an estimate is compared with Student's t
with Satterthwaite's degrees of freedom. Where there are so many clusters that this would take long, it also hardly
matters: the variance is then multiplied by n / (n - 1), with n the clusters an entrant was seen in, and t has n - 1.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from arena.ratings.choices import Floats, Ints, sums
from arena.ratings.model import Model, curvature, shares

_EXACT_WORK = 5e7  #: clusters * parameters^3 up to which the corrections are exact
_SERIES_TERMS = 60
_SERIES_TOLERANCE = 1e-4  #: of the largest value


@attrs.frozen(kw_only=True, eq=False)
class Spread:
    """What the clusters say about the precision of fitted parameters."""

    clusters: int
    seen: Ints  #: (entrants,) number of clusters each entrant has played in
    inverse: Floats  #: of the information: the covariance if every match were a sample and the model true
    covariance: Floats  #: cluster-robust, shape (parameters, parameters)
    informations: Floats | None  #: of each cluster, (clusters, parameters, parameters); None: not corrected exactly

    def variance(self, contrast: Floats, seen: int) -> tuple[float, float]:
        """Return variance and degrees of freedom of the estimate of `contrast @ parameters`.

        Args:
            contrast: (parameters,), sums up to 0 over entrants and over the seats of a table.
            seen: the number of clusters that tell of it; 2 or more.
        """
        plain = float(contrast @ self.covariance @ contrast)
        if self.informations is None:
            return plain * seen / (seen - 1), seen - 1
        return plain, self._degrees(contrast, self.informations)

    def _degrees(self, contrast: Floats, informations: Floats) -> float:
        start = np.broadcast_to(self.inverse @ contrast, informations.shape[:2])
        bent = _half_power(start, lambda values: _times(informations, values) @ self.inverse)
        moved = _times(informations, bent)
        direct = (bent * moved).sum(axis=1)
        through = (moved @ self.inverse * moved).sum(axis=1)
        cross = self.inverse @ (moved.T @ moved)
        squares = (direct**2).sum() - 2 * (direct * through).sum() + np.trace(cross @ cross)
        return float((direct - through).sum() ** 2 / squares) if squares > 0 else 0.0


def measure_spread(model: Model, parameters: Floats, cluster: Ints) -> Spread:
    """Return the precision of the maximum `parameters`, with the matches' clusters numbered from 0."""
    design = model.design
    clusters = int(cluster.max()) + 1 if len(cluster) else 0
    inverse = np.asarray(np.linalg.inv(model.slope(parameters)[1]), dtype=np.float64)
    scores = _scores(model, parameters, cluster, clusters)
    informations = None
    if clusters * design.size**3 <= _EXACT_WORK:
        known = informations = _informations(model, parameters, cluster, clusters)
        scores = _half_power(scores, lambda values: _times(known, values @ inverse))
    played = np.unique(cluster[design.win_match] * len(design.names) + design.win_entrant)
    return Spread(
        clusters=clusters,
        seen=np.bincount(played % len(design.names), minlength=len(design.names)),
        inverse=inverse,
        covariance=inverse @ (scores.T @ scores) @ inverse,
        informations=informations,
    )


def _half_power(values: Floats, apply: Callable[[Floats], Floats]) -> Floats:
    """Return (I - L)^(-1/2) `values` by its power series, with L given by `apply`; its norm is below 1."""
    term = np.array(values)
    total = term.copy()
    for number in range(1, _SERIES_TERMS + 1):
        term = apply(term) * ((2 * number - 1) / (2 * number))
        total += term
        if np.abs(term).max(initial=0.0) <= _SERIES_TOLERANCE * np.abs(total).max(initial=0.0):
            break
    return total


def _times(matrices: Floats, vectors: Floats) -> Floats:
    """Return matrix times vector for each cluster, shape (clusters, parameters)."""
    product: Floats = np.einsum("gij,gj->gi", matrices, vectors)
    return product


def _scores(model: Model, parameters: Floats, cluster: Ints, clusters: int) -> Floats:
    """Return the slope of the log-likelihood of each cluster, without the prior, shape (clusters, parameters)."""
    design = model.design
    rows = cluster[design.win_match] * design.size
    total = sums(rows + design.win_entrant, design.win_weight, clusters * design.size)
    total += sums(rows + design.win_seat, design.win_weight, clusters * design.size)
    for sets in design.sets:
        expected = sets.weight * shares(sets, parameters)
        first = cluster[sets.match] * design.size
        total -= sums(first + sets.entrants, expected, len(total))
        total -= sums(first + sets.seats, expected, len(total))
    scores = total.reshape(clusters, design.size)
    if not model.with_seats:
        scores[:, len(design.names) :] = 0
    return scores


def _informations(model: Model, parameters: Floats, cluster: Ints, clusters: int) -> Floats:
    design = model.design
    total = np.zeros((clusters, design.size, design.size))
    for sets in design.sets:
        total += curvature(sets, shares(sets, parameters), design.size, cluster[sets.match], clusters)
    if not model.with_seats:
        total[:, len(design.names) :] = total[:, :, len(design.names) :] = 0
    return total
