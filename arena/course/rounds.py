"""Rounds: when one is due, and how bots and rules are frozen into a folder before it is played.

A round's folder holds a plain tournament file, a copy of every bot under its public name, and the run. So what was
played can be looked at, gone on with, verified and repeated without the course.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs
import msgspec

from arena.course.config import FINAL, Course, Names, PlannedRound, rooted
from arena.course.intake import SUBMISSIONS, entrant_in
from arena.course.students import Student, Students
from arena.course.toml import dumps
from arena.course.unpacking import Refused
from arena.errors import ArenaError
from arena.games.api import Game
from arena.referee.settings import BotKind
from arena.tournament.content import SKIPPED_FOLDERS
from arena.tournament.entrants import EntrantConfig
from arena.tournament.lock import RunLock
from arena.tournament.store import RUN_FILE, RunReader
from arena.wording import listed, unknown

ROUNDS = "rounds"
TOURNAMENT = "tournament.toml"
BOTS = "bots"
RUN = "run"


@attrs.frozen
class Due:
    """A round is to be played now."""

    name: str
    missed: tuple[str, ...] = ()  #: planned rounds before it that nobody played in time


@attrs.frozen
class Later:
    """Nothing is due before this round."""

    round: PlannedRound


@attrs.frozen
class Over:
    """Every planned round was played."""


def due(planned: Sequence[PlannedRound], begun: Sequence[str], now: datetime) -> Due | Later | Over:
    """Return what the plan of rounds asks for: of several that are due the newest, for the others are past. Pure.

    Args:
        planned: by time; empty: every call is a round of its own.
        begun: names of the rounds that have a folder.
        now: with a time zone.
    """
    if not planned:
        numbers = [int(name.removeprefix("round-")) for name in begun if name.removeprefix("round-").isdecimal()]
        return Due(f"round-{max(numbers, default=0) + 1}")
    last = max((at for at, one in enumerate(planned) if one.name in begun), default=-1)
    open_ = planned[last + 1 :]
    ready = [one.name for one in open_ if one.at <= now]
    if ready:
        return Due(ready[-1], tuple(ready[:-1]))
    return Later(open_[0]) if open_ else Over()


def extra_name(begun: Sequence[str]) -> str:
    """Return the name of a round beside the plan."""
    number = 1
    while f"extra-{number}" in begun:
        number += 1
    return f"extra-{number}"


@attrs.frozen(kw_only=True)
class Round:
    """A frozen round."""

    name: str
    folder: Path

    @property
    def tournament(self) -> Path:
        """Its tournament file."""
        return self.folder / TOURNAMENT

    @property
    def run(self) -> Path:
        """The folder of its run."""
        return self.folder / RUN

    @property
    def begun(self) -> bool:
        """Whether a match of it was played; before that it can be frozen anew."""
        if not (self.run / RUN_FILE).is_file():
            return False
        with RunReader(self.run) as reader:
            return reader.count() > 0

    @property
    def over(self) -> bool:
        """Whether every match of it is settled."""
        if not self.begun:
            return False
        with RunReader(self.run) as reader:
            return reader.director().complete


@contextmanager
def playing(course: Course) -> Iterator[None]:
    """Let one process at a time freeze and play; raise `ArchiveError` naming the other one."""
    folder = course.folder / ROUNDS
    try:
        folder.mkdir(mode=0o755, exist_ok=True)
    except OSError as error:
        raise ArenaError(f"{folder} can't be made: {error.strerror or error}") from None
    with RunLock(folder):
        yield


def rounds(course: Course) -> list[Round]:
    """Return every ordinary round in the order in which they were frozen."""
    folders = [path.parent for path in (course.folder / ROUNDS).glob(f"*/{TOURNAMENT}") if path.parent.name[0] != "."]
    found = [Round(name=folder.name, folder=folder) for folder in folders]
    return sorted(found, key=lambda one: (one.tournament.stat().st_mtime_ns, one.name))


def final(course: Course) -> Round | None:
    """Return the final, None before it is frozen."""
    folder = course.folder / FINAL
    return Round(name=FINAL, folder=folder) if (folder / TOURNAMENT).is_file() else None


def chosen(course: Course, name: str | None) -> Round:
    """Return the round called `name`; without a name the final if it is over, else the newest that has begun.

    Raises:
        ArenaError: there is none.
    """
    last, known = final(course), rounds(course)
    every = [*known, *([last] if last else [])]
    if name is not None:
        for one in every:
            if one.name == name and one.begun:
                return one
        raise ArenaError(unknown("round", name, [one.name for one in every if one.begun]))
    if last is not None and last.over:
        return last
    for one in reversed(known):
        if one.begun:
            return one
    raise ArenaError(f"no round was played yet; `arena course play {course.folder}` plays one")


def public_name(course: Course, student: Student) -> str:
    """Return what a student's bot is called in runs."""
    return student.alias if course.names is Names.INVENTED else student.id


def label(course: Course, student: Student) -> str:
    """Return what a student is called on pages."""
    return student.alias if course.names is Names.INVENTED else course.roster.get(student.id, student.id)


@attrs.frozen(kw_only=True)
class Frozen:
    """What was frozen."""

    round: Round
    students: int
    left_out: Mapping[str, str]  #: students whose submission holds no bot any more, with the reason


def freeze(
    course: Course, students: Students, place: Path, rules: Mapping[str, Any], games: Mapping[str, Game]
) -> Frozen:
    """Freeze bots and rules into the folder `place`, which appears only when it is complete.

    A round frozen there before, of which nothing was played, is replaced. To be called while `playing`.

    Raises:
        ArenaError: too few have handed in, or the folder can't be written.
    """
    left_out: dict[str, str] = {}
    bots: list[EntrantConfig] = []
    for student in students:
        if student.submission is not None:
            try:
                bot = entrant_in(course.folder / SUBMISSIONS / student.id, student.id, course)
            except Refused as error:
                left_out[student.id] = str(error)
            else:
                bots.append(attrs.evolve(bot, entrant=attrs.evolve(bot.entrant, name=public_name(course, student))))
    least = max(2, course.tournament.settings.seats)
    if not bots or len(bots) + len(course.references) < least:
        have = listed(one.entrant.name for one in bots)
        raise ArenaError(
            f"a table has {least} seats, but only {len(course.references)} reference bots and {have} are there; "
            f"`arena course take {course.folder}` takes submissions"
        )
    bots.sort(key=lambda one: one.entrant.name)  # no order of ids shows through invented names
    with _draft(place) as draft:
        entries = [_reference(one.entry, one.config, draft) for one in course.references]
        entries += [_entry(one, draft) for one in bots]
        name = f"{course.name[:25]}-{place.name[:14]}".rstrip("-.")
        data = {"name": name, **rooted(rules, course, games, place), "entrants": entries}
        (draft / TOURNAMENT).write_text(dumps(data), "utf-8")
    return Frozen(round=Round(name=place.name, folder=place), students=len(bots), left_out=left_out)


@contextmanager
def _draft(place: Path) -> Iterator[Path]:
    draft = None
    try:
        place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=place.parent))
        draft.chmod(0o755)
        yield draft
        if place.exists():
            assert not Round(name=place.name, folder=place).begun, "what was played stays"
            place.rename(draft / ".replaced")
        draft.rename(place)
        shutil.rmtree(place / ".replaced", ignore_errors=True)
    except OSError as error:
        raise ArenaError(f"{error.filename} can't be written: {error.strerror or error}") from None
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _reference(entry: Mapping[str, Any], config: EntrantConfig, draft: Path) -> dict[str, Any]:
    if config.entrant.kind is BotKind.COMMAND:
        return _entry(config, draft)
    return {**entry, "name": config.entrant.name}


def _entry(config: EntrantConfig, draft: Path) -> dict[str, Any]:
    """Copy a bot and return its entry in the tournament file."""
    entrant = config.entrant
    shutil.copytree(
        entrant.folder, draft / BOTS / entrant.name, symlinks=True, ignore=shutil.ignore_patterns(*SKIPPED_FOLDERS)
    )
    entry: dict[str, Any] = {
        "name": entrant.name,
        "command": list(entrant.argv),
        "folder": f"{BOTS}/{entrant.name}",
        "build": list(config.build),
        **msgspec.to_builtins({"env": entrant.env, "options": entrant.options}),
        "runtime": list(entrant.runtime),
        "memory_mb": entrant.memory_mb,
        "processes": entrant.processes,
    }
    return {key: value for key, value in entry.items() if value not in (None, [], {})}
