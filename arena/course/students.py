"""Who is who in a course: `students.json`, private to the teacher.

Every student has an id (from the name of what was handed in), an invented name and an unguessable token for the
address of the own page.
"""

from __future__ import annotations

import os
import secrets
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs
import msgspec

from arena.errors import ArchiveError
from arena.tournament.entrants import clean_name
from arena.tournament.files import write_atomically
from arena.tournament.lock import RunLock

FILE = "students.json"
TOKEN_BYTES = 16
_MANNERS = """
able agile amber azure bold brave brisk bright calm candid clever coral crisp daring deft eager early fair
fleet fond frank gentle golden happy hardy honest ivory jolly keen kind lively loyal lucid lunar merry mild
neat noble olive patient plucky polite proud quick quiet rapid ready royal ruby serene sharp silver sincere
smart solar solid steady stout sunny swift tidy tough vivid warm wise witty young zesty
"""
_BEASTS = """
badger bear beaver bee bison boar buzzard camel cat colt condor crab crane cricket crow deer dolphin dove duck
eagle elk falcon ferret finch fox frog gazelle gecko goose gull hare hawk hedgehog heron horse ibex ibis
jackdaw jay kestrel kite koala lark leopard lion llama lynx magpie marmot marten mole moose moth newt ocelot
orca otter owl panda panther parrot pelican penguin puffin quail rabbit raccoon raven robin salmon seal shark
sparrow squirrel starling stork swan swift tapir tern thrush tiger toad trout turtle viper walrus weasel whale
wolf wombat wren yak
"""


@attrs.frozen(kw_only=True)
class RuleFound:
    """One rule of `arena check` and how a submission kept it."""

    rule: str
    result: str  #: `pass`, `fail` or `not tried`
    text: str
    advice: str = ""
    stderr: str = ""


@attrs.frozen(kw_only=True)
class Checked:
    """What `arena check` said of a submission on arrival."""

    passed: bool
    rules: tuple[RuleFound, ...]
    matches: tuple[str, ...] = ()  #: one sentence for each match


@attrs.frozen(kw_only=True)
class Submission:
    """The newest submission that was taken."""

    content_hash: str
    at: str  #: ISO 8601, UTC
    files: int
    bytes: int
    number: int  #: how many were taken of this student, this one included
    checked: Checked | None = None  #: None: it was taken unchecked


@attrs.frozen(kw_only=True)
class Student:
    """One student of the class."""

    id: str
    alias: str  #: the invented name
    token: str  #: unguessable, in the file name of the own page
    source: str = ""  #: name of the file or folder that was handed in, without its suffix; "" for nothing yet
    submission: Submission | None = None
    refused: str = ""  #: why the last one was not taken; "" when it was
    refused_at: str = ""


def student_id(name: str) -> str:
    """Return the id for what was handed in as `name` (without suffix): a name of an entrant, possibly ""."""
    return clean_name(unicodedata.normalize("NFC", name)).strip("_-.+")


class Students:
    """Everybody in the class, by id."""

    def __init__(self, found: Iterable[Student] = (), *, taken: Iterable[str] = ()) -> None:
        """`taken` are names that no invented name may be, those of the reference bots."""
        self._by_id = {student.id: student for student in found}
        self._taken = {name.casefold() for name in taken}

    def __iter__(self) -> Iterator[Student]:
        return iter(sorted(self._by_id.values(), key=lambda student: student.id.casefold()))

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, student: str) -> Student | None:
        """Return a student by id, or None; case is ignored, as names of entrants and folders are."""
        return {known.casefold(): one for known, one in self._by_id.items()}.get(student.casefold())

    def put(self, student: Student) -> None:
        """Add a student, or replace the one with this id."""
        self._by_id[student.id] = student

    def welcome(self, student: str) -> Student:
        """Return the student with this id, who gets an invented name and a token when new."""
        known = self.get(student)
        if known is None:
            known = Student(id=student, alias=self._new_alias(), token=secrets.token_hex(TOKEN_BYTES))
            self.put(known)
        return known

    def by_public_name(self) -> Mapping[str, Student]:
        """Return every student under the id and under the invented name: whatever a run was played under."""
        return {name: one for one in self for name in (one.id, one.alias)}

    def _new_alias(self) -> str:
        used = {name.casefold() for one in self for name in (one.id, one.alias)} | self._taken
        manners, beasts = _MANNERS.split(), _BEASTS.split()
        for number in range(1, 10_000):
            for _ in range(20):
                alias = f"{secrets.choice(manners)}-{secrets.choice(beasts)}" + (f"-{number}" if number > 1 else "")
                if alias not in used:
                    return alias
        raise AssertionError("a class of hundreds of millions")


def load(folder: Path, *, taken: Iterable[str] = ()) -> Students:
    """Return the students of the course in `folder`; raise `ArchiveError` when the file is damaged."""
    path = folder / FILE
    if not path.exists():
        return Students(taken=taken)
    try:
        return Students(msgspec.json.decode(path.read_bytes(), type=list[Student]), taken=taken)
    except (OSError, msgspec.DecodeError) as error:
        raise ArchiveError(str(path), f"can't be read: {error}") from None


def save(folder: Path, students: Students) -> None:
    """Write the file as a whole, readable for its owner only; raise `ArchiveError` when that fails."""
    write_private(folder / FILE, msgspec.json.format(msgspec.json.encode(list(students)), indent=1) + b"\n")


def write_private(path: Path, data: bytes | str) -> None:
    """Write a file that is readable for its owner only from its first moment; raise `ArchiveError` when that fails."""
    mask = os.umask(0o077)
    try:
        write_atomically(path, data)
    finally:
        os.umask(mask)


@contextmanager
def changing(folder: Path, *, taken: Iterable[str] = ()) -> Iterator[Students]:
    """Let one process at a time change the students; they are saved at the end, after an error too.

    Raises:
        ArchiveError: another process is at it, or the file can't be read or written.
    """
    with RunLock(folder):
        students = load(folder, taken=taken)
        try:
            yield students
        finally:
            save(folder, students)
