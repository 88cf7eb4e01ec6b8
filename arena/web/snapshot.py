"""A run as it stood at one moment, read once for all pages; `Snapshots` keeps the newest while the run goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import attrs

from arena.referee.summary import MatchRow
from arena.report.tables import make_tables
from arena.report.values import StandingRow, Tables
from arena.tournament.director import Unscored
from arena.tournament.plan import Plan
from arena.tournament.store import Event, RunReader

#: A first place is an upset when somebody of at least so many Elo more, who did not forfeit, stands behind it.
UPSET_ELO = 100
#: A run that goes on is counted anew only after this many times what the last count took, so that watching it costs
#: a hundredth of one core at most.
REST = 100
LEAST_REST_S = 1.0


@attrs.frozen(kw_only=True, eq=False, slots=False)
class Snapshot:
    """What all pages of a run are made from."""

    stored: int  #: matches in the store; pages of an equal number are equal
    plan: Plan
    rows: Sequence[MatchRow]  #: that count, in the order of the plan
    tables: Tables
    unscored: Sequence[Unscored]
    events: Sequence[Event]

    @cached_property
    def standing(self) -> Mapping[str, StandingRow]:
        """The standings by entrant."""
        return {row.entrant: row for row in self.tables.standings}

    @cached_property
    def entrants(self) -> tuple[str, ...]:
        """Every entrant of the plan, and whoever has played besides."""
        return tuple(dict.fromkeys([*(one.name for one in self.plan.entrants), *self.standing]))

    def is_upset(self, row: MatchRow) -> bool:
        """Whether somebody far weaker by the ratings came in before somebody who played to the end; see `UPSET_ELO`."""
        if row.void:
            return False
        elo = self._elo
        ratings = [
            (elo.get(name), place)
            for seat, (name, place) in enumerate(zip(row.line_up, row.places, strict=True))
            if seat not in row.forfeited
        ]
        winners = [rating for rating, place in ratings if place == 1 and rating is not None]
        behind = [rating for rating, place in ratings if place > 1 and rating is not None]
        return len(winners) == 1 and bool(behind) and max(behind) - winners[0] >= UPSET_ELO

    @cached_property
    def _elo(self) -> Mapping[str, float]:
        return {row.entrant: row.elo for row in self.tables.standings if row.elo is not None}


def take(reader: RunReader) -> Snapshot:
    """Read a run and count everything; raise `ArchiveError` when it is damaged."""
    plan = reader.plan
    stored = reader.count()
    rows = reader.rows()
    return Snapshot(
        stored=stored,
        plan=plan,
        rows=rows,
        tables=make_tables(rows, entrants=[entrant.name for entrant in plan.entrants]),
        unscored=reader.unscored(),
        events=reader.events(),
    )


class Snapshots:
    """The newest snapshot of a run, for many threads; whoever asks too soon after the last count gets the old one."""

    def __init__(self, folder: Path) -> None:
        """Read the run in `folder` for the first time; raise `ArchiveError` when there is none."""
        self._folder = folder
        self._reading = threading.Lock()
        self._due_s = 0.0
        self._newest = self._take()

    @property
    def newest(self) -> Snapshot:
        """The newest snapshot, without looking at the run."""
        return self._newest

    def get(self) -> Snapshot:
        """Return a snapshot, a new one when the run has grown and it is time; nobody waits for another's count."""
        if time.monotonic() >= self._due_s and self._reading.acquire(blocking=False):
            try:
                with RunReader(self._folder) as reader:
                    grown = self._key(reader) != self._last
                if grown:
                    self._newest = self._take()
                else:
                    self._due_s = time.monotonic() + LEAST_REST_S
            finally:
                self._reading.release()
        return self._newest

    def _take(self) -> Snapshot:
        began_s = time.monotonic()
        with RunReader(self._folder) as reader:
            self._last = self._key(reader)
            snapshot = take(reader)
        ended_s = time.monotonic()
        self._due_s = ended_s + max(LEAST_REST_S, REST * (ended_s - began_s))
        return snapshot

    @staticmethod
    def _key(reader: RunReader) -> tuple[int, int]:
        return reader.count(), len(reader.unscored())
