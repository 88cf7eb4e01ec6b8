"""Children that are no bots: none outlives the process that started it, nor anything they left running."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from arena.child import child
from tests.end_to_end.command import marked, start, wait_until

LEAVE_S = 2.0
#: Leaves a child of its own behind, says so, and then holds the interpreter's lock: no thread of it notices anything.
BUSY = "import re, subprocess; subprocess.Popen(['sleep', '600']); print(flush=True); re.match('(a*)*b', 'a' * 99)"
PARENT = "import sys\nfrom arena.child import child\nwith child([sys.executable, '-c', sys.argv[1]]): sys.stdin.read()"


def two_alive(mark: str) -> bool:
    words = [words[:2] for words in marked(mark).values()]
    return ["sleep", "600"] in words and [sys.executable, "-c"] in words


@pytest.mark.lesson(5)
def test_the_end_of_its_parent_is_the_end_of_a_child_and_of_what_it_left(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    with subprocess.Popen([sys.executable, "-c", PARENT, BUSY], stdin=subprocess.PIPE, env={"MARK": mark}) as parent:
        wait_until(lambda: len(marked(mark)) == 3)
        parent.kill()
        wait_until(lambda: not marked(mark), within_s=LEAVE_S)


@pytest.mark.lesson(5)
def test_nothing_of_a_child_is_left_afterwards() -> None:
    mark = uuid.uuid4().hex
    with child([sys.executable, "-c", BUSY], env={"MARK": mark}) as process:
        assert process.stdout is not None
        process.stdout.readline()
        wait_until(lambda: two_alive(mark))
    wait_until(lambda: not marked(mark), within_s=LEAVE_S)
    assert process.returncode == -signal.SIGKILL


def test_a_child_is_asked_and_answers() -> None:
    with child([sys.executable, "-c", "print(input()[::-1])"]) as process:
        assert process.communicate(b"abc\n", timeout=20)[0] == b"cba\n"
    assert process.returncode == 0


@pytest.mark.lesson(5, 6, 24)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_arena_that_is_stopped_while_plugins_hang(number: signal.Signals, tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    for name in ("one", "two", "three", "four"):  # more than are loaded at once
        (tmp_path / f"{name}.py").write_text(f"print('loads')\n{BUSY}")
        meta = tmp_path / f"{name}-1.0.dist-info"
        meta.mkdir()
        (meta / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (meta / "entry_points.txt").write_text(f"[arena]\n{name} = {name}\n")
    with start("bots", folder=tmp_path, MARK=mark, PYTHONPATH=str(tmp_path)) as arena:
        try:
            wait_until(lambda: sum(words[0] == "sleep" for words in marked(mark).values()) >= 2)
            stopped_s = time.monotonic()
            arena.send_signal(number)
            said, _ = arena.communicate(timeout=LEAVE_S)
            wait_until(lambda: not marked(mark), within_s=LEAVE_S - (time.monotonic() - stopped_s))
        finally:
            arena.kill()
    if number is not signal.SIGKILL:
        assert (arena.returncode, said.strip()) == (1, "arena: interrupted")
