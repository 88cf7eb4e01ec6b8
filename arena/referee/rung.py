"""What every rung of the sandbox has in common: what it is asked (`BotPlan`), what it answers (`Launch`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from arena.errors import ArenaError
from arena.referee.settings import Entrant, Limits
from arena.referee.users import BOTS_WITH_OWN_USERS, first_uid

#: Added to the referee's own. Where the kernel groups processes by session (autogroup) it counts within one only.
BOT_NICENESS = 5
#: Room for the address space of runtimes that reserve much and use little; the cap that bites is resident memory.
BACKSTOP_BYTES = 64 * 1024**3


class StartError(ArenaError):
    """A bot could not even be started: its program is missing or not executable. The driver makes it a fault."""


@attrs.frozen(kw_only=True)
class BotPlan:
    """One bot to be started."""

    entrant: Entrant
    limits: Limits
    scratch: Path  #: of the host, absolute; a rung with its own file system ignores it
    slot: int = 0
    number: int = 0  #: among the bots of its referee that live
    info_fd: int  #: written to: `{"child-pid": N}`
    alive_fd: int  #: read from: ends when the referee is gone
    builds: bool = False  #: it is a build, and sets rights and times of the files that it makes

    @property
    def memory_mb(self) -> int:
        """The cap on resident memory."""
        return self.entrant.memory_mb or self.limits.memory_mb

    @property
    def processes(self) -> int:
        """The cap on processes and threads."""
        return self.entrant.processes or self.limits.processes

    @property
    def uid(self) -> int:
        """The user that the bot of a root referee is dropped to; one for each referee, slot and number."""
        return first_uid(self.slot) + self.number % BOTS_WITH_OWN_USERS


class ScratchWatch(Protocol):
    """A look at what a running bot keeps in its scratch folder."""

    def excess(self, pids: Sequence[int], held: Iterable[os.stat_result]) -> str:
        """Return what is too much there as the end of a sentence, "" when nothing is.

        Args:
            pids: the bot's processes.
            held: what they hold open.
        """


@attrs.frozen(kw_only=True)
class Launch:
    """How a bot is started on a rung."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    folder: str  #: working directory of the outermost process
    scratch: ScratchWatch
    pass_fds: tuple[int, ...] = ()
    close_fds: tuple[int, ...] = ()  #: ours to close once the bot is started
    #: Whether `child-pid` of the info descriptor is a wrapper too, of which the bot is process 2.
    inner_init: bool = False


class Rung(Protocol):
    """A way to start bots, and what it keeps them from; a frozen value."""

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str:
        """For records: `bubblewrap`, `landlock`, `rlimits` or `off`."""

    @property
    def user(self) -> str:
        """For records: `dropped` where bots run as another user than a root referee, else `kept`."""

    def launch(self, plan: BotPlan) -> Launch:
        """Return how to start the bot; raise `StartError` when it has no program."""
