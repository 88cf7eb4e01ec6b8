"""What ratings and tables are made from: `Result`, what the fit reads of a match, and `MatchRow`, what tables read.

A `MatchRow` has every attribute of a `Result` and may be handed to the fit as it is. Both are
msgspec structs, not attrs classes, because a run of 100,000 matches makes 100,000 of them: one costs
about 0.3 us to make, and `msgspec.json.decode(line, type=MatchRow)` or `msgspec.convert` checks one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias

import msgspec

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


class MatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One stored match, as the tables see it; made by the store. Everything "by seat" has one entry for each seat.

    Only matches that count are handed over: none that is set aside or was not played. A void match is
    allowed (its `places` and `scores` are empty) and is counted in no column but the note beneath the table.
    """

    match_id: str
    line_up: tuple[str, ...]  #: names of the entrants by seat
    places: tuple[int, ...]  #: by seat, 1 is best; forfeiters share the last place. Empty when void
    scores: tuple[int, ...]  #: by seat. Empty when void
    block: str
    deal: int
    termination: str  #: a value of `arena.referee.record.Termination`
    categories: Mapping[str, tuple[int, ...]] = {}  #: points by category, each by seat
    forfeited: tuple[int, ...] = ()  #: seats, rising
    verdicts: tuple[str, ...] = ()  #: by seat: the verdict that forfeited it, "" for none. Empty: nobody forfeited
    strikes: tuple[int, ...] = ()  #: by seat: strikes spent. Empty: nobody spent any
    requests: tuple[int, ...] = ()  #: by seat: how many requests `mean_ms` is the mean of. Empty: unknown
    mean_ms: tuple[float, ...] = ()  #: by seat: mean time of a request; any value where `requests` is 0
    max_ms: tuple[float, ...] = ()  #: by seat: longest time of a request

    @property
    def void(self) -> bool:
        """Whether the match was ended by a referee error: it has no result."""
        return not self.places


def clean(rows: Iterable[MatchRow]) -> list[MatchRow]:
    """Return the rows of matches that have a result and in which nobody forfeited, in their order."""
    return [row for row in rows if not row.void and not row.forfeited]
