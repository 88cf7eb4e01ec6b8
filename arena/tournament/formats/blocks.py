"""Line-ups and the blocks they play: pure combinatorics of seats.

A block is one deal in all seat rotations of one cyclic order, so that everybody sits everywhere once. The blocks
of a line-up run through its cyclic orders in turn, so that nobody always sits behind the same neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations

from arena.tournament.formats.api import Pairing


@lru_cache
def cyclic_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the (seats - 1)! cyclic orders of `seats` entrants, each as indices that begin with 0.

    Neighbouring orders differ as much as they can: an order is followed by its mirror image where it has one.
    """
    rest = list(permutations(range(1, seats)))
    ordered: list[tuple[int, ...]] = []
    for order in rest:
        for candidate in (order, order[::-1]):
            if candidate not in ordered:
                ordered.append(candidate)
    return tuple((0, *order) for order in ordered)


def block_pairings(entrants: Sequence[str], *, deal: int, block: str, turn: int) -> Iterator[Pairing]:
    """Yield the pairings of one block: `deal` in all rotations of the cyclic order number `turn` (modulo all)."""
    seats = len(entrants)
    orders = cyclic_orders(seats)
    order = orders[turn % len(orders)]
    for rotation in range(seats):
        yield Pairing(
            match_id=f"{block}-s{rotation}",
            line_up=tuple(entrants[order[(seat + rotation) % seats]] for seat in range(seats)),
            deal=deal,
            block=block,
            rotation=rotation,
        )


def combinations_by_last(number: int, size: int) -> Iterator[tuple[int, ...]]:
    """Yield all rising `size`-tuples of indices below `number`, those with the smallest last index first.

    So the combinations of one more entrant begin with all combinations without it.
    """
    if size == 0:
        yield ()
        return
    for last in range(size - 1, number):
        for others in combinations_by_last(last, size - 1):
            yield (*others, last)
