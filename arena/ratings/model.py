"""The likelihood of the Plackett-Luce model with seat terms: its value, its slope, its curvature, its maximum.

Parameters are natural logarithms of weights. When the members of a choice set S have strength + seat u, the
log-likelihood that i wins it is u_i - log(sum of exp(u_j) over S); it is concave, so Newton's method finds the
maximum. The prior is `prior` virtual draws of every entrant, and of every seat, against an average one (weight 1).
"""

from __future__ import annotations

import attrs
import numpy as np

from arena.ratings.choices import ChoiceSets, Design, Floats, Ints, sums

_MAX_STEPS = 100
_LAST_STEP = 1e-3  #: natural logarithms; a smaller step is the last if its gain is small too
_LAST_GAIN = 1e-12  #: of log-likelihood; a millionth of a standard error


@attrs.frozen(kw_only=True, eq=False)
class Model:
    """The model of some results: what stays while the parameters move."""

    design: Design
    prior: float  #: virtual draws, 0 for none
    with_seats: bool  #: False: every seat term is held at 0
    groups: tuple[Ints, ...]  #: entrants (parameters) that met, directly or through others
    wins: Floats = attrs.field(init=False)  #: by parameter: weight of the choice sets won

    def __attrs_post_init__(self) -> None:
        design = self.design
        won = sums(design.win_entrant, design.win_weight, design.size)
        object.__setattr__(self, "wins", won + sums(design.win_seat, design.win_weight, design.size))

    def likelihood(self, parameters: Floats) -> float:
        """Return the log-likelihood, prior included, up to a constant."""
        total = float(self.wins @ parameters)
        for sets in self.design.sets:
            total -= float(sets.weight @ _log_sums(of_members(sets, parameters)))
        return total - self.prior * float((np.logaddexp(0.0, parameters) - parameters / 2).sum())

    def slope(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the first derivative of `likelihood`, (parameters,), and minus the second, its information.

        Directions that nothing depends on (a common shift of a group without prior, seats that are held) get a
        curvature of their own, so that the information has an inverse and steps in those directions are 0.
        """
        size = self.design.size
        chance = 1 / (1 + np.exp(-parameters))
        gradient = self.wins - self.prior * (chance - 0.5)
        information = np.diag(self.prior * chance * (1 - chance))
        for sets in self.design.sets:
            probability = shares(sets, parameters)
            gradient -= to_parameters(sets, sets.weight * probability, size)
            information += curvature(sets, probability, size)[0]
        self._hold(gradient, information)
        return gradient, information

    def _hold(self, gradient: Floats, information: Floats) -> None:
        entrants, size = len(self.design.names), self.design.size
        if not self.with_seats:
            gradient[entrants:] = 0
            information[entrants:] = information[:, entrants:] = 0
            information[range(entrants, size), range(entrants, size)] = 1
        if not self.prior:
            tables = [(self.design.seat_parameter(seats, 0), seats) for seats in self.design.table_sizes]
            seats = [np.arange(first, first + count) for first, count in tables if self.with_seats]
            for together in (*self.groups, *seats):
                information[np.ix_(together, together)] += 1 / len(together)

    def maximise(self) -> Floats:
        """Return the parameters of greatest likelihood.

        Raises:
            ArithmeticError: there is no finite maximum, which only happens without a prior.
        """
        parameters = np.zeros(self.design.size)
        value = self.likelihood(parameters)
        for _ in range(_MAX_STEPS):
            gradient, information = self.slope(parameters)
            try:
                step = np.linalg.solve(information, gradient)
            except np.linalg.LinAlgError:
                break
            length = 1.0
            while (reached := self.likelihood(parameters + length * step)) < value - 1e-9 * abs(value):
                length /= 2
            parameters, value = parameters + length * step, reached
            if gradient @ step < _LAST_GAIN and np.abs(step).max(initial=0.0) < _LAST_STEP:
                return parameters
        raise ArithmeticError("some entrant never won or never lost: without a prior its rating has no finite value")


def of_members(sets: ChoiceSets, parameters: Floats) -> Floats:
    """Return strength + seat of every member of every set, shape (size, sets)."""
    strengths: Floats = parameters[sets.entrants] + parameters[sets.seats]
    return strengths


def to_parameters(sets: ChoiceSets, values: Floats, size: int) -> Floats:
    """Return the sums of `values`, shape (size, sets), by the parameters of their members."""
    return sums(sets.entrants, values, size) + sums(sets.seats, values, size)


def shares(sets: ChoiceSets, parameters: Floats) -> Floats:
    """Return the probability of every member to win its set, shape (size, sets)."""
    strengths = of_members(sets, parameters)
    weights = np.exp(strengths - strengths.max(axis=0))
    probabilities: Floats = weights / weights.sum(axis=0)
    return probabilities


def _log_sums(strengths: Floats) -> Floats:
    greatest = strengths.max(axis=0)
    totals: Floats = greatest + np.log(np.exp(strengths - greatest).sum(axis=0))
    return totals


def curvature(
    sets: ChoiceSets, probability: Floats, size: int, cluster: Ints | None = None, clusters: int = 1
) -> Floats:
    """Return the information of the sets of each cluster, shape (clusters, parameters, parameters).

    It is the sum of weight * (diag(p) - p p') over the parameters of the members; `cluster` has one number a set.
    """
    upper = np.zeros(clusters * size * size)
    first = 0 if cluster is None else cluster * (size * size)
    for i in range(sets.size):
        for j in range(i, sets.size):
            if i == j:
                value = sets.weight * probability[i] * (1 - probability[i]) / 2
            else:
                value = -sets.weight * probability[i] * probability[j]
            for row in (sets.entrants[i], sets.seats[i]):
                for column in (sets.entrants[j], sets.seats[j]):
                    upper += sums(first + row * size + column, value, len(upper))
    half = upper.reshape(clusters, size, size)
    return half + half.transpose(0, 2, 1)
