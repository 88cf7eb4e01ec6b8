"""What must be the same on every machine of a run, and the sentence that says what is not."""

from __future__ import annotations

import functools
import hashlib

from arena import __version__, plugins
from arena.errors import ArenaError
from arena.hosts.wire import Versions
from arena.referee.sandbox.program import ARENA_FOLDER
from arena.referee.settings import Settings

_PLAYS = ("games", "hosts", "protocol", "referee", "sdk")  #: folders of the arena that play matches
_CODE = (".py", ".toml")


def versions(settings: Settings) -> Versions:
    """Return what this machine has for the game of `settings`; raise `ConfigError` when it hasn't got the game."""
    game = plugins.game(settings.game)
    return Versions(
        arena=__version__, code=code_hash(), game=settings.game, rules=game.fingerprint(settings.game_options)
    )


@functools.cache
def code_hash() -> str:
    """Return a hash, 12 hex digits, of the arena's files that play matches: versions can't tell working copies."""
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(path for part in _PLAYS for path in (ARENA_FOLDER / part).rglob("*")):
        if path.suffix in _CODE and path.is_file():
            name = path.relative_to(ARENA_FOLDER).as_posix()
            content = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
            digest.update(f"{name}\0{content}\n".encode())
    return digest.hexdigest()


def difference(run: Versions, settings: Settings) -> str:
    """Return what differs here from what the run was begun with, "" when nothing does."""
    try:
        here = versions(settings)
    except ArenaError as error:
        return f"it can't play {run.game}: {error}"
    if here.arena != run.arena:
        return f"it has castell-arena {here.arena}, the run {run.arena}; install the same on both"
    if here.code != run.code:
        return (
            f"its castell-arena {here.arena} has other files ({here.code}, the run's {run.code}): install the same"
            " commit or wheel on both, and start its worker again"
        )
    if here.rules != run.rules:
        return f"its {run.game} has other rules or data ({here.rules}, the run's {run.rules}); install the same on both"
    return ""
