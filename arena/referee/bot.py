"""A bot as the driver sees it: its process, its end of the protocol, and bytes on their way.

Nothing here waits. What the bot writes is read in pieces of bounded size, of its stderr only the tail is kept.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterator

from arena.cleaning import clean
from arena.errors import RemoteProtocolError
from arena.protocol.connection import RefereeConnection
from arena.protocol.framing import no_line_end
from arena.protocol.messages import BotMessage, Ready
from arena.referee.match import Hint
from arena.referee.process import BotProcess
from arena.referee.settings import Limits
from arena.referee.trace import Trace

READ_BYTES = 64 * 1024
PIECES_BETWEEN_MATCHES = 32  #: that are taken of what a bot says between its matches
STDERR_TAIL_BYTES = 64 * 1024
EVIDENCE_BYTES = 2_000  #: of the stderr tail that goes into a fault


class Bot:
    """One running bot."""

    def __init__(self, process: BotProcess, limits: Limits, *, number: int = 0) -> None:
        self.process = process
        self.number = number  #: among those of its driver that live
        self.entrant = process.entrant
        self.limits = limits
        self.connection = RefereeConnection(
            line_bytes=limits.line_bytes, lines_between_requests=limits.lines_between_requests
        )
        self.greeting: Ready | None = None  #: its answer to `hello`
        self.outbox = bytearray()  #: what it has not taken yet
        self.stderr_bytes = 0  #: in this match
        self.freezes = False  #: it is stopped whenever it is not asked
        self.trace: Trace | None = None
        self._stderr_tail = bytearray()
        self.frozen = False  #: it is stopped
        self._quiet = select.poll()
        for descriptor in (process.stdout, process.stderr, process.pidfd):
            self._quiet.register(descriptor, select.POLLIN)

    # -- to the bot -------------------------------------------------------------------------------------------

    def write(self, data: bytes) -> bool:
        """Queue bytes; return whether the last one has left."""
        if self.trace is not None:
            self.trace.append(("<", data))
        if not self.outbox:
            try:
                sent = os.write(self.process.stdin, data)
            except (BlockingIOError, BrokenPipeError):
                sent = 0
            if sent == len(data):
                return True
            data = data[sent:]
        self.outbox += data
        return False

    def flush(self) -> bool:
        """Write what is queued as far as the bot takes it; return whether all has left.

        Raise `BrokenPipeError` when nobody reads.
        """
        try:
            while self.outbox:
                del self.outbox[: os.write(self.process.stdin, self.outbox[:READ_BYTES])]
        except BlockingIOError:
            return False
        return True

    def has_all(self) -> bool:
        """Write what is queued as far as the bot takes it; return whether it lives and all has left."""
        try:
            return self.flush()
        except BrokenPipeError:
            return False

    # -- from the bot -----------------------------------------------------------------------------------------

    def receive(self) -> bool:
        """Read a piece of its stdout, for `messages`; return False at its end."""
        data = self.read_stdout()
        if data:
            self.connection.receive_data(data)
        return data != b""

    def read_stdout(self) -> bytes | None:
        """Read a piece of its stdout, to be given to its connection; b"" at its end, None when there is nothing."""
        try:
            data = os.read(self.process.stdout, READ_BYTES)
        except BlockingIOError:
            return None
        if self.trace is not None:
            self.trace.append((">", data))
        return data

    def messages(self) -> Iterator[BotMessage]:
        """Yield what it said; raise `RemoteProtocolError` for what breaks the protocol, once, after the rest."""
        while (message := self.connection.next_event()) is not None:
            if self.greeting is None and isinstance(message, Ready):
                self.greeting = message
            yield message

    def read_stderr(self) -> bool:
        """Read a piece of its stderr; return False at its end."""
        try:
            data = os.read(self.process.stderr, READ_BYTES)
        except BlockingIOError:
            return True
        self.stderr_bytes += len(data)
        self._stderr_tail += data
        if len(self._stderr_tail) > 2 * STDERR_TAIL_BYTES:
            del self._stderr_tail[:-STDERR_TAIL_BYTES]
        return bool(data)

    def stderr_tail(self, at_most_bytes: int = STDERR_TAIL_BYTES) -> str:
        """Return the last whole lines it wrote to stderr in this match, cleaned."""
        if not self._stderr_tail:
            return ""
        tail = bytes(self._stderr_tail[-at_most_bytes:])
        if len(tail) < len(self._stderr_tail) and b"\n" in tail:
            tail = tail[tail.index(b"\n") + 1 :]
        return clean(tail.decode("utf-8", "replace"), 2 * at_most_bytes, keep_lines=True).rstrip()

    @property
    def unfinished(self) -> str:
        """A sentence about a line whose end is missing, "" when there is none."""
        return no_line_end(data) if (data := self.connection.unfinished) else ""

    @property
    def hint(self) -> Hint | None:
        """What is known of why it does not answer."""
        if self.outbox:
            return Hint("did not read all that was written to it", "read stdin line by line, also while you think")
        if unfinished := self.unfinished:
            return Hint(unfinished, "end every line with a newline and flush it")
        return None

    # -- its life ---------------------------------------------------------------------------------------------

    def freeze(self) -> None:
        """Stop every process of the bot."""
        if not self.frozen:
            self.process.freeze()
            self.frozen = True

    def thaw(self) -> None:
        """Let every process of the bot go on."""
        if self.frozen:
            self.process.thaw()
            self.frozen = False

    def begin_match(self) -> bool:
        """Begin the accounts of a new match for a bot that lives on; return whether it may play.

        What it said after its last match belongs to none. It may not play when it has ended, does not stop talking
        or broke the protocol meanwhile.
        """
        self.thaw()
        if self._quiet.poll(0) and (self.process.exit_status() or not self._says_no_more()):
            return False
        self.stderr_bytes = 0
        self._stderr_tail.clear()
        self.freezes = False
        self.process.peak_memory_mb = 0.0
        if self.trace is not None:
            self.trace = []
        return True

    def _says_no_more(self) -> bool:
        """Take what it said unasked; return whether that was all, and allowed."""
        for _ in range(PIECES_BETWEEN_MATCHES):
            seen = self.stderr_bytes, self.connection.unfinished
            try:
                if not self.receive():
                    return False
                said = [*self.messages()]
            except RemoteProtocolError:
                return False
            self.read_stderr()
            if not said and seen == (self.stderr_bytes, self.connection.unfinished):
                return True
        return False

    def how_it_ended(self) -> tuple[str, str]:
        """Return a reason and an exit status for a bot whose stdout has ended or whose process is gone."""
        status = self.process.exit_status(wait_ms=100)
        if not status:
            return "closed its stdout but lives on", ""
        reason = f"ended with {status}" if not status.startswith("signal") else f"was ended by {status}"
        return f"{reason}; {self.unfinished}" if self.unfinished else reason, status
