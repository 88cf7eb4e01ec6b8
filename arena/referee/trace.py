"""Protocol traces: every line that went between the referee and a bot, one file for each seat of a match."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

from arena.games.api import Seat
from arena.referee.record import Record

#: What went over the wire, in order: `<` to the bot, `>` from the bot, and the bytes.
Trace: TypeAlias = "list[tuple[str, bytes]]"


def trace_name(record: Record, seat: Seat) -> str:
    """Return the file's name, for example `r0-l003-b1-m2.seat-1.trace`."""
    return f"{record.match_id}.seat-{seat}.trace"


def trace_lines(trace: Trace) -> list[tuple[str, bytes]]:
    """Return what went in each direction line by line, without line ends; a line may have come in several pieces."""
    lines: list[tuple[str, bytes]] = []
    for direction, pieces in groupby(trace, key=itemgetter(0)):
        whole = b"".join(data for _, data in pieces)
        lines += [(direction, line) for line in whole.removesuffix(b"\n").split(b"\n") if whole]
    return lines


def write_trace(folder: Path, record: Record, traces: Mapping[Seat, Trace]) -> None:
    """Write the traces of a match, each line as it was, behind `< ` or `> `."""
    folder.mkdir(parents=True, exist_ok=True)
    for seat, trace in traces.items():
        head = f"# {record.match_id}, seat {seat}, {record.line_up[seat]}".encode()
        lines = [b"%b %b" % (direction.encode(), line) for direction, line in trace_lines(trace)]
        (folder / trace_name(record, seat)).write_bytes(b"\n".join([head, *lines, b""]))
