"""What a bot keeps in its scratch folder, where no file system of its own caps that: looked at, bounded (Linux)."""

from __future__ import annotations

import functools
import itertools
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from arena.referee.rung import BotPlan
from arena.referee.sandbox.scratch import opened

FILES_PER_MIB = 32  #: of the scratch folder's size: 2048 files for the usual 64 MiB
LEAST_FILES = 1024
_BLOCK_BYTES = 512  #: of `st_blocks`
DEPTH = 64  #: each folder on the way down costs a descriptor while it is looked at


def files_allowed(plan: BotPlan) -> int:
    """Return how many files and folders may stand in a scratch folder: empty ones cost the machine something too."""
    return max(LEAST_FILES, FILES_PER_MIB * plan.limits.scratch_mb)


@attrs.frozen
class Mounts:
    """File systems in memory of the bot's own: the kernel caps their size, but not how many empty files they hold.

    Extended attributes take the room of files, one for each KiB.
    """

    paths: tuple[str, ...]  #: as the bot sees them
    files: int  #: that each may hold

    def excess(self, pids: Sequence[int], held: Iterable[os.stat_result]) -> str:  # noqa: ARG002 - as others need it
        """Return what is too much there, "" when nothing is or no process is left that sees it."""
        for path in self.paths if pids else ():
            try:
                found = os.statvfs(f"/proc/{pids[0]}/root{path}")
            except OSError:
                continue
            if found.f_files - found.f_ffree > self.files:
                return f"holds more than {self.files} files, folders and attributes"
        return ""


@attrs.frozen
class Folder:
    """A folder of the host, where the kernel caps each file and nothing caps them together."""

    path: Path
    size_mb: int
    files: int

    def excess(self, pids: Sequence[int], held: Iterable[os.stat_result]) -> str:  # noqa: ARG002 - as others need it
        """Return what is too much there, deleted files that the processes hold open included; "" when nothing is."""
        files, size = self.files, self.size_mb * 2**20
        deleted = filter(functools.partial(_is_deleted, device=_device_of(self.path)), held)
        seen: set[int] = set()  # a file with several names or descriptors counts once
        try:
            for found in itertools.chain(_below(self.path), deleted):
                files -= 1
                if found.st_nlink == 1 or found.st_ino not in seen:
                    size -= found.st_blocks * _BLOCK_BYTES
                    seen.add(found.st_ino)
                if files < 0:
                    return f"holds more than {self.files} files and folders"
                if size < 0:
                    return f"holds more than {self.size_mb} MiB"
        except _TooDeepError:
            return f"holds folders more than {DEPTH} deep"
        except OSError as error:
            return f"can't be looked at: {error.strerror}"
        return ""


class _TooDeepError(Exception):
    pass


def _below(folder: str | Path, parent: int | None = None, depth: int = 0) -> Iterator[os.stat_result]:
    """Yield what stands in a folder and below; links are not followed, what goes meanwhile is left out."""
    if depth > DEPTH:
        raise _TooDeepError
    try:
        descriptor = opened(folder, parent)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                yield found
                if stat.S_ISDIR(found.st_mode):
                    yield from _below(entry.name, descriptor, depth + 1)
    finally:
        os.close(descriptor)


def _is_deleted(found: os.stat_result, device: int) -> bool:
    return found.st_nlink == 0 and found.st_dev == device and stat.S_ISREG(found.st_mode)


def _device_of(path: Path) -> int:
    try:
        return path.lstat().st_dev
    except OSError:
        return -1
