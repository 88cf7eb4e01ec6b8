"""Matches as columns of numbers, one entry for each seat played, so that 100,000 matches are counted in a moment."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import attrgetter

import attrs
import numpy as np

from arena.ratings.choices import Floats, Ints
from arena.ratings.rows import MatchRow


@attrs.frozen(kw_only=True, eq=False)
class Columns:
    """Matches with a result as arrays of shape (seats played,)."""

    rows: tuple[MatchRow, ...]
    names: tuple[str, ...]  #: entrants, sorted
    match: Ints  #: index into `rows`
    size: Ints  #: seats of the table
    seat: Ints
    entrant: Ints  #: index into `names`
    place: Ints  #: as stored
    behind: Ints  #: as `place`, but forfeiters share one behind everybody
    forfeited: Ints  #: 1 where the seat forfeited
    clean: Ints  #: 1 where nobody at the table forfeited
    first: Floats  #: 1 for a sole first place, 1/n for one shared by n, 0 for less; 0 for forfeiters

    def by_entrant(self, values: Floats | Ints) -> Floats:
        """Return the sums of `values` by entrant."""
        return np.asarray(np.bincount(self.entrant, values, len(self.names)), dtype=np.float64)

    def flat(self, attribute: str) -> Floats:
        """Return a value by seat, an attribute of every match; 0 where a match has none."""
        return self._joined(list(map(attrgetter(attribute), self.rows)))

    def points(self, category: str) -> Floats:
        """Return the points of a category by seat; 0 where a match has none."""
        return self._joined([row.categories.get(category, ()) for row in self.rows])

    def _joined(self, parts: list[tuple[float, ...]]) -> Floats:
        if not all(parts):
            parts = [part or (0.0,) * len(row.places) for part, row in zip(parts, self.rows, strict=True)]
        return np.fromiter(chain.from_iterable(parts), dtype=np.float64, count=len(self.match))


def read_columns(rows: Iterable[MatchRow]) -> Columns:
    """Return the matches that have a result as columns."""
    kept = tuple(row for row in rows if not row.void)
    names = tuple(sorted(set(chain.from_iterable(row.line_up for row in kept))))
    index = {name: number for number, name in enumerate(names)}
    sizes = np.array([len(row.places) for row in kept], dtype=np.intp)
    total = int(sizes.sum())
    starts = np.cumsum(sizes) - sizes
    match = np.repeat(np.arange(len(kept)), sizes)
    place = np.fromiter(chain.from_iterable(row.places for row in kept), dtype=np.intp, count=total)
    forfeited = np.zeros(total, dtype=np.intp)
    for number, row in enumerate(kept):
        for seat in row.forfeited:
            forfeited[starts[number] + seat] = 1
    behind = np.where(forfeited, place.max(initial=0) + 1, place)
    best = (behind == np.minimum.reduceat(behind, starts)[match] if total else behind == behind) & (forfeited == 0)
    sharing = np.bincount(match[best], minlength=len(kept))
    return Columns(
        rows=kept,
        names=names,
        match=match,
        size=sizes[match],
        seat=np.arange(total) - starts[match],
        entrant=np.fromiter(
            map(index.__getitem__, chain.from_iterable(row.line_up for row in kept)), dtype=np.intp, count=total
        ),
        place=place,
        behind=behind,
        forfeited=forfeited,
        clean=(np.bincount(match, forfeited, len(kept)) == 0).astype(np.intp)[match],
        first=np.where(best, 1 / np.maximum(sharing, 1)[match], 0.0),
    )
