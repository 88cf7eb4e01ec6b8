"""What the scheduler and a referee process say to each other, one JSON object a line.

To the referee: `setup` once, then `play` with a batch of fixtures (more may follow before it is done), at last the
end of its standard input. From it: `ready` once, `started` and `record` for every match, `alive` at least every
second while it plays, and `failed` instead of `ready` when the set-up can't be honoured. A record travels as it
is stored, so the scheduler never decodes it; what it needs to know stands in the `summary`.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.referee.record import Fault, Host
from arena.referee.settings import Entrant, Fixture, Settings
from arena.referee.summary import MatchRow

ALIVE_EVERY_MS = 1_000


class Setup(msgspec.Struct, tag="setup", frozen=True):
    """How all matches are played, and where."""

    settings: Settings
    entrants: tuple[Entrant, ...]
    slot: int
    cores: tuple[int, ...]  #: to pin to; empty: none
    logs: str = ""  #: a folder for protocol traces
    machine: str = ""  #: what this machine is called in records; its name on the network unless given
    speed: float = 0.0  #: of this machine, for the records; see `arena.referee.speed`


class Play(msgspec.Struct, tag="play", frozen=True):
    """Matches to play, in order, after those that were handed over before."""

    fixtures: tuple[Fixture, ...]


class ReadyToPlay(msgspec.Struct, tag="ready", frozen=True):
    """The set-up holds; `host` has the sandbox rung."""

    host: Host


class CannotPlay(msgspec.Struct, tag="failed", frozen=True):
    """The set-up can't be honoured; a sentence for people."""

    problem: str


class MatchStarted(msgspec.Struct, tag="started", frozen=True):
    """A match begins: its bots are being started."""

    match_id: str


class Alive(msgspec.Struct, tag="alive", frozen=True):
    """The referee plays on."""

    match_id: str
    last_seat: int  #: the seat whose message came last, -1 for none


class MatchPlayed(msgspec.Struct, tag="record", frozen=True):
    """A match is over."""

    summary: MatchRow
    faults: tuple[Fault, ...]
    record: msgspec.Raw


ToReferee: TypeAlias = Setup | Play
FromReferee: TypeAlias = ReadyToPlay | CannotPlay | MatchStarted | Alive | MatchPlayed
