"""Two-seat results against the published output of a known chess rater.

The crosstable and the ratings are those of six versions of the chess engine Goldfish, computed by Ordo (its format
of output and head-to-head report) and published in the README.md of https://github.com/bsamseth/Goldfish while
version 1.5 was the newest. Ordo counts a tie as half a win and fits all results at once. Its scale calls 76 % expected
points 202 Elo unless told otherwise, ours 200.24, so its ratings are multiplied by the quotient of the two.
"""

from __future__ import annotations

from math import log10

import pytest

from arena.ratings import Result, fit

#: version, opponent: games won, drawn, lost by the version
CROSSTABLE = {
    ("v1.5", "v1.4"): (85, 345, 70),
    ("v1.5", "v1.3"): (12, 51, 12),
    ("v1.4", "v1.3"): (11, 30, 9),
    ("v1.4", "v1.2"): (15, 28, 7),
    ("v1.4", "v1.1"): (19, 29, 2),
    ("v1.3", "v1.2"): (16, 55, 9),
    ("v1.3", "v1.1"): (13, 30, 7),
    ("v1.2", "v1.1"): (8, 18, 4),
    ("v1.1", "v1.0"): (7, 23, 2),
}
#: as published, with v1.0 held at 2000
PUBLISHED = {"v1.5": 2154.2, "v1.4": 2147.1, "v1.3": 2131.2, "v1.2": 2097.7, "v1.1": 2055.3, "v1.0": 2000.0}
ORDO_SCALE = 400 * log10(0.76 / 0.24) / 202


def games() -> list[Result]:
    results: list[Result] = []
    for pair, counts in CROSSTABLE.items():
        for places, count in zip(((1, 2), (1, 1), (2, 1)), counts, strict=True):
            results += [Result(pair, places, f"{pair}-{places}-{game}", len(results) + game) for game in range(count)]
    return results


def test_agrees_with_ordo_within_one_elo() -> None:
    ratings = fit(games(), anchor="v1.0", anchor_elo=2000, prior=0, seats=False)
    for version, published in PUBLISHED.items():
        expected = 2000 + (published - 2000) * ORDO_SCALE
        assert ratings[version].elo == pytest.approx(expected, abs=0.5), version


def test_the_published_scale_itself_is_within_two_elo() -> None:
    ratings = fit(games(), anchor="v1.0", anchor_elo=2000, prior=0, seats=False)
    assert max(abs(ratings[version].elo - elo) for version, elo in PUBLISHED.items()) < 2


def test_expected_points_equal_scored_points() -> None:
    results = games()
    ratings = fit(results, prior=0, seats=False)
    for version in PUBLISHED:
        scored = expected = 0.0
        for result in results:
            if version in result.line_up:
                seat = result.line_up.index(version)
                scored += {1: 1, 0: 0.5, -1: 0}[result.places[1 - seat] - result.places[seat]]
                expected += ratings.chances(result.line_up)[seat][1 - seat]
        assert expected == pytest.approx(scored, abs=1e-6)


@pytest.mark.parametrize(("won", "tied", "lost"), [(29, 25, 15), (1, 0, 3), (98, 1, 1)])
def test_two_entrants_have_the_elo_of_their_score(won: int, tied: int, lost: int) -> None:
    results = [Result(("a", "b"), (1, 2), f"w{n}", n) for n in range(won)]
    results += [Result(("a", "b"), (1, 1), f"t{n}", n) for n in range(tied)]
    results += [Result(("b", "a"), (1, 2), f"l{n}", n) for n in range(lost)]
    difference = fit(results, prior=0, seats=False).difference("a", "b")
    share = (won + tied / 2) / (won + tied + lost)
    assert difference is not None
    assert difference.elo == pytest.approx(400 * log10(share / (1 - share)))
