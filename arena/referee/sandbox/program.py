"""What is started for an entrant, with which environment, and which folders that program has to be able to read."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import arena
from arena.cleaning import clean
from arena.referee.rung import StartError
from arena.referee.settings import BotKind, Entrant

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
ARENA_FOLDER = Path(arena.__file__).resolve().parent
HOST_SCRIPT = ARENA_FOLDER / "sdk" / "host.py"
PYTHON_NAMES = ("python", "python3")  #: as argv[0] they mean the interpreter that the arena runs on


def interpreter() -> str:
    """Return the real interpreter behind `sys.executable`: no shim, no link of an environment."""
    return os.path.realpath(sys.executable)


def argv_of(entrant: Entrant) -> tuple[str, ...]:
    """Return the bot's program with its arguments, argv[0] absolute; raise `StartError` when there is none."""
    if entrant.kind is BotKind.PLUGIN:
        paths = [word for folder in plugin_path(entrant) for word in ("--path", folder)]
        # -S: a `.pth` file of the machine neither runs in bots nor slows their start down.
        return (interpreter(), "-P", "-s", "-S", str(HOST_SCRIPT), "--target", entrant.target, *paths)
    if not entrant.argv:
        raise StartError(f"{entrant.name}: no program is named; give `command`")
    return (_program(entrant), *entrant.argv[1:])


def environment(entrant: Entrant, scratch: str) -> dict[str, str]:
    """Return the bot's whole environment: nothing of ours, its scratch folder as home, Python unbuffered and stable."""
    env = {
        "PATH": f"{SYSTEM_PATH}:{Path(interpreter()).parent}",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
    }
    if entrant.kind is BotKind.COMMAND and entrant.argv and entrant.argv[0] in PYTHON_NAMES:
        env["PYTHONPATH"] = os.pathsep.join([str(ARENA_FOLDER.parent), *_site_packages()])
    return env | dict(entrant.env)


def plugin_path(entrant: Entrant) -> tuple[str, ...]:
    """Return the folders of `sys.path` for a plugin: its own, the arena's and the environment's packages."""
    folders = [os.path.realpath(folder) for folder in entrant.search_path]
    return tuple(dict.fromkeys([*folders, str(ARENA_FOLDER.parent), *_site_packages()]))


def folder_of(entrant: Entrant) -> str:
    """Return the bot's own folder, its working directory: absolute, and "/" for a bot that has none."""
    folder = entrant.folder or (entrant.search_path[0] if entrant.search_path else "/")
    return os.path.realpath(folder)


def readable_paths(entrant: Entrant) -> tuple[str, ...]:
    """Return what the bot has to read outside the system's folders: its own, its runtime, Python, the arena."""
    paths = [sys.base_prefix, str(ARENA_FOLDER), *_site_packages(), *entrant.search_path, *entrant.runtime]
    if entrant.folder:
        paths.append(entrant.folder)
    if entrant.kind is BotKind.COMMAND and entrant.argv:
        paths.append(argv_of(entrant)[0])
    return outermost(os.path.realpath(path) for path in paths if Path(path).exists())


def outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths without those that lie below another, sorted."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not any(path == other or path.startswith(other.rstrip("/") + "/") for other in kept):
            kept.append(path)
    return tuple(kept)


def hidden_paths(entrant: Entrant) -> tuple[str, ...]:
    """Return the code of other plugins among `readable_paths`: what is installed with an entry point of the arena."""
    own = entrant.target.partition(":")[0].partition(".")[0]
    inside = tuple(path.rstrip("/") + "/" for path in readable_paths(entrant))
    return tuple(path for name, path in _plugin_code() if name != own and path.startswith(inside))


@functools.cache
def _plugin_code() -> tuple[tuple[str, str], ...]:
    """Return (top-level name, path) of all packages and modules that other distributions plug into the arena."""
    found: dict[tuple[str, str], None] = {}
    for point in importlib.metadata.entry_points(group="arena"):
        distribution = point.dist
        if distribution is None or distribution.name == "castell-arena":
            continue
        for file in distribution.files or ():
            top = file.parts[0]
            if top not in ("..", "/") and file.suffix == ".py":
                path = os.path.realpath(str(distribution.locate_file(top)))
                found[top.removesuffix(".py"), path] = None
    return tuple(found)


@functools.cache
def _site_packages() -> tuple[str, ...]:
    folders = (sysconfig.get_path(name) for name in ("purelib", "platlib"))
    return tuple(dict.fromkeys(os.path.realpath(folder) for folder in folders if Path(folder).is_dir()))


def _program(entrant: Entrant) -> str:
    word = entrant.argv[0]
    if word in PYTHON_NAMES:
        return interpreter()
    own = Path(folder_of(entrant)) / word
    if own.is_file() or "/" in word:
        program = os.path.realpath(own)
        if not Path(program).is_file():
            raise StartError(f"{entrant.name}: there is no program {program}")
        if not os.access(program, os.X_OK):
            raise StartError(f"{entrant.name}: {program} is not executable; use `chmod +x {program}`")
        _check_first_line(entrant, program)
        return program
    found = shutil.which(word, path=SYSTEM_PATH)
    if found is None:
        raise StartError(f"{entrant.name}: {word} is neither in its folder nor in {SYSTEM_PATH}; give an absolute path")
    return found


def _check_first_line(entrant: Entrant, program: str) -> None:
    """Raise `StartError` for a script whose `#!` line names nothing that is there; the kernel would not say what."""
    try:
        with Path(program).open("rb") as file:
            first = file.readline(256)
    except OSError:
        return  # a program may be executable and not readable
    words = first.removeprefix(b"#!").split() if first.startswith(b"#!") else []
    if not words:
        return
    if first.endswith(b"\r\n"):
        raise StartError(
            f"{entrant.name}: the lines of {program} end with CRLF, which Linux takes for a part of the name in its"
            f" first line; convert them, for example by `sed -i 's/\\r$//' {program}`"
        )
    named = os.fsdecode(words[0])
    if "\0" in named or not os.access(Path(folder_of(entrant), named), os.F_OK):
        shown = clean(named, 200)
        raise StartError(f"{entrant.name}: the first line of {program} names {shown}, which is not there; correct it")
