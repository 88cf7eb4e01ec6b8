"""Starts every entrant once, up to its `ready` to `hello`, and says in plain words which ones fail and why.

Main thread only, like everything that starts bots.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from arena import __version__
from arena.errors import RemoteProtocolError
from arena.protocol.messages import PROTOCOL_VERSION, Hello, Ready
from arena.referee.bot import EVIDENCE_BYTES, Bot
from arena.referee.process import WATCH_EVERY_MS, kill_all, spawn
from arena.referee.rung import Rung, StartError
from arena.referee.settings import Entrant, Settings


@attrs.frozen(kw_only=True)
class Unstartable:
    """An entrant that can't be started."""

    entrant: str
    reason: str  #: one sentence
    advice: str = ""
    stderr_tail: str = ""


@attrs.define
class _Trial:
    entrant: Entrant
    bot: Bot | None
    deadline_s: float
    watch_at_s: float = 0.0
    result: Unstartable | None = None
    settled: bool = False
    stderr_ended: bool = False

    def fail(self, reason: str, advice: str = "") -> None:
        tail = self.bot.stderr_tail(EVIDENCE_BYTES) if self.bot is not None else ""
        self.result = Unstartable(entrant=self.entrant.name, reason=reason, advice=advice, stderr_tail=tail)
        self.settled = True


def preflight(
    entrants: Sequence[Entrant],
    settings: Settings,
    rung: Rung,
    scratch: Path,
    *,
    at_once: int = 2,
    progress: Callable[[int], None] | None = None,
) -> list[Unstartable]:
    """Return the entrants that can't be started, in their order.

    Args:
        entrants: to be tried, each once.
        settings: of the run; the start-up limit counts.
        rung: of the sandbox.
        scratch: an existing folder for their scratch folders.
        at_once: how many are started at a time.
        progress: told after each step how many have been tried.
    """
    failures: list[Unstartable] = []
    for first in range(0, len(entrants), at_once):
        batch = entrants[first : first + at_once]
        failures += _try(batch, settings, rung, scratch)
        if progress is not None:
            progress(first + len(batch))
    return failures


def _try(entrants: Sequence[Entrant], settings: Settings, rung: Rung, scratch: Path) -> list[Unstartable]:
    trials = [_begin(entrant, number, settings, rung, scratch) for number, entrant in enumerate(entrants)]
    try:
        while waiting := [trial for trial in trials if not trial.settled]:
            _wait(waiting, settings.clock.startup_ms)
            kill_all([trial.bot.process for trial in waiting if trial.settled and trial.bot is not None])
    finally:
        bots = [trial.bot for trial in trials if trial.bot is not None]
        kill_all([bot.process for bot in bots])
        for bot in bots:
            bot.process.close()
    return [trial.result for trial in trials if trial.result is not None]


def _begin(entrant: Entrant, number: int, settings: Settings, rung: Rung, scratch: Path) -> _Trial:
    deadline_s = time.monotonic() + settings.clock.startup_ms / 1000
    try:
        process = spawn(entrant, rung, settings.limits, scratch / f"preflight-{number}", number=number)
    except StartError as error:
        trial = _Trial(entrant, None, deadline_s)
        trial.fail(str(error), "check that the program exists, is executable and stands in the entrant's folder")
        return trial
    trial = _Trial(entrant, Bot(process, settings.limits), deadline_s)
    assert trial.bot is not None
    hello = Hello(protocol=PROTOCOL_VERSION, arena=__version__, game=settings.game)
    trial.bot.write(trial.bot.connection.send(hello))
    return trial


def _wait(trials: Sequence[_Trial], limit_ms: int) -> None:
    poll = select.poll()
    by_descriptor: dict[int, tuple[_Trial, Bot]] = {}
    for trial in trials:
        assert trial.bot is not None
        process = trial.bot.process
        for descriptor in (process.stdout,) if trial.stderr_ended else (process.stdout, process.stderr):
            by_descriptor[descriptor] = (trial, trial.bot)
            poll.register(descriptor, select.POLLIN)
    left_s = min(trial.deadline_s for trial in trials) - time.monotonic()
    for descriptor, _ in poll.poll(max(0, min(int(left_s * 1000) + 1, WATCH_EVERY_MS))):
        trial, bot = by_descriptor[descriptor]
        if trial.settled:
            continue
        if descriptor == bot.process.stderr:
            trial.stderr_ended = not bot.read_stderr()
        else:
            _read(trial, bot)
    for trial in trials:
        if not trial.settled:
            _watch(trial)
        if not trial.settled and time.monotonic() >= trial.deadline_s:
            assert trial.bot is not None
            hint = f"; it {trial.bot.unfinished}" if trial.bot.unfinished else ""
            trial.fail(
                f"no `ready` to `hello` within the start-up limit of {limit_ms} ms{hint}",
                'answer `hello` with the line {"type":"ready"}, end it with a newline and flush it',
            )


def _watch(trial: _Trial) -> None:
    now_s = time.monotonic()
    if now_s >= trial.watch_at_s:
        trial.watch_at_s = now_s + WATCH_EVERY_MS / 1000
        assert trial.bot is not None
        overuse = trial.bot.process.overuse()
        if overuse is not None:
            trial.fail(overuse.reason, overuse.advice)


def _read(trial: _Trial, bot: Bot) -> None:
    alive = bot.receive()
    try:
        for message in bot.messages():
            if isinstance(message, Ready):
                trial.settled = True
    except RemoteProtocolError as error:
        trial.fail(str(error), error.advice)
    if not alive and not trial.settled:
        reason, _ = bot.how_it_ended()  # which waits: a traceback is often written after stdout has ended
        while bot.read_stderr() and bot.stderr_bytes < bot.limits.stderr_bytes:
            if not _readable(bot.process.stderr):
                break
        trial.fail(reason, "its stderr tells more" if bot.stderr_bytes else "")


def _readable(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
