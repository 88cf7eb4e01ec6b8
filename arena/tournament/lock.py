"""The lock that keeps a second scheduler off a run: held for the run's life, gone with the process that holds it."""

from __future__ import annotations

import contextlib
import os
import platform
import sqlite3
import sys
from pathlib import Path
from types import TracebackType

import msgspec

from arena.errors import ArchiveError
from arena.tournament.files import write_atomically

LOCK_FILE = "run.lock"
HOLDER_FILE = "holder.json"


class Holder(msgspec.Struct, frozen=True):
    """Who holds a lock."""

    pid: int
    host: str
    command: str


class RunLock:
    """A lock on a run folder.

    An empty SQLite file with a reserved lock on it: that works wherever SQLite does, needs no clean-up after a kill,
    and isn't inherited by child processes.
    """

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            ArchiveError: another process holds it, which is named, or the folder can't be written.
        """
        self._folder = folder
        path = folder / LOCK_FILE
        try:
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise ArchiveError(str(folder), _taken(folder)) from None
            raise ArchiveError(str(folder), f"can't be locked, is the folder writable? ({error})") from None
        holder = Holder(pid=os.getpid(), host=platform.node(), command=" ".join(sys.argv)[:200])
        try:
            write_atomically(folder / HOLDER_FILE, msgspec.json.encode(holder))
        except ArchiveError:
            self._connection.close()
            raise

    def release(self) -> None:
        """Give the lock back; once more does nothing."""
        with contextlib.suppress(OSError):
            (self._folder / HOLDER_FILE).unlink(missing_ok=True)
        self._connection.close()

    def __enter__(self) -> RunLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def check_free(folder: Path) -> None:
    """Raise `ArchiveError`, naming the holder, when another process plays the run in `folder`."""
    if folder.is_dir():
        RunLock(folder).release()


def _taken(folder: Path) -> str:
    try:
        holder = msgspec.json.decode((folder / HOLDER_FILE).read_bytes(), type=Holder)
    except (OSError, msgspec.DecodeError):
        return "another arena process is just opening this run; wait for it to end"
    return (
        f"process {holder.pid} on {holder.host} (`{holder.command}`) is playing this run; "
        "wait for it to end, or stop it and give the same command again"
    )
