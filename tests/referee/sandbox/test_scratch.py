"""Scratch folders: emptied whatever a bot left, and swept up after a process that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.referee.sandbox import scratch
from arena.referee.sandbox.scratch import PREFIX, empty, remove, scratch_root, sweep
from tests.referee.sandbox.starting import RUNGS, all_gone, pids_named

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become or act for another user")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that is this test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


# --- emptied ---


def test_a_scratch_folder_is_emptied_whatever_a_bot_left(tmp_path: Path) -> None:
    folder, precious = tmp_path / "scratch", tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "link").symlink_to(precious)
    (folder / "a" / "b" / "hard-link").hardlink_to(precious / "file")
    os.mkfifo(folder / "a" / "pipe")
    (folder / "a" / "b").chmod(0)
    (folder / "a").chmod(0o500)
    empty(folder)
    assert list(folder.iterdir()) == []
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (precious / "file").read_text() == "kept"
    remove(folder)
    remove(folder)
    folder.symlink_to(precious)
    remove(folder)
    assert not folder.is_symlink()
    assert (precious / "file").read_text() == "kept"


#: Every folder closed, on a path of 12 kB, by a user without privileges.
DEEP = """
import os, sys
from pathlib import Path
from arena.referee.sandbox.scratch import remove
top = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setresuid(65534, 65534, 65534)
top.mkdir()
os.chdir(top)
for depth in range(1100):
    os.close(os.open("file", os.O_CREAT))
    os.mkdir("0123456789")
    os.mkdir("closed", 0)
    os.chdir("0123456789")
    os.chmod("..", 0)
os.chdir("/")
os.chmod(top, 0)
remove(top)
assert not top.exists()
"""


def test_the_deepest_folders_are_removed_without_privileges() -> None:
    place = Path(tempfile.mkdtemp())  # pytest's folders are closed to other users
    place.chmod(0o777)
    try:
        subprocess.run([sys.executable, "-c", DEEP, str(place / "scratch")], check=True)
    finally:
        subprocess.run(["rm", "-rf", str(place)], check=True)


# --- swept ---


def test_the_root_of_scratch_folders_lets_others_pass_and_goes(temporary: Path) -> None:
    with scratch_root() as root:
        assert root.parent == temporary
        assert root.stat().st_mode & 0o777 == 0o711
        (root / "seat-0").mkdir()
    assert list(temporary.iterdir()) == []


OWNER = """
import os, select, sys
from arena.referee.process import spawn
from arena.referee.sandbox import forced
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import BotKind, Entrant, Limits
bot = Entrant(name="bot", kind=BotKind.COMMAND, argv=("python3", "-I", "-S", "-c", sys.argv[2]))
with scratch_root() as root:
    (root / "of-ours").write_text("too")
    process = spawn(bot, forced(sys.argv[1]), Limits(), root / "seat-0")
    select.select([process.stdout], [], [], 9)
    print(os.read(process.stdout, 99).decode().strip(), root, flush=True)
    sys.stdin.read()
    process.kill()
    process.close()
"""
LITTER = """
import os, sys
os.chdir(os.environ["HOME"])
for name in "abc":
    open(name, "w").write("x" * 100000)
    os.makedirs("d", exist_ok=True)
    os.mkdir("d/" + name, 0)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("rung", RUNGS)
def test_what_a_killed_owner_leaves_is_swept_and_a_live_ones_is_not(rung: str, temporary: Path) -> None:
    words = [sys.executable, "-c", OWNER, rung, f"{LITTER} # {temporary}"]

    def start() -> tuple[subprocess.Popen[bytes], Path]:
        owner = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert owner.stdout is not None
        said, root = owner.stdout.readline().decode().split()
        assert said == "ready"
        return owner, Path(root)

    (victim, left), (survivor, kept) = start(), start()
    bots = [pid for pid in pids_named(str(temporary)) if pid not in (victim.pid, survivor.pid)]
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert left.is_dir()
    inside = sorted(kept.rglob("*"))
    assert len(inside) == (1 if rung == "bubblewrap" else 9)
    with scratch_root() as root:
        assert sorted(temporary.iterdir()) == sorted([root, kept])
        assert sorted(kept.rglob("*")) == inside
    survivor.communicate(b"")
    assert survivor.returncode == 0
    assert list(temporary.iterdir()) == []
    assert all_gone(bots)


def test_only_what_is_ours_is_swept(temporary: Path) -> None:
    precious = temporary / "precious"
    (precious / "inside").mkdir(parents=True)
    link, file, pipe = (temporary / f"{PREFIX}{word}" for word in ("link", "file", "pipe"))
    link.symlink_to(precious)
    file.write_text("no folder")
    os.mkfifo(pipe)
    stale = temporary / f"{PREFIX}stale"
    (stale / "seat-0").mkdir(parents=True)
    stale.chmod(0)
    sweep()
    assert not stale.exists()
    assert sorted(temporary.iterdir()) == sorted([precious, link, file, pipe])
    assert (precious / "inside").is_dir()


@as_root
def test_roots_of_another_user_stay_as_they_are(temporary: Path) -> None:
    foreign = temporary / f"{PREFIX}foreign"
    foreign.mkdir(mode=0o500)
    os.chown(foreign, 65534, 65534)
    sweep()
    assert foreign.stat().st_mode & 0o777 == 0o500


def test_a_sweep_that_comes_between_making_and_locking_does_no_harm(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, made = tempfile.mkdtemp, []

    def overtaken(prefix: str) -> str:
        made.append(make(prefix=prefix))
        if len(made) == 1:
            sweep()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", overtaken)
    with scratch_root() as root:
        assert [str(root)] == made[1:]
        assert root.is_dir()


def test_a_root_that_was_swept_before_it_was_locked_is_not_taken(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, locked = scratch._locked, []

    def late(descriptor: int) -> bool:
        locked.append(descriptor)
        if len(locked) == 1:
            sweep()
        return lock(descriptor)

    monkeypatch.setattr(scratch, "_locked", late)
    with scratch_root() as root:
        assert len(locked) == 3
        assert root.is_dir()


def test_many_at_once_keep_off_each_other(temporary: Path) -> None:
    lost: list[BaseException] = []

    def make_many() -> None:
        try:
            for _ in range(60):
                with scratch_root() as root:
                    (root / "file").write_text("mine")
                    sweep()
                    assert (root / "file").read_text() == "mine"
        except BaseException as error:  # noqa: BLE001 - reported below
            lost.append(error)

    threads = [threading.Thread(target=make_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    assert list(temporary.iterdir()) == []


def test_a_folder_that_can_not_be_locked_is_named(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_: int) -> bool:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(scratch, "_locked", no_locks)
    with pytest.raises(
        ArenaError, match=rf"{temporary}/{PREFIX}.* can't be locked \(No locks available\); have TMPDIR"
    ):
        scratch_root().__enter__()
    assert list(temporary.iterdir()) == []
