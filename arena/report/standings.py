"""Standings, seats and scoring categories, counted from columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np

from arena.ratings import CONFIDENCE, Rating, Ratings
from arena.ratings.choices import Floats, Ints
from arena.ratings.student import t_quantile
from arena.report.columns import Columns
from arena.report.values import CategoryRow, SeatRow, StandingRow


def standings(columns: Columns, ratings: Ratings, entrants: Sequence[str] = ()) -> tuple[StandingRow, ...]:
    """Return one row for each entrant: by group, then from the best; those of `entrants` without a result last."""
    counts = _count(columns)
    faults = _faults(columns)
    index = {name: number for number, name in enumerate(columns.names)}
    rows = [
        _row(rating, ratings, {name: float(values[index[rating.entrant]]) for name, values in counts.items()}, faults)
        for rating in ratings.rows
    ]
    missing = [name for name in dict.fromkeys(entrants) if name not in index]
    return (*rows, *(_empty_row(name, ratings.groups) for name in missing))


def _count(columns: Columns) -> dict[str, Floats]:
    """Return sums by entrant."""
    requests, longest = columns.flat("requests"), np.zeros(len(columns.names))
    np.maximum.at(longest, columns.entrant, columns.flat("max_ms"))
    values = {
        "matches": np.ones(len(columns.match)),
        "places": columns.place,
        "wins": columns.first == 1,
        "first": columns.first > 0,
        "forfeits": columns.forfeited,
        "clean": columns.clean,
        "scores": columns.clean * columns.flat("scores"),
        "strikes": columns.flat("strikes"),
        "requests": requests,
        "ms": requests * columns.flat("mean_ms"),
    }
    return {name: columns.by_entrant(value) for name, value in values.items()} | {"longest": longest}


def _row(
    rating: Rating, ratings: Ratings, count: Mapping[str, float], faults: Mapping[str, Counter[str]]
) -> StandingRow:
    estimate = rating.against_anchor or rating.against_mean
    known = not rating.alone and rating.entrant != ratings.anchor
    return StandingRow(
        rank=rating.rank,
        entrant=rating.entrant,
        group=rating.group,
        elo=None if rating.alone else rating.elo,
        plus_minus=estimate.plus_minus if known else None,
        matches=int(count["matches"]),
        mean_place=_over(count["places"], count["matches"]),
        wins=int(count["wins"]),
        ties=int(count["first"] - count["wins"]),
        losses=int(count["matches"] - count["first"]),
        forfeits=int(count["forfeits"]),
        mean_score=_over(count["scores"], count["clean"]),
        faults=dict(sorted(faults.get(rating.entrant, Counter()).items())),
        strikes=int(count["strikes"]),
        mean_ms=_over(count["ms"], count["requests"]),
        max_ms=count["longest"] if count["requests"] else None,
        clusters=rating.clusters,
    )


def _empty_row(entrant: str, group: int) -> StandingRow:
    return StandingRow(
        rank=None, entrant=entrant, group=group, elo=None, plus_minus=None, matches=0, mean_place=None, wins=0, ties=0,
        losses=0, forfeits=0, mean_score=None, faults={}, strikes=0, mean_ms=None, max_ms=None, clusters=0,
    )  # fmt: skip


def _faults(columns: Columns) -> dict[str, Counter[str]]:
    """Return the verdicts of each entrant's forfeits with their number."""
    faults: dict[str, Counter[str]] = {}
    for row in columns.rows:
        for seat in row.forfeited:
            verdict = row.verdicts[seat] if row.verdicts else ""
            faults.setdefault(row.line_up[seat], Counter())[verdict or "unknown"] += 1
    return faults


def seat_rows(columns: Columns, ratings: Ratings, cluster: Ints) -> tuple[SeatRow, ...]:
    """Return one row for each seat of each size of table.

    Args:
        columns: the matches.
        ratings: their fit, for the value of a seat in Elo.
        cluster: number of the sample that each match belongs to, counted from 0.
    """
    terms = {(term.table_size, term.seat): term.advantage for term in ratings.seats}
    rows = []
    for size in np.unique(columns.size).tolist():
        for seat in range(size):
            here = (columns.size == size) & (columns.seat == seat)
            term = terms.get((size, seat))
            share, plus_minus = mean_by_cluster(columns.first[here], cluster[columns.match[here]])
            rows.append(
                SeatRow(
                    table_size=size,
                    seat=seat,
                    matches=int(here.sum()),
                    wins=share,
                    wins_plus_minus=plus_minus,
                    mean_place=float(columns.place[here].mean()),
                    elo=term.elo if term else None,
                    elo_plus_minus=term.plus_minus if term else None,
                )
            )
    return tuple(rows)


def mean_by_cluster(values: Floats, cluster: Ints) -> tuple[float, float | None]:
    """Return the mean of one value or more and half its 95 % interval, with clusters as the samples."""
    mean = float(values.mean())
    _, numbers = np.unique(cluster, return_inverse=True)
    count = int(numbers.max()) + 1
    if count < 2:
        return mean, None
    off = np.bincount(numbers, values - mean)
    error = sqrt(float(off @ off) * count / (count - 1)) / len(values)
    return mean, error * t_quantile((1 + CONFIDENCE) / 2, count - 1)


def category_rows(columns: Columns, order: Sequence[str]) -> tuple[CategoryRow, ...]:
    """Return the mean points by category, entrants in the given order; those without a clean match are left out."""
    categories = tuple(
        dict.fromkeys(name for names in dict.fromkeys(tuple(row.categories) for row in columns.rows) for name in names)
    )
    if not categories:
        return ()
    clean = columns.by_entrant(columns.clean)
    sums = {name: columns.by_entrant(columns.clean * columns.points(name)) for name in categories}
    total = columns.by_entrant(columns.clean * columns.flat("scores"))
    index = {name: number for number, name in enumerate(columns.names)}
    return tuple(
        CategoryRow(
            entrant=entrant,
            matches=int(clean[at]),
            means={name: float(values[at] / clean[at]) for name, values in sums.items()},
            total=float(total[at] / clean[at]),
        )
        for entrant in order
        if (at := index.get(entrant)) is not None and clean[at]
    )


def _over(total: float, count: float) -> float | None:
    return total / count if count else None
