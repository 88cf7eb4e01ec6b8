"""A match as it is stored: `Record`, with its actions, faults, outcome and how it was played.

`encode` and `decode` are the only way in and out; a record of a version that is not known is refused with
a sentence. `canonical` leaves out everything that was measured or depends on the machine: two runs of
deterministic bots without clock limits are equal in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import attrs
import msgspec

from arena.errors import ArchiveError
from arena.games.api import Json, OptionValue, Seat

RECORD_VERSION = 1


class Verdict(StrEnum):
    """Why a seat forfeited, or why a match is void."""

    FAILED_TO_START = "failed to start"
    PROTOCOL = "protocol"
    ILLEGAL = "illegal"
    TIMEOUT = "timeout"
    CRASH = "crash"
    OUTPUT_LIMIT = "output limit"
    MEMORY_LIMIT = "memory limit"
    REFEREE_ERROR = "referee error"


class Termination(StrEnum):
    """How a match ended."""

    FINISHED = "finished"  #: by the rules of the game
    FORFEIT = "forfeit"  #: all seats but one forfeited
    ABANDONED = "abandoned"  #: every seat forfeited
    VOID = "void"  #: a referee error; never scored


class Source(StrEnum):
    """Who chose an action."""

    BOT = "bot"
    FORCED = "forced"  #: the only legal one: nobody was asked
    FORFEIT = "forfeit"  #: a default action for a seat that forfeited
    STRIKE = "strike"  #: a default action that spent a strike


@attrs.frozen(kw_only=True)
class Fault:
    """What a bot did wrong, with its evidence: a value, never an exception."""

    seat: Seat
    verdict: Verdict
    reason: str  #: one sentence for people: what was seen, with the offending text quoted and numbers in units
    advice: str = ""  #: what its author can do about it
    action_number: int  #: how many actions had been played in the match
    at_ms: int  #: since the first request of the match
    forfeits: bool = True  #: False: a strike was spent instead
    stderr_tail: str = ""  #: the last lines the bot wrote to stderr, cleaned
    exit_status: str = ""  #: for example `exit code 3` or `signal SIGSEGV`, when it had ended


# The values that every match makes anew, some by the thousand, are msgspec structs: they cost a fifth of attrs classes.
class PlayedAction(msgspec.Struct, frozen=True, gc=False):
    """One action of the match, in order."""

    seat: Seat
    action: str  #: its notation
    source: Source = Source.BOT
    request: int = -1  #: id of the request it answers, -1 when nobody was asked


class Request(msgspec.Struct, frozen=True, gc=False):
    """One `act` message and its answer; its id is its index in the record's list."""

    seat: Seat
    wall_us: int  #: from the writing of `act` to the answer, or to its being called late
    cpu_us: int  #: of the bot's own CPU in that time; -1 where it can't be measured
    off_turn_cpu_us: int = 0  #: CPU the bot used since its last answer while it was not asked
    answered: bool = True
    given_back_us: int = 0  #: of `wall_us`, what others took and its clock was not charged for


@attrs.frozen(kw_only=True)
class Note:
    """A text that a bot sent for the record and the viewer."""

    seat: Seat
    action_number: int  #: how many actions had been played when it came
    text: str


class BotFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the program at a seat."""

    entrant: str
    name: str = ""  #: as the bot called itself in `ready`, cleaned
    version: str = ""
    startup_ms: int = -1
    peak_memory_mb: float = -1.0  #: resident, of the process tree; -1 where it can't be measured
    stderr_bytes: int = 0
    stderr_tail: str = ""


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how a match was played; nothing here is part of the result."""

    arena: str = ""  #: version of castell-arena
    python: str = ""
    system: str = ""
    machine: str = ""  #: its name
    processor: str = ""
    machine_cores: int = 0  #: that it has, 0 where that was not looked up
    speed: float = 0.0  #: see `arena.referee.speed`; 0: not measured
    slot: int = 0
    cores: tuple[int, ...] = ()  #: that the referee and its bots were pinned to; empty: not pinned
    rung: str = ""  #: the sandbox rung that held, for example `bubblewrap`; `none` for in-process bots
    user: str = ""  #: `dropped` where bots ran as another user than a root referee, else `kept`
    fresh: bool = True
    in_process: bool = False
    started_at: str = ""  #: ISO 8601, UTC
    wall_ms: int = 0  #: of the whole match, start-up included


@attrs.frozen(kw_only=True)
class Record:
    """Everything that is kept of one match."""

    version: int = RECORD_VERSION
    match_id: str
    game: str
    game_options: Mapping[str, OptionValue]
    fingerprint: str  #: of the rules and data in force, see `Game.fingerprint`
    line_up: tuple[str, ...]  #: entrants by seat
    deal: int
    block: str
    rotation: int
    key: str  #: hex; shown only when the run is over
    actions: tuple[PlayedAction, ...]
    requests: tuple[Request, ...] = ()
    faults: tuple[Fault, ...] = ()  #: in the order they happened; at most one per seat forfeits
    notes: tuple[Note, ...] = ()
    termination: Termination
    places: tuple[int, ...]  #: by seat, 1 is best; forfeiters share the last place. Empty when void
    scores: tuple[int, ...]  #: by seat; of a forfeiter what it had. Empty when void
    categories: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict)
    digest: str  #: of the final state
    bots: tuple[BotFacts, ...] = ()  #: by seat
    host: Host = attrs.field(factory=Host)

    @property
    def forfeited(self) -> tuple[Seat, ...]:
        """The seats that forfeited, rising."""
        return tuple(sorted({fault.seat for fault in self.faults if fault.forfeits}))


#: The fields of a record that deterministic bots reproduce, on any machine and with any number of slots.
CANONICAL_FIELDS = (
    "version", "match_id", "game", "game_options", "fingerprint", "line_up", "deal", "block", "rotation", "key",
    "actions", "notes", "termination", "places", "scores", "categories", "digest",
)  # fmt: skip

_decoder = msgspec.json.Decoder(Record)


class _Head(msgspec.Struct):
    version: int = 0


def encode(record: Record) -> bytes:
    """Return the record as one line of JSON without its line end."""
    return msgspec.json.encode(record)


def decode(data: bytes | str, *, file: str = "record") -> Record:
    """Return the record in `data`; raise `ArchiveError` naming `file` when it is none or of another version."""
    try:
        version = msgspec.json.decode(data, type=_Head).version
        if version != RECORD_VERSION:
            raise ArchiveError(
                file,
                f"the record has version {version}, this arena reads {RECORD_VERSION}; use the arena that wrote it",
            )
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ArchiveError(file, f"not a match record: {error}") from None


def canonical(record: Record) -> Json:
    """Return what deterministic bots reproduce, as JSON values: `CANONICAL_FIELDS`, and faults without evidence."""
    whole = msgspec.to_builtins(record)
    kept = {name: whole[name] for name in CANONICAL_FIELDS}
    kept["faults"] = [
        {name: fault[name] for name in ("seat", "verdict", "action_number", "forfeits")} for fault in whole["faults"]
    ]
    return kept
