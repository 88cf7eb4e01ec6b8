"""How often 95 % intervals cover the truth: simulated tournaments, pooled over entrants. Prints a table.

python -m benchmarks.coverage [TOURNAMENTS]   (1,000 a cell unless given; some minutes)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

import attrs
import numpy as np
from tabulate import tabulate

from arena.ratings import Cluster, Estimate, fit
from benchmarks.planted import Planted, limit, tied_share


@attrs.frozen(kw_only=True)
class Coverage:
    """Shares of 95 % intervals that cover the truth."""

    against_mean: float  #: pooled over entrants
    against_anchor: float  #: pooled over all entrants but the anchor, the weakest
    seats: float  #: pooled over seats
    width: float  #: mean half width against the mean, in Elo
    ties: float  #: share of matches with a tie


def measure(
    planted: Planted,
    *,
    deals: int,
    tournaments: int,
    seed: int,
    cluster: Cluster = Cluster.AUTO,
    limit_deals: int = 4000,
) -> Coverage:
    """Return the coverage over simulated tournaments; the truth is the fit of `limit_deals` deals."""
    rng = np.random.default_rng(seed)
    truth = limit(planted, rng, limit_deals)
    anchor = planted.names[0]
    hits: dict[str, list[bool]] = {"mean": [], "anchor": [], "seat": []}
    widths = []
    ties = []
    for _ in range(tournaments):
        results = planted.play(deals, rng)
        ratings = fit(results, anchor=anchor, cluster=cluster)
        for name in planted.names:
            hits["mean"].append(_covers(ratings[name].against_mean, truth[name].against_mean))
            widths.append(ratings[name].against_mean.plus_minus or np.nan)
        for name in planted.names[1:]:
            hits["anchor"].append(_covers(ratings.difference(name, anchor), truth.difference(name, anchor)))
        hits["seat"] += [_covers(a.advantage, b.advantage) for a, b in zip(ratings.seats, truth.seats, strict=True)]
        ties.append(tied_share(results))
    return Coverage(
        against_mean=float(np.mean(hits["mean"])),
        against_anchor=float(np.mean(hits["anchor"])),
        seats=float(np.mean(hits["seat"])),
        width=float(np.mean(widths)),
        ties=float(np.mean(ties)),
    )


def _covers(estimate: Estimate | None, truth: Estimate | None) -> bool:
    assert estimate is not None
    assert truth is not None
    assert estimate.plus_minus is not None
    return abs(estimate.elo - truth.elo) <= estimate.plus_minus


def plain(seats: int) -> Planted:
    """Return a truth in which every match is an independent sample."""
    return Planted(seats=seats)


def everything(seats: int) -> Planted:
    """Return a truth with deals that suit seats and entrants, and ties."""
    return Planted(seats=seats, deal_by_seat=0.5, deal_by_entrant=0.5, point=0.5)


def cells() -> Iterable[tuple[str, Planted, int, Cluster]]:
    """Yield name, truth, number of deals and clustering of every cell."""
    for seats in (2, 3, 4):
        yield "plain", plain(seats), 10, Cluster.AUTO
        for deals in (3, 5, 10, 30):
            yield "everything", everything(seats), deals, Cluster.AUTO
        yield "everything", everything(seats), 10, Cluster.BLOCK


def main(tournaments: int, show: Callable[[str], None]) -> None:
    """Print the table."""
    rows = []
    for number, (name, planted, deals, cluster) in enumerate(cells()):
        found = measure(planted, deals=deals, tournaments=tournaments, seed=number, cluster=cluster)
        by = "block" if cluster is Cluster.BLOCK else "deal"
        percent = [f"{share:.1%}" for share in (found.against_mean, found.against_anchor, found.seats, found.ties)]
        rows.append([planted.seats, name, deals, by, *percent[:3], f"{found.width:.0f}", percent[3]])
    heads = ["seats", "effects", "deals", "samples", "mean", "anchor", "seat", "±Elo", "with ties"]
    show(tabulate(rows, heads, tablefmt="github"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, print)
