"""Bots' real processes on every rung: measured, frozen, killed with everything below them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import uuid
from pathlib import Path

import pytest

from arena.referee import procfs
from arena.referee.process import describe_exit, spawn
from arena.referee.rung import BOT_NICENESS, StartError
from arena.referee.sandbox import forced
from arena.referee.settings import BotKind, Entrant, Limits
from tests.referee.sandbox.starting import (
    RUNGS,
    all_gone,
    ended,
    entrant,
    line_of,
    pids_named,
    running,
)

every_rung = pytest.mark.parametrize("rung", RUNGS)
WAIT = "import sys; sys.stdin.read()"
READY = "import sys; print('ready', flush=True); sys.stdin.read()"
BURN = "import time\nwhile time.process_time() < {s}: pass\n"
#: A grandchild in a session of its own, whose parent is gone, holding none of the bot's pipes.
DAEMON = """
import os, sys, time
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2): os.close(fd)
        os.write(w, b'x')
        time.sleep(300)
    os._exit(0)
os.wait()
os.read(r, 1)
print('ready', flush=True)
"""


@every_rung
def test_the_process_id_is_the_bots_own(rung: str) -> None:
    with running(entrant(READY), rung) as process:
        line_of(process)
        assert b"sys.stdin.read()" in procfs.read_proc(process.pid, "cmdline").split(b"\0")[4]
        assert os.path.realpath(f"/proc/{process.pid}/exe") == os.path.realpath(sys.executable)


@every_rung
def test_the_bot_comes_after_the_referee(rung: str) -> None:
    with running(entrant(READY), rung) as process:
        line_of(process)
        mine = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(19, mine + BOT_NICENESS)


@every_rung
def test_its_cpu_time_is_measured(rung: str) -> None:
    with running(entrant("print(flush=True); input()\n" + BURN.format(s=0.08) + READY), rung) as process:
        line_of(process)
        before = process.cpu_us()
        os.write(process.stdin, b"\n")
        line_of(process)
        assert before < 80_000 <= process.cpu_us()


@every_rung
def test_cpu_time_of_children_counts_alive_and_ended(rung: str) -> None:
    child = f"import os\npid = os.fork()\nif pid == 0:\n    import time\n    while time.process_time() < {0.06}: pass\n"
    alive = child + "    print(flush=True); time.sleep(99)\nos.wait()"
    waited_for = child + "    os._exit(0)\nos.wait(); print(flush=True)\n" + WAIT
    for code in (alive, waited_for):
        with running(entrant(code), rung) as process:
            line_of(process)
            process.sample()
            first = process.cpu_us()
            assert first >= 50_000  # the kernel counts ended children in ticks of 10 ms
            process.sample()
            assert process.cpu_us() >= first


@every_rung
def test_memory_and_processes_are_those_of_the_whole_tree(rung: str) -> None:
    code = "import os, time\nif os.fork() == 0:\n    x = b'x' * (40 * 2**20)\n    print(flush=True)\ntime.sleep(99)"
    with running(entrant(code, memory_mb=30), rung) as process:
        line_of(process)
        overuse = process.overuse()
        assert overuse is not None
        assert "of resident memory; 30 are allowed" in overuse.reason
        assert process.process_count == 2
        assert 40 < process.memory_mb < 90
        assert process.peak_memory_mb >= process.memory_mb


@pytest.mark.parametrize("rung", RUNGS[1:])
def test_more_processes_than_the_kernel_holds_back_are_seen(rung: str) -> None:
    code = "import os, time\nif os.fork() == 0: time.sleep(99)\nprint(flush=True); time.sleep(99)"
    with running(entrant(code, processes=1), rung) as process:
        line_of(process)
        overuse = process.overuse()
        assert overuse is not None
        assert overuse.reason == "ran 2 processes and threads; 1 are allowed"


@every_rung
def test_pages_that_a_fork_shares_are_counted_once(rung: str) -> None:
    code = "import os, time\nx = b'x' * (40 * 2**20)\nfor _ in range(3):\n    if os.fork() == 0: time.sleep(99)\n"
    with running(entrant(code + "print(flush=True); time.sleep(99)", memory_mb=100), rung) as process:
        line_of(process)
        assert process.overuse() is None
        assert process.process_count == 4


@every_rung
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("raise SystemExit(3)", "exit code 3"),
        ("pass", "exit code 0"),
        ("import os; os.kill(os.getpid(), 11)", "signal SIGSEGV"),
        ("import os; os.kill(os.getpid(), 9)", "signal SIGKILL"),
    ],
)
def test_how_it_ended_is_told(rung: str, code: str, status: str) -> None:
    with running(entrant(code), rung) as process:
        ended(process)
        assert process.exit_status() == status


def test_what_we_killed_is_told_apart() -> None:
    with running(entrant(READY), "bubblewrap") as process:
        line_of(process)
        assert process.exit_status() == ""
        assert process.exit_status(wait_ms=1) == ""
        assert process.kill()
        assert process.exit_status() == "killed by the referee"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "exit code 0"),
        (-9, "signal SIGKILL"),
        (139, "signal SIGSEGV"),
        (127, "exit code 127"),
        (255, "exit code 255"),
    ],
)
def test_exit_codes_in_words(code: int, words: str) -> None:
    assert describe_exit(code) == words


@pytest.mark.lesson(5)
@every_rung
def test_kill_reaches_a_daemon(rung: str) -> None:
    with running(entrant(DAEMON + WAIT), rung) as process:
        line_of(process)
        process.sample()
        assert process.process_count == 2
        members = list(process._members())
        assert process.kill()
        assert not [pid for pid in members if procfs.is_alive(pid)]


@pytest.mark.lesson(5)
@every_rung
def test_a_bot_that_ends_leaves_nothing(rung: str) -> None:
    marker = uuid.uuid4().hex
    with running(entrant(DAEMON + f"# {marker}"), rung) as process:
        line_of(process)
        ended(process)
        assert process.exit_status() == "exit code 0"
        assert all_gone(pids_named(marker))


def all_threads_stopped(pid: int) -> bool:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return all((thread / "stat").read_bytes().rpartition(b")")[2].split()[0] == b"T" for thread in threads)


@every_rung
def test_a_frozen_bot_uses_no_cpu_and_a_thawed_one_answers(rung: str) -> None:
    code = "import threading, sys\ndef spin():\n    while True: pass\n"
    code += "for _ in range(4): threading.Thread(target=spin, daemon=True).start()\n"
    with running(entrant(code + "for line in sys.stdin: print(line, end='', flush=True)"), rung) as process:
        os.write(process.stdin, b"one\n")
        assert line_of(process) == "one"
        process.freeze()
        while not all_threads_stopped(process.pid):  # each stops once it has the core again
            os.sched_yield()
        used = process.cpu_us()
        os.write(process.stdin, b"two\n")
        for _ in range(1000):
            procfs.stat_fields(process.pid)
        assert process.cpu_us() == used
        process.thaw()
        assert line_of(process) == "two"


@every_rung
def test_the_environment_has_nothing_of_ours(rung: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARENA_TEST_SECRET", "s3cret")
    tmp_path.chmod(0o755)
    code = "import os; print(sorted(os.environ), os.getcwd(), os.environ['HOME'] == os.environ['TMPDIR'], flush=True)"
    with running(entrant(code, folder=str(tmp_path)), rung) as process:
        said = line_of(process)
    assert "SECRET" not in said
    assert "PYTHONUNBUFFERED" in said
    assert str(tmp_path) in said
    assert said.endswith("True")


FIRST_LINES = {
    "windows": "#!/bin/sh\r\n",
    "homeless": "#! /nowhere/ruby -w\n",
    "neighbour": "#!bin/none\n",
    "strange": "#!/\x00\x1b[2Jx\n",
}


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        ((), "no program is named"),
        (("./nothing",), "there is no program"),
        (("plain.txt",), "is not executable"),
        (("no-such-word-in-path",), "neither in its folder nor in"),
        (("./windows",), r"windows end with CRLF.*sed -i 's/\\r\$//' /.*windows`"),
        (("./homeless",), r"homeless names /nowhere/ruby, which is not there"),
        (("./neighbour",), r"neighbour names bin/none, which is not there"),
        (("./strange",), r"strange names /  \[2Jx, which is not there"),
    ],
)
def test_a_program_that_can_not_be_started(argv: tuple[str, ...], problem: str, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("no program")
    for name, first_line in FIRST_LINES.items():
        (tmp_path / name).write_text(f"{first_line}exit", newline="")
        (tmp_path / name).chmod(0o755)
    bot = Entrant(name="bot", kind=BotKind.COMMAND, argv=argv, folder=str(tmp_path))
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(StartError, match=problem):
        spawn(bot, forced("bubblewrap"), Limits(), tmp_path / "scratch")
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def test_a_script_may_name_a_program_of_its_own_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "shell").symlink_to("/bin/sh")
    (tmp_path / "script").write_text("#!./shell\necho mine\n")
    (tmp_path / "script").chmod(0o755)
    bot = Entrant(name="bot", kind=BotKind.COMMAND, argv=("./script",), folder=str(tmp_path))
    with running(bot, "off") as process:
        assert line_of(process) == "mine"


def test_bots_are_started_on_the_main_thread_only(tmp_path: Path) -> None:
    caught: list[BaseException] = []

    def other() -> None:
        try:
            spawn(entrant(WAIT), forced("off"), Limits(), tmp_path / "scratch")
        except AssertionError as error:
            caught.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert "main thread" in str(caught[0])


PARENT = """
import os, select, sys
from pathlib import Path
from arena.referee.process import spawn
from arena.referee.sandbox import forced
from arena.referee.settings import BotKind, Entrant, Limits
bot = Entrant(name="bot", kind=BotKind.COMMAND, argv=("python3", "-I", "-S", "-c", sys.argv[2]))
process = spawn(bot, forced(sys.argv[1]), Limits(), Path(sys.argv[3]))
select.select([process.stdout], [], [], 9)
print(os.read(process.stdout, 99).decode(), end="", flush=True)
sys.stdin.read()
"""


@pytest.mark.lesson(5)
@every_rung
def test_nothing_survives_a_killed_referee(rung: str, tmp_path: Path) -> None:
    marker = uuid.uuid4().hex
    words = [sys.executable, "-c", PARENT, rung, DAEMON + f"time.sleep(300) # {marker}", str(tmp_path / "scratch")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as referee:
        assert referee.stdout is not None
        assert referee.stdout.readline() == b"ready\n"
        bots = [pid for pid in pids_named(marker) if pid != referee.pid]
        assert len(bots) >= 2
        referee.send_signal(signal.SIGKILL)
        assert all_gone(bots)


@pytest.mark.lesson(5)
@every_rung
def test_nothing_survives_a_killed_wrapper(rung: str) -> None:
    with running(entrant(DAEMON + WAIT), rung) as process:
        line_of(process)
        process.sample()
        members = list(process._members())
        assert len(members) == 2
        os.kill(process._popen.pid, signal.SIGKILL)
        ended(process)
        assert all_gone([process.pid])
        assert process.kill()
        assert all_gone(members)


@pytest.mark.heavy
def test_a_bot_that_idles_for_15_s_lives() -> None:
    code = "import time, sys; time.sleep(15); print('ready', flush=True); sys.stdin.read()"
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(running(entrant(code), rung)) for rung in RUNGS]
        threading.Event().wait(8)  # `line_of` gives up after 10 s
        assert [line_of(process) for process in processes] == ["ready"] * len(RUNGS)
