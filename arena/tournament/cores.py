"""Which cores a run plays on: one match a core, unless the file says more, and no core for two runs.

A referee and its bots share one core, because only one of them works at a time; measured, that more than halves a
round trip. A lock for each core, held for the run's life and gone with the process, keeps two runs off each other.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import TracebackType

import attrs

from arena.errors import ArenaError, ConfigError, Problem
from arena.tournament.own_folder import own_folder
from arena.tournament.pool import Slot
from arena.wording import counted


def available() -> list[int]:
    """Return the cores that this process may use, rising; empty where cores can't be chosen."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


@attrs.define
class Claim:
    """Cores held for one run; a context manager."""

    slots: tuple[Slot, ...]
    warning: str = ""
    _files: list[int] = attrs.field(factory=list)

    def release(self) -> None:
        """Give the cores back; once more does nothing."""
        while self._files:
            os.close(self._files.pop())

    def __enter__(self) -> Claim:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def claim(
    wanted: int | None, *, cores_per_match: int = 1, oversubscribe: bool = False, folder: Path | None = None
) -> Claim:
    """Claim cores for each slot.

    Args:
        wanted: number of slots; None: as many as the free cores allow, at least one.
        cores_per_match: how many cores each slot has, for bots with several threads.
        oversubscribe: allow more slots than the cores of this machine can hold.
        folder: where the locks stand, instead of a folder of this user's own.

    Raises:
        ConfigError: more slots than the cores can hold, every core is taken by other runs, or another user
            sits where the locks stand.
    """
    cores = available()
    if not cores:
        return Claim(slots=tuple(map(Slot, range(wanted or max(1, (os.cpu_count() or 1) // cores_per_match)))))
    room = len(cores) // cores_per_match
    if (wanted or 1) > room and not oversubscribe:
        each = f" with {cores_per_match} each" if cores_per_match > 1 else ""
        problem = f"{counted(wanted or 1, 'slot')}{each} on {counted(len(cores), 'core')} would spoil the clocks; "
        problem += f"take at most {room}, or insist with --oversubscribe" if room else "insist with --oversubscribe"
        raise ConfigError([Problem("slots", problem)])
    place = folder or lock_folder()
    held = {core: file for core in cores if (file := _lock(core, place)) is not None}
    groups = [tuple(held)[first : first + cores_per_match] for first in range(0, len(held), cores_per_match)]
    groups = [group for group in groups if len(group) == cores_per_match]
    if not groups and wanted is None:
        taken = f"other runs hold {len(cores) - len(held)} of {counted(len(cores), 'core')}"
        problem = f"{taken}; wait for them, or share with --slots 1"
        for file in held.values():
            os.close(file)
        raise ConfigError([Problem("slots", problem)])
    number = wanted if wanted is not None else len(groups)
    pinned = groups[:number]
    kept = {core for group in pinned for core in group}
    for core, file in held.items():
        if core not in kept:
            os.close(file)
    warning = ""
    if len(pinned) < number:
        sharing = f"{number - len(pinned)} of {counted(number, 'slot')}"
        warning = f"{sharing} share cores with other matches: clocks may suffer"
    places = [*pinned, *[()] * (number - len(pinned))]
    return Claim(
        slots=tuple(Slot(index, group) for index, group in enumerate(places)),
        warning=warning,
        files=[file for core, file in held.items() if core in kept],
    )


def lock_folder() -> Path:
    """Return where the locks of this user's runs stand; raise `ConfigError` where there is no safe place.

    The folder for temporary files comes first: all runs of a user see the same one. The folder of `XDG_RUNTIME_DIR`
    is not set in every session and removed with the last, while a run goes on; but nobody else can make folders there.
    """
    try:
        return own_folder(Path(tempfile.gettempdir()) / f"castell-arena-cores-{os.geteuid()}", mode=0o700)
    except ArenaError as first:
        runtime = os.environ.get("XDG_RUNTIME_DIR")
        try:
            if not runtime:
                raise ArenaError("or have XDG_RUNTIME_DIR name a folder that only you can use") from None
            return own_folder(own_folder(Path(runtime), mode=0o700) / "castell-arena-cores", mode=0o700)
        except ArenaError as second:
            raise ConfigError(
                [Problem("slots", f"there is no safe place for the locks of cores: {first}; {second}")]
            ) from None


def _lock(core: int, folder: Path) -> int | None:
    """Return a descriptor that holds the lock of a core, or None when another process holds it."""
    import fcntl  # not on every system, and only called where it is

    file = os.open(folder / f"core-{core}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file
