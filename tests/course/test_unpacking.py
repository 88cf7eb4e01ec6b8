"""Nothing that a stranger hands in gets out of its folder, grows without bound, or brings a link."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.course.unpacking import IntakeLimits, Refused, clean_path, take_in

SMALL = IntakeLimits(files=10, megabytes=2, ratio=50)


def zipped(place: Path, files: Mapping[str, bytes], **facts: int) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            for fact, value in facts.items():
                setattr(info, fact, value)
            archive.writestr(info, content)
    return place


def everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_an_honest_zip_is_unpacked_with_our_modes(tmp_path: Path) -> None:
    mode = (stat.S_IFREG | 0o6777) << 16
    source = zipped(tmp_path / "a.zip", {"bot/main.py": b"x = 1\n", "bot/data/t.txt": b"t"}, external_attr=mode)
    found = take_in(source, tmp_path / "out", SMALL)
    assert (found.files, found.bytes) == (2, 7)
    assert everything(tmp_path / "out") == {"bot/main.py", "bot/data/t.txt"}
    assert stat.S_IMODE((tmp_path / "out/bot/main.py").stat().st_mode) == 0o755


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../evil.py", "leads outside"),
        ("a/../../evil.py", "leads outside"),
        ("..\\evil.py", "leads outside"),
        ("/etc/evil.py", "absolute"),
        ("C:\\evil.py", "absolute"),
        ("\\\\host\\evil.py", "absolute"),
        ("/".join("a" * 20), "deep"),
        ("a/.../b", "no name"),
    ],
)
def test_no_path_leads_outside(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        take_in(zipped(tmp_path / "a.zip", {"main.py": b"", name: b"evil"}), tmp_path / "in" / "out", SMALL)
    assert everything(tmp_path) == {"a.zip"}


@given(st.text(max_size=60))
def test_any_name_stays_inside_or_is_refused(name: str) -> None:
    try:
        path = clean_path(name)
    except Refused:
        return
    if path is not None:
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert all(part.isprintable() and len(part.encode()) <= 120 for part in path.parts)
        assert os.path.normpath(path) == str(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=12), st.binary(max_size=50), min_size=1, max_size=4))
def test_whatever_a_zip_holds_nothing_lands_elsewhere(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    place = tmp_path_factory.mktemp("zip")
    try:
        source = zipped(place / "a.zip", files)
    except (ValueError, UnicodeEncodeError):
        return  # no such zip can be written
    try:
        found = take_in(source, place / "in" / "out", SMALL)
    except Refused:
        pass
    else:
        assert found.files == len(everything(place / "in" / "out"))
    assert all(name == "a.zip" or name.startswith("in/out/") for name in everything(place))


def test_links_are_refused(tmp_path: Path) -> None:
    link = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(Refused, match=r"`main\.py` is a link"):
        take_in(zipped(tmp_path / "a.zip", {"main.py": b"/etc/passwd"}, external_attr=link), tmp_path / "a", SMALL)
    for name, target in (("file", "/etc/passwd"), ("folder", "/etc")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "main.py").write_text("")
        (folder / "data").symlink_to(target)
        with pytest.raises(Refused, match="`data` is a link"):
            take_in(folder, tmp_path / f"{name}-out", SMALL)
    lone = tmp_path / "lone.py"
    lone.symlink_to("/etc/passwd")
    with pytest.raises(Refused, match="neither"):
        take_in(lone, tmp_path / "lone-out", SMALL)


def test_what_is_no_file_is_refused_without_being_opened(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    os.mkfifo(folder / "main.py")
    with pytest.raises(Refused, match="no regular file"):
        take_in(folder, tmp_path / "out", SMALL)


def many(place: Path) -> Path:
    return zipped(place, {f"{number}.py": b"" for number in range(11)})


def crowd(place: Path) -> Path:
    return zipped(place, {f"{number}.py": b"" for number in range(500)})


def dense(place: Path) -> Path:
    return zipped(place, {"zeros": bytes(1_900_000)})


def large(place: Path) -> Path:
    return zipped(place, {"a": os.urandom(1_500_000), "b": os.urandom(600_000)})


def liar(place: Path) -> Path:
    """A zip whose list says that three megabytes are ten bytes."""
    zipped(place, {"a": bytes(3_000_000)})
    data = bytearray(place.read_bytes())
    struct.pack_into("<I", data, data.rfind(b"PK\x01\x02") + 24, 10)
    struct.pack_into("<I", data, data.find(b"PK\x03\x04") + 22, 10)
    place.write_bytes(data)
    return place


def cut(place: Path) -> Path:
    place.write_bytes(zipped(place, {"a": b"x" * 500}).read_bytes()[:-30])
    return place


def damaged(place: Path) -> Path:
    data = bytearray(zipped(place, {"a": os.urandom(500)}).read_bytes())
    data[100] ^= 0xFF
    place.write_bytes(data)
    return place


def locked(place: Path) -> Path:
    data = bytearray(zipped(place, {"main.py": b"x"}).read_bytes())
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    place.write_bytes(data)
    return place


def rare(place: Path) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", b"x")
    return place


def text(place: Path) -> Path:
    place.write_text("no zip at all")
    return place


def both(place: Path) -> Path:
    return zipped(place, {"a": b"x", "a/b": b"y"})


def twins(place: Path) -> Path:
    return zipped(place, {"a?": b"x", "A*": b"y"})


def empty(place: Path) -> Path:
    return zipped(place, {"__MACOSX/._a": b"x", ".git/config": b"y"})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (many, "more than 10 files"),
        (crowd, "far more than 10 files"),
        (dense, "more than 50 times"),
        (large, "larger than 2 MB"),
        (liar, "no zip that can be read"),
        (cut, "its end is missing"),
        (damaged, "no zip that can be read"),
        (locked, "encrypted"),
        (rare, "rare way"),
        (text, "its end is missing"),
        (both, "a file and a folder"),
        (twins, "two of its files"),
        (empty, "no file"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_bombs_and_broken_archives_are_refused(tmp_path: Path, make: Callable[[Path], Path], words: str) -> None:
    with pytest.raises(Refused, match=words):
        take_in(make(tmp_path / "a.zip"), tmp_path / "out", SMALL)
    assert sum(path.stat().st_size for path in (tmp_path / "out").rglob("*") if path.is_file()) <= 2 << 20


def test_a_folder_is_bounded_as_a_zip_is(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "big").write_bytes(bytes((2 << 20) + 1))
    with pytest.raises(Refused, match="larger than 2 MB"):
        take_in(folder, tmp_path / "out", SMALL)


def test_a_zip_for_huge_archives_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", b"x")
    data = buffer.getvalue()
    end = data.rfind(b"PK\x05\x06")
    locator = b"PK\x06\x07" + bytes(16)
    (tmp_path / "a.zip").write_bytes(data[:end] + locator + data[end:])
    with pytest.raises(Refused, match="zip64"):
        take_in(tmp_path / "a.zip", tmp_path / "out", SMALL)
