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
from arena.wording import listed

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
    sections: Sequence[Section] = tuple(Section),
) -> Tables:
    """Return the tables of some matches.

    Args:
        rows: the matches that count, void ones included.
        anchor: see `arena.ratings.fit`, as are `anchor_elo`, `prior` and `cluster`.
        anchor_elo: where the anchor is put.
        prior: virtual draws.
        only_clean: leave out matches in which somebody forfeited.
        entrants: names that get a row even without a result.
        cluster: which matches count as one sample.
        sections: the tables that will be shown; what only others need stays empty, which saves time on large runs.

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
    crossed = {Section.CROSSTABLE, Section.SUPERIORITY} & set(sections)
    odd, looked_at = odd_pairs(columns, ratings, samples) if Section.PAIRS in sections else ((), 0)
    return Tables(
        sections=tuple(sections),
        standings=standing,
        pairs=pair_rows(columns, ratings, order) if crossed else (),
        seats=seat_rows(columns, ratings, samples) if Section.SEATS in sections else (),
        odd_pairs=odd,
        pairs_looked_at=looked_at,
        categories=category_rows(columns, order) if Section.CATEGORIES in sections else (),
        anchor=anchor,
        groups=ratings.groups,
        matches=len(columns.rows),
        void=void,
        clean=only_clean,
        clustered_by=str(ratings.clustered_by),
        clusters=ratings.clusters,
        notes=ratings.notes,
    )


def render(tables: Tables, *, sections: Sequence[Section] | None = None, width: int | None = 80) -> str:
    """Return tables as text, each with its title and notes, no line wider than `width` terminal cells.

    Where the width is short, columns of lesser interest are left out and long names are cut; None prints all.

    Args:
        tables: what `make_tables` answered.
        sections: which tables, in order; None for all that were made.
        width: of the terminal.

    Raises:
        ValueError: a section that was not made.
    """
    wanted = tables.sections if sections is None else sections
    for section in wanted:
        if section not in tables.sections:
            raise ValueError(f"the table {str(section)!r} was not made, only {listed(tables.sections)}")
    parts = [RENDERERS[Section(section)](tables, width) for section in wanted]
    return "\n\n".join(part for part in parts if part)
