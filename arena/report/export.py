"""A run as a flat table, one line for each seat of each match: CSV that is safe to open in a spreadsheet, Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from arena.errors import ArenaError
from arena.referee.summary import MatchRow

#: What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_COLUMNS = (
    "match", "deal", "block", "termination", "seat", "entrant", "place", "score", "forfeit", "strikes", "requests",
    "mean_ms", "max_ms",
)  # fmt: skip


def seat_rows(rows: Iterable[MatchRow]) -> Iterator[dict[str, Any]]:
    """Yield one flat row for each seat of each match; scoring categories get columns of their own."""
    rows = list(rows)
    categories = sorted({name for row in rows for name in row.categories})
    for row in rows:
        for seat, entrant in enumerate(row.line_up):
            values = (
                row.match_id, row.deal, row.block, row.termination, seat, entrant, _at(row.places, seat),
                _at(row.scores, seat), _at(row.verdicts, seat) or "", _at(row.strikes, seat) or 0,
                _at(row.requests, seat), _at(row.mean_ms, seat), _at(row.max_ms, seat),
            )  # fmt: skip
            flat = dict(zip(_COLUMNS, values, strict=True))
            yield flat | {f"points_{name}": _at(row.categories.get(name, ()), seat) for name in categories}


def write_csv(rows: Iterable[MatchRow], file: IO[str]) -> int:
    """Write CSV with a head line; return how many lines of data. Texts that look like formulas are made harmless."""
    flat = list(seat_rows(rows))
    writer = csv.DictWriter(file, fieldnames=list(flat[0]) if flat else _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: safe_cell(value) for name, value in row.items()} for row in flat)
    return len(flat)


def write_parquet(rows: Iterable[MatchRow], path: Path) -> int:
    """Write a Parquet file; return how many lines.

    Raises:
        ArenaError: pyarrow is not installed, or the file can't be written.
    """
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ArenaError("Parquet needs pyarrow; install it with `pip install castell-arena[parquet]`") from None
    flat = list(seat_rows(rows))
    try:
        parquet.write_table(pyarrow.Table.from_pylist(flat), path)
    except OSError as error:
        raise ArenaError(f"{path} can't be written: {error}") from None
    return len(flat)


def safe_cell(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula: such texts get an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _at(values: Sequence[Any], seat: int) -> Any:
    return values[seat] if seat < len(values) else None
