"""The table of bad bots: one row a bot."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

import attrs

from arena.games.api import OptionValue
from arena.referee.record import Verdict
from arena.referee.settings import BotKind, Clock, Entrant, Limits, SandboxPolicy, Settings

PROGRAMS = Path(__file__).with_name("programs")
CLOCK = Clock(startup_ms=5000, per_action_ms=150, margin_ms=20)
#: Where a bad bot never is ready this is what its match costs; good ones must manage it as well.
SHORT_START = Clock(startup_ms=1500, per_action_ms=150, margin_ms=20)
LONG_THINK = Clock(startup_ms=5000, per_action_ms=5000, margin_ms=20)
THINK_WITH_STRIKES = Clock(startup_ms=5000, per_action_ms=50, margin_ms=20, strikes=1000)
OPPONENT_THINKS = Clock(startup_ms=5000, per_action_ms=1000, margin_ms=20)
#: A spinner has little of a machine that is busy otherwise: what is tolerated off turn is small.
LIMITS = Limits(memory_mb=96, processes=16, stderr_bytes=1024 * 1024, off_turn_cpu_percent=10, off_turn_cpu_grace_ms=40)
SLOW_MS = 400


class Opponent(Enum):
    """Who sits at the other seats."""

    GOOD = "good"  #: answers at once
    SLOW = "slow"  #: thinks for `SLOW_MS`, so that there is time off turn


class Needs(Enum):
    """What a bad bot is handed as its last argument, to reach for it."""

    NOTHING = "nothing"
    FILE = "file"  #: a file of another bot
    PORT = "port"  #: a listening TCP port of the host


@attrs.frozen(kw_only=True)
class BadBot:
    """One bad bot and what becomes of it."""

    name: str  #: of the bot of `lines.py`, or of the row
    verdict: Verdict | None = None  #: None: what it does is legal, or it plays on
    evidence: str = ""  #: a regular expression that is found in the fault's reason
    stderr: str = ""  #: a regular expression that is found in the fault's stderr tail
    target: str = ""  #: of a plugin
    argv: tuple[str, ...] = ()  #: instead of `lines.py NAME`
    clock: Clock = CLOCK
    cost_ms: int = 0  #: wall time that the limit itself takes; the match may take 1 s more than that and the start
    opponent: Opponent = Opponent.GOOD
    needs: Needs = Needs.NOTHING
    litters: bool = False  #: on a rung that hides no files it leaves some behind
    says: bool = False  #: it says in notes how far it came: `refused …` or `reached`
    #: Instead of `verdict` under bubblewrap, which holds the bot's pipes too, and caps the scratch folder by itself.
    behind_wrapper: Verdict | None = None
    full_pipe: bool = False  #: shows only where a request is longer than a pipe of one page

    def entrant(self, argument: str = "") -> Entrant:
        """Return the bot, handed `argument` where it `needs` something."""
        if self.target:
            return Entrant(
                name=self.name, kind=BotKind.PLUGIN, target=self.target, search_path=(str(PROGRAMS),),
                folder=str(PROGRAMS),
            )  # fmt: skip
        argv = self.argv or _line_bot(self.name, *([argument] if argument else []))
        return Entrant(name=self.name, kind=BotKind.COMMAND, argv=argv, folder=str(PROGRAMS))


def good_bot(name: str = "good") -> Entrant:
    """Return a bot that plays the first option at once."""
    return Entrant(name=name, kind=BotKind.COMMAND, argv=_line_bot("good"), folder=str(PROGRAMS))


def slow_bot(name: str = "slow", think_ms: int = SLOW_MS) -> Entrant:
    """Return a bot that plays the first option after `think_ms` without using the CPU."""
    return Entrant(name=name, kind=BotKind.COMMAND, argv=_line_bot("slow", str(think_ms)), folder=str(PROGRAMS))


def settings_for(
    bad: BadBot,
    game: str,
    seats: int,
    *,
    options: Mapping[str, OptionValue] | None = None,
    sandbox: SandboxPolicy = SandboxPolicy.AUTO,
) -> Settings:
    """Return settings under which a match of the bad bot shows what it does."""
    return Settings(game=game, game_options=options or {}, seats=seats, clock=bad.clock, limits=LIMITS, sandbox=sandbox)


def _line_bot(name: str, *arguments: str) -> tuple[str, ...]:
    return ("python3", "-S", "lines.py", name, *arguments)


def _late(name: str, evidence: str = r"150 ms", target: str = "") -> BadBot:
    return BadBot(name=name, verdict=Verdict.TIMEOUT, evidence=evidence, cost_ms=170, target=target)


def _not_ready(name: str, evidence: str, target: str = "") -> BadBot:
    verdict, clock = Verdict.FAILED_TO_START, SHORT_START
    return BadBot(name=name, verdict=verdict, evidence=evidence, clock=clock, cost_ms=1500, target=target)


def _protocol(name: str, evidence: str) -> BadBot:
    return BadBot(name=name, verdict=Verdict.PROTOCOL, evidence=evidence)


def _crash(name: str, evidence: str, stderr: str = "", target: str = "") -> BadBot:
    return BadBot(name=name, verdict=Verdict.CRASH, evidence=evidence, stderr=stderr, target=target)


def _fills(name: str) -> BadBot:
    """Under bubblewrap the kernel has no room for it."""
    return BadBot(
        name=name, verdict=Verdict.OUTPUT_LIMIT, evidence=r"its scratch folder holds more than 64 MiB|exit code 1",
        clock=LONG_THINK, behind_wrapper=Verdict.CRASH,
    )  # fmt: skip


def _off_turn(name: str) -> BadBot:
    return BadBot(
        name=name, verdict=Verdict.TIMEOUT, evidence=r"ms of CPU time in \d+ ms while it was not asked",
        clock=OPPONENT_THINKS, opponent=Opponent.SLOW, cost_ms=3 * SLOW_MS,
    )  # fmt: skip


BAD_BOTS: tuple[BadBot, ...] = (
    # the start
    BadBot(name="exits-at-once", verdict=Verdict.FAILED_TO_START, evidence=r"exit code 0"),
    BadBot(
        name="not-executable", argv=("./not-executable.txt",), verdict=Verdict.FAILED_TO_START,
        evidence=r"not-executable\.txt is not executable; use `chmod \+x",
    ),
    BadBot(
        name="not-there", argv=("./nothing-here",), verdict=Verdict.FAILED_TO_START, evidence=r"there is no program",
    ),
    _not_ready("never-ready", r"no `ready` to `hello` within .* 1500 ms"),
    _not_ready("ready-but-never-starts", r"no `ready` to `start` within .* 1500 ms"),
    _not_ready("chats-instead-of-getting-ready", r"no `ready` to `hello` within .* 1500 ms"),
    _not_ready("greets-without-a-line-end", r"`hello` within .* 1500 ms; it wrote 16 bytes without a line end"),
    _not_ready("gets-ready-without-a-line-end", r"`start` within .* 1500 ms; it wrote 16 bytes without a line end"),
    # silence
    _late("sleeps-for-ever"),
    _late("ignores-sigterm"),
    _late("stops-itself"),
    _late("burns-its-time"),
    _late("forgets-the-line-end", r"without a line end"),
    BadBot(
        name="never-reads", verdict=Verdict.TIMEOUT, evidence=r"did not read", cost_ms=4000,
        full_pipe=True,
    ),
    # too much
    _late("drips-harmless-lines"),
    _late("drips-one-long-answer", r"without a line end"),
    _late("drips-on-stderr"),
    BadBot(name="floods-lines", verdict=Verdict.OUTPUT_LIMIT, evidence=r"more than 256 lines"),
    BadBot(name="one-endless-line", verdict=Verdict.OUTPUT_LIMIT, evidence=r"line of more than 262144 bytes"),
    BadBot(
        name="a-gigabyte-on-stderr", verdict=Verdict.OUTPUT_LIMIT, evidence=r"more than 1048576 bytes to stderr",
        stderr=r"log line", clock=LONG_THINK,
    ),
    BadBot(
        name="allocates-without-end", verdict=Verdict.MEMORY_LIMIT, evidence=r"\d+ MiB of resident memory; 96",
        clock=LONG_THINK,
    ),
    _fills("fills-its-scratch-with-many-files"),
    _fills("fills-its-scratch-with-deleted-files"),
    BadBot(
        name="litters-its-scratch-with-empty-files", verdict=Verdict.OUTPUT_LIMIT, clock=LONG_THINK,
        evidence=r"its scratch folder holds more than 2048 files(, folders and attributes| and folders)", cost_ms=2000,
    ),
    BadBot(
        name="hoards-in-sockets", verdict=Verdict.MEMORY_LIMIT, clock=LONG_THINK, evidence=r"held \d+ sockets open; 64",
    ),
    # rubbish
    _protocol("binary-rubbish", r"not UTF-8|no message"),
    _protocol("invalid-utf8", r"UTF-8"),
    _protocol("prints-debug-output", r"'thinking hard\.\.\.'"),
    _protocol("traces-on-stdout", r"stack trace.*ZeroDivisionError: of course"),
    _protocol("deep-json", r"\[\["),
    BadBot(name="huge-json", verdict=Verdict.OUTPUT_LIMIT, evidence=r"line of more than 262144 bytes"),
    _protocol("huge-numbers", r"1180591620717411303424"),
    # legal
    BadBot(name="crlf-and-bom"),
    # the wrong answer
    _protocol("answers-twice", r"was answered already"),
    _protocol("answers-before-it-is-asked", r"request 0 was never asked"),
    _protocol("answers-what-was-never-asked", r"request 100\d was never asked"),
    BadBot(name="illegal-action", verdict=Verdict.ILLEGAL, evidence=r"cheat"),
    BadBot(name="option-out-of-range", verdict=Verdict.ILLEGAL, evidence=r"there are \d+ options"),
    BadBot(name="action-of-another-seat", verdict=Verdict.ILLEGAL),
    # the end
    _crash("dies-after-some-actions", r"signal SIGSEGV"),
    _crash("exits-when-asked", r"exit code 3", stderr=r"I have had enough"),
    BadBot(
        name="closes-stdout", verdict=Verdict.CRASH, evidence=r"closed its stdout but lives on|150 ms",
        behind_wrapper=Verdict.TIMEOUT, cost_ms=170,
    ),
    _crash("forks-a-child-and-exits", r"exit code 0"),
    _crash("daemonises", r"exit code 0"),
    # CPU that is not theirs
    _off_turn("burns-off-turn-with-threads"),
    _off_turn("burns-in-a-forked-child"),
    _off_turn("burns-in-four-children"),
    # what is not theirs
    BadBot(name="reads-another-bots-files", needs=Needs.FILE, says=True),
    BadBot(name="closes-another-bots-files", needs=Needs.FILE, says=True),
    BadBot(name="opens-a-socket", needs=Needs.PORT, says=True),
    BadBot(name="hoards-outside-processes", says=True),
    BadBot(name="remembers-earlier-matches", says=True, litters=True),
    # plugins
    BadBot(
        name="raises-everywhere", target="bad_plugins:RaisesEverywhere", verdict=Verdict.FAILED_TO_START,
        evidence=r"exit code 1", stderr=r"RuntimeError: no match on seat",
    ),
    _crash("raises-when-asked", r"exit code 1", r"RuntimeError: no answer to request", "bad_plugins:RaisesWhenAsked"),
    _late("loops-for-ever", target="bad_plugins:LoopsForEver"),
    BadBot(name="leaves-threads-running", target="bad_plugins:LeavesThreadsRunning"),
    BadBot(name="prints-everywhere", target="bad_plugins:PrintsEverywhere"),
    BadBot(name="prints-at-import", target="prints_at_import:First"),
    _not_ready("hangs-at-import", r"no `ready` to `hello` within .* 1500 ms", "hangs_at_import:Never"),
    BadBot(
        name="is-not-there", target="no_such_module:Bot", verdict=Verdict.FAILED_TO_START, evidence=r"exit code 1",
        stderr=r"ModuleNotFoundError: No module named 'no_such_module'",
    ),
)  # fmt: skip
