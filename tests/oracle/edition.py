"""The edition file as plain values, for the oracle only: no checks, no cleverness.

Everything in this folder is written from the text of the rules and the data file alone. It neither imports nor
imitates the fast code, so an error would have to be made twice to go unseen.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).parents[2] / "arena" / "games" / "castell" / "edition.toml"
SKILLS = ("balance", "base", "mix", "strength", "width")


@dataclass(frozen=True)
class Tile:
    """A local performance tile: either `shape` is given (castellers by level, ground first) or `skills`."""

    number: int  #: from 1 on, shapes first, then exhibitions
    points: int
    shape: tuple[int, ...] | None
    skills: frozenset[str]


@dataclass(frozen=True, eq=False)
class Edition:
    """What the oracle reads from an edition file; `data` is the whole file for everything used in one place."""

    data: dict[str, Any]
    regions: tuple[str, ...]
    neighbours: dict[str, frozenset[str]]
    tiles: dict[int, Tile]
    rulings: dict[str, Any]

    def by_seats(self, section: str, key: str, seats: int) -> Any:
        """Return the value for `seats` players from a table that is keyed by the number of players."""
        return self.data[section][key][str(seats)]


@cache
def load(path: Path = SHIPPED) -> Edition:
    """Read an edition file."""
    return parse(path.read_text(encoding="utf-8"))


def parse(text: str) -> Edition:
    """Read the text of an edition file."""
    data = tomllib.loads(text)
    regions = tuple(data["map"]["regions"])
    touching = [*data["map"]["borders"], *data["map"]["dotted"]]
    neighbours = {
        region: frozenset(other for pair in touching if region in pair for other in pair if other != region)
        for region in regions
    }
    numbers = count(1)
    local = data["local_performances"]
    shapes = [Tile(next(numbers), tile["points"], tuple(tile["shape"]), frozenset()) for tile in local["shapes"]]
    shows = [Tile(next(numbers), tile["points"], None, frozenset(tile["skills"])) for tile in local["exhibitions"]]
    tiles = {tile.number: tile for tile in [*shapes, *shows]}
    return Edition(data, regions, neighbours, tiles, data["rulings"])
