"""Runs made without any process, full of hostile names and texts, and a way to ask an application."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import attrs
import trio

from arena import __version__, plugins
from arena.options import complete_options
from arena.referee import record as records
from arena.referee.record import BotFacts, Note, Record
from arena.referee.settings import BotKind, Entrant, Settings
from arena.referee.summary import summarise
from arena.testing.records import random_record
from arena.tournament.director import Director
from arena.tournament.plan import Plan, Stage
from arena.tournament.store import RunStore, StoredMatch

EVIL = "<script>boom()</script>"
EVIL_END = "</script><img src=x onerror=boom()>"
NAMES = ("ann", EVIL, "cy & co")


@attrs.frozen
class Answer:
    """What an application answered."""

    status: int
    headers: Mapping[str, str]
    text: str


def ask(app: Any, path: str, *, method: str = "GET", body: bytes = b"", **headers: str) -> Answer:
    """Ask an ASGI application once, as a browser on this machine would."""
    route, _, query = path.partition("?")
    named = {"host": "localhost", **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": unquote(route), "raw_path": route.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        "server": ("localhost", 80), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def main() -> None:
        with trio.fail_after(20):
            await app(scope, receive, send)

    trio.run(main)
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], head, b"".join(part.get("body", b"") for part in sent[1:]).decode())


def hostile(record: Record) -> Record:
    """Return a record whose bots called themselves, noted and printed what must never become markup."""
    faults = [attrs.evolve(fault, stderr_tail=EVIL, reason=f"it said {EVIL_END}") for fault in record.faults]
    bots = tuple(BotFacts(entrant=name, name=EVIL, version="<b>") for name in record.line_up)
    return attrs.evolve(record, notes=(Note(seat=0, action_number=1, text=EVIL_END),), bots=bots, faults=tuple(faults))


def make_plan(game_name: str, seats: int, deals: int = 1) -> Plan:
    game = plugins.game(game_name)
    options = complete_options(game, {})
    return Plan(
        name="show",
        settings=Settings(game=game.name, game_options=options, seats=seats),
        fingerprint=game.fingerprint(options),
        arena=__version__,
        entrants=tuple(Entrant(name=name, kind=BotKind.PLUGIN, target=f"bots:{name}") for name in NAMES),
        format="round-robin",
        stages=(Stage(entrants=NAMES, settings={"deals": deals, "max_matches": 0}),),
        secret="ab" * 16,
    )


def play_into(store: RunStore, at_most: int = 10**6) -> int:
    """Play matches of the plan that are not stored yet, at random; the second of them has a forfeit."""
    director, played = Director(store.plan, store.all_rows()), 0
    game = plugins.game(store.plan.settings.game)
    while played < at_most and (fixture := director.next_fixture()) is not None:
        record = hostile(random_record(game, fixture, forfeits={3: 1} if fixture.number == 1 else {}))
        row = summarise(record)
        store.insert_many([StoredMatch(number=fixture.number, row=row, record=records.encode(record))])
        director.finished(row)
        played += 1
    return played
