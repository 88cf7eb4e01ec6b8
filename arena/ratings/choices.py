"""Results as arrays: the parameters of the model, and all choice sets of one size in one block of numbers.

A parameter is the strength of an entrant or the advantage of a seat; seats count apart for each table size.
Strengths and advantages are natural logarithms of Plackett-Luce weights here; only `arena.ratings.fit` knows Elo.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.ratings.orders import Order, read_order
from arena.ratings.rows import Finish

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]


@attrs.frozen(kw_only=True, eq=False)
class ChoiceSets:
    """All choice sets of one size. Arrays have shape (size, sets), so that sums over members are quick, or (sets,)."""

    entrants: Ints  #: parameter of the entrant of each member
    seats: Ints  #: parameter of the seat of each member
    weight: Floats  #: of each set
    match: Ints  #: index of the match each set comes from

    @property
    def size(self) -> int:
        """The number of members of each set."""
        return int(self.entrants.shape[0])


@attrs.frozen(kw_only=True, eq=False)
class Design:
    """Every result of a fit as arrays."""

    names: tuple[str, ...]  #: entrants, sorted: parameters 0, 1, ...
    table_sizes: tuple[int, ...]  #: rising; their seats are the parameters behind the entrants
    sets: tuple[ChoiceSets, ...]  #: by size, rising
    win_match: Ints  #: (seats played,) index of the match
    win_entrant: Ints  #: (seats played,) parameter of the entrant
    win_seat: Ints  #: (seats played,) parameter of the seat
    win_weight: Floats  #: (seats played,) weight of the choices won
    beaten: Floats  #: (entrants,) seats left strictly behind in all matches
    beaten_by: Floats  #: (entrants,) seats strictly before in all matches
    blocks: Ints  #: (matches,) number of the block
    deals: Ints  #: (matches,) number of the deal, counted from 0

    @property
    def size(self) -> int:
        """The number of parameters."""
        return len(self.names) + sum(self.table_sizes)

    def seat_parameter(self, table_size: int, seat: int) -> int:
        """Return the parameter of a seat (0-based) at tables of one size."""
        before = self.table_sizes[: self.table_sizes.index(table_size)]
        return len(self.names) + sum(before) + seat


@attrs.frozen(kw_only=True, eq=False)
class _Pattern:
    """All matches that ended in one pattern of places; arrays have shape (seats, matches)."""

    order: Order
    match: Ints  #: (matches,)
    entrants: Ints
    seats: Ints

    def choice_sets(self) -> list[ChoiceSets]:
        """Return the choice sets of these matches, those of the same seats together."""
        return [
            ChoiceSets(
                entrants=self.entrants[list(chosen)],
                seats=self.seats[list(chosen)],
                weight=np.full(len(self.match), weight),
                match=self.match,
            )
            for chosen, weight in self.order.sets
        ]

    def by_seat(self, values: tuple[float, ...] | tuple[int, ...]) -> Floats:
        """Return values given by seat for every match."""
        return np.broadcast_to(np.array(values, dtype=np.float64)[:, None], self.entrants.shape)


def read_results(results: Iterable[Finish]) -> Design:
    """Return the results as arrays; results without places (void matches) are left out.

    Raises:
        ValueError: a result whose line-up and places differ in length, or that has fewer than two seats.
    """
    results = [result for result in results if result.places]
    names = tuple(sorted(set(chain.from_iterable(result.line_up for result in results))))
    table_sizes = tuple(sorted({len(result.places) for result in results}))
    patterns = _patterns(results, names, table_sizes)
    sets = [part for pattern in patterns for part in pattern.choice_sets()]
    entrants = _flat([pattern.entrants for pattern in patterns])
    beaten = _flat([pattern.by_seat(pattern.order.beaten) for pattern in patterns])
    beaten_by = _flat([pattern.by_seat(pattern.order.beaten_by) for pattern in patterns])
    return Design(
        names=names,
        table_sizes=table_sizes,
        sets=tuple(
            _join([part for part in sets if part.size == size]) for size in sorted({part.size for part in sets})
        ),
        win_match=_flat([np.tile(pattern.match, pattern.entrants.shape[0]) for pattern in patterns]).astype(np.intp),
        win_entrant=entrants.astype(np.intp),
        win_seat=_flat([pattern.seats for pattern in patterns]).astype(np.intp),
        win_weight=_flat([pattern.by_seat(pattern.order.wins) for pattern in patterns]),
        beaten=sums(entrants.astype(np.intp), beaten, len(names)),
        beaten_by=sums(entrants.astype(np.intp), beaten_by, len(names)),
        blocks=_numbered([result.block for result in results]),
        deals=_numbered([result.deal for result in results]),
    )


def _patterns(results: Sequence[Finish], names: Sequence[str], table_sizes: Sequence[int]) -> list[_Pattern]:
    index = {name: number for number, name in enumerate(names)}
    first_seat = dict(zip(table_sizes, accumulate((len(names), *table_sizes)), strict=False))
    matches: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for number, result in enumerate(results):
        if len(result.line_up) != len(result.places) or len(result.places) < 2:
            raise ValueError(f"places {result.places} for the line-up {result.line_up}")
        matches.setdefault((result.places, result.forfeited), []).append(number)
    entrants = np.fromiter(map(index.__getitem__, chain.from_iterable(r.line_up for r in results)), dtype=np.intp)
    sizes = np.fromiter((len(result.places) for result in results), dtype=np.intp, count=len(results))
    starts = np.cumsum(sizes) - sizes
    patterns = []
    for (places, forfeited), numbers in matches.items():
        match, seat = np.array(numbers, dtype=np.intp), np.arange(len(places))[:, None]
        line_ups = entrants[starts[match] + seat]
        seats = np.broadcast_to(first_seat[len(places)] + seat, line_ups.shape)
        patterns.append(_Pattern(order=read_order(places, forfeited), match=match, entrants=line_ups, seats=seats))
    return patterns


def _flat(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0)


def sums(index: Ints, values: Floats, size: int) -> Floats:
    """Return the sums of `values` by `index`, shape (size,); both may have any one shape."""
    return np.asarray(np.bincount(index.ravel(), values.ravel(), size), dtype=np.float64)


def _join(parts: Sequence[ChoiceSets]) -> ChoiceSets:
    return ChoiceSets(
        entrants=np.concatenate([part.entrants for part in parts], axis=1),
        seats=np.concatenate([part.seats for part in parts], axis=1),
        weight=np.concatenate([part.weight for part in parts]),
        match=np.concatenate([part.match for part in parts]),
    )


def _numbered(labels: Sequence[str] | Sequence[int]) -> Ints:
    """Return small numbers from 0, equal exactly for equal labels, in order of first appearance."""
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.fromiter(map(numbers.__getitem__, labels), dtype=np.intp, count=len(labels))
