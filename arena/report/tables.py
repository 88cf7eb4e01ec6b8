"""The tables of a run: `make_tables` counts and rates, `render` prints. Both are pure.

JSON of the values is `msgspec.json.encode(tables)`, or of one table of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.ratings import DEFAULT_PRIOR, Cluster, MatchRow, clean, fit
from arena.report.columns import read_columns
from arena.report.pairs import odd_pairs, pair_rows
from arena.report.sections import RENDERERS, Section
from arena.report.standings import category_rows, seat_rows, standings
from arena.report.values import Tables

__all__ = ["Section", "Tables", "make_tables", "render"]


def make_tables(
    rows: Iterable[MatchRow],
    *,
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    prior: float = DEFAULT_PRIOR,
    only_clean: bool = False,
    entrants: Sequence[str] = (),
    cluster: Cluster = Cluster.AUTO,
) -> Tables:
    """Return every table of some matches.

    Args:
        rows: the matches that count, void ones included.
        anchor: see `arena.ratings.fit`, as are `anchor_elo`, `prior` and `cluster`.
        anchor_elo: where the anchor is put.
        prior: virtual draws.
        only_clean: leave out matches in which somebody forfeited.
        entrants: names that get a row even without a result.
        cluster: which matches count as one sample.

    Raises:
        ValueError, ArithmeticError: as `arena.ratings.fit`.
    """
    rows = list(rows)
    void = sum(row.void for row in rows)
    kept = clean(rows) if only_clean else rows
    ratings = fit(kept, anchor=anchor, anchor_elo=anchor_elo, prior=prior, cluster=cluster)
    columns = read_columns(kept)
    design = ratings.fitted.design
    samples = design.deals if ratings.clustered_by is Cluster.DEAL else design.blocks
    standing = standings(columns, ratings, entrants)
    order = [row.entrant for row in standing]
    odd, looked_at = odd_pairs(columns, ratings, samples)
    return Tables(
        standings=standing,
        pairs=pair_rows(columns, ratings, order),
        seats=seat_rows(columns, ratings, samples),
        odd_pairs=odd,
        pairs_looked_at=looked_at,
        categories=category_rows(columns, order),
        anchor=anchor,
        groups=ratings.groups,
        matches=len(columns.rows),
        void=void,
        clean=only_clean,
        clustered_by=str(ratings.clustered_by),
        clusters=ratings.clusters,
        notes=ratings.notes,
    )


def render(tables: Tables, *, sections: Sequence[Section] = (Section.STANDINGS,), width: int | None = 80) -> str:
    """Return the chosen tables as text, each with its title and notes, no line wider than `width` cells.

    Where the width is short, columns of lesser interest are left out and long names are cut; None prints all.
    """
    parts = [RENDERERS[section](tables, width) for section in sections]
    return "\n\n".join(part for part in parts if part)
