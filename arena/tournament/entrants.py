"""Reads `[[entrants]]`: a plugin bot by its name, a program by its command line, a glob of folders with bots."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Protocol

import attrs

from arena.errors import Problem
from arena.games.api import OptionValue
from arena.referee.sandbox.program import PYTHON_NAMES
from arena.referee.settings import BotKind, Entrant
from arena.tournament.reading import Table
from arena.wording import listed, unknown

NAME_AT_MOST = 40
BOT_FILE = "arena.toml"  #: in a bot's folder: how to start it
#: Main files that tell how they are started, the likeliest first.
_STARTERS: Mapping[str, tuple[str, ...]] = {
    ".py": ("python3",),
    ".js": ("node",),
    ".mjs": ("node",),
    ".java": ("java",),
    ".rb": ("ruby",),
    ".pl": ("perl",),
    ".lua": ("lua",),
    ".php": ("php",),
    ".sh": ("bash",),
}
_MAIN_NAMES = ("main", "bot", "run")


class PluginBot(Protocol):
    """What is known of an installed bot; see `arena.discovery.InstalledBot`."""

    @property
    def name(self) -> str:
        """As typed in files."""

    @property
    def target(self) -> str:
        """`module:attr`."""

    @property
    def search_path(self) -> tuple[str, ...]:
        """Folders to find it in."""

    @property
    def games(self) -> tuple[str, ...]:
        """Games it plays; empty: any."""

    @property
    def seats(self) -> tuple[int, ...]:
        """Seat counts it plays; empty: any."""

    def plays(self, game: str, seats: int | None = None) -> bool:
        """Whether it says that it plays `game` with `seats` at the table."""


@attrs.frozen(kw_only=True)
class EntrantConfig:
    """An entrant as the file has it."""

    entrant: Entrant  #: without its content hash
    build: tuple[str, ...] = ()  #: run in its folder before match 1; () for none
    path: str = ""  #: where it stands in the file, for messages
    source: str = ""  #: the folder it was built from, once it has been

    @property
    def bot(self) -> str:
        """Which program this is, whatever its name and options: entrants of one bot share it."""
        entrant = self.entrant
        if entrant.kind is BotKind.PLUGIN:
            return f"plugin {entrant.target}"
        return f"command {self.source or entrant.folder} {' '.join(entrant.argv)}"


@attrs.frozen(kw_only=True)
class Unusable:
    """A folder of a glob that is no bot."""

    name: str
    problems: tuple[Problem, ...]


def read_entrants(
    tables: list[Table], folder: Path, bots: Mapping[str, PluginBot], game: str, seats: int
) -> Iterator[EntrantConfig | Unusable]:
    """Yield the entrants of the file in its order; problems of an entry itself go where its table puts them.

    `folder` is the one that relative paths start from; `game` is "" when it isn't known. A bot that a glob finds is
    called by its folder when the name it wants is taken: no stranger's wish may fail the file.
    """
    found = [(table, list(_read(table, folder, bots, game, seats))) for table in tables]
    own = [one for table, ones in found if "glob" not in table for one in ones]
    taken = {one.entrant.name.casefold() for one in own if isinstance(one, EntrantConfig)}
    for table, ones in found:
        for one in ones:
            yield _renamed(one, taken) if "glob" in table and isinstance(one, EntrantConfig) else one


def _renamed(one: EntrantConfig, taken: set[str]) -> EntrantConfig:
    """Return an entrant of a glob under a name that is free, and take it."""
    called = clean_name(Path(one.entrant.folder).name) or "bot"
    wishes = chain([one.entrant.name, called], (f"{called}-{number}" for number in count(2)))
    name = next(wish for wish in wishes if wish.casefold() not in taken)
    taken.add(name.casefold())
    return attrs.evolve(one, entrant=attrs.evolve(one.entrant, name=name))


def _read(
    table: Table, folder: Path, bots: Mapping[str, PluginBot], game: str, seats: int
) -> Iterator[EntrantConfig | Unusable]:
    """Yield the entrants of one table."""
    kinds = [key for key in ("bot", "command", "glob") if key in table]
    if len(kinds) != 1:
        found = f"this has {listed(kinds)}" if kinds else "this has none of them"
        table.complain("", f"an entrant has exactly one of bot, command and glob; {found}")
        _take_all(table)
        return
    if kinds == ["glob"]:
        yield from _globbed(table, folder)
    else:
        yield from _one(table, folder, bots, game, seats)
    table.finish()


def clean_name(text: str) -> str:
    """Return `text` as a name that is safe in terminals, tables and file names, possibly ""."""
    kept = "".join(letter if letter.isalnum() or letter in "-_.+" else "-" for letter in text)
    return kept.strip("-.")[:NAME_AT_MOST]


def _take_all(table: Table) -> None:
    """Look at the keys of an entry that can't be used, so that misspelt ones are reported too."""
    table.text("name")
    table.text("bot")
    table.texts("command")
    table.text("glob")
    table.text("folder")
    _shared(table, Path())
    table.finish()


@attrs.frozen(kw_only=True)
class _Shared:
    """The keys that every kind of entry may have."""

    env: Mapping[str, str]
    options: Mapping[str, OptionValue]
    runtime: tuple[str, ...]
    memory_mb: int | None
    processes: int | None
    build: tuple[str, ...]


def _shared(table: Table, folder: Path) -> _Shared:
    env = table.plain("env")
    return _Shared(
        env={name: value if isinstance(value, str) else str(value) for name, value in env.items()},
        options=table.plain("options"),
        runtime=tuple(str(_resolved(folder, name)) for name in table.texts("runtime")),
        memory_mb=table.number("memory_mb", None, minimum=1),
        processes=table.number("processes", None, minimum=1),
        build=table.texts("build"),
    )


def _one(
    table: Table, folder: Path, bots: Mapping[str, PluginBot], game: str, seats: int
) -> Iterator[EntrantConfig | Unusable]:
    """Yield the entrant of an entry with `bot` or `command`, or nothing when it can't be told what it is."""
    shared = _shared(table, folder)
    if "bot" in table:
        found = _plugin(table, bots, game, seats)
        if shared.build:
            table.complain("build", "a plugin bot is built when it is installed; leave build out")
        default_name = table.text("bot")
    else:
        found = _command(table, folder)
        default_name = Path(found.argv[-1]).stem if found else ""
    name = _name(table, default_name)
    if found is not None and name:
        yield _entrant(attrs.evolve(found, name=name), shared, table.here)


def _entrant(entrant: Entrant, shared: _Shared, path: str) -> EntrantConfig:
    whole = attrs.evolve(
        entrant,
        argv=_found(entrant, shared.runtime),
        env=shared.env,
        options=shared.options,
        runtime=shared.runtime,
        memory_mb=shared.memory_mb,
        processes=shared.processes,
    )
    return EntrantConfig(entrant=whole, build=shared.build, path=path)


def _found(entrant: Entrant, runtime: Sequence[str]) -> tuple[str, ...]:
    """Return the command with its program found in the `bin` of a runtime, where that has it and the bot does not."""
    if not entrant.argv or entrant.argv[0] in PYTHON_NAMES or Path(entrant.folder, entrant.argv[0]).exists():
        return entrant.argv
    programs = (str(Path(folder, "bin", entrant.argv[0])) for folder in runtime)
    program = next((path for path in programs if os.access(path, os.X_OK)), entrant.argv[0])
    return (program, *entrant.argv[1:])


def _name(table: Table, default: str) -> str:
    name = table.text("name", clean_name(default))
    if name != clean_name(name):
        table.complain(
            "name",
            f"{name!r} won't do: at most {NAME_AT_MOST} letters, digits and - _ . + "
            f"that neither begin nor end with - or . ; for example {clean_name(name) or 'bot'!r}",
        )
        return ""
    return name


def _plugin(table: Table, bots: Mapping[str, PluginBot], game: str, seats: int) -> Entrant | None:
    name = table.text("bot")
    if not name:
        return None
    if name not in bots:
        table.complain("bot", unknown("bot", name, bots) + "; `arena bots` lists them")
        return None
    bot = bots[name]
    if game and not bot.plays(game):
        table.complain("bot", f"{name} does not play {game}, only {listed(bot.games)}")
    elif game and seats and not bot.plays(game, seats):
        table.complain("bot", f"{name} does not play at {seats} seats, only at {listed(map(str, bot.seats))}")
    return Entrant(name=name, kind=BotKind.PLUGIN, target=bot.target, search_path=bot.search_path)


def _command(table: Table, folder: Path) -> Entrant | None:
    """Return the program of an entry.

    Without `folder`, words may name files relative to the tournament file, and the bot's folder is that of the first
    word which does. With it, everything is relative to that folder.
    """
    words = table.texts("command")
    if not words or not words[0]:
        if table.is_a("command", list):
            table.complain("command", "names no program")
        return None
    given = table.text("folder")
    if given:
        own = _resolved(folder, given)
        if not own.is_dir():
            table.complain("folder", f"there is no folder {own}")
            return None
        return Entrant(name="", kind=BotKind.COMMAND, argv=words, folder=str(own))
    for index, word in enumerate(words):
        file = _resolved(folder, word)
        if not word.startswith("-") and file.is_file() and (index or "/" in word):
            argv = (*words[:index], f"./{file.name}" if index == 0 else file.name, *words[index + 1 :])
            return Entrant(name="", kind=BotKind.COMMAND, argv=argv, folder=str(file.parent))
    table.complain(
        "command", f"no word of it is a file below {folder}; say in which folder the bot is by the key folder"
    )
    return None


def _globbed(table: Table, folder: Path) -> Iterator[EntrantConfig | Unusable]:
    """Yield the bots in the folders that a glob finds, sorted by folder name."""
    pattern = table.text("glob")
    shared = _shared(table, folder)
    if os.path.normpath(pattern) == ".":  # also what is left of a pattern that was complained about
        if pattern:
            table.complain("glob", f"{pattern!r} is the folder of the file itself; name folders in it: 'submissions/*'")
        return
    try:
        found = [path for path in folder.glob(os.path.normpath(pattern)) if path.is_dir()]
    except (ValueError, NotImplementedError) as error:
        table.complain("glob", f"{pattern!r} is no pattern relative to the file: {error}")
        return
    kept = sorted(path for path in found if not path.name.startswith((".", "_")))
    if not kept:
        table.complain("glob", f"no folder below {folder} is called {pattern!r}")
    for own in kept:
        problems: list[Problem] = []
        entrant = _from_folder(own, shared, f"{table.path('glob')} {own.name}", problems)
        name = clean_name(own.name) or "bot"
        if entrant is not None and not problems:
            yield entrant
        else:
            yield Unusable(name=name, problems=tuple(problems))


def _from_folder(own: Path, shared: _Shared, path: str, problems: list[Problem]) -> EntrantConfig | None:
    """Return the bot in a folder, from its `arena.toml` or by its main file."""
    data: dict[str, object] = {}
    file = own / BOT_FILE
    if file.is_file():
        try:
            data = tomllib.loads(file.read_text("utf-8-sig"))
        except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
            problems.append(Problem(path, f"{BOT_FILE} can't be read: {error}"))
            return None
    table = Table(data, path, problems)
    words = table.texts("command") or guess_command(own)
    mine = _shared(table, own)
    if mine.runtime:
        table.complain("runtime", "asks for folders of the host, which only the organiser opens; leave it out, or ask")
    name = _name(table, own.name)
    table.finish()
    if not words:
        table.complain("", _no_command(own))
        return None
    merged = _Shared(
        env={**shared.env, **mine.env},
        options={**shared.options, **mine.options},
        runtime=shared.runtime,
        # What the organiser caps, an author can't lift.
        memory_mb=_least(shared.memory_mb, mine.memory_mb),
        processes=_least(shared.processes, mine.processes),
        build=mine.build or shared.build,
    )
    return _entrant(Entrant(name=name or "bot", kind=BotKind.COMMAND, argv=words, folder=str(own)), merged, table.here)


def _no_command(own: Path) -> str:
    if (own / "pyproject.toml").is_file():
        return f"{own} is a distribution: install it (`pip install -e {own}`) and enter its bot by the bot's name"
    return f"{own} has no {BOT_FILE} with a command, and no file called main, bot or run that tells its language"


def guess_command(own: Path) -> tuple[str, ...]:
    """Return how the bot in a folder is started, judged by its files: `main.py`, `bot.js`, ...; () when it can't be."""
    files = {path.name.casefold(): path.name for path in sorted(own.iterdir()) if path.is_file()}
    for stem in (*_MAIN_NAMES, own.name.casefold()):
        for suffix, starter in _STARTERS.items():
            if f"{stem}{suffix}" in files:
                return (*starter, files[f"{stem}{suffix}"])
        if stem in files and os.access(own / files[stem], os.X_OK):
            return (f"./{files[stem]}",)
    scripts = [name for name in files.values() if Path(name).suffix in _STARTERS]
    return (*_STARTERS[Path(scripts[0]).suffix], scripts[0]) if len(scripts) == 1 else ()


def file_command(file: Path) -> tuple[str, ...]:
    """Return how a single file is started in its folder, judged by its suffix or its being a program; () if neither."""
    starter = _STARTERS.get(file.suffix.casefold())
    if starter is not None:
        return (*starter, file.name)
    return (f"./{file.name}",) if os.access(file, os.X_OK) else ()


def _least(cap: int | None, wish: int | None) -> int | None:
    return min((number for number in (cap, wish) if number is not None), default=None)


def _resolved(folder: Path, name: str) -> Path:
    """Return an absolute path, without following links."""
    return Path(os.path.abspath(folder / Path(name).expanduser()))  # noqa: PTH100 - resolve() would follow links
