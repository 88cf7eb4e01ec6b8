"""Both ends of a conversation as state machines without I/O: bytes in, events out; messages in, bytes out.

Theory of operation. `RefereeConnection` and `BotConnection` hold the same `State`, moved by the messages of
both sides along one table, `TRANSITIONS`. `receive_data` judges what arrives *at once*, in the state of that
moment, so an answer that comes before its question is a fault even when it is looked at later; events wait in
a queue for `next_event`. A fault comes after the events before it and is the last thing that ever comes.

Messages may cross on their way, and that is no fault of anybody:

* `expire` says that the referee has stopped waiting for a request; its answer, when it still comes, is dropped
  without an event. `End` and `Quit` expire the open request by themselves. So does, at the bot, the next `Act`.
* A `Ready` may cross an `End` or a `Quit`; then it is dropped too.
* After `Quit` the referee no longer reads.

Whose fault it is shows in the type: what we do wrong is a `LocalProtocolError` (a bug), what the other side does
wrong is a `RemoteProtocolError`; nothing else is ever raised.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

from arena.errors import LocalProtocolError, RemoteProtocolError
from arena.protocol.framing import LineBuffer, is_blank, quote
from arena.protocol.messages import (
    FROM_BOT,
    FROM_REFEREE,
    Act,
    ActionMessage,
    BotMessage,
    Message,
    Note,
    Ready,
    RefereeMessage,
    decode_choice,
    decode_from_bot,
    decode_from_referee,
    encode,
)


class State(StrEnum):
    """Where a conversation stands."""

    OPENED = "opened"  #: nothing said
    GREETED = "greeted"  #: `hello` sent, `ready` awaited
    WAITING = "waiting"  #: between matches
    STARTING = "starting"  #: `start` sent, `ready` awaited
    PLAYING = "playing"  #: in a match, nothing asked
    ASKED = "asked"  #: `act` sent, `action` awaited
    CLOSED = "closed"  #: `quit` sent

    __hash__ = str.__hash__  # of an Enum it is slow


#: The state after a message, by the state before it and the message's type; what is missing is not allowed.
#: A `note` is allowed everywhere and changes nothing.
TRANSITIONS: Mapping[State, Mapping[str, State]] = {
    State.OPENED: {"hello": State.GREETED, "quit": State.CLOSED},
    State.GREETED: {"ready": State.WAITING, "quit": State.CLOSED},
    State.WAITING: {"start": State.STARTING, "quit": State.CLOSED},
    State.STARTING: {"ready": State.PLAYING, "end": State.WAITING, "quit": State.CLOSED},
    State.PLAYING: {"act": State.ASKED, "end": State.WAITING, "quit": State.CLOSED},
    State.ASKED: {"action": State.PLAYING, "end": State.WAITING, "quit": State.CLOSED},
    State.CLOSED: {},
}

# Python 3.11 takes ten times as long to look a member up as a name; these are needed at every request.
_ASKED, _PLAYING = State.ASKED, State.PLAYING
_READY_AWAITED = (State.GREETED, State.STARTING)

Incoming = TypeVar("Incoming", bound=Message)


class _Connection(Generic[Incoming]):
    """What both ends share; see the head of this file."""

    def __init__(self, *, line_bytes: int, lines_between_requests: int | None) -> None:
        self.state = State.OPENED
        self._lines = LineBuffer(line_bytes)
        self._lines_cap = lines_between_requests
        self._lines_seen = 0
        self._events: deque[Incoming] = deque()
        self._error: RemoteProtocolError | None = None
        self._open_id: int | None = None
        self._last_id = -1
        self._answered: set[int] = set()
        self._expired: set[int] = set()
        self._ready_owed = False
        self._all_taken = True  # nothing has come that `next_event` did not return, no fault and no piece of a line

    @property
    def unfinished(self) -> bytes:
        """What has been received of a line whose end is missing, for a diagnosis; see `framing.no_line_end`."""
        return self._lines.unfinished

    @property
    def _listening(self) -> bool:
        return self._error is None and self.state is not State.CLOSED

    @property
    def open_id(self) -> int | None:
        """The id of the request that awaits its answer, if any."""
        return self._open_id

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the other side; never raises. After a fault or the end everything is ignored."""
        self._all_taken = False
        try:
            for line in self._lines.feed(data) if self._listening else ():
                self._receive_line(line, data)
                if not self._listening:
                    return
        except RemoteProtocolError as error:
            self._error = error
            self._lines = LineBuffer(1)  # frees what was received

    def next_event(self) -> Incoming | None:
        """Return the next message of the other side, or None when more data is needed.

        Raises `RemoteProtocolError` once everything before the fault was returned, and then each time.
        """
        if self._events:
            return self._events.popleft()
        if self._error is not None:
            raise self._error
        self._all_taken = not self._lines.has_unfinished
        return None

    def _decode(self, line: bytes, chunk: bytes) -> Incoming:
        raise NotImplementedError

    def _receive_line(self, line: bytes, chunk: bytes) -> None:
        self._lines_seen += 1
        if self._lines_cap is not None and self._lines_seen > self._lines_cap:
            raise RemoteProtocolError(
                f"sent more than {self._lines_cap} lines since the last request, the last one being {quote(line)}",
                verdict="output limit",
                advice="answer each request once and keep notes few; debug output belongs on stderr",
            )
        if not line.startswith(b"{") and is_blank(line):
            return
        message = self._decode(line, chunk)
        try:
            if self._process(message):
                self._events.append(message)
        except LocalProtocolError as error:
            raise RemoteProtocolError(f"{error}: {quote(line)}", advice="answer each request once, by its id") from None

    def _process(self, message: Message) -> bool:
        """Move the state along; return False for what crossed on its way and is to be dropped."""
        if isinstance(message, ActionMessage):
            return self._answer(message.id)
        if isinstance(message, Note):
            return True
        if isinstance(message, Ready) and self._ready_owed:
            self._ready_owed = False
            return False
        if isinstance(message, Act):
            self._ask(message.id)
            return True
        self._move(message.type)
        return True

    def _move(self, kind: str) -> None:
        after = TRANSITIONS[self.state].get(kind)
        if after is None:
            allowed = ", ".join(TRANSITIONS[self.state]) or "nothing"
            raise LocalProtocolError(f"`{kind}` is not allowed while {self.state.value} (allowed: {allowed})")
        if kind == "ready":
            self._expired.clear()  # whatever belonged to an earlier match came before this
            self.state = after
            return
        if kind == "start":
            if self._ready_owed:
                raise LocalProtocolError("`start` is not allowed while the `ready` to the one before is missing")
            self._last_id = -1
            self._answered.clear()
        if self.state in _READY_AWAITED:
            self._ready_owed = True
        self._expire_open()
        self.state = after
        self._lines_seen = 0

    def _ask(self, request: int) -> None:
        if self.state is not _PLAYING:
            self._move("act")  # raises
        if request <= self._last_id:
            raise LocalProtocolError(f"request {request} does not come after request {self._last_id}")
        self.state = _ASKED
        self._open_id = self._last_id = request
        self._lines_seen = 0

    def _answer(self, request: int) -> bool:
        if request == self._open_id:
            self._open_id = None
            self._answered.add(request)
            self.state = _PLAYING
            return True
        if request in self._expired:
            self._expired.remove(request)
            self._answered.add(request)
            return False
        if request in self._answered:
            raise LocalProtocolError(f"request {request} was answered already")
        raise LocalProtocolError(f"request {request} was never asked")

    def _expire_open(self) -> None:
        if self._open_id is not None:
            self._expired.add(self._open_id)
            self._open_id = None
            self.state = _PLAYING


class RefereeConnection(_Connection[BotMessage]):
    """The referee's end: sends `Hello`, `Start`, `Act`, `End`, `Quit`; its events are `Ready`, `ActionMessage`, `Note`.

    Args:
        line_bytes: cap on one line of the bot, its end included.
        lines_between_requests: cap on the lines of any kind between two of our messages.
    """

    def __init__(self, *, line_bytes: int = 256 * 1024, lines_between_requests: int = 256) -> None:
        super().__init__(line_bytes=line_bytes, lines_between_requests=lines_between_requests)
        self._line_bytes, self._lines_between_requests = line_bytes, lines_between_requests

    def send(self, message: RefereeMessage) -> bytes:
        """Return the line to write; raise `LocalProtocolError` when the message is not allowed now."""
        if not isinstance(message, FROM_REFEREE):
            raise LocalProtocolError(f"a referee does not send `{message.type}`")
        self._process(message)
        return encode(message)

    def ask(self, message: Act) -> bytes:
        """Do what `send` does, by the shortest way."""
        request = message.id
        if self.state is not _PLAYING or request <= self._last_id:
            self._ask(request)  # raises
        self.state = _ASKED
        self._open_id = self._last_id = request
        self._lines_seen = 0
        return encode(message)

    def receive_choice(self, data: bytes) -> int | None:
        """Take bytes like `receive_data`; return the option when they are just that, in answer to the open request.

        The referee's shortest way. None says nothing: what came, if anything, is told by `next_event` as ever.
        """
        size = len(data)
        asked = self._open_id
        if (
            asked is not None
            and self._all_taken
            and data.find(b"\n") == size - 1
            and size <= self._line_bytes
            and self._lines_seen < self._lines_between_requests
        ):
            try:
                choice = decode_choice(data)
            except (msgspec.MsgspecError, RecursionError, ValueError):
                pass  # the thorough way below finds out what is wrong
            else:
                if choice.id == asked:
                    self._lines_seen += 1
                    self._open_id = None
                    self._answered.add(asked)
                    self.state = _PLAYING
                    return choice.option
        self.receive_data(data)
        return None

    def expire(self, id: int) -> None:  # noqa: A002 - its name on the wire
        """Stop waiting for the answer to the open request `id`; a late answer to it is dropped."""
        if id != self._open_id:
            raise LocalProtocolError(f"request {id} is not open")
        self._expire_open()

    def _decode(self, line: bytes, chunk: bytes) -> BotMessage:
        return decode_from_bot(line, chunk)


class BotConnection(_Connection[RefereeMessage]):
    """The bot's end: sends `Ready`, `ActionMessage`, `Note`; its events are `Hello`, `Start`, `Act`, `End`, `Quit`.

    Args:
        line_bytes: cap on one line of the referee, its end included.
    """

    def __init__(self, *, line_bytes: int = 64 * 1024 * 1024) -> None:
        super().__init__(line_bytes=line_bytes, lines_between_requests=None)

    def send(self, message: BotMessage) -> bytes:
        """Return the line to write; raise `LocalProtocolError` when the message is not allowed now."""
        if not isinstance(message, FROM_BOT):
            raise LocalProtocolError(f"a bot does not send `{message.type}`")
        self._process(message)
        return encode(message)

    def _ask(self, request: int) -> None:
        self._expire_open()  # the referee has stopped waiting for the one before
        super()._ask(request)

    def _decode(self, line: bytes, chunk: bytes) -> RefereeMessage:
        return decode_from_referee(line, chunk)
