"""Bots arrive as they were sent, or not at all."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import attrs
import pytest

from arena.errors import ArenaError
from arena.hosts.bundle import DamagedError, is_there, pack, placed, unpack
from arena.hosts.wire import KitEntrant
from arena.referee.settings import BotKind, Entrant
from arena.tournament.content import content_hash


def hashed(entrant: Entrant, build: tuple[str, ...] = ()) -> KitEntrant:
    return KitEntrant(attrs.evolve(entrant, content_hash=content_hash(entrant, build)), build)


@pytest.fixture
def program(tmp_path: Path) -> KitEntrant:
    home = tmp_path / "home" / "bot"
    (home / "lib" / "deep").mkdir(parents=True)
    (home / "run.sh").write_text("#!/bin/sh\n")
    (home / "run.sh").chmod(0o700)
    (home / "lib" / "deep" / "données.txt").write_text("é")
    (home / "__pycache__").mkdir()
    (home / "__pycache__" / "old.pyc").write_bytes(b"x")
    (home / "link.txt").symlink_to(home / "lib" / "deep" / "données.txt")
    argv = ("./run.sh", "--data", str(home / "lib"), str(home) + "-other")
    return hashed(Entrant(name="prog", kind=BotKind.COMMAND, argv=argv, folder=str(home)), ("make", "all"))


def test_a_program_arrives_whole_and_its_own_paths_follow_it(program: KitEntrant, tmp_path: Path) -> None:
    place = tmp_path / "host" / program.entrant.content_hash
    place.parent.mkdir()
    assert not is_there(program, place)
    unpack(pack(program), program, place)
    assert is_there(program, place)
    assert os.access(place / "run.sh", os.X_OK)
    assert (place / "link.txt").read_text() == "é"
    assert not (place / "__pycache__").exists()
    there = placed(program, place)
    assert there.folder == str(place)
    assert there.argv == ("./run.sh", "--data", str(place / "lib"), program.entrant.argv[3])
    assert [path.name for path in place.parent.iterdir()] == [place.name], "no draft is left"


@pytest.mark.parametrize("single", [True, False])
def test_a_plugin_arrives_without_its_neighbours(tmp_path: Path, single: bool) -> None:
    home = tmp_path / "site-packages"
    (home / "other").mkdir(parents=True)
    (home / "other" / "__init__.py").write_text("secret")
    if single:
        (home / "mine.py").write_text("class Bot: ...")
    else:
        (home / "mine").mkdir()
        (home / "mine" / "__init__.py").write_text("class Bot: ...")
    one = hashed(Entrant(name="plug", kind=BotKind.PLUGIN, target="mine:Bot", search_path=(str(home),)))
    place = tmp_path / "place"
    unpack(pack(one), one, place)
    assert is_there(one, place)
    assert [path.name for path in place.iterdir()] == ["mine.py" if single else "mine"]
    assert placed(one, place).search_path == (str(place),)


def evil(name: str, **facts: object) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        member = tarfile.TarInfo(name)
        for key, value in facts.items():
            setattr(member, key, value)
        member.size = 0 if "type" in facts else 3
        tar.addfile(member, io.BytesIO(b"bad"))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no archive",
        evil("run.sh"),
        evil("../outside"),
        evil("/outside"),
        evil("link", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
    ],
    ids=["empty", "garbage", "other content", "above", "absolute", "link out"],
)
def test_what_is_not_the_bot_is_refused_and_leaves_nothing(program: KitEntrant, tmp_path: Path, data: bytes) -> None:
    place = tmp_path / "host" / "place"
    place.parent.mkdir()
    with pytest.raises(DamagedError, match="prog did not arrive as it was sent"):
        unpack(data, program, place)
    assert list(place.parent.iterdir()) == []
    assert not (tmp_path / "outside").exists()


def test_a_bot_that_was_changed_on_the_host_is_sent_again(program: KitEntrant, tmp_path: Path) -> None:
    place = tmp_path / "place"
    unpack(pack(program), program, place)
    (place / "run.sh").write_text("#!/bin/sh\nexit 1\n")
    assert not is_there(program, place)
    unpack(pack(program), program, place)
    assert is_there(program, place)


def test_a_bot_that_changes_while_a_run_is_prepared_is_not_sent(program: KitEntrant) -> None:
    (Path(program.entrant.folder) / "new.txt").write_text("new")
    with pytest.raises(ArenaError, match="its files have changed"):
        pack(program)
