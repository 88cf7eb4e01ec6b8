from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import RemoteProtocolError
from arena.protocol.framing import LineBuffer, is_blank, no_line_end, quote, stray_output


def feed_in_pieces(buffer: LineBuffer, stream: bytes, chunk: int) -> Iterator[bytes]:
    for start in range(0, len(stream), chunk):
        yield from buffer.feed(stream[start : start + chunk])


@given(lines=st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=8), data=st.data())
def test_lines_come_out_however_they_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines) + b"rest"
    buffer, seen = LineBuffer(100), []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        seen += list(buffer.feed(stream[:cut]))
        stream = stream[cut:]
    assert seen == lines
    assert buffer.unfinished == b"rest"


@pytest.mark.parametrize("chunk", [1, 3, 1000])
def test_the_cap_counts_the_line_end(chunk: int) -> None:
    stream = b"1234567\n12345678\n"
    lines = feed_in_pieces(LineBuffer(8), stream, chunk)
    assert next(lines) == b"1234567"
    with pytest.raises(RemoteProtocolError, match=r"more than 8 bytes, beginning '12345678'") as caught:
        next(lines)
    assert caught.value.verdict == "output limit"


def test_lines_before_an_oversize_one_are_yielded_first() -> None:
    lines = LineBuffer(8).feed(b"one\ntwo\n123456789")
    assert next(lines) == b"one"
    assert next(lines) == b"two"
    with pytest.raises(RemoteProtocolError):
        next(lines)


@pytest.mark.lesson(12)
def test_an_endless_line_is_refused_without_being_kept() -> None:
    lines = feed_in_pieces(LineBuffer(1000), b"x" * 1200, 400)
    with pytest.raises(RemoteProtocolError, match="more than 1000 bytes"):
        next(lines)


@pytest.mark.parametrize("line", [b"", b" \t", b"\r", b"\xef\xbb\xbf", b"\xef\xbb\xbf \r"])
def test_blank_lines(line: bytes) -> None:
    assert is_blank(line)


@given(st.binary())
def test_a_quotation_is_one_short_printable_line(line: bytes) -> None:
    text = quote(line, 40)
    assert text.isprintable()
    assert len(text) <= 43


def test_quotations_are_readable() -> None:
    assert quote("Grüße".encode()) == "'Grüße'"
    assert quote(b"a\x1b[31m\xff\n") == "'a\\x1b[31m\\xff\\n'"
    assert quote(b"it's \\n") == "'it's \\n'"
    assert quote(b"x" * 50, 10) == "'xxxxxxxxxx…'"


@pytest.mark.lesson(17)
def test_what_is_no_message_is_named_for_what_it_is() -> None:
    assert "no message: 'thinking…'" in str(stray_output("thinking…".encode()))
    assert "0xff at 2" in str(stray_output(b"ab\xff"))
    assert stray_output(b"hello").advice.endswith("print to stderr")


@pytest.mark.lesson(17)
@pytest.mark.parametrize(
    "line",
    [
        b"Traceback (most recent call last):",
        b'Exception in thread "main" java.lang.NullPointerException',
        b"thread 'main' panicked at src/main.rs:5:9:",
        b"terminate called after throwing an instance of 'std::out_of_range'",
        b"    at Bot.choose (/bot/bot.js:12:9)",
        b"ZeroDivisionError: division by zero",
    ],
)
def test_stack_traces_are_recognised_and_quoted_with_what_follows(line: bytes) -> None:
    error = stray_output(line, b"earlier\n" + line + b"\nthe last line\n")
    assert "stack trace" in str(error)
    assert "the last line'" in str(error)
    assert "earlier" not in str(error)
    assert "print to stderr" in error.advice


@pytest.mark.lesson(15)
def test_a_missing_line_end_is_named() -> None:
    assert no_line_end(b'{"type"') == "wrote 7 bytes without a line end: '{\"type\"'"
