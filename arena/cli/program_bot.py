"""A bot's real process behind the interface of a bot in this process, so that a person can play against it."""

from __future__ import annotations

import contextlib
import select
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import attrs

from arena import __version__
from arena.errors import EntrantError, RemoteProtocolError
from arena.protocol.messages import PROTOCOL_VERSION, Act, ActionMessage, ClockFacts, Hello, Quit, Ready, RefereeMessage
from arena.protocol.messages import End as EndMessage
from arena.protocol.messages import Start as StartMessage
from arena.referee.bot import Bot as Process
from arena.referee.process import kill_all, spawn
from arena.referee.record import Fault, Verdict
from arena.referee.rung import Rung, StartError
from arena.referee.settings import Clock, Entrant, Limits
from arena.sdk.bot import Bot, End, Start, Turn

_M = TypeVar("_M", Ready, ActionMessage)


class BotFailed(Exception):
    """The program ended, broke the protocol or was late; the text is for people."""

    def __init__(self, verdict: Verdict, reason: str, *, advice: str = "", exit_status: str = "") -> None:
        self.verdict = verdict
        self.advice = advice
        self.exit_status = exit_status
        super().__init__(reason)


class ProgramBot(Bot):
    """An entrant's process, sandboxed as in a tournament. Main thread only."""

    def __init__(self, entrant: Entrant, game: str, clock: Clock, rung: Rung, scratch: Path, seat: int) -> None:
        """Start the program and greet it.

        Args:
            entrant: whose program.
            game: name of the game.
            clock: the start-up limit and `per_action_ms` are enforced here.
            rung: of the sandbox.
            scratch: an existing folder for its own scratch folder.
            seat: 0-based.

        Raises:
            EntrantError: it can't be started, with the last lines of its stderr.
        """
        self._clock = clock
        self._failure: BotFailed | None = None
        folder = scratch / f"seat-{seat}"
        folder.mkdir(mode=0o777)
        try:
            self._process = Process(spawn(entrant, rung, Limits(), folder, number=seat), Limits())
        except StartError as error:
            raise EntrantError(str(error)) from None
        try:
            self._say(Hello(protocol=PROTOCOL_VERSION, arena=__version__, game=game))
            ready = self._await(Ready, clock.startup_ms, Verdict.FAILED_TO_START)
        except BotFailed as error:
            tail = self._process.stderr_tail(2_000)
            self.close()
            raise EntrantError(f"{entrant.name} can't be started: {error}{_indented(tail)}") from None
        self.name, self.version = ready.name or entrant.name, ready.version or ""
        self.wants = ready.wants if ready.wants is not None else ("options",)

    def started(self, start: Start) -> None:
        """Tell the program; wait for its answer."""
        clock = self._clock
        self._say(
            StartMessage(
                match=start.match,
                seat=start.seat,
                seats=start.seats,
                names=start.names,
                game_options=start.game_options,
                options=start.options,
                clock=ClockFacts(
                    kind=clock.kind.value,
                    startup_ms=clock.startup_ms,
                    per_action_ms=clock.per_action_ms,
                    increment_ms=0,
                    margin_ms=clock.margin_ms,
                    strikes=0,
                ),
                bot_seed=start.bot_seed,
            )
        )
        self._await(Ready, clock.startup_ms, Verdict.FAILED_TO_START)

    def choose(self, turn: Turn) -> str | int | list[str]:
        """Ask the program; raise `BotFailed` when it gives no answer within the limit."""
        limit = self._clock.per_action_ms
        act = Act(
            id=turn.id,
            count=turn.count if "options" in self.wants else None,
            options=list(turn.options) if "options" in self.wants else None,
            view=turn.view if "view" in self.wants else None,
            actions=list(turn.actions) if "actions" in self.wants else None,
            limit_ms=limit,
            last_ms=turn.last_ms,
        )
        self._say(act)
        answer = self._await(ActionMessage, None if limit is None else limit + self._clock.margin_ms)
        if answer.option is not None:
            return answer.option
        return answer.action if answer.action is not None else list(answer.actions or ())

    def ended(self, end: End) -> None:
        """Tell the program how it ended."""
        message = EndMessage(
            termination=end.termination,
            places=end.places,
            scores=end.scores,
            categories={name: tuple(points) for name, points in end.categories.items()},
        )
        for last in (message, Quit()):
            with contextlib.suppress(BotFailed):  # it may have gone as soon as it knew
                self._say(last)

    def as_seen(self, fault: Fault) -> Fault:
        """Return a fault of its seat with what it did: to a referee in this process it all looks like a crash."""
        failure = self._failure
        if failure is None or fault.verdict not in (Verdict.CRASH, Verdict.FAILED_TO_START):
            return fault
        return attrs.evolve(
            fault,
            verdict=fault.verdict if fault.verdict is Verdict.FAILED_TO_START else failure.verdict,
            reason=str(failure),
            advice=failure.advice,
            stderr_tail=self._process.stderr_tail(2_000),
            exit_status=failure.exit_status,
        )

    def close(self) -> None:
        """End the program and all that it started."""
        kill_all([self._process.process])
        self._process.process.close()

    def _await(self, kind: type[_M], limit_ms: int | None, late: Verdict = Verdict.TIMEOUT) -> _M:
        """Return its next message of this kind; take notes and stderr meanwhile. `late`: what lateness is called."""
        try:
            return self._awaited(kind, limit_ms, late)
        except BotFailed as error:
            self._failure = error
            raise

    def _awaited(self, kind: type[_M], limit_ms: int | None, late: Verdict) -> _M:
        process, deadline_s = self._process, None if limit_ms is None else time.monotonic() + limit_ms / 1000
        stdin, stdout, stderr = process.process.stdin, process.process.stdout, process.process.stderr
        heard = {stdout, stderr}
        while True:
            poll = select.poll()
            for descriptor in heard:
                poll.register(descriptor, select.POLLIN)
            if process.outbox:
                poll.register(stdin, select.POLLOUT)
            left_ms = None if deadline_s is None else max(0, round((deadline_s - time.monotonic()) * 1000))
            ready = dict(poll.poll(left_ms))
            with self._noticing():
                process.flush()
            if stderr in ready and not process.read_stderr():
                heard.discard(stderr)
            if stdout in ready:
                alive = process.receive()
                found = self._next(kind)
                if found is not None:
                    return found
                if not alive:
                    raise self._ended()
            if left_ms == 0:  # whatever else it said
                raise BotFailed(late, f"no answer within {limit_ms:,} ms", advice="answer sooner, and flush each line")

    def _say(self, message: RefereeMessage) -> None:
        with self._noticing():
            self._process.write(self._process.connection.send(message))

    @contextlib.contextmanager
    def _noticing(self) -> Iterator[None]:
        """Turn a write that finds nobody there into the program's failure."""
        try:
            yield
        except BrokenPipeError:
            self._failure = self._ended()
            raise self._failure from None

    def _ended(self) -> BotFailed:
        reason, status = self._process.how_it_ended()
        return BotFailed(Verdict.CRASH, reason, exit_status=status)

    def _next(self, kind: type[_M]) -> _M | None:
        said = self._process.messages()
        try:
            for message in said:
                if isinstance(message, kind):
                    return message
                if not isinstance(message, Ready | ActionMessage):
                    self.note(message.text)
        except RemoteProtocolError as error:
            raise BotFailed(Verdict(error.verdict), str(error), advice=error.advice) from None
        return None


def _indented(tail: str) -> str:
    return "".join(f"\n    | {line}" for line in tail.splitlines()[-10:])
