"""Student's t and the normal distribution, as far as intervals need them, without SciPy."""

from __future__ import annotations

from functools import lru_cache
from math import erf, exp, inf, isinf, lgamma, log, log1p, pi, sqrt

_TINY = 1e-300


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method."""
    numerator, denominator = 1.0, 1 - (a + b) * x / (a + 1)
    denominator = 1 / (denominator or _TINY)
    value = denominator
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            denominator = 1 / ((1 + term * denominator) or _TINY)
            numerator = (1 + term / numerator) or _TINY
            value *= denominator * numerator
        if abs(denominator * numerator - 1) < 1e-15:
            break
    return value


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) for 0 <= x <= 1 and a, b > 0."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


def t_cdf(t: float, dof: float) -> float:
    """Return the share of Student's t with `dof` > 0 degrees of freedom below `t`; `inf` degrees: the normal."""
    if isinf(dof):
        return (1 + erf(t / sqrt(2))) / 2
    tail = incomplete_beta(dof / (dof + t * t), dof / 2, 0.5) / 2
    return tail if t < 0 else 1 - tail


def t_density(t: float, dof: float) -> float:
    """Return the density of Student's t with `dof` > 0 degrees of freedom at `t`."""
    if isinf(dof):
        return exp(-t * t / 2) / sqrt(2 * pi)
    front = lgamma((dof + 1) / 2) - lgamma(dof / 2) - log(dof * pi) / 2
    return exp(front - (dof + 1) / 2 * log1p(t * t / dof))


@lru_cache(maxsize=4096)
def t_quantile(share: float, dof: float = inf) -> float:
    """Return the t below which `share` (0.5 or more, below 1) lies, to about 1e-12 of its size.

    Newton's method from 0: the distribution is concave above it, so every step falls short and none can run away.
    """
    t, step = 0.0, 1.0
    while abs(step) > 1e-12 * max(1.0, t):
        step = (share - t_cdf(t, dof)) / t_density(t, dof)
        if step <= 0:
            break
        t += step
    return t
