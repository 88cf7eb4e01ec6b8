"""Names what a bot's code is: a hash over its files, so that a changed bot can't slip into a begun run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.errors import ConfigError, Problem
from arena.referee.settings import BotKind, Entrant

#: Folders that are no part of a bot: version control, caches, environments that can be made again.
SKIPPED_FOLDERS = frozenset(
    {
        *(".git", ".hg", ".svn", ".jj", ".idea", ".vscode", ".venv", "venv", ".tox"),
        *("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
    }
)
SKIPPED_SUFFIXES = (".pyc", ".pyo", ".swp", "~")
MOST_FILES = 50_000  #: more is no bot's folder, but somebody's home


def content_hash(entrant: Entrant, build: Sequence[str] = ()) -> str:
    """Return a hash, 32 hex digits, of an entrant's files (its folder, or a plugin bot's package) and build step.

    Raises:
        ConfigError: the files can't be found or read, or are far too many.
    """
    root = bot_root(entrant)
    digest = hashlib.blake2b("\0".join(build).encode("utf-8", "surrogateescape"), digest_size=16)
    try:
        for number, (name, path) in enumerate(bot_files(root)):
            if number == MOST_FILES:
                problem = f"{root} has more than {MOST_FILES:,} files; put the bot into a folder of its own"
                raise ConfigError([Problem(entrant.name, problem)])
            executable = os.access(path, os.X_OK)
            content = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
            digest.update(f"{name}\0{executable:d}\0{content}\n".encode("utf-8", "surrogateescape"))
    except OSError as error:
        problem = f"{error.filename} can't be read: {error.strerror}"
        raise ConfigError([Problem(entrant.name, problem)]) from None
    return digest.hexdigest()


def bot_root(entrant: Entrant) -> Path:
    """Return where an entrant's files stand: a program's folder, a plugin bot's top-level package or module file.

    Raises:
        ConfigError: the code of a plugin bot was not found.
    """
    if entrant.kind is BotKind.COMMAND:
        return Path(entrant.folder)
    top = entrant.target.partition(":")[0].partition(".")[0]
    for folder in entrant.search_path:
        for path in (Path(folder) / top, Path(folder) / f"{top}.py"):
            if path.exists():
                return path
    places = ", ".join(entrant.search_path) or "no folder at all"
    raise ConfigError([Problem(entrant.name, f"the code of {entrant.target} was not found in {places}")])


def bot_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield relative name and path of every file that belongs to the bot, sorted by name; links to folders stay out."""
    if root.is_file():
        yield root.name, root
        return
    found = []
    for folder, folders, files in os.walk(root, onerror=_raise):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        for name in files:
            path = Path(folder, name)
            if not name.endswith(SKIPPED_SUFFIXES) and path.is_file():
                found.append((path.relative_to(root).as_posix(), path))
    yield from sorted(found)


def _raise(error: OSError) -> None:
    raise error
