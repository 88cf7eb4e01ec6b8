"""Who a person means on the command line: an installed bot, a file, a folder, a command line, or themselves."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import click

from arena import plugins
from arena.errors import ConfigError, Problem
from arena.games.api import Game
from arena.options import read_option
from arena.tournament.entrants import BOT_FILE, EntrantConfig, PluginBot, Unusable, file_command, read_entrants
from arena.tournament.reading import Table
from arena.wording import unknown

HUMAN = "human"


#: Where compilers and interpreters stand that the sandbox does not show.
runtime_option = click.option(
    "--runtime",
    multiple=True,
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="A folder outside /usr that a bot's language needs; may be repeated.",
)


def entrant_of(text: str, bots: Mapping[str, PluginBot] | None = None, runtime: Sequence[str] = ()) -> EntrantConfig:
    """Return the bot that `text` means; `human` is none. The entrant's name is the one a tournament would give it.

    Args:
        text: the name of an installed bot (a folder that is called like one is `./NAME`), the path of a file or of a
            folder with a bot, or a command line.
        bots: installed bots by name; looked up when left out.
        runtime: absolute paths of folders that its language needs.

    Raises:
        ConfigError: it is none of these.
    """
    known = plugins.bots() if bots is None else bots
    if text in known:
        return _read({"bot": text}, Path(), known)
    path = Path(text).expanduser()
    if path.is_dir():
        entry = {"glob": glob.escape(path.absolute().name), "runtime": list(runtime)}
        return _read(entry, path.absolute().parent, {})
    if path.is_file():
        words = file_command(path)
        if not words:
            raise ConfigError([Problem("", _no_program(text, path))])
        entry = {"command": list(words), "folder": str(path.absolute().parent), "name": path.stem}
        return _read(entry | {"runtime": list(runtime)}, Path(), {})
    words = tuple(shlex.split(text))
    if len(words) > 1:
        return _read({"command": list(words), "runtime": list(runtime)}, Path().absolute(), {})
    if "/" in text:
        raise ConfigError([Problem("", f"there is no file and no folder {text}")])
    raise ConfigError(
        [Problem("", f"{unknown('bot', text, [*known, HUMAN])}; a file, a folder or a command will do too")]
    )


def _no_program(text: str, path: Path) -> str:
    if (path.parent / BOT_FILE).is_file():
        return f"{text} is no program, but a part of the bot in its folder: name that, {path.parent}"
    return f"{text} is no program: name it by its language's suffix, make it executable, or give a command"


def complete_bots(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the installed bots whose names begin so, for the shell's completion."""
    del ctx, param
    return [name for name in sorted([*plugins.bots(), HUMAN]) if name.startswith(incomplete)]


def line_up(texts: Sequence[str], seats: int, runtime: Sequence[str] = ()) -> list[EntrantConfig | None]:
    """Return who sits at each seat, None for a person; bots are repeated from the first until all seats are taken.

    Names are made unique: `greedy`, `greedy-2`.
    """
    known = plugins.bots()
    chosen = [None if text == HUMAN else entrant_of(text, known, runtime) for text in texts]
    seated = [chosen[seat % len(chosen)] for seat in range(seats)]
    names = unique(HUMAN if one is None else one.entrant.name for one in seated)
    return [
        None if one is None else attrs.evolve(one, entrant=attrs.evolve(one.entrant, name=name))
        for one, name in zip(seated, names, strict=True)
    ]


def unique(names: Iterable[str]) -> list[str]:
    """Return names of which none is repeated: the second `a` becomes `a-2`."""
    taken: dict[str, int] = {}
    found = []
    for name in names:
        taken[name] = taken.get(name, 0) + 1
        found.append(name if taken[name] == 1 else f"{name}-{taken[name]}")
    return found


def game_options(game: Game, pairs: Iterable[str]) -> dict[str, Any]:
    """Return options given as `NAME=VALUE`; values are read as each option's type, unknown names are kept as texts.

    Raises:
        ConfigError: a text is no pair.
    """
    known = {option.name: option for option in game.options}
    given: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ConfigError([Problem("--option", f"{pair!r} is no pair; write it as NAME=VALUE")])
        option = known.get(name)
        given[name] = text if option is None else read_option(option, text)
        if option is not None and option.is_file and text:
            given[name] = str(Path(text).expanduser().absolute())
    return given


def game_for(name: str | None, texts: Sequence[str]) -> Game:
    """Return the game called `name`, else the one game that all named bots play, else Castell."""
    if name is not None:
        return plugins.game(name)
    known = plugins.bots()
    common: set[str] | None = None
    for text in texts:
        if text in known and known[text].games:
            common = set(known[text].games) if common is None else common & set(known[text].games)
    return plugins.game(next(iter(common)) if common is not None and len(common) == 1 else "castell")


def _read(entry: dict[str, Any], folder: Path, bots: Mapping[str, PluginBot]) -> EntrantConfig:
    """Read one entry exactly as a tournament file would."""
    problems: list[Problem] = []
    found = list(read_entrants([Table(entry, "", problems)], folder, bots, "", 0))
    for one in found:
        if isinstance(one, Unusable):
            # The entry is ours, so people need not hear of its glob.
            problems.extend(Problem(each.path.removeprefix("glob "), each.problem) for each in one.problems)
    if problems:
        raise ConfigError(problems)
    (config,) = found
    assert isinstance(config, EntrantConfig)
    return config
