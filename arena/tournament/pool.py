"""The built-in backend: one long-lived referee process for each slot of this machine.

A referee that dies or falls silent is replaced and its match replayed. Short matches are handed over a few at a
time, so that a referee never waits for the scheduler; long ones singly, so that no slot idles at the end of a run
while a match waits behind a slow one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence

import attrs
import msgspec
import trio

from arena.cleaning import clean
from arena.errors import ArenaError
from arena.referee.record import Verdict
from arena.referee.settings import Fixture
from arena.referee.wire import (
    ALIVE_EVERY_MS,
    Alive,
    CannotPlay,
    FromReferee,
    MatchPlayed,
    MatchStarted,
    Play,
    ReadyToPlay,
    Setup,
)
from arena.tournament.backend import KILLS_BEFORE_SET_ASIDE, Loss, Sink, Source

READY_WITHIN_S = 60.0  #: a referee starts in well under a second; a machine under load may take longer
SINGLY_AFTER_A_LOSS = 20  #: so many matches are handed over singly then, so that the right one is blamed
SILENT_FOR_S = 10 * ALIVE_EVERY_MS / 1000  #: a referee that says nothing for so long has stalled
STOP_WITHIN_S = 1.0  #: from the end of its input to its exit
QUEUE_S = 0.25  #: so much play is handed to a referee ahead
QUEUE_AT_MOST = 64  #: matches; always less than a pipe holds (64 KiB), or we and a referee might wait for each other
RECENT = 200  #: matches whose duration decides how many are handed over
COMMAND = (sys.executable, "-m", "arena.referee")
_decoder = msgspec.json.Decoder(FromReferee)


class RefereeLost(Exception):
    """A referee ended or fell silent."""


@attrs.frozen
class Slot:
    """A place where one match can be played at a time."""

    number: int
    cores: tuple[int, ...] = ()  #: empty: not pinned


class Referee:
    """A referee process, seen from the scheduler."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        # The descriptors change hands, so that exactly one object closes each of them.
        self._input = trio.lowlevel.FdStream(os.dup(process.stdin.fileno()))
        self._output = trio.lowlevel.FdStream(os.dup(process.stdout.fileno()))
        process.stdin.close()
        process.stdout.close()
        self._lines: deque[bytes] = deque()
        self._unfinished = b""
        self.last_seat: int | None = None  #: of the match it plays, whose message came last

    @classmethod
    async def start(cls, setup: Setup, command: Sequence[str] = COMMAND) -> Referee:
        """Start a referee and hand it its set-up.

        Raises:
            RefereeLost: it ended before it was ready.
            ArenaError: it says that the set-up can't be honoured.
        """
        referee = cls(
            # A session of its own: Ctrl-C is for the scheduler, which ends its referees in order.
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        )
        try:
            await referee.send(setup, within_s=READY_WITHIN_S)
            answer = await referee.receive(within_s=READY_WITHIN_S)
        except BaseException:
            await referee.kill()
            raise
        if isinstance(answer, CannotPlay):
            await referee.kill()
            raise ArenaError(answer.problem)
        if not isinstance(answer, ReadyToPlay):
            await referee.kill()
            raise RefereeLost(f"a referee began with `{type(answer).__name__}`")
        return referee

    async def send(self, message: Setup | Play, *, within_s: float) -> None:
        """Write one message; raise `RefereeLost` when it has ended or does not take it within the limit."""
        try:
            with trio.move_on_after(within_s):
                await self._input.send_all(msgspec.json.encode(message) + b"\n")
                return
            raise RefereeLost(f"the referee read nothing for {within_s:.0f} s")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise RefereeLost(self._how_it_ended()) from None

    async def receive(self, *, within_s: float) -> FromReferee:
        """Return its next message; raise `RefereeLost` when it has ended or says nothing within the limit."""
        if not self._lines:
            with trio.move_on_after(within_s):
                await self._read()
        if not self._lines:
            raise RefereeLost(f"the referee said nothing for {within_s:.0f} s")
        line = self._lines.popleft()
        try:
            message = _decoder.decode(line)
        except msgspec.DecodeError:
            quoted = clean(line[:200].decode("utf-8", "replace"), 100)
            raise RefereeLost(f"the referee wrote `{quoted}`, which is no message") from None
        if isinstance(message, MatchPlayed) and message.summary.void:
            error = next(fault for fault in message.faults if fault.verdict is Verdict.REFEREE_ERROR)
            raise RefereeLost(f"referee error: {error.reason}\n{error.stderr_tail}".rstrip())
        return message

    async def _read(self) -> None:
        """Wait for at least one whole line."""
        while not self._lines:
            chunk = await self._output.receive_some(1 << 20)
            if not chunk:
                raise RefereeLost(self._how_it_ended())
            *lines, rest = chunk.split(b"\n")
            if lines:
                lines[0] = self._unfinished + lines[0]
                self._lines.extend(lines)
                self._unfinished = rest
            else:
                self._unfinished += rest

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return "the referee closed its output"
        if code < 0:
            return f"the referee was killed by {signal.Signals(-code).name}"
        return f"the referee ended with exit code {code}"

    async def stop(self) -> None:
        """End it in order: it stops its bots at the end of its input; kill it if that takes too long."""
        with trio.CancelScope(shield=True):
            await self._input.aclose()
            with trio.move_on_after(STOP_WITHIN_S):
                while await self._output.receive_some(1 << 20):
                    pass
            await self.kill()

    async def kill(self) -> None:
        """End it at once and reap it."""
        with trio.CancelScope(shield=True):
            if self._process.poll() is None:
                # The end of its output comes with the end of the process or just before it; so this rarely waits.
                try:
                    self._process.wait(timeout=0.05)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    with contextlib.suppress(subprocess.TimeoutExpired):  # held by the kernel: not ours to wait for
                        self._process.wait(timeout=STOP_WITHIN_S)
            await self._input.aclose()
            await self._output.aclose()


class Pool:
    """Plays fixtures in several slots of this machine."""

    def __init__(
        self,
        setup: Callable[[Slot], Setup],
        slots: Sequence[Slot],
        *,
        command: Sequence[str] = COMMAND,
        silent_for_s: float = SILENT_FOR_S,
    ) -> None:
        """Make a pool.

        Args:
            setup: what to tell the referee of a slot.
            slots: where to play, at least one.
            command: starts a referee.
            silent_for_s: a referee that says nothing for so long in a match has stalled.
        """
        self._command = command
        self._silent_for_s = silent_for_s
        self._setup = setup
        self._slots = slots
        self._replays: deque[Fixture] = deque()
        self._lost: dict[str, int] = {}
        self._open = 0  #: fixtures that were given out and have not ended
        self._changed = trio.Event()
        self._played, self._busy_s = 0, 0.0  #: recent matches, and how long they took together
        self._singly = 0  #: so many matches are still handed over singly

    async def play(self, source: Source, sink: Sink) -> None:
        """Play until the source is done; see `arena.tournament.backend.Backend`."""
        async with trio.open_nursery() as nursery:
            for slot in self._slots:
                nursery.start_soon(self._serve, slot, source, sink)

    async def _serve(self, slot: Slot, source: Source, sink: Sink) -> None:
        referee: Referee | None = None
        failures = 0
        try:
            while (first := await self._wait_for_fixture(source)) is not None:
                queue = deque([first])
                try:
                    referee = referee or await Referee.start(self._setup(slot), self._command)
                    failures = 0
                    await self._play(referee, slot, queue, source, sink)
                except RefereeLost as lost:
                    if referee is None:
                        failures += 1
                        if failures == KILLS_BEFORE_SET_ASIDE:
                            raise ArenaError(f"no referee can be started: {lost}") from None
                    else:
                        await referee.kill()
                        if queue:
                            await self._loss(queue.popleft(), slot, str(lost), referee.last_seat, sink)
                        referee = None
                    self._give_back(queue)
        finally:
            if referee is not None:
                await referee.stop()

    async def _play(self, referee: Referee, slot: Slot, queue: deque[Fixture], source: Source, sink: Sink) -> None:
        """Play the queue, topping it up, until it is empty."""
        await referee.send(Play(tuple(queue)), within_s=self._silent_for_s)
        began = trio.current_time()
        while queue:
            message = await referee.receive(within_s=self._silent_for_s)
            match message:
                case MatchStarted():
                    referee.last_seat = None
                    sink.started(queue[0], slot.number)
                case Alive():
                    referee.last_seat = message.last_seat if message.last_seat >= 0 else None
                case MatchPlayed():
                    if message.summary.match_id != queue[0].match_id:
                        raise RefereeLost(f"a referee returned {message.summary.match_id} for {queue[0].match_id}")
                    fixture = queue.popleft()
                    referee.last_seat = None
                    self._measure(trio.current_time() - began)
                    began = trio.current_time()
                    more = self._top_up(queue, source)
                    await sink.played(message, fixture, slot.number)
                    self._ended()
                    if more:
                        await referee.send(Play(more), within_s=self._silent_for_s)
                case _:
                    raise RefereeLost(f"a referee sent `{type(message).__name__}` in the middle of a match")

    # -- fixtures ---------------------------------------------------------------------------------------------

    async def _wait_for_fixture(self, source: Source) -> Fixture | None:
        while True:
            fixture = self._take(source)
            if fixture is not None:
                return fixture
            if source.done and self._open == 0:
                self._wake()
                return None
            await self._changed.wait()

    def _take(self, source: Source) -> Fixture | None:
        fixture = self._replays.popleft() if self._replays else source.next_fixture()
        if fixture is not None:
            self._open += 1
        return fixture

    def _top_up(self, queue: deque[Fixture], source: Source) -> tuple[Fixture, ...]:
        if self._singly:
            self._singly -= 1
            return ()
        wanted = min(QUEUE_AT_MOST, int(QUEUE_S * self._played / max(self._busy_s, 1e-6))) if self._played else 0
        more: list[Fixture] = []
        if len(queue) > wanted // 2:
            return ()
        while len(queue) < wanted and (fixture := self._take(source)) is not None:
            queue.append(fixture)
            more.append(fixture)
        return tuple(more)

    def _give_back(self, queue: deque[Fixture]) -> None:
        self._replays.extend(queue)
        self._open -= len(queue)
        queue.clear()
        self._wake()

    async def _loss(self, fixture: Fixture, slot: Slot, reason: str, last_seat: int | None, sink: Sink) -> None:
        self._singly = SINGLY_AFTER_A_LOSS
        times = self._lost[fixture.match_id] = self._lost.get(fixture.match_id, 0) + 1
        loss = Loss(fixture=fixture, slot=slot.number, reason=reason, last_seat=last_seat, times=times)
        if times >= KILLS_BEFORE_SET_ASIDE:
            await sink.set_aside(loss)
        else:
            await sink.lost(loss)
            self._replays.append(fixture)
        self._ended()

    def _measure(self, seconds: float) -> None:
        """Take note of the time since a slot's last result: several may come at once, so only sums tell."""
        self._played += 1
        self._busy_s += seconds
        if self._played > RECENT:
            self._played, self._busy_s = self._played // 2, self._busy_s / 2

    def _ended(self) -> None:
        self._open -= 1
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()
