"""What a hostile bot tries on the processes around it, for real, on every rung."""

from __future__ import annotations

import os
import select
import signal
import uuid
from pathlib import Path

import pytest

from arena.referee import procfs
from arena.referee.process import BotProcess
from arena.referee.sandbox import forced
from arena.testing.badbots import BAD_BOTS
from arena.testing.badbots.playing import complaints, play
from tests.referee.pile import Pile
from tests.referee.sandbox.starting import RUNGS, all_gone, ended, entrant, line_of, pids_named, running

every_rung = pytest.mark.parametrize("rung", RUNGS)
shut_in = pytest.mark.parametrize("rung", RUNGS[:2])
WAIT = "\nprint('done', flush=True)\nsys.stdin.read()\n"


@pytest.mark.parametrize("rung", RUNGS[2:])
@pytest.mark.parametrize("how", ["stop", "trace"])
def test_a_bot_that_gets_hold_of_its_guardian_is_killed_all_the_same(how: str, rung: str) -> None:
    code = f"""
import ctypes, os, signal, sys
if {how == "stop"}: os.kill(os.getppid(), signal.SIGSTOP)
else: ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)  # refused where capabilities are gone
if os.fork() == 0: os.setsid()
"""
    with running(entrant(code + WAIT), rung) as process:
        line_of(process)
        process.sample()
        everybody = [process._popen.pid, *process._members()]
        assert process.kill()
        assert all_gone(everybody)


@every_rung
def test_a_bot_inherits_nothing_but_its_three_pipes(rung: str) -> None:
    code = """
import os, stat
held = []
for descriptor in range(2000):
    try: held.append((descriptor, stat.S_ISFIFO(os.fstat(descriptor).st_mode)))
    except OSError: continue
print(held, flush=True)
"""
    with running(entrant(code), rung) as process:
        assert line_of(process) == "[(0, True), (1, True), (2, True)]"


#: It adopts its orphans itself, in a session of their own that holds none of its pipes.
SUBREAPER = """
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
r, w = os.pipe()
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for fd in (0, 1, 2): os.close(fd)
                os.write(w, b'x')
                time.sleep(300)
            os._exit(0)
        os.wait()
        os._exit(0)
    os.wait()
for _ in range(3): os.read(r, 1)
print('done', flush=True)
"""


@every_rung
@pytest.mark.parametrize("ends", [True, False])
def test_orphans_that_a_bot_adopts_end_with_it(ends: bool, rung: str) -> None:
    marker = uuid.uuid4().hex
    last = "" if ends else "sys.stdin.read()"
    with running(entrant(f"{SUBREAPER}{last} # {marker}"), rung) as process:
        line_of(process)
        if ends:
            ended(process)
        else:
            process.sample()
            assert process.process_count >= 2
            assert process.kill()
        assert all_gone(pids_named(marker))


@shut_in
def test_signals_to_everybody_reach_nobody(rung: str) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGWINCH, lambda number, _: heard.append(number))
    try:
        neighbour = "import signal, sys\nsignal.signal(28, lambda *_: print('heard', flush=True))"
        attack = f"""
import os, sys
for pid in (-1, 0, os.getppid(), {os.getpid()}, -{os.getpgid(0)}):
    try: os.kill(pid, 28)
    except OSError: pass
"""
        with running(entrant(neighbour + WAIT), rung, seat=1) as other:
            line_of(other)
            with running(entrant(attack + WAIT), rung) as process:
                line_of(process)
            os.write(other.stdin, b"x")
            with pytest.raises(BlockingIOError):
                os.read(other.stdout, 99)
    finally:
        signal.signal(signal.SIGWINCH, before)
    assert heard == []


@shut_in
def test_nothing_stays_outside_processes(rung: str) -> None:
    def left() -> list[object]:
        tables = [Path("/proc/sysvipc", name).read_text().count("\n") for name in ("shm", "msg", "sem")]
        places = ("/dev/shm", "/tmp", "/var/tmp", "/run")
        return [tables, [str(found) for place in places for found in Path(place).glob("*left-by-a-bot*")]]

    before = left()
    code = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.shmget(0, 4096, 0o1600); libc.msgget(0, 0o1600); libc.semget(0, 1, 0o1600)
for folder in ('/dev/shm', '/tmp', '/var/tmp', '/run'):
    try: open(folder + '/left-by-a-bot', 'w')
    except OSError: pass
"""
    with running(entrant(code + WAIT), rung) as process:
        line_of(process)
    assert left() == before


@pytest.mark.parametrize("rung", RUNGS[:3])
def test_no_program_that_a_bot_starts_gains_anything(rung: str) -> None:
    code = (
        "print([line for line in open('/proc/self/status') if line.startswith(('NoNewPrivs', 'CapEff'))], flush=True)"
    )
    with running(entrant(code), rung) as process:
        assert line_of(process) == "['CapEff:\\t0000000000000000\\n', 'NoNewPrivs:\\t1\\n']"


@pytest.mark.parametrize("rung", RUNGS[:3])
def test_no_core_is_dumped(rung: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with running(entrant("import os; os.chdir(os.environ['HOME']); os.abort()", folder=str(tmp_path)), rung) as process:
        ended(process)
        assert process.exit_status() == "signal SIGABRT"
    assert list(tmp_path.iterdir()) == []


@shut_in
def test_no_socket_leads_past_the_network_namespace(rung: str) -> None:
    code = """
import ctypes, os
libc = ctypes.CDLL(None)
families = [family for family in range(64) for kind in (1, 2, 3, 5) if libc.socket(family, kind, 0) >= 0]
print(sorted(set(families)), flush=True)
"""
    with running(entrant(code), rung) as process:
        said = line_of(process)
    assert said in ("[1, 2, 10, 16]", "[1, 2, 16]") if rung == "bubblewrap" else said == "[]"


SHARED = """
import os, sys, time
held = b'x' * (20 * 2**20)
for _ in range({forks}):
    if os.fork() == 0: time.sleep(99)
"""


@every_rung
def test_looks_at_shared_memory_do_not_keep_the_referee(rung: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    def slow(pid: int) -> int:
        looked_at.append(pid)
        select.select([], [], [], 0.005)
        return 2**20

    monkeypatch.setattr(procfs, "proportional_bytes", slow)
    with running(entrant(SHARED.format(forks=3) + WAIT, memory_mb=40), rung) as process:
        line_of(process)
        for _ in range(4):
            assert process.overuse() is None
        assert len(looked_at) == 4  # processes, once
        assert process.memory_mb == 4
    with running(entrant(SHARED.format(forks=12) + WAIT, memory_mb=40), rung) as process:
        line_of(process)
        looked_at.clear()
        overuse = process.overuse()
        assert overuse is not None
        assert "of resident memory" in overuse.reason
        assert looked_at == []


@every_rung
def test_beginning_to_kill_reaches_everybody(rung: str) -> None:
    with running(entrant(SHARED.format(forks=12) + WAIT), rung) as process:
        line_of(process)
        process.sample()
        everybody = list(process._members())
        assert len(everybody) == 13
        process.begin_kill()
        assert all_gone(everybody)


def test_nobody_waits_for_the_end_of_a_bot_while_others_play(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(_: BotProcess) -> bool:
        raise AssertionError("somebody may be on turn")

    monkeypatch.setattr(BotProcess, "kill", wait)
    cheat = next(bad for bad in BAD_BOTS if bad.name == "illegal-action")
    (played,) = play(cheat, Pile(), forced("off"), seats=3)
    assert complaints(cheat, played, "off") == []
    assert [action.seat for action in played.record.actions].count(1) > 1


@every_rung
def test_page_tables_are_memory(rung: str) -> None:
    code = """
import mmap, sys
held = [mmap.mmap(-1, 2**30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ) for _ in range(16)]
for area in held:
    for place in range(0, 2**30, 2**21): area[place]
"""
    with running(entrant(code + WAIT, memory_mb=30), rung) as process:
        line_of(process)
        overuse = process.overuse()
        assert overuse is not None
        assert "of resident memory" in overuse.reason
        assert process.memory_mb < 60
