"""Scratch folders of bots on the rungs that have no file system of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path


def scratch_root() -> Path:
    """Make a new folder for the scratch folders of one referee; other users can pass, not list."""
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    folder.chmod(0o711)
    return folder


def empty(folder: Path, *, owner: int | None = None) -> None:
    """Make `folder` anew: empty, private, and the property of user `owner` where one is given."""
    remove(folder)
    folder.mkdir(mode=0o700)
    if owner is not None:
        os.chown(folder, owner, owner)


def remove(folder: Path) -> None:
    """Remove `folder` with all that a bot left there, closed folders too; links are not followed."""
    if folder.is_symlink():
        folder.unlink()
    if not folder.exists():
        return
    folder.chmod(0o700)
    for inside, folders, _ in os.walk(folder):
        for name in folders:
            path = Path(inside, name)
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder)
