"""Folders of this user's own whose names anybody can guess, below places where everybody can make folders."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from arena.errors import ArenaError


def own_folder(path: Path, *, mode: int) -> Path:
    """Make the folder unless it is there; return it once it is sure that nobody but this user can have prepared it.

    Args:
        path: the folder, below one that exists.
        mode: its rights, and the most that it may have when it is there already.

    Raises:
        ArenaError: it can't be made, is no folder but a link, is another user's, or is open wider than `mode`.
    """
    try:
        path.mkdir(mode=mode)
    except FileExistsError:
        pass
    except OSError as error:
        raise ArenaError(f"{path} can't be made: {error.strerror or error}") from None
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise ArenaError(f"{path} is no folder, so somebody put it there; remove it")
    if found.st_uid != os.geteuid():
        raise ArenaError(f"{path} belongs to user {found.st_uid}, not to us; have that user or root remove it")
    if found.st_mode & 0o777 & ~mode:
        raise ArenaError(
            f"{path} has the rights {found.st_mode & 0o777:o}, so others can have changed it; remove it, or use "
            f"`chmod {mode:o} {path}`"
        )
    return path
