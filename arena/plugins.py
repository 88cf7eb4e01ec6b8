"""Games, bots, formats and observers by name: our own and those of installed plugins.

Our own parts are registered through the same hooks as anybody's (`arena.builtin`). Code of a stranger's
plugin enters this process only when a game, a format or an observer of it is really used, and only after it
was seen to load in a child process (`arena.discovery`). Bots are never imported here.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import pluggy

from arena import builtin, hookspecs
from arena.discovery import EntryPoint, InstalledBot, PluginFacts, discover
from arena.errors import ConfigError, PluginError, Problem
from arena.games.api import Game, Json
from arena.hookspecs import PROJECT, FormatPlugin
from arena.wording import unknown

Path = Sequence[str] | None  #: where plugins are looked for; None: `sys.path`
_T = TypeVar("_T")
_HasName = TypeVar("_HasName", Game, InstalledBot, FormatPlugin)


def games(path: Path = None) -> Mapping[str, Game]:
    """Return every game by name, ours first; loads the plugins that bring one."""
    found = _games(_own())
    for facts in discover(path):
        if facts.games:
            found = {**_games(_manager(_load(facts.entry_point))), **found}
    return found


def game(name: str, path: Path = None) -> Game:
    """Return the game called `name`; raise `ConfigError` with the nearest name when there is none.

    Ours are found without looking at any plugin; of strangers' plugins only the one that brings it is loaded.
    """
    own = _games(_own())
    if name in own:
        return own[name]
    for facts in discover(path):
        if name in (game.name for game in facts.games):
            return _games(_manager(_load(facts.entry_point)))[name]
    names = [*own, *(game.name for facts in discover(path) for game in facts.games)]
    raise ConfigError([Problem("", unknown("game", name, names) + _left_out_hint(path))])


def bots(path: Path = None) -> Mapping[str, InstalledBot]:
    """Return the facts of every installed bot by name; of two with one name the first distribution's."""
    return _by_name([facts.bots for facts in discover(path)])


def bot(name: str, path: Path = None) -> InstalledBot:
    """Return the facts of the bot called `name`; raise `ConfigError` with the nearest name when there is none."""
    known = bots(path)
    if name not in known:
        raise ConfigError([Problem("", unknown("bot", name, known) + _left_out_hint(path))])
    return known[name]


def formats(path: Path = None) -> Mapping[str, FormatPlugin]:
    """Return the facts of every tournament format by name, ours first."""
    return _by_name([list(_own_formats().values()), *(facts.formats for facts in discover(path))])


def format(name: str, path: Path = None) -> FormatPlugin:  # noqa: A001 - the word of the field
    """Return the facts of a format; raise `ConfigError` with the nearest name when there is none."""
    known = _own_formats()
    if name not in known:
        known = formats(path)
    if name not in known:
        raise ConfigError([Problem("", unknown("format", name, known) + _left_out_hint(path))])
    return known[name]


def left_out(path: Path = None) -> tuple[PluginFacts, ...]:
    """Return the plugins that failed, printed or hung while they were looked at, each with its `reason`."""
    return tuple(facts for facts in discover(path) if facts.reason)


def load_target(target: str) -> Any:
    """Import the `module:attr` of a format into this process; raise `PluginError` when that fails."""
    module, _, attribute = target.partition(":")
    value: Any = _guarded(target, lambda: importlib.import_module(module))
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise PluginError(target, f"there is no {part!r} in {module}")
        value = getattr(value, part)
    return value


class Observers:
    """Plugins that want to hear of finished matches and tournaments; what they raise is reported, once each."""

    def __init__(self, path: Path = None) -> None:
        observing = [facts.entry_point for facts in discover(path) if facts.observes and not facts.reason]
        self._managers = {entry.title: _manager(_load(entry)) for entry in observing}

    def __bool__(self) -> bool:
        """Whether anybody is left to be told."""
        return bool(self._managers)

    def match_finished(self, run: str, summary: Mapping[str, Json]) -> list[str]:
        """Tell every observer of a stored match; return one sentence for each that failed and is told no more."""
        return self._tell(lambda hook: hook.arena_match_finished(run=run, summary=summary))

    def tournament_finished(self, run: str, *, complete: bool) -> list[str]:
        """Tell every observer that a run has stopped; return one sentence for each that failed."""
        return self._tell(lambda hook: hook.arena_tournament_finished(run=run, complete=complete))

    def _tell(self, call: Callable[[Any], object]) -> list[str]:
        complaints = []
        for title, manager in list(self._managers.items()):
            try:
                call(manager.hook)
            except Exception as error:  # noqa: BLE001 - an observer must not stop a run
                complaints.append(f"plugin {title}: {type(error).__name__} while observing: {error}")
                del self._managers[title]
        return complaints


@lru_cache(maxsize=1)
def _own() -> pluggy.PluginManager:
    return _manager(builtin)


def _manager(plugin: object) -> pluggy.PluginManager:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin)
    return manager


def _games(manager: pluggy.PluginManager) -> dict[str, Game]:
    groups: Sequence[Sequence[Game]] = manager.hook.arena_games()
    return _by_name(groups)


def _own_formats() -> Mapping[str, FormatPlugin]:
    groups: Sequence[Sequence[FormatPlugin]] = _own().hook.arena_formats()
    return _by_name(groups)


@lru_cache(maxsize=64)
def _load(entry: EntryPoint) -> object:
    """Import a plugin into this process."""
    loader = importlib.metadata.EntryPoint(name=entry.name, value=entry.value, group=PROJECT)
    return _guarded(entry.title, loader.load)


def _guarded(plugin: str, load: Callable[[], _T]) -> _T:
    try:
        return load()
    except Exception as error:
        raise PluginError(plugin, f"can't be loaded: {type(error).__name__}: {error}") from error


def _by_name(groups: Sequence[Sequence[_HasName]]) -> dict[str, _HasName]:
    found: dict[str, _HasName] = {}
    for group in groups:
        for value in group:
            found.setdefault(value.name, value)
    return found


def _left_out_hint(path: Path) -> str:
    names = [facts.entry_point.title for facts in left_out(path)]
    return f" (left out: {', '.join(names)}; `arena bots` says why)" if names else ""
