"""Takes a stranger's folder, file or zip into a new folder: regular files only, bounded in every direction.

Nothing lands outside the new folder, no link is kept or followed, modes are ours, and sizes are counted while they are
read, whatever an archive says about itself. What is not taken is refused with a sentence for its author.
"""

from __future__ import annotations

import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

import attrs

from arena.cleaning import clean
from arena.errors import ArenaError
from arena.tournament.content import SKIPPED_FOLDERS, SKIPPED_SUFFIXES

_SKIPPED = SKIPPED_FOLDERS | {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "node_modules"}
_PART_BYTES = 120  #: of one part of a path
_DEPTH = 16
_CHUNK = 1 << 16
_RATIO_FROM_BYTES = 1 << 20  #: unpacked; smaller archives may be as dense as they like
_END, _END_64, _END_BYTES = b"PK\x05\x06", b"PK\x06\x07", 22
_ENTRY_BYTES = 600  #: of a zip's list of contents for each file: a generous bound


class Refused(ArenaError):
    """A submission is not taken; the sentence says why and what its author can do."""


@attrs.frozen(kw_only=True)
class IntakeLimits:
    """How large a submission may be."""

    files: int = 1000
    megabytes: int = 20  #: unpacked; an archive may not be larger either
    ratio: int = 100  #: unpacked size over packed size


@attrs.frozen(kw_only=True)
class Unpacked:
    """What was taken."""

    files: int
    bytes: int


def take_in(source: Path, place: Path, limits: IntakeLimits) -> Unpacked:
    """Copy the folder or file at `source`, or unpack the zip there, into the new folder `place`.

    When it is refused or fails, what is in `place` by then is to be thrown away.

    Raises:
        Refused: it is too large, has links or paths that lead outside, or is no archive that can be read.
        ArenaError: `source` can't be read or `place` not be written.
    """
    writer = _Writer(place, limits)
    try:
        place.mkdir(mode=0o755, parents=True)
        mode = source.lstat().st_mode
        if stat.S_ISDIR(mode):
            _copy_folder(source, writer)
        elif not stat.S_ISREG(mode):
            raise Refused(f"{_shown(source.name)} is neither a folder nor a file")
        elif source.suffix.casefold() == ".zip":
            _unzip(source, writer)
        else:
            _copy_file(source, PurePosixPath(source.name), writer)
    except OSError as error:
        raise ArenaError(f"{source} can't be taken in: {error.strerror or error}") from None
    if not writer.files:
        raise Refused("it holds no file")
    return Unpacked(files=writer.files, bytes=writer.bytes)


def clean_path(name: str) -> PurePosixPath | None:
    """Return the path of a file inside a submission with every part cleaned; None for what is not wanted.

    Raises:
        Refused: it leads outside, is absolute, or is too deep.
    """
    text = name.replace("\\", "/")
    if text.startswith("/") or text[1:2] == ":":
        raise Refused(f"{_shown(name)} is an absolute path; pack the folder itself")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused(f"{_shown(name)} leads outside of the submission")
    if len(parts) > _DEPTH:
        raise Refused(f"{_shown(name)} is more than {_DEPTH} folders deep")
    if not parts or _SKIPPED & set(parts) or parts[-1].endswith(SKIPPED_SUFFIXES):
        return None
    return PurePosixPath(*map(_clean_part, parts))


def _clean_part(part: str) -> str:
    text = unicodedata.normalize("NFC", part)
    kept = "".join(letter if letter.isalnum() or letter in " -_.+()[],=@#~" else "-" for letter in text)
    kept = kept.strip(" ").rstrip(".")
    while len(kept.encode()) > _PART_BYTES:
        kept = kept[:-1]
    if not kept:
        raise Refused(f"{_shown(part)} is no name for a file")
    return kept


class _Writer:
    """Writes files into a new folder and counts them."""

    def __init__(self, place: Path, limits: IntakeLimits) -> None:
        self._place = place
        self._limits = limits
        self._seen: set[str] = set()
        self.files = 0
        self.bytes = 0

    def write(self, path: PurePosixPath, content: IO[bytes], *, executable: bool) -> None:
        """Write one file under a cleaned path."""
        self.files += 1
        if self.files > self._limits.files:
            raise Refused(f"it has more than {self._limits.files:,} files; hand in the bot alone")
        folded = str(path).casefold()
        if folded in self._seen:
            raise Refused(f"two of its files would be called {_shown(str(path))}")
        self._seen.add(folded)
        target = self._place / path
        try:
            target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            with target.open("xb") as file:
                while data := content.read(_CHUNK):
                    self.bytes += len(data)
                    self.check_size(self.bytes)
                    file.write(data)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise Refused(f"{_shown(str(path))} is a file and a folder at once") from None
        target.chmod(0o755 if executable else 0o644)

    def check_size(self, size: int) -> None:
        """Raise `Refused` when so many bytes are too many."""
        if size > self._limits.megabytes << 20:
            raise Refused(f"it is larger than {self._limits.megabytes} MB; hand in the bot alone")

    @property
    def limits(self) -> IntakeLimits:
        """What is allowed."""
        return self._limits


def _copy_folder(source: Path, writer: _Writer) -> None:
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted([*folders, *files]):
            path = Path(folder, name)
            mode = path.lstat().st_mode
            relative = path.relative_to(source)
            if stat.S_ISLNK(mode):
                raise Refused(f"{_shown(str(relative))} is a link; hand in the file itself")
            if stat.S_ISDIR(mode):
                continue
            if not stat.S_ISREG(mode):
                raise Refused(f"{_shown(str(relative))} is no regular file")
            wanted = clean_path(relative.as_posix())
            if wanted is not None:
                _copy_file(path, wanted, writer)


def _copy_file(path: Path, wanted: PurePosixPath, writer: _Writer) -> None:
    # Not followed: what was a file a moment ago may be a link by now.
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:  # noqa: PTH123 - a descriptor
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise Refused(f"{_shown(path.name)} is no regular file")
        writer.write(wanted, file, executable=bool(facts.st_mode & stat.S_IXUSR))


def _unzip(source: Path, writer: _Writer) -> None:
    with source.open("rb") as file:
        _check_contents(file, writer)
        try:
            with zipfile.ZipFile(file) as archive:
                wanted = list(_wanted(archive, writer))
                for info, path in wanted:
                    with archive.open(info) as content:
                        writer.write(path, content, executable=bool(info.external_attr >> 16 & stat.S_IXUSR))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, struct.error) as error:
            raise Refused(f"it is no zip that can be read: {clean(str(error), 200)}") from None


def _check_contents(file: IO[bytes], writer: _Writer) -> None:
    """Look at size and list of contents before anything reads them whole."""
    size = file.seek(0, os.SEEK_END)
    writer.check_size(size)
    file.seek(max(0, size - _END_BYTES - (1 << 16) - 20))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_BYTES:
        raise Refused("it is no zip: its end is missing; was it uploaded whole?")
    if tail[max(0, at - 20) : at].startswith(_END_64):
        raise Refused("it is a zip for huge archives (zip64); pack it with an ordinary packer")
    (contents,) = struct.unpack_from("<I", tail, at + 12)
    if contents > writer.limits.files * _ENTRY_BYTES:
        raise Refused(f"it has far more than {writer.limits.files:,} files; hand in the bot alone")
    file.seek(0)


def _wanted(archive: zipfile.ZipFile, writer: _Writer) -> Iterator[tuple[zipfile.ZipInfo, PurePosixPath]]:
    """Yield what is to be unpacked; judge the whole list before the first byte."""
    packed = unpacked = 0
    for info in archive.infolist():
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind and not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            what = "a link" if stat.S_ISLNK(kind) else "no regular file"
            raise Refused(f"{_shown(info.filename)} is {what}; hand in the file itself")
        if info.flag_bits & 1:
            raise Refused(f"{_shown(info.filename)} is encrypted; pack it without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(f"{_shown(info.filename)} is packed in a rare way; use an ordinary zip (deflate)")
        path = clean_path(info.filename)
        if path is None or info.is_dir() or info.filename.endswith("\\"):
            continue
        packed, unpacked = packed + info.compress_size, unpacked + info.file_size
        writer.check_size(unpacked)
        if unpacked > max(_RATIO_FROM_BYTES, writer.limits.ratio * packed):
            raise Refused(f"it would grow more than {writer.limits.ratio} times when unpacked")
        yield info, path


def _shown(text: str) -> str:
    return f"`{clean(text, 100)}`"
