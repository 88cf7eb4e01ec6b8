"""What ratings and tables are made from: `Result`, what the fit reads of a match, and `MatchRow`, what tables read.

A `MatchRow` has every attribute of a `Result` and may be handed to the fit as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeAlias

import msgspec

from arena.referee.summary import MatchRow

__all__ = ["Entrant", "Finish", "MatchRow", "Result", "clean"]

Entrant: TypeAlias = str


class Finish(Protocol):
    """What the fit reads of a match."""

    @property
    def line_up(self) -> tuple[Entrant, ...]:
        """Names of the entrants by seat; a name may sit at several seats."""

    @property
    def places(self) -> tuple[int, ...]:
        """By seat; less is better, equal places are ties."""

    @property
    def block(self) -> str:
        """The block the match belongs to."""

    @property
    def deal(self) -> int:
        """The deal that was played."""

    @property
    def forfeited(self) -> tuple[int, ...]:
        """Seats that forfeited: behind all others whatever `places` says, and not ordered among themselves."""


class Result(msgspec.Struct, frozen=True, gc=False):
    """How one match ended, as the fit sees it."""

    line_up: tuple[str, ...]  #: names of the entrants by seat; a name may sit at several seats
    places: tuple[int, ...]  #: by seat; less is better, equal places are ties
    block: str  #: one line-up, one deal, all seat rotations
    deal: int  #: number of the deal; line-ups that play the same deal share its number
    forfeited: tuple[int, ...] = ()  #: seats, behind all others and not ordered among themselves


def clean(rows: Iterable[MatchRow]) -> list[MatchRow]:
    """Return the rows of matches that have a result and in which nobody forfeited, in their order."""
    return [row for row in rows if not row.void and not row.forfeited]
