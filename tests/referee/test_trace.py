from __future__ import annotations

from arena.referee.trace import trace_lines


def test_lines_are_whole_however_they_came() -> None:
    trace = [("<", b"one\n"), ("<", b"two\n"), (">", b'{"type":"rea'), (">", b'dy"}'), (">", b"\n"), (">", b"")]
    assert trace_lines(trace) == [("<", b"one"), ("<", b"two"), (">", b'{"type":"ready"}')]


def test_empty_and_unfinished_lines_are_kept() -> None:
    assert trace_lines([(">", b"\n\r\n"), (">", b"half"), ("<", b"asked\n"), (">", b"")]) == [
        (">", b""), (">", b"\r"), (">", b"half"), ("<", b"asked"),
    ]  # fmt: skip
