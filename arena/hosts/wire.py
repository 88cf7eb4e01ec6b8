"""What a run and its hosts say to each other, encoded: Dask carries nothing but these bytes.

A host is asked for `Kit` once a run and answers `Missing` (bots to be sent along the next time), `Ready` or `Unfit`.
Then each `Job` is answered by a `Result`.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from arena.referee.settings import Entrant, Fixture, Settings
from arena.referee.wire import MatchPlayed

NOT_READY = "not ready for this run"  #: the problem of a host that was started anew


class KitEntrant(msgspec.Struct, frozen=True):
    """An entrant as it is sent: its paths are those of the run's machine, its content travels apart."""

    entrant: Entrant  #: with its content hash
    build: tuple[str, ...] = ()


class Versions(msgspec.Struct, frozen=True):
    """What must be the same everywhere, for matches to be the same."""

    arena: str
    code: str  #: a hash of the arena's own files
    game: str
    rules: str  #: fingerprint of the game's rules and data


class Kit(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a host must know to play the matches of a run."""

    run: str  #: the same for every start of a run
    session: str  #: of this start
    versions: Versions
    settings: Settings
    entrants: tuple[KitEntrant, ...]
    cores_per_match: int = 1


class Missing(msgspec.Struct, tag="missing", frozen=True):
    """Content hashes of bots that the host hasn't got."""

    bots: tuple[str, ...]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a host that is ready."""

    machine: str
    processor: str = ""
    cores: int = 0
    rung: str = ""
    user: str = ""
    speed: float = 0.0  #: see `arena.referee.speed`
    warning: str = ""  #: what the organiser should know about its sandbox


class Ready(msgspec.Struct, tag="ready", frozen=True):
    """The host has every bot, and each of them starts."""

    facts: Facts


class Unfit(msgspec.Struct, tag="unfit", frozen=True):
    """The host can't take part; a sentence for people."""

    reason: str


class Job(msgspec.Struct, frozen=True):
    """Matches to be played one after the other."""

    session: str
    fixtures: tuple[Fixture, ...]


class LostReferee(msgspec.Struct, frozen=True):
    """The referee died or stalled in the first match that was not played."""

    reason: str
    last_seat: int  #: whose message came last, -1 for none


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a job: the first so many of its matches, and why not more."""

    played: tuple[MatchPlayed, ...]
    seconds: float  #: that they took
    lost: LostReferee | None = None
    problem: str = ""  #: the host can't go on; a sentence


Answer: TypeAlias = Missing | Ready | Unfit
answer_decoder = msgspec.json.Decoder(Answer)
result_decoder = msgspec.json.Decoder(Result)
