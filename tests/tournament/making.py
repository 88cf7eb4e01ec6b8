"""Plans, results and records for tests, without any game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from arena.referee.record import Fault, Host, Record, Termination, Verdict, encode
from arena.referee.settings import BotKind, Entrant, Fixture, Settings
from arena.referee.summary import MatchRow, summarise
from arena.testing.formats import made_up
from arena.tournament import formats
from arena.tournament.formats.api import Pairing, SettingValue
from arena.tournament.plan import Plan, Stage
from arena.tournament.store import StoredMatch

SECRET = "00112233445566778899aabbccddeeff"


def make_plan(
    names: Sequence[str] = ("ada", "bob", "cyd"),
    *,
    seats: int = 3,
    format: str = "round-robin",  # noqa: A002 - the word of the field
    settings: Mapping[str, SettingValue] | None = None,
    disable_after: int | None = None,
    secret: str = SECRET,
) -> Plan:
    defaults = {setting.name: setting.default for setting in formats.find(format).settings}
    return Plan(
        name="test",
        settings=Settings(game="pile", seats=seats),
        fingerprint="pile 1",
        arena="0",
        entrants=tuple(
            Entrant(
                name=name, kind=BotKind.COMMAND, argv=("/bin/true", "x"), folder="/bots", content_hash=f"hash {name}"
            )
            for name in names
        ),
        format=format,
        stages=(Stage(entrants=tuple(names), settings=defaults | dict(settings or {})),),
        disable_after=disable_after,
        secret=secret,
    )


def make_record(fixture: Fixture, *, faulty: Sequence[str] = (), slot: int = 0) -> Record:
    """Return a record with a made-up result; entrants in `faulty` time out."""
    pairing = Pairing(match_id=fixture.match_id, line_up=fixture.line_up, deal=fixture.deal, block=fixture.block)
    played = made_up(pairing)
    out = [seat for seat, name in enumerate(fixture.line_up) if name in faulty]
    last = len(fixture.line_up)
    return Record(
        match_id=fixture.match_id,
        game="pile",
        game_options={},
        fingerprint="pile 1",
        line_up=fixture.line_up,
        deal=fixture.deal,
        block=fixture.block,
        rotation=fixture.rotation,
        key=fixture.key,
        actions=(),
        faults=tuple(
            Fault(seat=seat, verdict=Verdict.TIMEOUT, reason="too late", action_number=0, at_ms=0) for seat in out
        ),
        termination=Termination.FINISHED,
        places=tuple(last if seat in out else place for seat, place in enumerate(played.places)),
        scores=played.scores,
        digest=fixture.match_id,
        host=Host(slot=slot, wall_ms=5, started_at="2026-11-30T00:00:00+00:00"),
    )


def make_row(fixture: Fixture, *, faulty: Sequence[str] = ()) -> MatchRow:
    return summarise(make_record(fixture, faulty=faulty))


def make_stored(fixture: Fixture, *, faulty: Sequence[str] = (), slot: int = 0) -> StoredMatch:
    record = make_record(fixture, faulty=faulty, slot=slot)
    return StoredMatch(number=fixture.number, row=summarise(record), record=encode(record))


def changed(plan: Plan, **changes: Any) -> Plan:
    """Return the plan with other `Settings`."""
    return attrs.evolve(plan, settings=attrs.evolve(plan.settings, **changes))
