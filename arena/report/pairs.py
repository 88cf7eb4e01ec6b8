"""Who is before whom: the crosstable, and pairs that do better at a shared table than their ratings explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import attrs
import numpy as np

from arena.ratings import CONFIDENCE, Ratings
from arena.ratings.choices import Floats, Ints
from arena.ratings.student import t_cdf, t_quantile
from arena.report.columns import Columns
from arena.report.values import OddPairRow, PairRow

ENOUGH_CLUSTERS = 5  #: that a pair shared; with fewer nothing is said about it
_LUCK = 0.05  #: a pair is listed when chance gives one so odd, among all looked at, less often than this


@attrs.frozen(kw_only=True, eq=False)
class _Tables:
    """All tables of one size; arrays have shape (tables, seats) or (tables,)."""

    entrants: Ints
    behind: Ints
    forfeited: Ints
    strength: Floats  #: strength + seat by the fit
    match: Ints

    def before(self, one: int, other: int) -> Floats:
        """Return 1 where seat `one` was before seat `other`, 0.5 where tied."""
        ahead, level = self.behind[:, one] < self.behind[:, other], self.behind[:, one] == self.behind[:, other]
        return np.asarray(ahead + level / 2, dtype=np.float64)

    def compared(self, one: int, other: int) -> Floats:
        """Return 0 where both seats forfeited, else 1."""
        return np.asarray(1 - self.forfeited[:, one] * self.forfeited[:, other], dtype=np.float64)

    def chance(self, one: int, other: int) -> Floats:
        """Return the probability by the fit that seat `one` is before seat `other`."""
        chance: Floats = 1 / (1 + np.exp(self.strength[:, other] - self.strength[:, one]))
        return chance


def _by_size(columns: Columns, ratings: Ratings) -> Iterator[_Tables]:
    strengths = ratings.fitted.parameters
    index = np.array([ratings.fitted.index(name) for name in columns.names], dtype=np.intp)
    for size in np.unique(columns.size).tolist():
        here = np.flatnonzero(columns.size == size).reshape(-1, size)
        entrants, first = columns.entrant[here], ratings.fitted.design.seat_parameter(size, 0)
        yield _Tables(
            entrants=entrants,
            behind=columns.behind[here],
            forfeited=columns.forfeited[here],
            strength=strengths[index[entrants]] + strengths[first : first + size],
            match=columns.match[here[:, 0]],
        )


def pair_rows(columns: Columns, ratings: Ratings, order: Sequence[str]) -> tuple[PairRow, ...]:
    """Return every ordered pair of two entrants, in the given order."""
    count = len(columns.names)
    won, met = np.zeros(count * count), np.zeros(count * count)
    for tables in _by_size(columns, ratings):
        for one, other in permutations(range(tables.entrants.shape[1]), 2):
            key = tables.entrants[:, one] * count + tables.entrants[:, other]
            compared = tables.compared(one, other)
            won += np.bincount(key, tables.before(one, other) * compared, count * count)
            met += np.bincount(key, compared, count * count)
    index = {name: number for number, name in enumerate(columns.names)}
    rows = []
    for entrant, opponent in permutations([name for name in order if name in index], 2):
        at = index[entrant] * count + index[opponent]
        rows.append(
            PairRow(
                one=entrant,
                other=opponent,
                meetings=round(met[at]),
                share=float(won[at] / met[at]) if met[at] else None,
                superiority=ratings.superiority(entrant, opponent),
            )
        )
    return tuple(rows)


def odd_pairs(columns: Columns, ratings: Ratings, cluster: Ints) -> tuple[tuple[OddPairRow, ...], int]:
    """Return the pairs that do better than their ratings explain, least likely first, and how many were looked at.

    Two questions for each ordered pair: does the entrant beat the partner more often than it should, and does
    it beat third seats more often when the partner sits there? The samples are clusters, one number a match. Chances
    are multiplied by the number of questions (Bonferroni). The ratings contain the very excess that is
    looked for, so the test errs on the side of silence. An error is never less than that of throwing dice for every
    meeting: who nearly always wins is no more certain than that.
    """
    found: list[OddPairRow] = []
    looked_at = 0
    for against in ("partner", "others"):
        parts = [part for tables in _by_size(columns, ratings) for part in _excesses(tables, columns, against)]
        rows, judged = _judge(columns, parts, cluster, against)
        looked_at += judged
        found += rows
    corrected = [attrs.evolve(row, chance=min(1.0, row.chance * looked_at)) for row in found]
    odd = [row for row in corrected if row.chance < _LUCK]
    return tuple(sorted(odd, key=lambda row: (row.chance, row.entrant, row.partner))), looked_at


def _excesses(tables: _Tables, columns: Columns, against: str) -> Iterator[tuple[Ints, Ints, Floats, Floats]]:
    """Yield pair number, match, share won and share expected of every comparison that a question is about."""
    count, seats = len(columns.names), range(tables.entrants.shape[1])
    for one, partner in permutations(seats, 2):
        key = tables.entrants[:, one] * count + tables.entrants[:, partner]
        for other in [partner] if against == "partner" else [seat for seat in seats if seat not in (one, partner)]:
            keep = (tables.compared(one, other) > 0) & (tables.entrants[:, one] != tables.entrants[:, partner])
            keep &= tables.entrants[:, one] != tables.entrants[:, other]
            won, chance = tables.before(one, other), tables.chance(one, other)
            yield key[keep], tables.match[keep], won[keep], chance[keep]


def _judge(
    columns: Columns, parts: Sequence[tuple[Ints, Ints, Floats, Floats]], cluster: Ints, against: str
) -> tuple[list[OddPairRow], int]:
    """Return rows of pairs with an excess above its error, chances not corrected yet, and how many were judged."""
    if not parts:
        return [], 0
    key, match, won, expected = (np.concatenate(column) for column in zip(*parts, strict=True))
    clusters, count = int(cluster.max(initial=0)) + 1, len(columns.names)
    cells, cell = np.unique(key * clusters + cluster[match], return_inverse=True)
    pairs, pair_of_cell = np.unique(cells // clusters, return_inverse=True)
    meetings = np.bincount(pair_of_cell[cell])
    shares = np.bincount(pair_of_cell[cell], won) / meetings, np.bincount(pair_of_cell[cell], expected) / meetings
    excess = shares[0] - shares[1]
    off = np.bincount(cell, won - expected - excess[pair_of_cell[cell]])
    samples = np.bincount(pair_of_cell)
    of_chance = np.bincount(pair_of_cell[cell], expected * (1 - expected))
    of_clusters = np.bincount(pair_of_cell, off**2) * samples / np.maximum(samples - 1, 1)
    errors = np.sqrt(np.maximum(of_clusters, of_chance)) / meetings
    judged = np.flatnonzero(samples >= ENOUGH_CLUSTERS)
    worth_a_look = judged[excess[judged] > errors[judged]]
    rows = [
        OddPairRow(
            entrant=columns.names[pairs[at] // count],
            partner=columns.names[pairs[at] % count],
            against=against,
            meetings=int(meetings[at]),
            expected=float(shares[1][at]),
            observed=float(shares[0][at]),
            plus_minus=float(errors[at]) * t_quantile((1 + CONFIDENCE) / 2, int(samples[at]) - 1),
            chance=1 - t_cdf(float(excess[at] / errors[at]), int(samples[at]) - 1),
        )
        for at in worth_a_look.tolist()
    ]
    return rows, len(judged)
