"""Student's t against printed tables and against itself."""

from __future__ import annotations

from math import atan, inf, pi

import pytest

from arena.ratings.student import incomplete_beta, t_cdf, t_density, t_quantile

#: two-sided 95 % points, as in any printed table
TABLE = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 10: 2.228, 30: 2.042, 120: 1.980, inf: 1.960}


@pytest.mark.parametrize(("dof", "expected"), TABLE.items())
def test_quantiles_of_the_printed_table(dof: float, expected: float) -> None:
    assert t_quantile(0.975, dof) == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize("t", [-7.0, -0.3, 0.0, 1.0, 55.0])
def test_one_degree_is_cauchy(t: float) -> None:
    assert t_cdf(t, 1) == pytest.approx(0.5 + atan(t) / pi, abs=1e-13)


@pytest.mark.parametrize("dof", [0.8, 1, 2.5, 17, 400, 1e6, inf])
@pytest.mark.parametrize("share", [0.5, 0.6, 0.975, 0.9999])
def test_quantile_undoes_cdf(share: float, dof: float) -> None:
    assert t_cdf(t_quantile(share, dof), dof) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("dof", [1, 3.7, 50, inf])
def test_density_is_the_slope_of_the_cdf(dof: float) -> None:
    slope = (t_cdf(0.7 + 1e-5, dof) - t_cdf(0.7 - 1e-5, dof)) / 2e-5
    assert t_density(0.7, dof) == pytest.approx(slope, rel=1e-6)


def test_many_degrees_are_normal() -> None:
    assert t_quantile(0.975, 1e7) == pytest.approx(t_quantile(0.975), abs=1e-6)


def test_incomplete_beta_at_its_ends_and_by_symmetry() -> None:
    assert (incomplete_beta(0, 2, 3), incomplete_beta(1, 2, 3)) == (0, 1)
    assert incomplete_beta(0.3, 2, 3) == pytest.approx(1 - incomplete_beta(0.7, 3, 2))
    assert incomplete_beta(0.3, 1, 1) == pytest.approx(0.3)
