"""Which cores a run plays on: one match a core, and no core for two runs.

A referee and its bots share one core, because only one of them works at a time; measured, that more than halves a
round trip. A lock for each core, held for the run's life and gone with the process, keeps two runs off each other.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import attrs

from arena.errors import ConfigError, Problem
from arena.tournament.pool import Slot
from arena.wording import counted


def available() -> list[int]:
    """Return the cores that this process may use, rising; [-1] for each where cores can't be chosen."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return [-1] * (os.cpu_count() or 1)


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


def claim(wanted: int | None, *, oversubscribe: bool = False, folder: Path | None = None) -> Claim:
    """Claim a core for each slot.

    Args:
        wanted: number of slots; None: as many as there are free cores.
        oversubscribe: allow more slots than cores.
        folder: where the locks stand, instead of a folder of this user's own.

    Raises:
        ConfigError: more slots than cores, or every core is taken by other runs.
    """
    cores = available()
    if wanted is not None and wanted > len(cores) and not oversubscribe:
        problem = (
            f"{counted(wanted, 'slot')} on {counted(len(cores), 'core')} would spoil the clocks;"
            f" take at most {len(cores)}, or insist with --oversubscribe"
        )
        raise ConfigError([Problem("slots", problem)])
    if cores[0] < 0:
        return Claim(slots=tuple(Slot(number, -1) for number in range(wanted or len(cores))))
    held = {core: file for core in cores if (file := _lock(core, folder)) is not None}
    free, files = list(held), list(held.values())
    if not free and wanted is None:
        raise ConfigError(
            [
                Problem(
                    "slots",
                    f"other runs hold all {counted(len(cores), 'core')}; wait for them, or share with --slots 1",
                )
            ]
        )
    number = wanted if wanted is not None else len(free)
    for file in files[number:]:
        os.close(file)
    pinned = free[:number]
    warning = ""
    if len(pinned) < number:
        warning = (
            f"{number - len(pinned)} of {counted(number, 'slot')} share cores with other matches: clocks may suffer"
        )
    places: Sequence[int] = [*pinned, *[-1] * (number - len(pinned))]
    return Claim(
        slots=tuple(Slot(number, core) for number, core in enumerate(places)), warning=warning, files=files[:number]
    )


def _lock(core: int, folder: Path | None) -> int | None:
    """Return a descriptor that holds the lock of a core, or None when another process holds it."""
    import fcntl  # not on every system, and only called where it is

    place = folder or Path(tempfile.gettempdir()) / f"castell-arena-cores-{os.geteuid()}"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(place / f"core-{core}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file
