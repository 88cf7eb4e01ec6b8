"""Scratch folders of bots on the rungs that have no file system of their own, and the roots that hold them.

A root is locked by the process that made it. A process that is killed can't clear up, but its lock goes with it:
the next one removes every root of this user that nobody holds (docs/decisions/0006).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arena.errors import ArenaError

PREFIX = "castell-arena-scratch-"  #: of the names of roots in the folder for temporary files


@contextlib.contextmanager
def scratch_root() -> Iterator[Path]:
    """Provide a new folder for the scratch folders of one process; other users can pass, not list.

    It is removed at the end, and by the next process that needs one when this one is killed. Raise `ArenaError`
    where it can't be locked.
    """
    sweep()
    folder, lock = _made_and_locked()
    try:
        folder.chmod(0o711)
        yield folder
    finally:
        remove(folder)
        os.close(lock)


def sweep() -> None:
    """Remove this user's roots whose owner is gone; what can't be removed now is left to the next sweep."""
    for name in os.listdir(tempfile.gettempdir()):  # noqa: PTH208 - it may be long
        if name.startswith(PREFIX):
            with contextlib.suppress(OSError):
                _sweep_one(Path(tempfile.gettempdir(), name))


def empty(folder: Path, *, owner: int | None = None) -> None:
    """Make `folder` anew: empty, private, and the property of user `owner` where one is given."""
    remove(folder)
    folder.mkdir(mode=0o700)
    if owner is not None:
        os.chown(folder, owner, owner)


def remove(folder: Path) -> None:
    """Remove `folder` with all that a bot left there, closed folders and the deepest ones too.

    Links are not followed, and nothing but folders is opened. Folders below the first level are moved up to it
    before they are emptied: no depth exhausts the stack, the descriptors, or the length of a path.
    """
    try:
        top = opened(folder)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        folder.unlink()
        return
    fresh = secrets.token_hex(8)  # a bot may have names ready that look like ours
    moved = 0
    try:
        while names := os.listdir(top):  # noqa: PTH208 - of a descriptor
            for name in names:
                moved = _take_apart(name, top, fresh, moved)
    finally:
        os.close(top)
    folder.rmdir()


def opened(folder: str | Path, parent: int | None = None, *, only_of: int | None = None) -> int:
    """Return a descriptor of a folder, opened up for its owner if it was closed.

    Raise `NotADirectoryError` for anything else, links among it, and `PermissionError` when it belongs to another user
    than `only_of`.
    """
    path = os.open(folder, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        found = os.fstat(path)
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(folder)
        if only_of is not None and found.st_uid != only_of:
            raise PermissionError(folder)
        if found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(f"/proc/self/fd/{path}", stat.S_IRWXU)  # noqa: PTH101 - the very folder, whatever its name is now
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=path)
    finally:
        os.close(path)


def _take_apart(name: str, top: int, fresh: str, moved: int) -> int:
    """Remove an entry of `top`, after moving the folders in it to `top`; return how many have been moved by now."""
    if _unlinked(name, top):
        return moved
    inside = opened(name, top)
    try:
        for child in os.listdir(inside):  # noqa: PTH208 - of a descriptor
            if not _unlinked(child, inside):
                os.close(opened(child, inside))  # which gives us the right to move it
                os.rename(child, f"{fresh}-{moved}", src_dir_fd=inside, dst_dir_fd=top)
                moved += 1
    finally:
        os.close(inside)
    os.rmdir(name, dir_fd=top)
    return moved


def _unlinked(name: str, parent: int) -> bool:
    """Remove what is not a folder; return False for a folder."""
    try:
        os.unlink(name, dir_fd=parent)
    except IsADirectoryError:
        return False
    return True


def _sweep_one(folder: Path) -> None:
    descriptor = opened(folder, only_of=os.geteuid())
    try:
        if _locked(descriptor):
            remove(folder)
    finally:
        os.close(descriptor)


def _made_and_locked() -> tuple[Path, int]:
    """Return a new root and the descriptor that holds its lock; a sweep may be faster than the lock, once or twice."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        try:
            lock = opened(folder)
        except FileNotFoundError:
            continue
        try:
            if _locked(lock) and _stands(folder, lock):
                return folder, lock
        except OSError as error:
            os.close(lock)
            folder.rmdir()
            raise ArenaError(
                f"{folder} can't be locked ({error.strerror}); have TMPDIR name a folder on a disk of this machine"
            ) from None
        os.close(lock)


def _locked(descriptor: int) -> bool:
    """Take the lock of an open folder, which is gone with this process; return False when another one has it."""
    import fcntl  # not on every system, and only called where it is

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _stands(folder: Path, descriptor: int) -> bool:
    """Return whether the open folder is still there, under its name."""
    try:
        return os.path.samestat(folder.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
