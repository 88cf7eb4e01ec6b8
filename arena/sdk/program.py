"""Playing a bot over stdin and stdout: `run`, and the conversation that it holds."""

from __future__ import annotations

import os
import sys

from arena.sdk.bot import Clock, End, Fault, Start, Turn, begin, checked_answer, checked_wants, take_notes
from arena.sdk.wire import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO
    from typing import Any, BinaryIO

    from arena.sdk.bot import Bot


def run(bot_class: Callable[[], Bot]) -> None:
    """Play with a bot of this class over stdin and stdout until the referee says `quit` or is gone.

    From here on stdout is stderr for everybody else, C code and child processes included: a stray `print` can't
    break the protocol. What the bot raises is not caught.
    """
    if os.isatty(0):
        print("This is a bot: it waits for the arena's messages on stdin. See docs/protocol.md.", file=sys.stderr)
    requests, answers = _claim_stdin(), _claim_stdout()
    with requests, answers:
        converse(bot_class(), requests, answers)


def converse(bot: Bot, requests: BinaryIO, answers: FileIO) -> None:
    """Answer the lines of `requests` on `answers`, which is unbuffered, until `quit` or the end."""
    for line in requests:
        message = loads(line.decode())
        if message["type"] == "quit":
            return
        reply = respond(bot, message)
        lines = [dumps({"type": "note", "text": note}) for note in take_notes(bot)]
        if reply is not None:
            lines.append(dumps(reply))
        if not _write(answers, b"".join(lines)):
            return


def _claim_stdin() -> BinaryIO:
    requests = open(os.dup(0), "rb")  # noqa: PTH123, SIM115 - pathlib would cost every start milliseconds
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return requests


def _claim_stdout() -> FileIO:
    answers = open(os.dup(1), "wb", buffering=0)  # noqa: PTH123, SIM115
    os.dup2(2, 1)
    sys.stdout.flush()  # what was printed and not flushed so far goes to stderr, too
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return answers


def _write(answers: FileIO, data: bytes) -> bool:
    """Write all of `data`; return False when nobody reads any more."""
    try:
        while data:
            data = data[answers.write(data) :]
    except BrokenPipeError:
        return False
    return True


def respond(bot: Bot, message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the bot's answer to one message of the referee, None when it gets none.

    Unknown types and keys, which later versions of the protocol may add, are ignored.
    """
    kind = message["type"]
    if kind == "act":
        key, value = checked_answer(bot.choose(_turn(message)))
        return {"type": "action", "id": message["id"], key: value}
    if kind == "hello":
        return {
            "type": "ready",
            "name": bot.name or type(bot).__name__,
            "version": bot.version,
            "wants": checked_wants(bot),
        }
    if kind == "start":
        begin(bot, _start(message))
        return {"type": "ready"}
    if kind == "end":
        bot.ended(_end(message))
    return None


def _turn(message: dict[str, Any]) -> Turn:
    get = message.get
    return Turn(
        id=message["id"],
        count=get("count"),
        options=get("options", ()),
        view=get("view"),
        actions=get("actions", ()),
        bank_ms=get("bank_ms"),
        limit_ms=get("limit_ms"),
        last_ms=get("last_ms"),
    )


def _start(message: dict[str, Any]) -> Start:
    clock = message["clock"]
    return Start(
        match=message["match"],
        seat=message["seat"],
        seats=message["seats"],
        names=message["names"],
        game_options=message.get("game_options", {}),
        options=message.get("options", {}),
        clock=Clock(**{name: clock[name] for name in Clock.__slots__ if name in clock}),
        bot_seed=message["bot_seed"],
    )


def _end(message: dict[str, Any]) -> End:
    fault = message.get("fault")
    return End(
        termination=message["termination"],
        places=message.get("places", ()),
        scores=message.get("scores", ()),
        categories=message.get("categories"),
        fault=fault and Fault(**{name: fault[name] for name in Fault.__slots__ if name in fault}),
    )
