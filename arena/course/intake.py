"""Takes submissions: unpacks, finds the bot, lets it be checked, and puts it where the next round finds it."""

from __future__ import annotations

import glob
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import attrs

from arena.cleaning import clean
from arena.course.config import Course
from arena.course.students import Checked, Student, Students, Submission, student_id
from arena.course.unpacking import Refused, Unpacked, take_in
from arena.errors import ArenaError, Problem
from arena.tournament.content import content_hash
from arena.tournament.entrants import BOT_FILE, EntrantConfig, Unusable, guess_command, read_entrants
from arena.tournament.reading import Table

SUBMISSIONS = "submissions"
INBOX = "inbox"
_DRAFTS = ".drafts"
REASON_BYTES = 1000
Checker = Callable[[EntrantConfig], Checked]


@attrs.frozen(kw_only=True)
class Taken:
    """What became of one submission."""

    source: str  #: as it was called, cleaned
    student: Student | None  #: None: nobody could be made out
    refused: str = ""  #: why it was not taken
    unchanged: bool = False  #: the same files were handed in before


def inbox(course: Course) -> list[Path]:
    """Return what lies in the inbox, sorted; hidden files are left out."""
    folder = course.folder / INBOX
    return sorted(path for path in folder.glob("*") if not path.name.startswith(".")) if folder.is_dir() else []


def submit(course: Course, students: Students, source: Path, checker: Checker | None) -> Taken:
    """Take one submission; whatever is wrong with it is told in what comes back and kept for the student's page.

    Args:
        course: where to.
        students: changed.
        source: a folder, a file or a zip; its name tells whose it is.
        checker: plays it as `arena check` does; None: it is taken unchecked.

    Raises:
        ArenaError: the course's folder can't be written, or `source` not be read.
    """
    stem = source.name if source.is_dir() and not source.is_symlink() else source.stem
    shown = clean(source.name, 200)
    try:
        student = _whose(course, students, stem)
    except Refused as error:
        return Taken(source=shown, student=None, refused=str(error))
    try:
        student, unchanged = _take(course, student, source, checker)
        student = attrs.evolve(student, source=stem, refused="", refused_at="")
        taken = Taken(source=shown, student=student, unchanged=unchanged)
    except Refused as error:
        student = attrs.evolve(student, source=stem, refused=clean(str(error), REASON_BYTES), refused_at=_now())
        taken = Taken(source=shown, student=student, refused=student.refused)
    students.put(student)
    return taken


def entrant_in(folder: Path, name: str, course: Course) -> EntrantConfig:
    """Return the bot in the folder of a submission as the entrant `name`; raise `Refused` when there is none."""
    limits = course.tournament.settings.limits
    entry = {"glob": glob.escape(folder.name), "memory_mb": limits.memory_mb, "processes": limits.processes}
    problems: list[Problem] = []
    found = list(read_entrants([Table(entry, "", problems)], folder.parent, {}, "", 0))
    for one in found:
        if isinstance(one, Unusable):
            problems.extend(one.problems)
    if problems:
        raise Refused("; ".join(problem.problem.replace(str(folder), "it") for problem in problems))
    (config,) = found
    assert isinstance(config, EntrantConfig)
    return attrs.evolve(config, entrant=attrs.evolve(config.entrant, name=name))


def _whose(course: Course, students: Students, stem: str) -> Student:
    name = student_id(stem)
    if not name:
        raise Refused("its name tells no student: call it by the student's name")
    if name.casefold() in {reference.casefold() for reference in course.reference_names}:
        raise Refused(f"{name} is a reference bot; call it by the student's name")
    known = students.get(name)
    if known is not None and known.source and known.source != stem:
        raise Refused(f"its name reads like {clean(known.source, 100)!r}, under which another was taken; rename it")
    if any(one.alias.casefold() == name.casefold() for one in students):
        raise Refused(f"{name} is somebody's invented name; call it by the student's name")
    return students.welcome(name)


def _take(course: Course, student: Student, source: Path, checker: Checker | None) -> tuple[Student, bool]:
    """Return the student with the new submission, and whether it is the one that was there before."""
    drafts = course.folder / _DRAFTS
    try:
        drafts.mkdir(mode=0o755, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=drafts))
        draft.chmod(0o755)
    except OSError as error:
        raise ArenaError(f"{drafts} can't be made: {error.strerror or error}") from None
    try:
        facts = take_in(source, draft / "all", course.intake)
        bot = draft / student.id
        _root(draft / "all").rename(bot)
        entrant = entrant_in(bot, student.id, course)
        digest = content_hash(entrant.entrant, entrant.build)
        known = student.submission
        if known is not None and known.content_hash == digest and (known.checked or checker is None):
            return student, True
        checked = None if checker is None else checker(entrant)
        _replace(course.folder / SUBMISSIONS / student.id, bot, draft / "old")
        return attrs.evolve(student, submission=_submission(student, digest, facts, checked)), False
    except OSError as error:
        raise ArenaError(f"{error.filename} can't be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _submission(student: Student, digest: str, facts: Unpacked, checked: Checked | None) -> Submission:
    before = student.submission.number if student.submission else 0
    return Submission(
        content_hash=digest, at=_now(), files=facts.files, bytes=facts.bytes, number=before + 1, checked=checked
    )


def _root(folder: Path) -> Path:
    """Return the folder with the bot: archives often hold one folder that holds everything."""
    while not (folder / BOT_FILE).exists() and not guess_command(folder):
        inside = list(folder.iterdir())
        if len(inside) != 1 or not inside[0].is_dir():
            break
        (folder,) = inside
    return folder


def _replace(place: Path, new: Path, old: Path) -> None:
    """Put `new` where `place` is; what was there goes to `old`."""
    place.parent.mkdir(mode=0o755, exist_ok=True)
    if place.exists():
        place.rename(old)
    new.rename(place)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
