"""What plays fixtures: the small interface between a run and its engine.

The built-in `arena.tournament.pool.Pool` plays on this machine. Every backend promises the same: each fixture that
the source gives out ends in exactly one of `played` and `set_aside`, whatever dies on the way.
"""

from __future__ import annotations

from typing import Protocol

import attrs

from arena.games.api import Seat
from arena.referee.settings import Fixture
from arena.referee.wire import MatchPlayed

#: A match that killed so many referees is set aside.
KILLS_BEFORE_SET_ASIDE = 3


@attrs.frozen(kw_only=True)
class Loss:
    """A referee died or stalled in the middle of a match."""

    fixture: Fixture
    slot: int
    reason: str  #: one sentence
    last_seat: Seat | None  #: whose message came last before it, the likely cause
    times: int  #: how often this match has lost its referee, this time included


class Source(Protocol):
    """Where fixtures come from."""

    def next_fixture(self) -> Fixture | None:
        """Return a fixture to play; None: none now, ask again after the next result, or never when `done`."""

    @property
    def done(self) -> bool:
        """Whether `next_fixture` gives out nothing any more, whatever results come."""


class Sink(Protocol):
    """Where results go."""

    def started(self, fixture: Fixture, slot: int) -> None:
        """Take note that a match begins."""

    async def played(self, match: MatchPlayed, fixture: Fixture, slot: int) -> None:
        """Take a result; when this returns the source knows it. It is durable once it is announced."""

    async def lost(self, loss: Loss) -> None:
        """Take note of a match that will be replayed."""

    async def set_aside(self, loss: Loss) -> None:
        """Take note of a match that killed its referee too often and will not be played again."""


class Backend(Protocol):
    """An engine that plays fixtures."""

    async def play(self, source: Source, sink: Sink) -> None:
        """Play until the source is done and every fixture it gave out has ended; cancel it to stop.

        Raises:
            ArenaError: no referee can be started, with the reason.
        """
