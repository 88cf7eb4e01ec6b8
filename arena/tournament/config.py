"""Reads a tournament file. All that is wrong with it is reported together, each with its path and the nearest key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ConfigError, Problem
from arena.games.api import Game, OptionValue
from arena.options import check_options, check_seats
from arena.referee.settings import Clock, Limits, SandboxPolicy, Settings
from arena.tournament import formats
from arena.tournament.entrants import EntrantConfig, PluginBot, Unusable, clean_name, read_entrants
from arena.tournament.formats.api import Field, Format, Setting, SettingValue
from arena.tournament.reading import Table
from arena.wording import listed, unknown

MOST_ENTRANTS = 10_000
_CLOCK_ZEROS = ("increment_ms", "margin_ms", "strikes")
_LIMIT_ZEROS = ("off_turn_cpu_percent", "off_turn_cpu_grace_ms")


class OnUnstartable(StrEnum):
    """What happens when an entrant can't be started before match 1."""

    STOP = "stop"  #: the run ends with exit code 3 and plays nothing
    EXCLUDE = "exclude"  #: the others play without it


@attrs.frozen(kw_only=True)
class TournamentConfig:
    """A tournament file, checked and complete."""

    name: str  #: of the run, cleaned for file names
    source: str = ""  #: the file
    settings: Settings
    fingerprint: str  #: of the game with its options
    format: str
    format_settings: Mapping[str, SettingValue]  #: complete
    entrants: tuple[EntrantConfig, ...]
    unusable: Mapping[str, str] = attrs.field(factory=dict)  #: folders of a glob that are no bots, if excluding
    allow_self_play: bool = True  #: whether two entrants of one bot may sit at one table
    seed: int | None = None  #: explicit: for rehearsals
    slots: int | None = None  #: matches at a time; None: as many as cores
    cores_per_match: int = 1
    on_unstartable: OnUnstartable = OnUnstartable.STOP
    disable_after: int | None = None  #: matches lost by its own faults, after which an entrant plays no more
    anchor: str | None = None  #: the entrant whose rating is the fixed point

    def bots(self) -> dict[str, str]:
        """Return, where one bot may not sit twice at a table, for each entrant the first one that has its bot."""
        if self.allow_self_play:
            return {}
        first: dict[str, str] = {}
        return {one.entrant.name: first.setdefault(one.bot, one.entrant.name) for one in self.entrants}

    def field(self) -> Field:
        """Return what the format plays with when nobody is excluded."""
        names = tuple(one.entrant.name for one in self.entrants)
        return Field(entrants=names, seats=self.settings.seats, settings=self.format_settings, bots=self.bots())


def load(
    path: Path,
    games: Mapping[str, Game],
    bots: Mapping[str, PluginBot],
    *,
    find_format: Callable[[str], Format] = formats.find,
) -> TournamentConfig:
    """Return the tournament in the file at `path`.

    Args:
        path: a TOML file; relative paths in it start from its folder.
        games: all games by name.
        bots: all installed bots by name.
        find_format: finds a format by its name; raises `ConfigError` when there is none.

    Raises:
        ConfigError: with everything that is wrong with it.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError([Problem("", "there is no such file")], source=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([Problem("", f"can't be read: {error}")], source=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([Problem("", f"is not TOML: {error}")], source=str(path)) from None
    return parse(data, games, bots, folder=path.absolute().parent, source=str(path), find_format=find_format)


def parse(
    data: Mapping[str, Any],
    games: Mapping[str, Game],
    bots: Mapping[str, PluginBot],
    *,
    folder: Path,
    source: str = "",
    find_format: Callable[[str], Format] = formats.find,
) -> TournamentConfig:
    """Return the tournament that `data` describes; `load` for what was read from a file in `folder`."""
    problems: list[Problem] = []
    config = _Reading(data, games, bots, folder, source, find_format, problems).config()
    if problems or config is None:
        raise ConfigError(problems, source=source)
    return config


class _Reading:
    """One reading of one file; each method takes its keys and adds its problems."""

    def __init__(
        self,
        data: Mapping[str, Any],
        games: Mapping[str, Game],
        bots: Mapping[str, PluginBot],
        folder: Path,
        source: str,
        find_format: Callable[[str], Format],
        problems: list[Problem],
    ) -> None:
        self._root = Table(data, "", problems)
        self._games, self._bots = games, bots
        self._folder, self._source = folder, source
        self._find_format = find_format
        self._problems = problems
        self._unusable: dict[str, str] = {}

    def config(self) -> TournamentConfig | None:
        """Return the configuration, or None when there are problems."""
        root = self._root
        name = self._name()
        game = self._game()
        seats = self._seats(game)
        options = self._game_options(game)
        on_unstartable = root.choice("on_unstartable", OnUnstartable, OnUnstartable.STOP)
        entrants = self._entrants(game, seats, on_unstartable)
        allow_self_play = root.value("allow_self_play", bool, True)
        clock, limits = self._clock(), self._limits()
        sandbox = root.choice("sandbox", SandboxPolicy, SandboxPolicy.AUTO)
        fresh, trace = root.value("fresh", bool, True), root.value("trace", bool, False)
        given_seed = root.value("seed", int, 0)
        seed = given_seed if "seed" in root else None
        slots = root.number("slots", None, minimum=1)
        cores = root.number("cores_per_match", 1, minimum=1)
        disable_after = root.number("disable_after", None, minimum=1)
        anchor = self._anchor(entrants)
        format_, format_settings = self._format(entrants)
        root.finish()
        if self._problems or game is None or format_ is None:
            return None
        settings = Settings(
            game=game.name,
            game_options=options,
            seats=seats,
            clock=clock,
            limits=limits,
            sandbox=sandbox,
            fresh=fresh,
            trace=trace,
        )
        config = TournamentConfig(
            name=name,
            source=self._source,
            settings=settings,
            fingerprint=game.fingerprint(options),
            format=format_.name,
            format_settings=format_settings,
            entrants=entrants,
            unusable=self._unusable,
            allow_self_play=allow_self_play,
            seed=seed,
            slots=slots,
            cores_per_match=cores or 1,
            on_unstartable=on_unstartable,
            disable_after=disable_after,
            anchor=anchor,
        )
        self._problems.extend(check_field(format_, config.field()))
        return config

    def _name(self) -> str:
        default = clean_name(Path(self._source).stem) or "tournament"
        name = self._root.text("name", default)
        if name != clean_name(name):
            self._root.complain(
                "name", f"{name!r} won't do as a folder's name; for example {clean_name(name) or 'tournament'!r}"
            )
        return name

    def _game(self) -> Game | None:
        name = self._root.text("game")
        if not name:
            if "game" not in self._root:
                self._root.complain("game", f"is missing; there is {listed(sorted(self._games))}")
            return None
        if name not in self._games:
            self._root.complain("game", unknown("game", name, self._games))
            return None
        return self._games[name]

    def _seats(self, game: Game | None) -> int:
        """Return the number of seats, 0 when it isn't known."""
        seats = self._root.value("seats", int, 0)
        if game is None:
            return seats
        if "seats" not in self._root:
            if len(game.seat_counts) == 1:
                return game.seat_counts[0]
            counts = listed(map(str, game.seat_counts), last="or")
            self._root.complain("seats", f"is missing; {game.name} is played at {counts}")
        elif seats and (unfit := check_seats(game, seats)):
            self._problems.extend(unfit)
            return 0
        return seats

    def _game_options(self, game: Game | None) -> Mapping[str, OptionValue]:
        given = self._root.value("game_options", dict, {})
        if game is None:
            return {}
        files = {option.name for option in game.options if option.is_file}
        resolved = {
            name: str(self._folder / value) if name in files and isinstance(value, str) and value else value
            for name, value in given.items()
        }
        options, problems = check_options(game, resolved)
        self._problems.extend(problems)
        return options

    def _clock(self) -> Clock:
        table = self._root.table("clock")
        clock = table.into(Clock, may_be_zero=_CLOCK_ZEROS)
        table.finish()
        if clock.increment_ms and clock.bank_ms is None:
            table.complain("increment_ms", "adds to a bank, but there is no bank_ms")
        return clock

    def _limits(self) -> Limits:
        table = self._root.table("limits")
        limits = table.into(Limits, may_be_zero=_LIMIT_ZEROS)
        table.finish()
        return limits

    def _entrants(self, game: Game | None, seats: int, on_unstartable: OnUnstartable) -> tuple[EntrantConfig, ...]:
        before = len(self._problems)
        tables = self._root.tables("entrants")
        found = list(read_entrants(tables, self._folder, self._bots, game.name if game else "", seats))
        entrants = [one for one in found if isinstance(one, EntrantConfig)]
        for bad in found:
            if isinstance(bad, Unusable) and on_unstartable is OnUnstartable.EXCLUDE:
                self._unusable[bad.name] = "; ".join(map(str, bad.problems))
            elif isinstance(bad, Unusable):
                self._problems.extend(bad.problems)
        self._problems.extend(_clashes(entrants))
        if len(self._problems) == before:
            self._count(entrants, seats)
        return tuple(entrants)

    def _count(self, entrants: list[EntrantConfig], seats: int) -> None:
        if len(entrants) < max(seats, 2):
            self._root.complain(
                "entrants", f"{seats or 2} seats need at least {max(seats, 2)} entrants, there are {len(entrants)}"
            )
        elif len(entrants) > MOST_ENTRANTS:
            self._root.complain("entrants", f"at most {MOST_ENTRANTS:,}, there are {len(entrants):,}")

    def _anchor(self, entrants: tuple[EntrantConfig, ...]) -> str | None:
        name = self._root.text("anchor")
        names = [one.entrant.name for one in entrants]
        if name and name not in names and not self._problems:
            self._root.complain("anchor", unknown("entrant", name, names))
        return name or None

    def _format(self, entrants: tuple[EntrantConfig, ...]) -> tuple[Format | None, dict[str, SettingValue]]:
        table = self._root.table("format")
        name = table.text("name", "round-robin")
        try:
            found = self._find_format(name)
        except ConfigError as error:
            self._problems.extend(Problem("format.name", problem.problem) for problem in error.problems)
            return None, {}
        names = [one.entrant.name for one in entrants]
        settings = {setting.name: _setting(table, setting, names) for setting in found.settings}
        table.finish()
        return found, settings


def _setting(table: Table, setting: Setting, entrants: list[str]) -> SettingValue:
    """Return the value of a setting of a format."""
    default = setting.default
    if isinstance(default, tuple):
        names = table.texts(setting.name)
        for name in names:
            if name not in entrants:
                table.complain(setting.name, unknown("entrant", name, entrants))
        return names or default
    value = table.value(setting.name, type(default), default)
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = setting.minimum, setting.maximum
        if not math.isfinite(value):
            table.complain(setting.name, f"must be a number, not {value}")
        elif low is not None and value < low:
            table.complain(setting.name, f"must be at least {low:g}, not {value:g}")
        elif high is not None and value > high:
            table.complain(setting.name, f"must be at most {high:g}, not {value:g}")
    return value


def check_field(format_: Format, field: Field) -> list[Problem]:
    """Return what a format has against a field, with paths of the file."""
    return [
        Problem(f"format.{problem.path}" if problem.path else "format", problem.problem)
        for problem in format_.check(field)
    ]


def _clashes(entrants: list[EntrantConfig]) -> list[Problem]:
    """Return a problem for every entrant whose name is taken; names differ in more than case, as folders are named."""
    first: dict[str, EntrantConfig] = {}
    problems = []
    for one in entrants:
        name = one.entrant.name
        other = first.setdefault(name.casefold(), one)
        if other is not one:
            problems.append(
                Problem(f"{one.path}.name", f"{name!r} is taken by {other.path}; give one of them another name")
            )
    return problems
