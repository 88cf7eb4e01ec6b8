"""Bytes in, lines out: one message a line, of limited length, and how a bad line is quoted for people.

Legal are CRLF line ends, a byte order mark, spaces around a message and blank lines. Everything here is pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.errors import RemoteProtocolError

BOM = b"\xef\xbb\xbf"
QUOTED_CHARACTERS = 200  #: of a quoted line; a stack trace gets four times as many

PRINT_ADVICE = "stdout is for protocol messages only: print to stderr"
FORMAT_ADVICE = "`arena schema` prints the format of every message"
LINE_ADVICE = "write one complete JSON object a line, end it with a newline and flush"

_STACK_TRACE = re.compile(
    rb"Traceback \(most recent call last\)|Exception in thread|panicked at|^\s+at .+:\d+|terminate called after|"
    rb"^\s*File \".*\", line \d+|^[\w.]*(Error|Exception)\b"
)
_JSON_SPACE = b" \t\r\n"


class LineBuffer:
    """Splits a stream of bytes into lines; holds at most one unfinished line of at most `line_bytes` bytes."""

    __slots__ = ("_unfinished", "line_bytes")

    def __init__(self, line_bytes: int) -> None:
        self.line_bytes = line_bytes  #: cap on one line, its end included
        self._unfinished = bytearray()

    @property
    def unfinished(self) -> bytes:
        """What has been received of a line whose end is still missing."""
        return bytes(self._unfinished)

    @property
    def has_unfinished(self) -> bool:
        """Whether a line was begun whose end is still missing."""
        return bool(self._unfinished)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield every line that `data` completes, without its newline.

        Must be run to its end, or the buffer is to be thrown away. Raises `RemoteProtocolError` with verdict
        `output limit` for a line, finished or not, beyond the cap; the lines before it are yielded first.
        """
        if self._unfinished:
            end = data.find(b"\n")
            if end < 0:
                self._unfinished += data
                self._check_unfinished()
                return
            self._unfinished += data[:end]
            line = bytes(self._unfinished)
            self._unfinished.clear()
            self._check(line)
            yield line
            data = data[end + 1 :]
        *lines, rest = data.split(b"\n")
        for line in lines:
            if len(line) >= self.line_bytes:
                self._check(line)
            yield line
        if rest:
            self._unfinished += rest
            self._check_unfinished()

    def _check(self, line: bytes) -> None:
        if len(line) >= self.line_bytes:
            raise self._too_long(line)

    def _check_unfinished(self) -> None:
        if len(self._unfinished) >= self.line_bytes:
            raise self._too_long(bytes(self._unfinished[:QUOTED_CHARACTERS]))

    def _too_long(self, line: bytes) -> RemoteProtocolError:
        return RemoteProtocolError(
            f"sent a line of more than {self.line_bytes} bytes, beginning {quote(line)}",
            verdict="output limit",
            advice="keep messages short; debug output belongs on stderr",
        )


def is_blank(line: bytes) -> bool:
    """Return whether a line holds nothing but white space, a byte order mark or a line end."""
    return not line.removeprefix(BOM).strip(_JSON_SPACE)


def quote(line: bytes, characters: int = QUOTED_CHARACTERS) -> str:
    """Return the beginning of `line` as one printable line in quotes, safe for terminals and records."""
    text = line[: 4 * characters].decode("utf-8", "backslashreplace")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f"'{shown[:characters]}…'" if len(shown) > characters or len(line) > 4 * characters else f"'{shown}'"


def stray_output(line: bytes, chunk: bytes = b"") -> RemoteProtocolError:
    """Return the fault of a line that is no message at all: a forgotten print, a stack trace, rubbish.

    Args:
        line: the line.
        chunk: the bytes it came with; what follows the line in them is quoted with a stack trace.
    """
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"sent a line that is not UTF-8 (byte 0x{line[error.start]:02x} at {error.start}): {quote(line)}"
        return RemoteProtocolError(reason, advice="write UTF-8 only; " + PRINT_ADVICE)
    if _STACK_TRACE.search(line):
        following = chunk.partition(line)[2].rstrip()
        whole = quote(line + following, 4 * QUOTED_CHARACTERS)
        return RemoteProtocolError(f"sent what looks like a stack trace: {whole}", advice=PRINT_ADVICE)
    return RemoteProtocolError(f"sent a line that is no message: {quote(line)}", advice=PRINT_ADVICE)


def no_line_end(unfinished: bytes) -> str:
    """Return a sentence about a bot that wrote an unfinished line and then nothing more."""
    return f"wrote {len(unfinished)} bytes without a line end: {quote(unfinished)}"
