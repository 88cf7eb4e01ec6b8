"""The fit against other people's software, where the models are the same. Heavy, and skipped without that software."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arena.ratings import ELO, Cluster, Result, fit
from benchmarks.planted import Planted

pytestmark = [pytest.mark.heavy, pytest.mark.filterwarnings("default")]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_choix_finds_the_same_ratings(seats: int) -> None:
    choix: Any = pytest.importorskip("choix")
    planted = Planted(seats=seats)
    results = planted.play(20, np.random.default_rng(seats))
    numbers = {name: number for number, name in enumerate(planted.names)}
    rankings = [[numbers[result.line_up[seat]] for seat in np.argsort(result.places)] for result in results]
    theirs = choix.ilsr_rankings(len(numbers), rankings, alpha=0.0, tol=1e-12) * ELO
    ours = fit(results, prior=0, seats=False)
    for name, number in numbers.items():
        assert ours[name].elo == pytest.approx(theirs[number] - theirs.mean(), abs=1e-4)


def _exploded(results: list[Result], names: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Return choices, design (entrants then seats, the first of each left out) and group of each alternative."""
    chosen: list[float] = []
    design: list[Any] = []
    groups: list[int] = []
    for result in results:
        left = list(np.argsort(result.places))
        while len(left) > 1:
            for seat in left:
                row = np.zeros(len(names) + len(result.places))
                row[names.index(result.line_up[seat])] = row[len(names) + seat] = 1
                chosen.append(float(seat == left[0]))
                design.append(np.delete(row, [0, len(names)]))
                groups.append(groups[-1] + (seat == left[0]) if groups else 0)
            left.pop(0)
    return np.array(chosen), np.array(design), np.array(groups)


@pytest.mark.parametrize("seats", [2, 4])
def test_statsmodels_conditional_logit_finds_the_same_ratings_seats_and_errors(seats: int) -> None:
    discrete: Any = pytest.importorskip("statsmodels.discrete.conditional_models")
    planted = Planted(seats=seats)
    results = planted.play(5, np.random.default_rng(seats))
    chosen, design, groups = _exploded(results, planted.names)
    theirs = discrete.ConditionalLogit(chosen, design, groups=groups).fit(disp=0, gtol=1e-9, maxiter=500)
    ours = fit(results, prior=0)
    others = len(planted.names) - 1
    for number, name in enumerate(planted.names[1:]):
        difference = ours.difference(name, planted.names[0])
        assert difference is not None
        assert difference.elo == pytest.approx(theirs.params[number] * ELO, abs=0.1)
        contrast = np.zeros(ours.fitted.design.size)
        contrast[number + 1], contrast[0] = 1, -1
        assert contrast @ ours.fitted.spread.inverse @ contrast == pytest.approx(theirs.bse[number] ** 2, rel=1e-3)
    advantages = [term.advantage.elo for term in ours.seats]
    for seat in range(1, seats):
        assert advantages[seat] - advantages[0] == pytest.approx(theirs.params[others + seat - 1] * ELO, abs=0.1)


def test_statsmodels_clusters_like_us_when_nothing_is_corrected() -> None:
    """Two seats are a plain logit of the difference: its cluster-robust covariance is ours before CR2."""
    api: Any = pytest.importorskip("statsmodels.api")
    planted = Planted(seats=2, deal_by_entrant=0.5)
    results = planted.play(40, np.random.default_rng(9))
    numbers = {name: number for number, name in enumerate(planted.names)}
    design = np.zeros((len(results), len(numbers)))
    for row, result in enumerate(results):
        design[row, numbers[result.line_up[0]]] += 1
        design[row, numbers[result.line_up[1]]] -= 1
    won = np.array([float(result.places[0] == 1) for result in results])
    deals = np.array([result.deal for result in results])
    theirs = api.Logit(won, design[:, 1:]).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": deals, "use_correction": False}
    )
    ours = fit(results, prior=0, seats=False, cluster=Cluster.DEAL)
    difference = ours.difference("bot5", "bot0")
    assert difference is not None
    assert difference.elo == pytest.approx(theirs.params[4] * ELO, abs=1e-3)
    assert difference.error == pytest.approx(theirs.bse[4] * ELO * np.sqrt(40 / 39), rel=0.01)
