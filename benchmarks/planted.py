"""Tournaments with planted strengths, played by dice: what the statistics are proved on.

A seat's utility is the strength of its entrant, plus what the seat is worth always, plus what it is worth in this deal
(whoever sits there), plus what this deal is worth to this entrant (at any seat and in any line-up), plus luck (Gumbel,
the one that makes Plackett-Luce true). Utilities are rounded to whole points, so that ties happen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.ratings import Ratings, Result, fit


@attrs.frozen(kw_only=True)
class Planted:
    """The truth behind a tournament, in natural logarithms of weights."""

    seats: int
    strengths: tuple[float, ...] = (-0.8, -0.45, -0.1, 0.15, 0.4, 0.8)
    seat_worth: float = 0.4  #: difference between the first and the last seat
    deal_by_seat: float = 0.0  #: standard deviation
    deal_by_entrant: float = 0.0  #: standard deviation
    point: float = 0.0  #: size of one point of score; 0: no ties

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants."""
        return tuple(f"bot{number}" for number in range(len(self.strengths)))

    def line_ups(self) -> NDArray[np.intp]:
        """Return every line-up in one seat order, shape (line-ups, seats)."""
        return np.array(list(combinations(range(len(self.strengths)), self.seats)), dtype=np.intp)

    def play(self, deals: int, rng: np.random.Generator, *, rotated: bool = True) -> list[Result]:
        """Return the results of every line-up on the same deals.

        Args:
            deals: how many; each gives `seats` matches for every line-up.
            rng: the dice.
            rotated: play each deal in all seat rotations; else every match gets a deal (and a block) of its own.
        """
        line_ups = self.line_ups()
        rotations = np.stack([np.roll(line_ups, -turn, axis=1) for turn in range(self.seats)])
        entrants = np.tile(rotations.transpose(1, 0, 2).reshape(-1, self.seats), (deals, 1))
        per_deal = len(line_ups) * self.seats
        deal = np.repeat(np.arange(deals), per_deal)
        block = np.arange(len(entrants)) // self.seats
        if not rotated:
            deal = block = np.arange(len(entrants))
        places = self._places(entrants, deal, rng)
        return [
            Result(tuple(names), tuple(order), f"b{number}", dealt)
            for names, order, number, dealt in zip(
                np.array(self.names)[entrants].tolist(), places.tolist(), block.tolist(), deal.tolist(), strict=True
            )
        ]

    def _places(self, entrants: NDArray[np.intp], deal: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
        deals = int(deal.max()) + 1
        by_seat = rng.normal(0, 1, (deals, self.seats)) * self.deal_by_seat
        by_entrant = rng.normal(0, 1, (deals, len(self.strengths))) * self.deal_by_entrant
        worth = np.linspace(self.seat_worth / 2, -self.seat_worth / 2, self.seats)
        utility = np.array(self.strengths)[entrants] + worth + by_seat[deal] + by_entrant[deal[:, None], entrants]
        score = utility + rng.gumbel(0, 1, entrants.shape)
        if self.point:
            score = np.floor(score / self.point)
        places: NDArray[np.intp] = 1 + (score[:, None, :] > score[:, :, None]).sum(axis=2)
        return places


def tied_share(results: Sequence[Result]) -> float:
    """Return the share of matches in which any two seats tied."""
    return sum(len(set(result.places)) < len(result.places) for result in results) / len(results)


def limit(planted: Planted, rng: np.random.Generator, deals: int = 4000) -> Ratings:
    """Return the fit of very many deals: the values that intervals of short tournaments should cover.

    They differ from the planted strengths where luck comes in parts that Plackett-Luce doesn't know of: what a deal is
    worth to an entrant is luck too, and more luck means smaller differences of rating.
    """
    return fit(planted.play(deals, rng))
