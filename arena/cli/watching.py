"""Watches a run for people: complaints as they come, progress, the standings so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from arena.cli.complaints import Complaints
from arena.cli.progress import LiveView, PlainView, Progress
from arena.plugins import Observers
from arena.referee.record import Fault
from arena.referee.settings import Fixture
from arena.referee.summary import MatchRow
from arena.report.tables import Section, make_tables, render
from arena.report.values import Tables
from arena.tournament.backend import Loss
from arena.tournament.director import Director, Status, Unscored


class Watch:
    """A watcher of `arena.tournament.run.Run` that prints."""

    def __init__(
        self,
        view: PlainView | LiveView,
        entrants: Sequence[str],
        *,
        anchor: str | None = None,
        width: Callable[[], int | None] = lambda: 80,
        done_before: int = 0,
        observers: Observers | None = None,
        folder: str = "",
        now: Callable[[], float] = time.monotonic,
        hosts: Callable[[], str] = str,
    ) -> None:
        """Make a watcher.

        Args:
            view: where it prints.
            entrants: names, for the standings.
            anchor: the entrant whose rating is the fixed point.
            width: how wide tables may be.
            done_before: matches played by an earlier start, which don't count into the rate.
            observers: plugins that are told of every result.
            folder: of the run, for the observers.
            now: a monotonic clock in seconds.
            hosts: returns in a few words which machines take part, "" where there is one.
        """
        self.complaints = Complaints(view.say)
        self._view = view
        self._entrants = entrants
        self._anchor = anchor
        self._width = width
        self._now = now
        self._hosts = hosts
        self._began_s = now()
        self._done_before = done_before
        self._observers = observers
        self._folder = folder
        self._playing = 0
        self._told: set[str] = set()
        self._latest: Tables | None = None

    def started(self, fixture: Fixture, slot: int) -> None:
        """Count it."""
        del fixture, slot
        self._playing += 1

    def played(self, row: MatchRow, faults: Sequence[Fault], logs: Sequence[Path]) -> None:
        """Tell its faults."""
        self._playing = max(0, self._playing - 1)
        for fault in faults:
            log = next((path for path in logs if f".seat-{fault.seat}." in path.name), None)
            self.complaints.fault(row.match_id, row.line_up[fault.seat], fault, log)
        if self._observers:
            for sentence in self._observers.match_finished(self._folder, msgspec.to_builtins(row)):
                self._view.say(sentence)

    def unscored(self, decision: Unscored) -> None:
        """Tell every reason once."""
        if decision.status is Status.SET_ASIDE:
            blamed = f"; the last message came from {decision.blamed}" if decision.blamed else ""
            self._view.say(f"{decision.match_id} is set aside: {decision.reason}{blamed}")
        elif decision.reason not in self._told:
            self._told.add(decision.reason)
            self._view.say(f"matches that are not played: {decision.reason}")

    def lost(self, loss: Loss) -> None:
        """Tell that a match is replayed."""
        self._playing = max(0, self._playing - 1)
        self._view.say(f"{loss.fixture.match_id}: {loss.reason}; the match is replayed")

    def settled(self, director: Director) -> None:
        """Show how far the run is."""
        progress = Progress(
            done=director.settled,
            total=director.total,
            done_before=self._done_before,
            elapsed_s=self._now() - self._began_s,
            playing=self._playing,
            state=director.state,
            hosts=self._hosts(),
        )
        self._view.update(progress, self._standings)

    def make_standings(self, rows: Sequence[MatchRow]) -> bytes:
        """Return the content of `standings.json`; called in a thread. What it counted is shown from then on."""
        tables = make_tables(rows, anchor=self.usable_anchor(rows), entrants=self._entrants)
        self._latest = tables
        return msgspec.json.format(msgspec.json.encode(tables), indent=1)

    def usable_anchor(self, rows: Sequence[MatchRow]) -> str | None:
        """Return the anchor, None while it has not played."""
        played = self._anchor is not None and any(self._anchor in row.line_up for row in rows)
        return self._anchor if played else None

    def _standings(self) -> list[str]:
        if self._latest is None:
            return []
        return render(self._latest, sections=[Section.STANDINGS], width=self._width()).splitlines()
