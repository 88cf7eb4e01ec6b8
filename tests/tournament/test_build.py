from __future__ import annotations

import io
import tarfile
from pathlib import Path

import attrs
import pytest

from arena.referee.sandbox import choose_rung
from arena.referee.settings import BotKind, Entrant, SandboxPolicy
from arena.tournament import build
from arena.tournament.build import BUILDS, build_all
from arena.tournament.config import TournamentConfig
from arena.tournament.content import content_hash
from arena.tournament.entrants import EntrantConfig
from arena.tournament.plan import differences
from arena.tournament.planning import make_plan
from tests.tournament.making import make_plan as plan_of_test


def _entrant(folder: Path, *words: str, name: str = "mine") -> EntrantConfig:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    (folder / "source.txt").write_text("text")
    entrant = Entrant(name=name, kind=BotKind.COMMAND, argv=("./bot",), folder=str(folder))
    return EntrantConfig(entrant=entrant, build=words)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder that bots of a root referee may enter too."""
    for parent in (tmp_path, *tmp_path.parents[:2]):
        if parent.name.startswith("pytest"):
            parent.chmod(0o755)
    return tmp_path


def _build(place: Path, *entrants: EntrantConfig) -> tuple[list[EntrantConfig], dict[str, str]]:
    scratch = place / "scratch"
    scratch.mkdir(exist_ok=True)
    scratch.chmod(0o711)
    rung = choose_rung(SandboxPolicy.AUTO, [one.entrant for one in entrants])
    built, failures = build_all(entrants, place / "run", rung, scratch)
    return built, {one.entrant: f"{one.reason} | {one.stderr_tail}" for one in failures}


def test_a_bot_is_built_from_a_copy_and_once(place: Path) -> None:
    words = (
        "sh",
        "-c",
        "echo on the way; cat source.txt > bot; echo >> bot; chmod +x bot; mkdir d; ln -s ../bot d/link",
    )
    source = _entrant(place / "src", *words)
    (one,), failures = _build(place, source)
    assert failures == {}
    folder = Path(one.entrant.folder)
    assert folder.parent == place / "run" / BUILDS
    assert (folder / "bot").read_text() == "text\n"
    assert (folder / "bot").stat().st_mode & 0o555 == 0o555
    assert (folder / "d" / "link").read_text() == "text\n"
    assert folder.with_suffix(".log").read_text() == "on the way\n"
    assert [path.name for path in (place / "src").iterdir()] == ["source.txt"]
    (folder / "kept").touch()
    (again,), _ = _build(place, source)
    assert again == one
    assert (folder / "kept").exists()
    assert again.bot == source.bot
    assert one.entrant.content_hash == content_hash(source.entrant, words) != content_hash(source.entrant)


def test_changed_source_is_built_beside_the_old(place: Path) -> None:
    source = _entrant(place / "src", "cp", "source.txt", "bot")
    (one,), _ = _build(place, source)
    (place / "src" / "source.txt").write_text("other")
    (other,), _ = _build(place, source)
    assert Path(one.entrant.folder, "bot").read_text() == "text"
    assert Path(other.entrant.folder, "bot").read_text() == "other"


def test_a_build_that_fails_says_how_and_leaves_nothing(place: Path) -> None:
    broken = _entrant(place / "src", "sh", "-c", "echo no compiler >&2; exit 3", name="broken")
    missing = _entrant(place / "src", "no-such-compiler", name="missing")
    fine = _entrant(place / "src", "true", name="fine")
    built, failures = _build(place, broken, missing, fine)
    assert [one.entrant.name for one in built] == ["fine"]
    assert failures["broken"].startswith("build failed: `sh -c echo no compiler >&2; exit 3` ended with exit code 3")
    assert "no compiler" in failures["broken"].split("|")[1]
    assert "exit code 127" in failures["missing"]
    assert [path.name for path in (place / "run" / BUILDS).iterdir() if path.is_dir()] == [
        Path(built[0].entrant.folder).name
    ]


def test_a_build_cannot_take_for_ever(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "BUILD_WITHIN_S", 0.3)
    _, failures = _build(place, _entrant(place / "src", "sleep", "1000"))
    assert "not done within 0.3 s" in failures["mine"]


def test_a_result_has_a_size(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "RESULT_BYTES", 100_000)
    _, failures = _build(place, _entrant(place / "src", "sh", "-c", "head -c 200000 /dev/zero > big"))
    assert "its result is larger than" in failures["mine"]


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside-of-all", "link"])
def test_an_archive_cannot_write_outside(tmp_path: Path, name: str) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        member = tarfile.TarInfo(name)
        if name == "link":
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(member)
    archive.seek(0)
    place = tmp_path / "builds" / "mine"
    place.parent.mkdir()
    if name.startswith("/"):  # taken as relative
        build._unpack(archive, place)
        assert (place / "tmp" / "outside-of-all").exists()
    else:
        with pytest.raises(build._BuildError, match="can't be unpacked"):
            build._unpack(archive, place)
        assert list(place.parent.iterdir()) == []
    assert not (tmp_path / "outside").exists()


def test_what_needs_no_build_is_left_alone(place: Path) -> None:
    plain = _entrant(place / "src")
    built, _ = _build(place, plain)
    assert built == [plain]
    assert not (place / "run").exists()


def test_the_plan_does_not_tell_where_it_was_built(place: Path) -> None:
    source = _entrant(place / "src", "cp", "source.txt", "bot")
    (built,), _ = _build(place, source)
    other = _entrant(place / "other", name="other")
    config = TournamentConfig(
        name="x",
        settings=plan_of_test(seats=2).settings,
        fingerprint="",
        format="round-robin",
        format_settings={"deals": 1, "max_matches": 0},
        entrants=(source, other),
        seed=1,
    )
    assert differences(make_plan(config), make_plan(attrs.evolve(config, entrants=(built, other)))) == []


def test_a_result_of_bottomless_folders_is_refused(place: Path) -> None:
    code = "import os\nfor _ in range(1500): os.mkdir('d'); os.chdir('d')"
    _, failures = _build(place, _entrant(place / "src", "python3", "-c", code))
    assert "build failed: its result has folders more than 100 deep" in failures["mine"]
    assert [path.suffix for path in (place / "run" / BUILDS).iterdir()] == [".log"]
