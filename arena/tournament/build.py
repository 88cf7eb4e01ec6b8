"""Builds bots before match 1: in the sandbox, from a copy, so that an entrant's own folder never changes.

The build command sees the bot's folder read-only like the bot itself, works on a copy of it in its scratch folder, and
its result travels home as a tar archive over its standard output. So no rung needs a writable way out. What was
built is kept in the run's folder under the hash of its source, and used again when the run goes on.
"""

from __future__ import annotations

import os
import select
import shlex
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import attrs

from arena.errors import ArenaError
from arena.referee.preflight import Unstartable
from arena.referee.process import BotProcess, spawn
from arena.referee.rung import Rung, StartError
from arena.referee.sandbox.program import SYSTEM_PATH
from arena.referee.sandbox.scratch import empty
from arena.referee.settings import Limits
from arena.tournament.content import content_hash
from arena.tournament.entrants import EntrantConfig

BUILDS = "builds"  #: folder of a run
BUILD_WITHIN_S = 600.0
LOG_BYTES = 2**20  #: of a build's output that are kept
RESULT_BYTES = 2**30
DEPTH = 100  #: of folders in a result
SLOW_S = 2.0  #: a build that takes longer is told of
_LOOK_EVERY_MS = 100
_NOT_FOUND = "exit code 127"  #: of a shell
#: Compilers need more than bots.
_LIMITS = Limits(memory_mb=4096, processes=512, scratch_mb=2048)
#: The first argument goes before the search path, the others are the command.
_SCRIPT = """
umask 022; PATH="$1$PATH"; shift
mkdir "$TMPDIR/build" && cp -R . "$TMPDIR/build" && cd "$TMPDIR/build" && "$@" >&2 && exec tar cf - .
"""


class _BuildError(ArenaError):
    """A bot could not be built."""

    def __init__(self, reason: str, advice: str = "") -> None:
        self.advice = advice
        super().__init__(reason)


def build_all(
    entrants: Sequence[EntrantConfig],
    folder: Path,
    rung: Rung,
    scratch: Path,
    *,
    slow: Callable[[EntrantConfig], None] | None = None,
) -> tuple[list[EntrantConfig], list[Unstartable]]:
    """Return the entrants with the folders they were built into, and those whose build failed. Main thread only.

    Args:
        entrants: of a tournament; those without a build step come back as they are.
        folder: of the run; made when it is missing.
        rung: of the sandbox.
        scratch: an existing folder for scratch folders.
        slow: told once of each entrant whose build takes more than `SLOW_S`.

    Raises:
        ArenaError: the run's folder can't be written.
    """
    built, failures = [], []
    for one in entrants:
        if not one.build:
            built.append(one)
            continue
        source_hash = content_hash(one.entrant, one.build)
        place = folder / BUILDS / f"{one.entrant.name}-{source_hash[:12]}"
        log = place.with_suffix(".log")
        try:
            if not place.is_dir():
                _made(place.parent)
                _build(one, place, log, rung, scratch, slow)
            entrant = attrs.evolve(one.entrant, folder=str(place.absolute()), content_hash=source_hash)
            built.append(attrs.evolve(one, entrant=entrant, source=one.entrant.folder))
        except (_BuildError, StartError) as error:
            tail = log.read_text("utf-8", "replace")[-4000:] if log.is_file() else ""
            advice = error.advice if isinstance(error, _BuildError) else ""
            advice = advice or (f"its output is in {log}" if tail else "")
            failures.append(
                Unstartable(entrant=one.entrant.name, reason=f"build failed: {error}", advice=advice, stderr_tail=tail)
            )
    return built, failures


def _made(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        raise ArenaError(f"{folder} can't be made: {error.strerror or error}") from None


def _build(
    one: EntrantConfig,
    place: Path,
    log: Path,
    rung: Rung,
    scratch: Path,
    slow: Callable[[EntrantConfig], None] | None,
) -> None:
    """Build one entrant into `place`, which appears only when all went well."""
    own = scratch / "build"
    empty(own)
    bins = "".join(f"{folder}/bin:" for folder in one.entrant.runtime)
    builder = attrs.evolve(
        one.entrant, argv=("/bin/sh", "-c", _SCRIPT, "build", bins, *one.build), memory_mb=None, processes=None
    )
    with tempfile.TemporaryFile() as archive:
        with log.open("wb") as log_file:
            process = spawn(builder, rung, _LIMITS, own, builds=True)
            try:
                status = _wait(process, archive, log_file, lambda: slow(one) if slow is not None else None)
            finally:
                process.kill()
                process.close()
        if status != "exit code 0":
            raise _BuildError(
                f"`{' '.join(one.build)}` ended with {status}",
                _missing(one.build[0]) if status == _NOT_FOUND else "",
            )
        archive.seek(0)
        _unpack(archive, place)


def home_outside(program: str) -> str:
    """Return the folder to name as `runtime` for a program that is found outside /usr alone, as typed in a shell.

    "" for one that bots and builds find, or that is nowhere.
    """
    here = shutil.which(program)
    if here is None or shutil.which(program, path=SYSTEM_PATH) is not None:
        return ""
    if program == "rustc":  # what is found is often a switch between several
        return '"$(rustc --print sysroot)"'
    folder = Path(os.path.realpath(here)).parent
    return shlex.quote(str(folder.parent if folder.name == "bin" else folder))


def _missing(program: str) -> str:
    """Return what to do about a program that a build did not find."""
    home = home_outside(program)
    if not home:
        return f"install {program}, or name the folder that holds it"
    return (
        f"{program} is outside /usr; name its folder: --runtime {home} of `arena play` and `arena check`, `runtime` in"
        " a tournament file"
    )


def _wait(process: BotProcess, archive: IO[bytes], log: IO[bytes], slow: Callable[[], None]) -> str:
    """Take what the build writes until it ends; return how it ended."""
    slow_s = time.monotonic() + SLOW_S
    deadline_s = time.monotonic() + BUILD_WITHIN_S
    room = {process.stdout: RESULT_BYTES, process.stderr: LOG_BYTES}
    files = {process.stdout: archive, process.stderr: log}
    poll = select.poll()
    for descriptor in files:
        poll.register(descriptor, select.POLLIN)
    looked_s = 0.0
    while files:
        for descriptor, _ in poll.poll(_LOOK_EVERY_MS):
            data = os.read(descriptor, 1 << 16)
            if not data:
                poll.unregister(descriptor)
                del files[descriptor]
            files.get(descriptor, log).write(data[: room[descriptor]])
            room[descriptor] -= min(len(data), room[descriptor])
        now_s = time.monotonic()
        if not room[process.stdout]:
            raise _BuildError(f"its result is larger than {RESULT_BYTES >> 20} MiB")
        if now_s > slow_s:
            slow_s = deadline_s
            slow()
        if now_s > deadline_s:
            raise _BuildError(f"not done within {BUILD_WITHIN_S:g} s")
        if now_s - looked_s > _LOOK_EVERY_MS / 1000:
            looked_s = now_s
            if (overuse := process.overuse()) is not None:
                raise _BuildError(overuse.reason)
    return process.exit_status(wait_ms=1000) or "its output closed, but running on"


def _not_deep(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a member of an archive; raise `_BuildError` when its path would exhaust the stack of whoever walks it."""
    if member.name.count("/") > DEPTH:
        raise _BuildError(f"its result has folders more than {DEPTH} deep")
    return member


def _unpack(archive: IO[bytes], place: Path) -> None:
    """Unpack an archive that a stranger made; nothing of it lands outside `place`."""
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=place.parent))
    try:
        with tarfile.open(fileobj=archive) as tar:
            tar.extractall(draft, members=map(_not_deep, tar), filter="data")
        draft.chmod(0o755)
        draft.rename(place)
    except (tarfile.TarError, TypeError) as error:
        raise _BuildError(f"its result can't be unpacked: {error}") from None
    except OSError as error:
        if not place.is_dir():  # else another process built the same a moment earlier
            raise ArenaError(f"{place} can't be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
