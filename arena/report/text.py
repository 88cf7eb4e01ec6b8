"""Values as text: numbers with as many decimals as their error bar allows, and tables that fit a width."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from math import floor, isfinite, log10
from statistics import median
from typing import Generic, TypeVar

import attrs
from tabulate import tabulate

NOT_AVAILABLE = "n/a"
_SHORTEST_NAME = 8

Row = TypeVar("Row")


def decimals(error: float | None) -> int:
    """Return how many decimals a number with this error bar deserves, 0 without one.

    The error keeps two digits when its first three are below 355 and one digit otherwise: the rule of the
    Particle Data Group, without its rounding up of 950 and more.

    >>> decimals(12.3), decimals(3.41), decimals(0.052)
    (0, 1, 2)
    """
    if error is None or not isfinite(error) or error <= 0:
        return 0
    exponent = floor(log10(error))
    digits = 2 if error / 10**exponent < 3.55 else 1
    return max(0, digits - 1 - exponent)


def common_decimals(errors: Sequence[float | None], *, otherwise: int = 0) -> int:
    """Return the decimals of a column: those of its median error."""
    known = [decimals(error) for error in errors if error is not None]
    return round(median(known)) if known else otherwise


def number(value: float | None, places: int, *, signed: bool = False) -> str:
    """Return a number with that many decimals, or "n/a"; never "-0"."""
    if value is None:
        return NOT_AVAILABLE
    value = round(value, places) + 0.0
    return f"{value:+.{places}f}" if signed and value else f"{value:.{places}f}"


def percent(share: float | None, error: float | None = None) -> str:
    """Return a share as a number of percent, with decimals from its error (also a share)."""
    return number(None if share is None else share * 100, decimals(None if error is None else error * 100))


def shorten(name: str, width: int) -> str:
    """Return a name cut to that many characters, its last one then an ellipsis."""
    return name if len(name) <= width else name[: width - 1] + "…"


def cells_wide(text: str) -> int:
    """Return how many terminal cells a line takes."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


@attrs.frozen
class Column(Generic[Row]):
    """One column of a table."""

    head: str
    cell: Callable[[Row], str]
    keep: int = 0  #: columns with the lowest number are dropped first where the width is short; 9 is never dropped
    left: bool = False  #: align left, as names are


def draw(rows: Sequence[Row], columns: Sequence[Column[Row]], width: int | None) -> str:
    """Return a table no wider than `width` terminal cells (None: as wide as it likes).

    Columns are dropped in the order of `keep`, the rightmost first among equals, then names are shortened.
    """
    left = list(columns)
    text = _plain(rows, left)
    while width is not None and _width(text) > width and (least := min(column.keep for column in left)) < 9:
        left.pop(max(at for at, column in enumerate(left) if column.keep == least))
        text = _plain(rows, left)
    over = 0 if width is None else _width(text) - width
    if over > 0:
        longest = max(len(column.cell(row)) for row in rows for column in left if column.left)
        text = _plain(rows, left, max(_SHORTEST_NAME, longest - over))
    return text


def _plain(rows: Sequence[Row], columns: Sequence[Column[Row]], names: int | None = None) -> str:
    def text(column: Column[Row], row: Row) -> str:
        cell = column.cell(row)
        return shorten(cell, names) if names is not None and column.left else cell

    return tabulate(
        [[text(column, row) for column in columns] for row in rows],
        headers=[column.head for column in columns],
        tablefmt="simple",
        colalign=["left" if column.left else "right" for column in columns] if rows else None,
        disable_numparse=True,
    )


def _width(text: str) -> int:
    return max((cells_wide(line) for line in text.splitlines()), default=0)
