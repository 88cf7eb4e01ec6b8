"""How long ratings and tables take."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from arena.ratings import MatchRow, fit
from arena.report.tables import Section, make_tables


def rows(matches: int, entrants: int, seats: int = 4, deals: int = 100) -> list[MatchRow]:
    """Return matches of random line-ups, whole blocks, with everything that tables read."""
    rng = np.random.default_rng(1)
    strengths = rng.normal(0, 0.7, entrants)
    made = []
    for number in range(matches // seats):
        line_up = rng.choice(entrants, seats, replace=False)
        for turn in range(seats):
            seated = np.roll(line_up, turn)
            scores = np.round(30 + 8 * (strengths[seated] + rng.gumbel(size=seats))).astype(int).tolist()
            made.append(
                MatchRow(
                    match_id=f"r0-b{number}-m{turn}",
                    line_up=tuple(f"bot-{entrant}" for entrant in seated.tolist()),
                    places=tuple(1 + sum(other > score for other in scores) for score in scores),
                    scores=tuple(scores),
                    block=f"b{number}",
                    deal=number % deals,
                    termination="finished",
                    categories=dict.fromkeys(("towers", "team", "tiles", "prestige", "festivals"), (5, 6, 7, 8)),
                    requests=(50,) * seats,
                    mean_ms=(1.5,) * seats,
                    max_ms=(9.0,) * seats,
                )
            )
    return made


@pytest.mark.parametrize("matches", [10_000, 100_000])
def test_fit(benchmark: BenchmarkFixture, matches: int) -> None:
    """The joint fit of four-seat matches with 30 entrants; aims: 10,000 in under 1 s, 100,000 in under 2 s."""
    played = rows(matches, 30)
    ratings = benchmark(lambda: fit(played))
    assert len(ratings.rows) == 30


@pytest.mark.parametrize("sections", [(Section.STANDINGS, Section.FAULTS), tuple(Section)], ids=["standings", "all"])
def test_tables(benchmark: BenchmarkFixture, sections: tuple[Section, ...]) -> None:
    """Tables of 100,000 four-seat matches with 30 entrants, the fit included."""
    played = rows(100_000, 30)
    tables = benchmark(lambda: make_tables(played, sections=sections))
    assert len(tables.standings) == 30
