"""An edition of Castell: every count, map, tile, table and ruling, read once from a TOML file into frozen values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

import attrs
import msgspec

from arena.errors import ConfigError, Problem

Side: TypeAlias = Literal["standard", "advanced"]

#: The five skills, in the order in which ranks are listed everywhere.
SKILLS = ("balance", "base", "mix", "strength", "width")
BALANCE, BASE, MIX, STRENGTH, WIDTH = range(5)
#: The kind on a wheel tile that grants a special action instead of a rank.
SPECIAL = "special"
#: The name of the wheel slot that belongs to no region.
EVERYWHERE = "everywhere"


@attrs.frozen(kw_only=True)
class Tile:
    """A local performance tile: a tower shape (counts by level, ground first) or a skill exhibition."""

    number: int  #: from 1, shapes first, then exhibitions
    points: int
    shape: tuple[int, ...] = ()
    skills: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "-".join(map(str, self.shape)) if self.shape else "+".join(self.skills)


@attrs.frozen(kw_only=True)
class Rulings:
    """How doubtful rules are read; the alternatives are explained in docs/castell-rules.md."""

    wheel_turns: str
    special_move: str
    token_laid: str
    token_spaces: str
    base_levels: str
    exhibition_levels: str
    prizes_by: str
    prize_ties: str
    size_token_ties: tuple[str, ...]
    variety_counts: tuple[str, ...]
    first_player: str
    final_ties: tuple[str, ...]


@attrs.frozen(kw_only=True)
class TowerRules:
    """The part of an edition that decides which towers stand and what they are worth."""

    sizes: int = 10  #: the number of casteller sizes, 1 is the smallest
    width_limit: int = 3  #: castellers on a level without width and base
    highest_rank: int = 5
    festival_least_levels: int = 4
    base_levels: str = "each_use"
    exhibition_levels: str = "exactly"
    supply: tuple[int, ...] = (15,) * 10  #: castellers of each size in the whole game


@attrs.frozen(kw_only=True, slots=False, hash=False)
class Edition:
    """All data of one edition; the names follow the file."""

    name: str
    seats: tuple[int, ...]
    starting_team: int
    special_action_tokens: int
    castellers_per_region: Mapping[int, int]  #: by number of players
    count_by_size: tuple[int, ...]
    rounds: int
    refill_rounds: tuple[int, ...]
    regions: tuple[str, ...]
    borders: tuple[tuple[str, str], ...]
    dotted: tuple[tuple[str, str], ...]
    slots: tuple[str, ...]  #: clockwise
    wheel_tiles: tuple[str, ...]
    highest_rank: int
    width_limit: int
    festival_least_levels: int
    calendar: Mapping[int, tuple[str, ...]]  #: the kinds of the festivals of a round, in calendar order
    held_per_round: Mapping[int, int]  #: by number of players
    tokens_per_festival: int
    size_tokens: tuple[int, ...]
    prizes: Mapping[int, tuple[str, ...]]  #: by number of players (or builders), best place first
    prize_supply: Mapping[str, int]
    prize_points: Mapping[str, int]
    variety: tuple[int, ...]  #: points by number of regions
    size_token_first: int
    size_token_repeat: int
    special_action_token: int  #: points for a collected token
    performances_per_region: int
    tiles: tuple[Tile, ...]
    rulings: Rulings

    @cached_property
    def fingerprint(self) -> str:
        """16 hex digits that are equal exactly for equal content; comments and layout do not matter."""
        content = msgspec.json.encode(msgspec.to_builtins(attrs.asdict(self), str_keys=True), order="sorted")
        return hashlib.blake2b(content, digest_size=8).hexdigest()

    @cached_property
    def tower_rules(self) -> TowerRules:
        """The rules of towers of this edition."""
        return TowerRules(
            sizes=len(self.count_by_size),
            width_limit=self.width_limit,
            highest_rank=self.highest_rank,
            festival_least_levels=self.festival_least_levels,
            base_levels=self.rulings.base_levels,
            exhibition_levels=self.rulings.exhibition_levels,
            supply=self.count_by_size,
        )

    def tile(self, number: int) -> Tile | None:
        """Return the local performance tile `#number`, or None when there is no such tile."""
        return self.tiles[number - 1] if 1 <= number <= len(self.tiles) else None


def load_edition(path: str | Path = "") -> Edition:
    """Read an edition file; the empty path is the edition that is shipped.

    Raises:
        ConfigError: the file can't be read or is wrong; lists every problem by key.
    """
    if not str(path):
        return shipped_edition()
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError([Problem("edition", f"{path} can't be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        raise ConfigError([Problem("edition", f"{path} is no UTF-8 text; save it as UTF-8")]) from error
    return parse_edition(text, str(path))


@lru_cache(maxsize=1)
def shipped_edition() -> Edition:
    """Return the edition that comes with the package."""
    return parse_edition(shipped_text(), "edition.toml")


def shipped_text() -> str:
    """Return the text of the shipped edition file, the template for a corrected one."""
    return files(__package__).joinpath("edition.toml").read_text(encoding="utf-8")


@lru_cache(maxsize=16)
def parse_edition(text: str, source: str = "edition") -> Edition:
    """Return the edition in the TOML `text`; raise `ConfigError` with all problems, each by key."""
    from arena.games.castell.edition_reader import read_edition

    values: dict[str, Any] = read_edition(text, source)
    return Edition(**values)
