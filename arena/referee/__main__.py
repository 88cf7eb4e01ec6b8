"""The referee process, `python -m arena.referee`: takes a set-up and fixtures on stdin, returns records on stdout.

It is started by the scheduler and speaks `arena.referee.wire`. It ends, and its bots with it, at the end of its
input, on SIGTERM and on SIGINT. A bug of the referee or of a game ends it with a traceback; the scheduler then
replays the match.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import platform
import select
import signal
import time
from collections import deque
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import msgspec
from msgspec.structs import replace

from arena import __version__, plugins
from arena.errors import ArenaError
from arena.games.api import Seat
from arena.referee import record as records
from arena.referee.driver import Driver
from arena.referee.process import WATCH_EVERY_MS
from arena.referee.record import Host
from arena.referee.sandbox import choose_rung
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import Fixture
from arena.referee.summary import summarise
from arena.referee.trace import write_trace
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
    ToReferee,
)

READ_BYTES = 1 << 20
HUNG_AFTER_S = 15.0  #: without a look at the bots
SOON_S = 0.005  #: what comes within that finds everything as it was
TOGETHER_S = 0.01  #: so long a message may wait for others
_decoder = msgspec.json.Decoder(ToReferee)
_encoder = msgspec.json.Encoder()


class Stopped(BaseException):
    """The scheduler has gone, or a signal came: everything is cleared up on the way out."""


class Inbox:
    """Messages of the scheduler, read whenever there are some."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.fixtures: deque[Fixture] = deque()
        self.setup: Setup | None = None
        self._unfinished = b""

    def read(self) -> None:
        """Take what is there, waiting when there is nothing; raise `Stopped` at the end."""
        data = os.read(self.descriptor, READ_BYTES)
        if not data:
            raise Stopped
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        for line in lines:
            message = _decoder.decode(line)
            if isinstance(message, Play):
                self.fixtures.extend(message.fixtures)
            else:
                self.setup = message


class Outbox:
    """Messages to the scheduler: those of short matches travel together, and a match waits for none of them."""

    def __init__(self, descriptor: int, wakeup: int) -> None:
        """Write to `descriptor`; waiting to do so ends when `wakeup` is readable."""
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self._wakeup = wakeup
        self._waiting = bytearray()
        self._since_s = 0.0

    def add(self, message: FromReferee) -> None:
        """Queue a message; what has waited for long enough leaves with it."""
        now_s = time.monotonic()
        if not self._waiting:
            self._since_s = now_s
        self._waiting += _encoder.encode(message)
        self._waiting += b"\n"
        if now_s - self._since_s > TOGETHER_S:
            self.flush()

    def flush(self) -> bool:
        """Write what waits as far as the scheduler takes it; return whether all has left.

        Raise `Stopped` when the scheduler has gone.
        """
        try:
            while self._waiting:
                del self._waiting[: os.write(self.descriptor, self._waiting)]
        except BlockingIOError:
            return False
        except BrokenPipeError:
            raise Stopped from None
        return True

    def drain(self) -> None:
        """Write all that waits, for as long as that takes; raise `Stopped` at a signal, or when the scheduler goes."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLOUT)
        poll.register(self._wakeup, select.POLLIN)
        while not self.flush():
            if any(descriptor == self._wakeup for descriptor, _ in poll.poll()):
                raise Stopped


def main() -> None:
    """Serve until the end of the input."""
    wakeup, inbox = _watch_signals(), Inbox(0)
    outbox = Outbox(_stdout_for_messages_only(), wakeup)
    try:
        while inbox.setup is None:
            inbox.read()
        _serve(inbox.setup, inbox, outbox, wakeup)
    except Stopped:
        pass


def _serve(setup: Setup, inbox: Inbox, outbox: Outbox, wakeup: int) -> None:
    with contextlib.ExitStack() as held:
        try:
            if setup.cores:
                os.sched_setaffinity(0, setup.cores)
            game = plugins.game(setup.settings.game)
            rung = choose_rung(setup.settings.sandbox, setup.entrants)
            scratch = held.enter_context(scratch_root())
        except (ArenaError, OSError) as error:
            outbox.add(CannotPlay(str(error)))
            outbox.drain()
            return
        alive = _Heart(outbox)
        driver = Driver(
            game,
            setup.settings,
            {entrant.name: entrant for entrant in setup.entrants},
            rung,
            scratch,
            slot=setup.slot,
            host=_host(setup, rung.name, rung.user),
            between=alive.beat,
            watched={inbox.descriptor: inbox.read, wakeup: _stop},
        )
        held.callback(driver.close)
        _play_on(setup, driver, alive, inbox, outbox)


def _play_on(setup: Setup, driver: Driver, alive: _Heart, inbox: Inbox, outbox: Outbox) -> NoReturn:
    host = driver.host
    outbox.add(ReadyToPlay(host))
    while True:
        while not inbox.fixtures:
            if not (outbox.flush() and driver.wait(SOON_S)):
                alive.rest()
                driver.freeze_kept()
                outbox.drain()
                driver.wait()
        fixture = inbox.fixtures.popleft()
        alive.begin(fixture.match_id)
        outbox.add(MatchStarted(fixture.match_id))
        driver.host = replace(host, started_at=datetime.now(UTC).isoformat(timespec="milliseconds"))
        record, trace = driver.play(fixture)
        if setup.settings.trace:
            write_trace(Path(setup.logs), record, trace)
        outbox.add(MatchPlayed(summarise(record), record.faults, msgspec.Raw(records.encode(record))))


class _Heart:
    """Tells the scheduler at intervals that a match goes on; a referee that no longer does so ends."""

    def __init__(self, outbox: Outbox) -> None:
        self.match_id = ""
        self._outbox = outbox
        self._looks = 0
        self._again_s = 0.0

    def begin(self, match_id: str) -> None:
        """A match begins."""
        self.match_id = match_id
        now_s = time.monotonic()
        if now_s >= self._again_s:
            # Our scheduler kills us before that. If it is dead too, a thread that needs no Python ends this process.
            faulthandler.dump_traceback_later(HUNG_AFTER_S, exit=True)
            self._again_s = now_s + 1

    def beat(self, last_seat: Seat, every: int = ALIVE_EVERY_MS // WATCH_EVERY_MS // 2) -> None:
        """Say so at every few looks of the driver."""
        self._looks += 1
        if self._looks % every == 0:
            self.begin(self.match_id)
            self._outbox.add(Alive(self.match_id, last_seat))
        self._outbox.flush()

    def rest(self) -> None:
        """There is nothing to play."""
        faulthandler.cancel_dump_traceback_later()
        self._again_s = 0.0


def _stdout_for_messages_only() -> int:
    """Return another descriptor for stdout, and point stdout to stderr: a game that prints can't garble a message."""
    descriptor = os.dup(1)
    os.dup2(2, 1)
    return descriptor


def _stop() -> None:
    raise Stopped


def _watch_signals() -> int:
    """Return a descriptor that is readable once SIGTERM or SIGINT has come."""
    readable, writable = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    return readable


def _host(setup: Setup, rung: str, user: str) -> Host:
    return Host(
        arena=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()}",
        machine=setup.machine or platform.node(),
        processor=processor(),
        machine_cores=os.cpu_count() or 0,
        speed=setup.speed,
        slot=setup.slot,
        cores=setup.cores,
        rung=rung,
        user=user,
        fresh=setup.settings.fresh,
    )


def processor() -> str:
    """Return what this machine calls its processor, possibly ""."""
    try:
        with Path("/proc/cpuinfo").open() as lines:
            return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    except OSError:
        return platform.processor()


if __name__ == "__main__":
    main()
