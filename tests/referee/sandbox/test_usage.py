"""How much bots keep in their scratch folders: seen on every rung, whatever they do to hide it."""

from __future__ import annotations

import os
import select
import time
from pathlib import Path

import pytest

from arena.referee.process import SOCKETS, BotProcess
from arena.referee.record import Verdict
from arena.referee.rung import BotPlan
from arena.referee.sandbox.bubblewrap import mounts
from arena.referee.sandbox.usage import DEPTH, LEAST_FILES, Folder
from arena.referee.settings import Limits
from tests.referee.sandbox.starting import RUNGS, entrant, line_of, running

LOWER = RUNGS[1:]
SMALL = Limits(scratch_mb=2)
BEGIN = "import os, sys, socket\nos.chdir(os.environ['HOME'])\n"
END = "\nprint('done', flush=True); sys.stdin.read()"


def excess(process: BotProcess) -> str:
    """Return what is said of what the bot has, once it has done its work."""
    line_of(process)
    overuse = process.overuse()
    return overuse.reason if overuse is not None else ""


#: Each keeps 3 MiB, no file of more than 1 MiB.
WAYS = {
    "many files": "for n in 'abc': open(n, 'wb').write(b'x' * 2**20)",
    "in folders": "for n in 'abc':\n    os.makedirs(n + '/b/c'); open(n + '/b/c/d', 'wb').write(b'x' * 2**20)",
    "in a closed folder": "os.mkdir('d', 0o300)\nfor n in 'abc': open('d/' + n, 'wb').write(b'x' * 2**20)",
    "deleted": "held = [open(n, 'wb', 0) for n in 'abc']\nfor f in held: os.unlink(f.name); f.write(b'x' * 2**20)",
    "deleted, by a child": """
if os.fork() == 0:
    held = [open(n, 'wb', 0) for n in 'abc']
    for f in held: os.unlink(f.name); f.write(b'x' * 2**20)
    print('done', flush=True)
    import time; time.sleep(99)
os.read(0, 1)
""",
    "reserved, not written": "for n in 'abc': os.posix_fallocate(os.open(n, os.O_CREAT | os.O_RDWR), 0, 2**20)",
}


@pytest.mark.parametrize("rung", LOWER)
@pytest.mark.parametrize("way", WAYS)
def test_a_scratch_folder_is_measured_as_a_whole(way: str, rung: str) -> None:
    with running(entrant(BEGIN + WAYS[way] + END), rung, limits=SMALL) as process:
        line_of(process)
        overuse = process.overuse()
        assert overuse is not None
        assert overuse.verdict is Verdict.OUTPUT_LIMIT
        assert overuse.reason == "its scratch folder holds more than 2 MiB"


@pytest.mark.parametrize("rung", RUNGS)
def test_names_count_as_well_as_bytes(rung: str) -> None:
    code = f"for n in range(11): os.mkdir(str(n))\nfor n in range({LEAST_FILES}): os.mkfifo(f'{{n // 100}}/{{n}}')"
    with running(entrant(BEGIN + code + END), rung, limits=SMALL) as process:
        assert f"its scratch folder holds more than {LEAST_FILES} files" in excess(process)


@pytest.mark.parametrize("rung", RUNGS)
def test_what_is_allowed_is_allowed(rung: str) -> None:
    code = """
open('big', 'wb').write(b'x' * (2**20 + 2**19))
for n in range(300): os.link('big', f'again-{n}')  # one file
os.truncate(os.open('sparse', os.O_CREAT | os.O_RDWR), 2**21)  # nothing but a hole
held = [os.open('big', os.O_RDONLY) for n in range(20)]
os.symlink('/', 'everything')
"""
    with running(entrant(BEGIN + code + END), rung, limits=SMALL) as process:
        assert excess(process) == ""


@pytest.mark.parametrize("rung", LOWER)
def test_nobody_hides_in_the_deep(rung: str) -> None:
    code = f"for n in range({DEPTH} + 1): os.mkdir('deeper'); os.chdir('deeper')"
    with running(entrant(BEGIN + code + END), rung) as process:
        assert excess(process) == f"its scratch folder holds folders more than {DEPTH} deep"


def test_attributes_count_as_files_do() -> None:
    code = f"open('f', 'w')\nfor n in range({LEAST_FILES} // 50): os.setxattr('f', f'user.{{n}}', b'x' * 60000)"
    with running(entrant(BEGIN + code + END), "bubblewrap", limits=SMALL) as process:
        assert f"holds more than {LEAST_FILES} files, folders and attributes" in excess(process)


HOARD = """
held = []
for n in range({pairs}):
    held.append(socket.socketpair())
    held[-1][0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
size = held[0][0].getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
print(size, flush=True); sys.stdin.read()
"""


@pytest.mark.parametrize("rung", RUNGS)
def test_memory_in_sockets_is_bounded(rung: str) -> None:
    usual = int(Path("/proc/sys/net/core/wmem_default").read_text())
    with running(entrant(BEGIN + HOARD.format(pairs=SOCKETS // 2)), rung) as process:
        size = int(line_of(process))
        assert size == usual or rung in ("rlimits", "off")
        assert process.overuse() is None
    with running(entrant(BEGIN + HOARD.format(pairs=SOCKETS // 2 + 1)), rung) as process:
        line_of(process)
        overuse = process.overuse()
        assert overuse is not None
        assert overuse.verdict is Verdict.MEMORY_LIMIT
        assert f"held {SOCKETS + 2} sockets open; {SOCKETS} are allowed" in overuse.reason


@pytest.mark.parametrize("rung", RUNGS)
def test_open_files_are_bounded_over_all_processes(rung: str) -> None:
    code = "for _ in range(2): os.fork()\nheld = [os.dup(0) for _ in range(200)]\n"
    limits = Limits(processes=8)
    with running(entrant(f"{BEGIN}{code}os.write(1, b'.'); sys.stdin.read()"), rung, limits=limits) as process:
        said = b""
        while said != b"....":
            select.select([process.stdout], [], [], 5)
            said += os.read(process.stdout, 9)
        overuse = process.overuse()
        assert overuse is not None
        assert overuse.reason == "held more than 512 files open"


def test_a_long_look_is_followed_by_a_long_pause() -> None:
    class Slow:
        looks = 0

        def excess(self, *_: object) -> str:
            self.looks += 1
            time.sleep(0.01)
            return ""

    with running(entrant(BEGIN + END), "off") as process:
        line_of(process)
        slow = Slow()
        object.__setattr__(process._launch, "scratch", slow)
        for _ in range(5):
            process.overuse()
        assert slow.looks == 1
        time.sleep(0.3)
        process.overuse()
        assert slow.looks == 2


def test_links_lead_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    (tmp_path / "big").write_bytes(b"x" * 2**21)
    assert Folder(folder, 1, 10).excess([], []) == ""
    (folder / "big").hardlink_to(tmp_path / "big")
    assert Folder(folder, 1, 10).excess([], []) == "holds more than 1 MiB"
    assert Folder(tmp_path / "gone", 1, 10).excess([], []) == ""


def test_every_file_system_in_memory_is_capped_or_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.referee.sandbox import program

    (tmp_path / "other").mkdir()
    monkeypatch.setattr(program, "_plugin_code", lambda: (("other", str(tmp_path / "other")),))
    bot = entrant("pass", folder=str(tmp_path))
    words = mounts(BotPlan(entrant=bot, limits=Limits(), scratch=tmp_path / "s", info_fd=0, alive_fd=0))
    places = [index for index, word in enumerate(words) if word == "--tmpfs"]
    assert len(places) == 3
    for index in places:
        assert words[index - 2] == "--size" or words[index + 2 : index + 4] == ["--remount-ro", words[index + 1]]
