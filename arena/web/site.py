"""The pages of one run as HTML, wherever they will stand: on a server or in a folder."""

from __future__ import annotations

import attrs

from arena import plugins
from arena.errors import ArchiveError
from arena.games.api import Game
from arena.referee import record as records
from arena.tournament.store import RunReader
from arena.web import pages
from arena.web.pages import Filter
from arena.web.rendering import Head, Links, render
from arena.web.replay import Replay, make_replay
from arena.web.snapshot import Snapshot

DRAWING = "drawing.js"  #: the asset with the drawing of the run's game


@attrs.frozen(kw_only=True)
class Site:
    """One run, at one moment, with the links between its pages."""

    snapshot: Snapshot
    links: Links

    @property
    def _head(self) -> Head:
        plan = self.snapshot.plan
        return Head(run=plan.name, game=plan.settings.game, stored=self.snapshot.stored)

    def standings(self) -> str:
        """Return the first page."""
        return self._page("standings", pages.standings(self.snapshot))

    def crosstable(self) -> str:
        """Return the crosstable."""
        return self._page("crosstable", pages.crosstable(self.snapshot))

    def seats(self) -> str:
        """Return the seat effect."""
        return self._page("seats", pages.seat_effect(self.snapshot))

    def matches(self, chosen: Filter, size: int = pages.PAGE_SIZE) -> str:
        """Return one page of matches."""
        return self._page("matches", pages.match_list(self.snapshot, chosen, size))

    def entrant(self, name: str) -> str | None:
        """Return an entrant's page, None when there is none of this name."""
        data = pages.entrant_page(self.snapshot, name)
        return None if data is None else self._page("entrant", data)

    def match(self, replay: Replay, game: Game) -> str:
        """Return the page of a match."""
        drawing = self.links.asset(DRAWING) if game.drawing() else ""
        return render("match", self.links, head=self._head, page="match", replay=replay, drawing=drawing)

    def problem(self, title: str, sentence: str) -> str:
        """Return a page that says what is wrong."""
        return render("problem", self.links, head=self._head, page="", title=title, sentence=sentence)

    def _page(self, name: str, data: object) -> str:
        return render(name, self.links, head=self._head, page=name, data=data)


def game_of(snapshot: Snapshot) -> Game:
    """Return the game that a run plays; raise `ConfigError` when it is not installed."""
    return plugins.game(snapshot.plan.settings.game)


def read_replay(reader: RunReader, match_id: str, game: Game) -> Replay | None:
    """Return the replay of a match, None when it isn't stored; raise `ArchiveError` when it can't be replayed."""
    data = reader.record(match_id)
    if data is None:
        return None
    record = records.decode(data, file=match_id)
    fingerprint = game.fingerprint(record.game_options)
    if record.fingerprint != fingerprint:
        raise ArchiveError(
            match_id, f"it was played under {record.fingerprint!r}, but the game at hand is {fingerprint!r}"
        )
    return make_replay(record, game)
