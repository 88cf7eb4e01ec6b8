"""The joint fit: from results to ratings on the Elo scale.

An entrant of r Elo has the weight 10^(r / 400). At two seats, and between any two seats of a larger table (there
Plackett-Luce makes it independent of who else sits), one beats the other with probability 1 / (1 + 10^(-d / 400)).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from arena.ratings.choices import Design, Ints, read_results
from arena.ratings.groups import find_groups
from arena.ratings.model import Model
from arena.ratings.rows import Finish
from arena.ratings.spread import measure_spread
from arena.ratings.values import Cluster, Fitted, Rating, Ratings, SeatTerm, Streak
from arena.wording import counted, listed

DEFAULT_PRIOR = 1.0  #: virtual draws of every entrant against an average one
ENOUGH_DEALS = 3  #: with fewer deals than this `Cluster.AUTO` falls back to blocks and says so
FEW_DEALS = 6  #: with fewer deals than this intervals are sound but wide, and a note says why
_SAME_ELO = 6  #: decimals; ratings equal to so many share a rank


def fit(
    results: Iterable[Finish],
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    prior: float = DEFAULT_PRIOR,
    seats: bool = True,
    cluster: Cluster = Cluster.AUTO,
) -> Ratings:
    """Return the ratings of everybody in `results`, whose order does not matter.

    Args:
        results: matches; void ones (without places) are left out.
        anchor: the entrant that is put at a given Elo; without one the mean of each group is 0.
        anchor_elo: where the anchor is put.
        prior: virtual draws of every entrant (and of every seat) against an average one; 0 for none.
        seats: whether each seat of a table gets a term of its own.
        cluster: which matches count as one sample for the intervals.

    Raises:
        ValueError: the anchor has no match; places that don't fit their line-up; a negative prior.
        ArithmeticError: without a prior, when some entrant never won or never lost.
    """
    if prior < 0:
        raise ValueError(f"the prior is {prior} virtual draws; it must be 0 or more")
    design = read_results(results)
    if anchor is not None and anchor not in design.names:
        raise ValueError(f"the anchor {anchor!r} has played no match")
    groups = find_groups(design)
    model = Model(design=design, prior=prior, with_seats=seats, groups=groups)
    parameters = model.maximise()
    by, notes = _choose_cluster(design, cluster)
    spread = measure_spread(model, parameters, design.deals if by is Cluster.DEAL else design.blocks)
    fitted = Fitted(design=design, parameters=parameters, spread=spread)
    rows = [row for number, group in enumerate(groups) for row in _rate(fitted, number, group, anchor, anchor_elo)]
    return Ratings(
        rows=tuple(rows),
        seats=_seat_terms(fitted) if seats else (),
        groups=len(groups),
        anchor=anchor,
        prior=prior,
        clustered_by=by,
        clusters=spread.clusters,
        notes=(*notes, *_notes(rows, len(groups), anchor)),
        fitted=fitted,
    )


def _choose_cluster(design: Design, cluster: Cluster) -> tuple[Cluster, list[str]]:
    deals, blocks = len(np.unique(design.deals)), len(np.unique(design.blocks))
    if cluster is Cluster.BLOCK:
        return Cluster.BLOCK, []
    only = f"Only {counted(deals, 'deal')}"
    if cluster is Cluster.AUTO and 0 < deals < ENOUGH_DEALS and deals < blocks:
        untrue = "intervals take blocks as independent, too narrow where a deal suits an entrant"
        return Cluster.BLOCK, [f"{only}: {untrue}; play at least {FEW_DEALS} deals."]
    return Cluster.DEAL, [
        f"{only}: intervals are wide; more deals make them narrower."
    ] if 1 < deals < FEW_DEALS else []


def _rate(fitted: Fitted, number: int, group: Ints, anchor: str | None, anchor_elo: float) -> list[Rating]:
    """Return the rows of one group from the best."""
    names = fitted.design.names
    anchor_at = next((int(entrant) for entrant in group if names[entrant] == anchor), None)
    means = {int(entrant): fitted.against_mean(int(entrant), group) for entrant in group}
    shift = 0.0 if anchor_at is None else anchor_elo - means[anchor_at].elo
    order = sorted(means, key=lambda entrant: (-round(means[entrant].elo, _SAME_ELO), names[entrant]))
    values = [round(means[entrant].elo, _SAME_ELO) for entrant in order]
    return [
        Rating(
            entrant=names[entrant],
            group=number,
            rank=values.index(value) + 1,
            elo=anchor_elo if entrant == anchor_at else means[entrant].elo + shift,
            against_mean=means[entrant],
            against_anchor=None if anchor_at in (None, entrant) else fitted.difference(entrant, anchor_at),
            clusters=int(fitted.spread.seen[entrant]),
            streak=fitted.streak(entrant),
            alone=len(group) == 1,
        )
        for entrant, value in zip(order, values, strict=True)
    ]


def _seat_terms(fitted: Fitted) -> tuple[SeatTerm, ...]:
    return tuple(
        SeatTerm(table_size=size, seat=seat, advantage=fitted.seat_advantage(size, seat))
        for size in fitted.design.table_sizes
        for seat in range(size)
    )


def _notes(rows: list[Rating], groups: int, anchor: str | None) -> list[str]:
    notes = []
    if groups > 1:
        others = f" Only the group of {anchor} is measured against it." if anchor is not None else ""
        notes.append(f"{groups} groups never met: ratings compare within a group only.{others}")
    for streak in Streak:
        names = [row.entrant for row in rows if row.streak is streak]
        if streak and names:
            notes.append(f"{listed(names, at_most=5)} {streak}: held by the prior, interval by the model.")
    return notes
