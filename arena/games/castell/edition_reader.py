"""Reads and checks an edition file: every problem is collected, none stops the search for the next."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from arena.errors import ConfigError, Problem
from arena.games.castell.edition import EVERYWHERE, SKILLS, SPECIAL, Rulings, Tile

_MOST = 200  #: no count in an edition is above this: counts are packed into bytes
_WORD = re.compile(r"[a-z][a-z0-9_'-]*")
_SECTIONS = (
    "name",
    "players",
    "castellers",
    "rounds",
    "map",
    "wheel",
    "towers",
    "festivals",
    "scoring",
    "local_performances",
    "rulings",
)
#: The values of each ruling that is one word; the shipped one first.
RULING_VALUES = {
    "wheel_turns": ("clockwise", "anticlockwise"),
    "special_move": ("neighbour", "any"),
    "token_laid": ("after", "before"),
    "token_spaces": ("unlimited", "one_per_player"),
    "base_levels": ("each_use", "lowest_only"),
    "exhibition_levels": ("exactly", "at_least"),
    "prizes_by": ("players", "builders"),
    "prize_ties": ("share_and_skip", "turn_order"),
    "first_player": ("passes", "stays"),
}
#: The values of each ruling that is a list, but for `variety_counts`.
RULING_LISTS = {
    "size_token_ties": (("tower_score", "nobody"), ("turn_order",), ("nobody",)),
    "final_ties": (
        ("prize_points", "regions", "shared"),
        ("regions", "prize_points", "shared"),
        ("prize_points", "shared"),
        ("regions", "shared"),
        ("shared",),
    ),
}
_COUNTED = ("prize", "tile", "size_token", "action_token")


def read_edition(text: str, source: str) -> dict[str, Any]:
    """Return the values of `Edition` by name; raise `ConfigError` with every problem of the TOML `text`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([Problem("", f"this is no TOML: {error}")], source=source) from error
    reader = _Reader(data)
    values = reader.read()
    if not reader.problems:
        reader.problems += _contradictions(values)
    if reader.problems:
        raise ConfigError(reader.problems, source=source)
    return values


class _Reader:
    """Takes the values out of nested tables and notes what is wrong with each."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.problems: list[Problem] = []

    def read(self) -> dict[str, Any]:
        top = self.keys(self.data, "", _SECTIONS)
        name = top.get("name")
        if name is not None and (not isinstance(name, str) or not name.strip()):
            self.wrong("name", f"{name!r} is no name; give a text")
        values: dict[str, Any] = {"name": name}
        for section in _SECTIONS[1:]:
            if section in top:
                table = self.table(top[section], section)
                if table is not None:
                    values |= getattr(self, f"_{section}")(table)
        return values

    def wrong(self, path: str, problem: str) -> None:
        self.problems.append(Problem(path, problem))

    def table(self, value: Any, path: str) -> dict[str, Any] | None:
        if isinstance(value, dict):
            return value
        self.wrong(path, f"{value!r} is no table; write [{path}] and its keys below")
        return None

    def keys(self, table: dict[str, Any], path: str, known: Sequence[str]) -> dict[str, Any]:
        """Refuse unknown keys and note missing ones; returns the known ones that are there."""
        prefix = f"{path}." if path else ""
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(known)
                self.wrong(prefix + key, f"there is no such key; {hint}")
        for key in known:
            if key not in table:
                self.wrong(prefix + key, "this key is missing; copy it from the shipped edition")
        return {key: value for key, value in table.items() if key in known}

    def count(self, table: dict[str, Any], key: str, path: str, least: int = 0, most: int = _MOST) -> int:
        value = table.get(key, least)
        if type(value) is not int or not least <= value <= most:
            self.wrong(f"{path}.{key}", f"{value!r} is no whole number from {least} to {most}")
            return least
        return value

    def counts(self, value: Any, path: str, least: int = 0, fewest: int = 1) -> tuple[int, ...]:
        if not isinstance(value, list) or len(value) < fewest:
            self.wrong(path, f"{value!r} is no list of {fewest} or more whole numbers")
            return ()
        bad = [item for item in value if type(item) is not int or not least <= item <= _MOST]
        for item in bad:
            self.wrong(path, f"{item!r} is no whole number from {least} to {_MOST}")
        return () if bad else tuple(value)

    def by_number(self, value: Any, path: str) -> dict[int, Any]:
        """Return a table whose keys are whole numbers."""
        table = self.table(value, path) or {}
        for key in table:
            if not key.isdecimal() or str(int(key)) != key:
                self.wrong(f"{path}.{key}", f"the key {key!r} is no whole number")
        return {int(key): item for key, item in table.items() if key.isdecimal()}

    def counts_by_number(self, value: Any, path: str) -> dict[int, int]:
        table = self.by_number(value, path)
        return {key: self.count({str(key): item}, str(key), path) for key, item in table.items()}

    def words(self, value: Any, path: str, known: Iterable[str] | None = None) -> tuple[str, ...]:
        if not isinstance(value, list):
            self.wrong(path, f"{value!r} is no list of words")
            return ()
        choices = None if known is None else tuple(known)
        for item in value:
            if choices is not None and item not in choices:
                near = difflib.get_close_matches(str(item), choices, n=1)
                hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(choices)
                self.wrong(path, f"{item!r} is not known here; {hint}")
            elif choices is None and not (isinstance(item, str) and _WORD.fullmatch(item)):
                self.wrong(path, f"{item!r} is no lower-case word without spaces")
        return tuple(str(item) for item in value)

    def _players(self, table: dict[str, Any]) -> dict[str, Any]:
        at = "players"
        self.keys(table, at, ("seats", "starting_team", "special_action_tokens", "castellers_per_region"))
        seats = self.counts(table.get("seats", []), "players.seats", 2)
        if seats and (list(seats) != sorted(set(seats)) or seats[-1] > 4):
            self.wrong("players.seats", f"{list(seats)} must rise, from 2 to at most 4")
        return {
            "seats": seats,
            "starting_team": self.count(table, "starting_team", at),
            "special_action_tokens": self.count(table, "special_action_tokens", at, most=50),
            "castellers_per_region": self.counts_by_number(
                table.get("castellers_per_region", {}), "players.castellers_per_region"
            ),
        }

    def _castellers(self, table: dict[str, Any]) -> dict[str, Any]:
        self.keys(table, "castellers", ("count_by_size",))
        return {"count_by_size": self.counts(table.get("count_by_size", []), "castellers.count_by_size")}

    def _rounds(self, table: dict[str, Any]) -> dict[str, Any]:
        self.keys(table, "rounds", ("count", "refill_at_start_of"))
        refills = self.counts(table.get("refill_at_start_of", []), "rounds.refill_at_start_of", 2, fewest=0)
        return {"rounds": self.count(table, "count", "rounds", 1), "refill_rounds": refills}

    def _map(self, table: dict[str, Any]) -> dict[str, Any]:
        self.keys(table, "map", ("regions", "borders", "dotted"))
        regions = self.words(table.get("regions", []), "map.regions")
        for name in sorted({name for name in regions if regions.count(name) > 1}):
            self.wrong("map.regions", f"{name!r} is there twice")
        if not regions:
            self.wrong("map.regions", "a map needs at least one region")
        if EVERYWHERE in regions:
            self.wrong("map.regions", f"{EVERYWHERE!r} is the name of a wheel slot; call the region otherwise")
        return {"regions": regions, "borders": self.pairs(table, "borders", regions),
                "dotted": self.pairs(table, "dotted", regions)}  # fmt: skip

    def pairs(self, table: dict[str, Any], key: str, regions: Sequence[str]) -> tuple[tuple[str, str], ...]:
        path = f"map.{key}"
        value = table.get(key, [])
        if not isinstance(value, list):
            self.wrong(path, f"{value!r} is no list of pairs of regions")
            return ()
        pairs = []
        for item in value:
            pair = self.words(item, path, regions)
            if len(pair) != 2 or pair[0] == pair[1]:
                self.wrong(path, f"{item!r} is no pair of two different regions")
            else:
                pairs.append((pair[0], pair[1]))
        return tuple(pairs)

    def _wheel(self, table: dict[str, Any]) -> dict[str, Any]:
        self.keys(table, "wheel", ("slots", "tiles", "highest_rank"))
        return {
            "slots": self.words(table.get("slots", []), "wheel.slots"),
            "wheel_tiles": self.words(table.get("tiles", []), "wheel.tiles", (*SKILLS, SPECIAL)),
            "highest_rank": self.count(table, "highest_rank", "wheel", most=20),
        }

    def _towers(self, table: dict[str, Any]) -> dict[str, Any]:
        self.keys(table, "towers", ("width_limit", "festival_least_levels"))
        return {
            "width_limit": self.count(table, "width_limit", "towers", 1),
            "festival_least_levels": self.count(table, "festival_least_levels", "towers", 1),
        }

    def _festivals(self, table: dict[str, Any]) -> dict[str, Any]:
        at = "festivals"
        self.keys(
            table, at, ("calendar", "held_per_round", "tokens_per_festival", "size_tokens", "prizes", "prize_supply")
        )
        supply = self.table(table.get("prize_supply", {}), "festivals.prize_supply") or {}
        calendar = self.by_number(table.get("calendar", {}), "festivals.calendar")
        prizes = self.by_number(table.get("prizes", {}), "festivals.prizes")
        return {
            "calendar": {
                r: self.words_of(("I", "II"), kinds, f"festivals.calendar.{r}") for r, kinds in calendar.items()
            },
            "held_per_round": self.counts_by_number(table.get("held_per_round", {}), "festivals.held_per_round"),
            "tokens_per_festival": self.count(table, "tokens_per_festival", at, 1),
            "size_tokens": self.counts(table.get("size_tokens", []), "festivals.size_tokens"),
            "prizes": {n: self.words(row, f"festivals.prizes.{n}", supply) for n, row in prizes.items()},
            "prize_supply": {kind: self.count(supply, kind, "festivals.prize_supply") for kind in supply},
        }

    def words_of(self, known: tuple[str, ...], value: Any, path: str) -> tuple[str, ...]:
        return self.words(value, path, known)

    def _scoring(self, table: dict[str, Any]) -> dict[str, Any]:
        at = "scoring"
        self.keys(
            table, at, ("prize_points", "variety", "size_token_first", "size_token_repeat", "special_action_token")
        )
        points = self.table(table.get("prize_points", {}), "scoring.prize_points") or {}
        return {
            "prize_points": {kind: self.count(points, kind, "scoring.prize_points") for kind in points},
            "variety": self.counts(table.get("variety", []), "scoring.variety"),
            "size_token_first": self.count(table, "size_token_first", at),
            "size_token_repeat": self.count(table, "size_token_repeat", at),
            "special_action_token": self.count(table, "special_action_token", at),
        }

    def _local_performances(self, table: dict[str, Any]) -> dict[str, Any]:
        at = "local_performances"
        self.keys(table, at, ("per_region", "shapes", "exhibitions"))
        shapes = [self.shape(item, f"{at}.shapes[{i}]") for i, item in enumerate(self.rows(table, "shapes"))]
        shows = [
            self.exhibition(item, f"{at}.exhibitions[{i}]") for i, item in enumerate(self.rows(table, "exhibitions"))
        ]
        tiles = tuple(Tile(number=i, **facts) for i, facts in enumerate(shapes + shows, 1))
        return {"performances_per_region": self.count(table, "per_region", at), "tiles": tiles}

    def rows(self, table: dict[str, Any], key: str) -> list[Any]:
        value = table.get(key, [])
        if isinstance(value, list):
            return value
        self.wrong(f"local_performances.{key}", f"{value!r} is no list of tiles")
        return []

    def shape(self, item: Any, path: str) -> dict[str, Any]:
        table = self.table(item, path) or {}
        self.keys(table, path, ("shape", "points"))
        shape = self.counts(table.get("shape", []), f"{path}.shape", 1)
        if any(above > below for below, above in pairwise(shape)):
            self.wrong(f"{path}.shape", f"{list(shape)} grows upwards; counts stand ground first and can't grow")
        return {"shape": shape, "points": self.count(table, "points", path)}

    def exhibition(self, item: Any, path: str) -> dict[str, Any]:
        table = self.table(item, path) or {}
        self.keys(table, path, ("skills", "points"))
        skills = self.words(table.get("skills", []), f"{path}.skills", SKILLS)
        if not skills or len(set(skills)) < len(skills):
            self.wrong(f"{path}.skills", f"{list(skills)} must name at least one skill, and none twice")
        return {"skills": skills, "points": self.count(table, "points", path, 1)}

    def _rulings(self, table: dict[str, Any]) -> dict[str, Any]:
        known = (*RULING_VALUES, *RULING_LISTS, "variety_counts")
        self.keys(table, "rulings", known)
        values: dict[str, Any] = {}
        for key, choices in RULING_VALUES.items():
            values[key] = table.get(key, choices[0])
            if values[key] not in choices:
                self.wrong(f"rulings.{key}", f"{values[key]!r} is no ruling; choose from {', '.join(choices)}")
        for key, lists in RULING_LISTS.items():
            value = table.get(key, list(lists[0]))
            values[key] = tuple(value) if isinstance(value, list) else value
            if values[key] not in lists:
                allowed = " or ".join(str(list(choice)) for choice in lists)
                self.wrong(f"rulings.{key}", f"{value!r} is no ruling; write {allowed}")
        counted = self.words(table.get("variety_counts", ["prize", "tile"]), "rulings.variety_counts", _COUNTED)
        if not {"prize", "tile"} <= set(counted) or len(set(counted)) < len(counted):
            self.wrong("rulings.variety_counts", f"{list(counted)} must name prize and tile, and none twice")
        values["variety_counts"] = tuple(
            sorted(counted, key=lambda word: _COUNTED.index(word) if word in _COUNTED else 9)
        )
        return {"rulings": Rulings(**values)}


def _contradictions(v: dict[str, Any]) -> list[Problem]:
    """Return what is wrong between values that are right one by one."""
    found: list[Problem] = []

    def need(holds: bool, path: str, problem: str) -> None:
        if not holds:
            found.append(Problem(path, problem))

    regions, seats, spaces = len(v["regions"]), set(v["seats"]), sum(map(len, v["calendar"].values()))
    for key, path in (("castellers_per_region", "players"), ("held_per_round", "festivals"), ("prizes", "festivals")):
        need(
            set(v[key]) == seats,
            f"{path}.{key}",
            f"has the keys {sorted(v[key])}, but players.seats is {sorted(seats)}",
        )
    for players in sorted(seats & set(v["castellers_per_region"])):
        dealt = regions * v["castellers_per_region"][players] + players * v["starting_team"]
        have = sum(v["count_by_size"])
        need(have >= dealt, "castellers.count_by_size", f"{have} castellers, but {players} players are dealt {dealt}")
    need(sum(v["count_by_size"]) <= 1000, "castellers.count_by_size", "more than 1000 castellers")
    need(len(v["count_by_size"]) <= 30, "castellers.count_by_size", "more than 30 sizes")
    for name in _unreachable(v["regions"], v["borders"] + v["dotted"]):
        need(False, "map.borders", f"no way leads from {v['regions'][0]} to {name}")
    wanted = {EVERYWHERE, *v["regions"]}
    need(
        set(v["slots"]) == wanted and len(v["slots"]) == len(wanted),
        "wheel.slots",
        f"{list(v['slots'])} must hold {EVERYWHERE} and every region once",
    )
    need(
        len(v["wheel_tiles"]) == len(v["slots"]),
        "wheel.tiles",
        f"{len(v['wheel_tiles'])} tiles face {len(v['slots'])} slots; there must be as many",
    )
    for number in sorted(set(v["calendar"])):
        need(1 <= number <= v["rounds"], f"festivals.calendar.{number}", f"there is no round {number}")
    for number in v["refill_rounds"]:
        need(number <= v["rounds"], "rounds.refill_at_start_of", f"there is no round {number}")
    need(
        len(set(v["refill_rounds"])) == len(v["refill_rounds"]),
        "rounds.refill_at_start_of",
        f"{list(v['refill_rounds'])} names a round twice",
    )
    for kind in ("I", "II"):
        count = sum(kinds.count(kind) for kinds in v["calendar"].values())
        need(count <= regions, "festivals.calendar", f"{count} spaces of kind {kind}, but only {regions} regions")
    need(
        len(v["size_tokens"]) == len(v["count_by_size"]),
        "festivals.size_tokens",
        f"counts {len(v['size_tokens'])} sizes, but there are {len(v['count_by_size'])}",
    )
    need(
        sum(v["size_tokens"]) >= spaces * v["tokens_per_festival"],
        "festivals.size_tokens",
        f"{sum(v['size_tokens'])} tokens, but the calendar needs {spaces * v['tokens_per_festival']}",
    )
    need(
        set(v["prize_points"]) == set(v["prize_supply"]),
        "scoring.prize_points",
        f"names {sorted(v['prize_points'])}, but festivals.prize_supply names {sorted(v['prize_supply'])}",
    )
    need(
        len(v["variety"]) == regions + 1,
        "scoring.variety",
        f"has {len(v['variety'])} entries, but 0 to {regions} regions need {regions + 1}",
    )
    need(
        len(v["tiles"]) >= regions * v["performances_per_region"],
        "local_performances.per_region",
        f"{len(v['tiles'])} tiles are too few for {v['performances_per_region']} in each of {regions} regions",
    )
    return found


def _unreachable(regions: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return the regions that can't be reached from the first."""
    reached = {regions[0]}
    while True:
        more = {b for pair in pairs for a, b in (pair, pair[::-1]) if a in reached} - reached
        if not more:
            return [name for name in regions if name not in reached]
        reached |= more
