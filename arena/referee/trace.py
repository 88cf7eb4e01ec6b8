"""Protocol traces: every line that went between the referee and a bot, one file for each seat of a match."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from arena.games.api import Seat
from arena.referee.record import Record

#: What went over the wire, in order: `<` to the bot, `>` from the bot, and the bytes.
Trace: TypeAlias = "list[tuple[str, bytes]]"


def trace_name(record: Record, seat: Seat) -> str:
    """Return the file's name, for example `r0-l003-b1-m2.seat-1.trace`."""
    return f"{record.match_id}.seat-{seat}.trace"


def write_trace(folder: Path, record: Record, traces: Mapping[Seat, Trace]) -> None:
    """Write the traces of a match, each line as it was, behind `< ` or `> `."""
    folder.mkdir(parents=True, exist_ok=True)
    for seat, trace in traces.items():
        with (folder / trace_name(record, seat)).open("wb") as file:
            file.write(f"# {record.match_id}, seat {seat}, {record.line_up[seat]}\n".encode())
            for direction, data in trace:
                for line in data.splitlines(keepends=True):
                    file.write(direction.encode() + b" " + line)
                    if not line.endswith(b"\n"):
                        file.write(b"\n")
