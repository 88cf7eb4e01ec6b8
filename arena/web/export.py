"""A run as a folder of pages, and a match as one file: both open from disk and can be hosted anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from arena.errors import ArenaError
from arena.games.api import Game
from arena.referee.record import Record
from arena.referee.summary import MatchRow
from arena.tournament.store import RunReader
from arena.web.pages import Filter
from arena.web.rendering import asset, asset_names, inline_policy, render
from arena.web.replay import make_replay
from arena.web.site import DRAWING, Site, game_of, read_replay
from arena.web.snapshot import Snapshot, take

PAGE_SIZE = 250  #: matches on one page of a list
REPLAYS = 500  #: replays written unless another number is asked for
_PLAIN = re.compile(r"[^A-Za-z0-9_-]+")


def slug(text: str, number: int) -> str:
    """Return a name for a file, unique by `number` where `text` is no such name itself."""
    plain = _PLAIN.sub("-", text).strip("-")[:60]
    return plain if plain and plain == text else f"{plain}-{number}".lstrip("-")


@attrs.frozen(kw_only=True)
class FileLinks:
    """Addresses of files in one folder; the pages of a report all stand beside each other."""

    live = False
    entrants: Mapping[str, str]  #: file by entrant
    replays: Mapping[str, str]  #: file by match, of those that have one
    lists: frozenset[tuple[tuple[str, str], ...]]  #: filters that have pages, as their queries

    def standings(self) -> str:
        """As in `Links`."""
        return "index.html"

    def crosstable(self) -> str:
        """As in `Links`."""
        return "crosstable.html"

    def seats(self) -> str:
        """As in `Links`."""
        return "seats.html"

    def matches(self, chosen: Filter) -> str | None:
        """As in `Links`."""
        query = chosen.at_page(1).query()
        if tuple(query.items()) not in self.lists:
            return None
        words = ["matches"]
        if chosen.entrant:
            words = [self.entrants[chosen.entrant].removesuffix(".html"), *words]
        words += [word for word, on in (("forfeits", chosen.fault == "any"), ("upsets", chosen.upset)) if on]
        return "-".join([*words, str(chosen.page)] if chosen.page > 1 else words) + ".html"

    def entrant(self, name: str) -> str:
        """As in `Links`."""
        return self.entrants[name]

    def match(self, match_id: str) -> str | None:
        """As in `Links`."""
        return self.replays.get(match_id)

    def asset(self, name: str) -> str:
        """As in `Links`."""
        return name


@attrs.frozen(kw_only=True)
class Written:
    """What a report has."""

    pages: int
    replays: int
    left_out: int  #: matches without a replay


def write_report(reader: RunReader, folder: Path, *, replays: int = REPLAYS) -> Written:
    """Write every page of a run into `folder`, which is made; files of an earlier report are written over.

    Args:
        reader: of the run.
        folder: where to.
        replays: at most so many matches get a replay: those with forfeits first, then upsets, then by the plan.

    Raises:
        ArenaError: the folder can't be written, a record is damaged, or the game is not installed.
    """
    snapshot = take(reader)
    game = game_of(snapshot)
    chosen = _chosen(snapshot, replays)
    site = Site(snapshot=snapshot, links=_links(snapshot, chosen))
    pages = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in asset_names():
            (folder / name).write_text(asset(name), encoding="utf-8")
        if game.drawing():
            (folder / DRAWING).write_text(game.drawing(), encoding="utf-8")
        for name, text in _pages(site, reader, game, chosen):
            (folder / name).write_text(text, encoding="utf-8")
            pages += 1
    except OSError as error:
        raise ArenaError(f"{folder} can't be written: {error.strerror or error}") from None
    return Written(pages=pages, replays=len(chosen), left_out=len(snapshot.rows) - len(chosen))


def _chosen(snapshot: Snapshot, at_most: int) -> Sequence[MatchRow]:
    def weight(row: MatchRow) -> int:
        return 0 if row.forfeited or row.void else 1 if snapshot.is_upset(row) else 2

    return sorted(snapshot.rows, key=weight)[:at_most]  # sorting keeps the order of the plan among equals


def _links(snapshot: Snapshot, chosen: Sequence[MatchRow]) -> FileLinks:
    lists = [Filter(), Filter(fault="any"), Filter(upset=True), *(Filter(entrant=name) for name in snapshot.entrants)]
    return FileLinks(
        entrants={name: f"entrant-{slug(name, number)}.html" for number, name in enumerate(snapshot.entrants)},
        replays={row.match_id: f"match-{slug(row.match_id, number)}.html" for number, row in enumerate(chosen)},
        lists=frozenset(tuple(one.query().items()) for one in lists),
    )


def _pages(site: Site, reader: RunReader, game: Game, chosen: Sequence[MatchRow]) -> Iterator[tuple[str, str]]:
    links, snapshot = site.links, site.snapshot
    yield links.standings(), site.standings()
    yield links.crosstable(), site.crosstable()
    yield links.seats(), site.seats()
    for name in snapshot.entrants:
        page = site.entrant(name)
        if page is not None:
            yield links.entrant(name), page
    filters = [Filter(), Filter(fault="any"), Filter(upset=True), *(Filter(entrant=name) for name in snapshot.entrants)]
    for one in filters:
        found = sum(one.keeps(row, snapshot) for row in snapshot.rows)
        for number in range(1, max(1, -(-found // PAGE_SIZE)) + 1):
            address = links.matches(one.at_page(number))
            assert address is not None
            yield address, site.matches(one.at_page(number), PAGE_SIZE)
    for row in chosen:
        replay, address = read_replay(reader, row.match_id, game), links.match(row.match_id)
        assert replay is not None
        assert address is not None
        yield address, site.match(replay, game)


def single_page(record: Record, game: Game) -> str:
    """Return a match as one page that carries everything it needs; raise `ArchiveError` when it can't be replayed."""
    styles = asset("style.css") + asset("viewer.css")
    scripts = [asset("theme.js"), asset("viewer.js")] + ([game.drawing()] if game.drawing() else [])
    for text in scripts:
        if "</script" in text.lower():
            raise ArenaError(f"the drawing of {game.name} holds the end of a script element, so no page can carry it")
    return render(
        "single",
        FileLinks(entrants={}, replays={}, lists=frozenset()),
        replay=make_replay(record, game),
        styles=styles,
        scripts=scripts,
        inline=inline_policy(styles, *scripts),
    )
