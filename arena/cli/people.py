"""The people of a match: in this terminal, or at browsers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

from arena import web
from arena.cli.output import strong
from arena.cli.person import Left, SeatedPerson
from arena.games.api import Game, Seat, State
from arena.referee.record import Record
from arena.sdk.bot import Bot, Turn

if TYPE_CHECKING:
    from arena.web.background import Server
    from arena.web.table import WebPerson, WebTable


class People(Protocol):
    """Those who play a match and are no programs."""

    @property
    def bots(self) -> Mapping[Seat, Bot]:
        """Each of them, as the referee wants to see them."""

    def ended(self, record: Record) -> None:
        """Show them how it ended."""


class TerminalPeople:
    """People who share this terminal."""

    def __init__(self, seated: Mapping[Seat, SeatedPerson]) -> None:
        self._seated = seated

    @property
    def bots(self) -> Mapping[Seat, Bot]:
        """As in `People`."""
        return self._seated

    def ended(self, record: Record) -> None:
        """Tell what came after the last action that anybody here was told."""
        last = max(self._seated.values(), key=lambda person: person.live.told)
        last.live.hear(record.actions[last.live.told :])


class BrowserPeople:
    """People at browsers, each with a link of their own."""

    def __init__(self, table: WebTable, seated: Mapping[Seat, _AtBrowser]) -> None:
        self._table = table
        self._seated = seated

    @property
    def bots(self) -> Mapping[Seat, Bot]:
        """As in `People`."""
        return self._seated

    def ended(self, record: Record) -> None:
        """Turn their pages into the replay."""
        self._table.end(record)


class _AtBrowser(Bot):
    """A person at a browser; who leaves there has left as somebody who leaves in the terminal."""

    name = "human"
    wants = ("actions",)

    def __init__(self, person: WebPerson) -> None:
        self._person = person

    def choose(self, turn: Turn) -> str:
        from arena.web.table import PersonLeft

        try:
            return self._person.choose(turn)
        except PersonLeft:
            raise Left from None


class Browsers:
    """Where browsers find the people's pages."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def seat(self, game: Game, opening: State, names: tuple[str, ...], seats: Sequence[Seat]) -> People:
        """Lay a table for a match and print the link of each seat; `opening` is owned from here on."""
        from arena.web.seat import seats as application
        from arena.web.table import WebPerson, WebTable

        table = WebTable(game, opening, names, seats)
        self._server.app = application(table, self._server.hosts)
        for token, seat in table.tokens.items():
            click.echo(f"{names[seat]} plays at {strong(f'{self._server.address}/seat/{token}')}", err=True)
        return BrowserPeople(table, {seat: _AtBrowser(WebPerson(table, seat)) for seat in seats})


@contextmanager
def serving_people(host: str, port: int) -> Iterator[Browsers]:
    """Serve people's pages while the block runs.

    Raises:
        ArenaError: the extra `web` is not installed, or the address can't be had.
    """
    web.check_installed()
    from arena.web.background import serving

    with serving(host, port) as server:
        yield Browsers(server)
