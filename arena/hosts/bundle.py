"""Bots on the way to other machines: one archive for each content hash, checked against the hash on arrival."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
from pathlib import Path

import attrs

from arena.errors import ArenaError
from arena.hosts.wire import KitEntrant
from arena.referee.settings import BotKind, Entrant
from arena.tournament.content import bot_files, bot_root, content_hash

BUNDLE_AT_MOST_MB = 256


class DamagedError(ArenaError):
    """What arrived is not what was sent."""


def pack(one: KitEntrant) -> bytes:
    """Return an archive of the files that an entrant's content hash is made of.

    Raises:
        ArenaError: the files have changed since they were hashed, can't be read or are too many.
    """
    root = bot_root(one.entrant)
    top = root.name if one.entrant.kind is BotKind.PLUGIN and root.is_dir() else ""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=6, dereference=True) as tar:
        for name, path in bot_files(root):
            tar.add(path, f"{top}/{name}" if top else name, recursive=False, filter=_plain)
    if buffer.tell() > BUNDLE_AT_MOST_MB << 20:
        raise ArenaError(f"{one.entrant.name}: {root} has more than {BUNDLE_AT_MOST_MB} MiB even when it is packed")
    if content_hash(one.entrant, one.build) != one.entrant.content_hash:
        raise ArenaError(f"{one.entrant.name}: its files have changed while the run was being prepared; start it again")
    return buffer.getvalue()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Keep what counts: content and whether it is a program."""
    member.mode = 0o755 if member.mode & 0o111 else 0o644
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def placed(one: KitEntrant, folder: Path) -> Entrant:
    """Return the entrant as it is when its bundle is unpacked in `folder`, which no plan has to know."""
    entrant, place = one.entrant, str(folder)
    if entrant.kind is BotKind.PLUGIN:
        return attrs.evolve(entrant, search_path=(place,))
    home = entrant.folder.rstrip("/")
    argv = tuple(place + word[len(home) :] if f"{word}/".startswith(f"{home}/") else word for word in entrant.argv)
    return attrs.evolve(entrant, folder=place, argv=argv)


def is_there(one: KitEntrant, folder: Path) -> bool:
    """Whether `folder` holds the bot, whole and unchanged."""
    if not folder.is_dir():
        return False
    try:
        return content_hash(placed(one, folder), one.build) == one.entrant.content_hash
    except ArenaError:
        return False


def unpack(data: bytes, one: KitEntrant, folder: Path) -> None:
    """Unpack a bundle into `folder`, which appears only when its content has the right hash; replaces what was there.

    Raises:
        DamagedError: it is something else, or would leave its folder.
        ArenaError: the folder can't be written.
    """
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder.parent))
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            tar.extractall(draft, filter="data")
        if not is_there(one, draft):
            raise DamagedError(f"{one.entrant.name} did not arrive as it was sent: its content hash differs")
        for inside, _, _ in os.walk(draft):
            Path(inside).chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    except (tarfile.TarError, EOFError) as error:
        raise DamagedError(f"{one.entrant.name} did not arrive as it was sent: {error}") from None
    except OSError as error:
        if not is_there(one, folder):  # else another worker of this machine put it there a moment earlier
            raise ArenaError(f"{folder} can't be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
