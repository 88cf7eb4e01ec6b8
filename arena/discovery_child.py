"""The other side of `arena.discovery`: loads one plugin and writes what it brings as one line of JSON."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import attrs
import msgspec
import pluggy

from arena import hookspecs
from arena.discovery import EntryPoint, GameFacts, InstalledBot, PluginFacts
from arena.games.api import Game
from arena.hookspecs import PROJECT, BotPlugin, FormatPlugin

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TARGET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_OBSERVERS = ("arena_match_finished", "arena_tournament_finished")
_T = TypeVar("_T")


class _Refused(Exception):
    """The plugin broke a rule; the text says which."""


def main(entry_point: Mapping[str, str]) -> None:
    """Load the plugin, write its facts to the stdout this process was started with, and end at once.

    While the plugin is loaded, stdout is a file, so that a stray print is seen and can't garble the facts.
    """
    answer = os.dup(1)
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        entry = EntryPoint(**entry_point)
        facts = _load(entry)
        sys.stdout.flush()
        printed.seek(0)
        text = printed.read(200).decode(errors="replace").strip()
    if text and not facts.reason:
        facts = PluginFacts(
            entry_point=entry, reason=f"printed {text.splitlines()[0]!r} while loading; let it print to stderr"
        )
    with os.fdopen(answer, "wb") as out:
        out.write(msgspec.json.encode(facts))
    os._exit(0)  # threads that the plugin left running don't keep this process


def _load(entry: EntryPoint) -> PluginFacts:
    try:
        plugin = importlib.metadata.EntryPoint(name=entry.name, value=entry.value, group=PROJECT).load()
        return _facts(entry, plugin)
    except _Refused as error:
        return PluginFacts(entry_point=entry, reason=str(error))
    except BaseException as error:  # noqa: BLE001 - whatever a stranger's code raises is reported
        return PluginFacts(entry_point=entry, reason=_describe(error))


def _facts(entry: EntryPoint, plugin: object) -> PluginFacts:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name=entry.title)
    manager.check_pending()
    hook = manager.hook
    return PluginFacts(
        entry_point=entry,
        games=tuple(_game(game) for game in _values(hook.arena_games(), Game, "arena_games")),
        bots=tuple(_bot(entry, bot) for bot in _values(hook.arena_bots(), BotPlugin, "arena_bots")),
        formats=tuple(_format(form) for form in _values(hook.arena_formats(), FormatPlugin, "arena_formats")),
        observes=any(getattr(hook, name).get_hookimpls() for name in _OBSERVERS),
    )


def _values(results: list[object], kind: Callable[..., _T], hook: str) -> list[_T]:
    """Return what the one plugin answered, as a list of the class `kind`."""
    assert isinstance(kind, type)
    values = list(results[0]) if results and isinstance(results[0], list | tuple) else results
    for value in values:
        if not isinstance(value, kind):
            raise _Refused(f"{hook} must return a list of {kind.__name__}, but returned {value!r}")
    return values  # type: ignore[return-value]


def _game(game: Game) -> GameFacts:
    _check_name("game", game.name)
    if not game.seat_counts:
        raise _Refused(f"game {game.name} has no seat counts")
    return GameFacts(name=game.name, version=game.version, seats=tuple(game.seat_counts), summary=game.summary)


def _bot(entry: EntryPoint, bot: BotPlugin) -> InstalledBot:
    _check_name("bot", bot.name)
    _check_target("bot", bot.name, bot.target)
    facts = attrs.asdict(attrs.evolve(bot, version=bot.version or entry.version))
    return InstalledBot(**facts, distribution=entry.distribution, search_path=_search_path(bot))


def _format(form: FormatPlugin) -> FormatPlugin:
    _check_name("format", form.name)
    _check_target("format", form.name, form.target)
    return form


def _check_name(kind: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise _Refused(f"{name!r} is no name for a {kind}; use lower case letters and digits, words joined by dashes")


def _check_target(kind: str, name: str, target: str) -> None:
    if not _TARGET.fullmatch(target):
        raise _Refused(f"the target of {kind} {name} is {target!r}; it should read `module:attr`")


def _search_path(bot: BotPlugin) -> tuple[str, ...]:
    """Return the folders that hold the top-level module of the bot's target; imports nothing of it."""
    module = bot.target.split(":")[0].split(".")[0]
    spec = importlib.util.find_spec(module)
    if spec is None:
        raise _Refused(f"the target of bot {bot.name} is {bot.target!r}, but there is no module {module!r}")
    places = list(spec.submodule_search_locations or ()) or [spec.origin or ""]
    return tuple(dict.fromkeys(str(Path(place).parent) for place in places))


def _describe(error: BaseException) -> str:
    """Return an exception as one line, with the place in the plugin where it came from."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" ({Path(last[0].filename).name}, line {last[0].lineno})" if last else ""
    text = " ".join(str(error).split())[:300]
    return f"raised {type(error).__name__}{f': {text}' if text else ''}{where}"
