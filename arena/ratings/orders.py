"""How one finishing order becomes choices: the Plackett-Luce view of a match, ties included.

A finishing order is read from the front: who is first is chosen among all seats, who is second among the
rest, and so on; each choice is a *choice set* of seats, won by one of them. Tied seats are taken in every
order in turn and the log-likelihoods of those orders are averaged. At two seats a tie is then exactly half
a win and half a loss, the rule of Elo. Forfeiters stand behind everybody and are never chosen, so nothing is
said about their order. The average over the k! orders of a tie needs only its 2^k - 1 subsets: a subset of
s tied seats is what is left of them at some point in the share 1 / C(k, s) of the orders.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import attrs


@attrs.frozen(kw_only=True)
class Order:
    """The choices that one pattern of places stands for."""

    sets: tuple[tuple[tuple[int, ...], float], ...]  #: choice sets of two seats or more (rising), with their weights
    wins: tuple[float, ...]  #: by seat: the weight of the choice sets (of two seats or more) that it wins
    before: tuple[tuple[float, ...], ...]  #: [one][other]: 1 when seat one beat the other, 0.5 when tied, else 0

    @property
    def beaten(self) -> tuple[int, ...]:
        """By seat: the number of seats strictly behind it."""
        return tuple(row.count(1.0) for row in self.before)

    @property
    def beaten_by(self) -> tuple[int, ...]:
        """By seat: the number of seats strictly before it."""
        return tuple(row.count(0.0) for row in self.before)


@lru_cache(maxsize=4096)
def read_order(places: tuple[int, ...], forfeited: tuple[int, ...] = ()) -> Order:
    """Return the choices of one match.

    Args:
        places: by seat; less is better, equal is tied. Only their order counts, gaps do not.
        forfeited: seats behind all others, whatever their places.

    The weights of the sets sum up to the sum of the wins. Time and size grow as 2^k in the largest tie, k.

    Raises:
        ValueError: a forfeited seat that is not at the table.

    >>> read_order((1, 1)).wins
    (0.5, 0.5)
    """
    out = frozenset(forfeited)
    if not out <= frozenset(range(len(places))):
        raise ValueError(f"forfeited seats {sorted(out)} of a table with {len(places)} seats")
    wins = [0.0] * len(places)
    sets: dict[tuple[int, ...], float] = {}
    behind = frozenset(range(len(places)))
    for place in sorted({places[seat] for seat in behind - out}):
        tied = [seat for seat in range(len(places)) if places[seat] == place and seat not in out]
        behind -= frozenset(tied)
        for left in range(1, len(tied) + 1):
            for remaining in combinations(tied, left):
                choice = tuple(sorted(behind.union(remaining)))
                weight = 1 / comb(len(tied), left)
                if len(choice) == 1:
                    continue
                sets[choice] = sets.get(choice, 0.0) + weight
                for seat in remaining:
                    wins[seat] += weight / left
    ranks = [max(places) + 1 if seat in out else place for seat, place in enumerate(places)]
    return Order(
        sets=tuple(sorted(sets.items())),
        wins=tuple(wins),
        before=tuple(tuple(((other > rank) + (other >= rank)) / 2 for other in ranks) for rank in ranks),
    )
