"""What a referee is told: how matches are played (`Settings`), by whom (`Entrant`), and which one next (`Fixture`).

All values here are plain, frozen and encodable with msgspec; none holds a path that only one process can open
except those that name programs and folders of bots. Times are integer milliseconds, sizes bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import attrs

from arena.games.api import OptionValue


class ClockKind(StrEnum):
    """What a clock counts."""

    WALL = "wall"
    CPU = "cpu"  #: the bot's own CPU time; a wall limit of several times the CPU limit still bounds every wait


@attrs.frozen(kw_only=True)
class Clock:
    """The time control of a match. See docs/protocol.md, "Clock"."""

    startup_ms: int = 10_000  #: from the start of the program to its `ready`, twice: for `hello` and for `start`
    per_action_ms: int | None = 1_000  #: for one request; None: no limit for a single request
    bank_ms: int | None = None  #: for all requests of a match together; None: no bank
    increment_ms: int = 0  #: added to the bank by each answered request
    margin_ms: int = 50  #: overrun that is tolerated at each request and not charged
    strikes: int = 0  #: late answers (and off-turn burns) that cost a default action instead of the match
    kind: ClockKind = ClockKind.WALL
    cpu_wall_factor: int = 5  #: with kind = "cpu" the wall limit of a request is this many times its CPU limit

    @property
    def limited(self) -> bool:
        """Whether any request has a limit at all."""
        return self.per_action_ms is not None or self.bank_ms is not None


@attrs.frozen(kw_only=True)
class Limits:
    """Caps on what a bot may send and use; crossing one is a fault with its own verdict."""

    line_bytes: int = 256 * 1024  #: of one protocol line, its end included
    lines_between_requests: int = 256  #: protocol lines of any kind since the last request
    stderr_bytes: int = 16 * 1024 * 1024  #: written to stderr in one match; the last 64 KiB are kept
    note_bytes: int = 4096  #: of one note; longer ones are cut
    notes_bytes: int = 64 * 1024  #: of all notes of one seat kept in the record
    memory_mb: int = 512  #: resident memory of the bot's whole process tree, unless its entrant declares another
    processes: int = 64  #: processes and threads of a bot, unless its entrant declares another
    scratch_mb: int = 64  #: size of the bot's private scratch folder
    off_turn_cpu_percent: int = 25  #: CPU used off turn, as a share of the wall time off turn, that is not acted upon
    off_turn_cpu_grace_ms: int = 200  #: CPU used off turn between two requests that is never acted upon


class SandboxPolicy(StrEnum):
    """What a run asks of the sandbox."""

    AUTO = "auto"  #: the strongest rung that a probe proves on this machine
    REQUIRED = "required"  #: refuse to play on anything but a rung that hides files, network and processes
    OFF = "off"  #: no sandbox; must be typed


class BotKind(StrEnum):
    """How an entrant's program is started."""

    PLUGIN = "plugin"  #: a class, in a small host process
    COMMAND = "command"  #: any program that speaks the protocol


@attrs.frozen(kw_only=True)
class Entrant:
    """A bot with a name and options in a tournament, ready to be started."""

    name: str  #: unique in a tournament; printable, at most 40 characters
    kind: BotKind
    target: str = ""  #: plugin: `module:attr`, the class to host
    argv: tuple[str, ...] = ()  #: command: program and arguments; argv[0] is absolute or found in `folder`
    folder: str = ""  #: the bot's own folder: its working directory, all that it may read besides its runtime
    search_path: tuple[str, ...] = ()  #: plugin: folders put on `sys.path`, all that it may read besides Python
    env: Mapping[str, str] = attrs.field(factory=dict)
    options: Mapping[str, OptionValue] = attrs.field(factory=dict)  #: handed to the bot in `start`
    runtime: tuple[str, ...] = ()  #: folders outside /usr that its language runtime needs, read-only
    memory_mb: int | None = None  #: declared cap, instead of `Limits.memory_mb`
    processes: int | None = None  #: declared cap, instead of `Limits.processes`
    content_hash: str = ""  #: of the bot's code, as written into the plan


@attrs.frozen(kw_only=True)
class Settings:
    """How every match of a run is played: the same for all its fixtures."""

    game: str
    game_options: Mapping[str, OptionValue] = attrs.field(factory=dict)  #: complete and checked
    seats: int
    clock: Clock = attrs.field(factory=Clock)
    limits: Limits = attrs.field(factory=Limits)
    sandbox: SandboxPolicy = SandboxPolicy.AUTO
    fresh: bool = True  #: new processes and an emptied scratch folder for every match
    trace: bool = False  #: keep every protocol line of every bot beside the record


@attrs.frozen(kw_only=True)
class Fixture:
    """The plan of one match."""

    match_id: str  #: deterministic, for example `r0-l003-b1-m2`; carries no seed
    number: int  #: 0-based place in the plan's order
    line_up: tuple[str, ...]  #: names of the entrants by seat
    deal: int  #: number of the deal
    block: str  #: the block it belongs to: one line-up, one deal, all seat rotations
    rotation: int  #: which seat rotation of the block this is
    key: str  #: hex; the key of the deal. Secret until the run is over, never sent to a bot
    bot_seeds: tuple[int, ...]  #: by seat, 63 bits, one-way from secret, match and seat
