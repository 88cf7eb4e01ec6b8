"""What each rung holds, tried for real."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import attrs
import pytest

from arena.errors import ConfigError
from arena.referee.rung import BotPlan, Rung, StartError
from arena.referee.sandbox import bubblewrap, choice, choose_rung, forced, landlock, program, seccomp, warning
from arena.referee.sandbox.guarded import Guarded, file_rules
from arena.referee.sandbox.probe import Findings, probe
from arena.referee.settings import BotKind, Entrant, Limits, SandboxPolicy
from tests.referee.sandbox.starting import RUNGS, entrant, line_of, running

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only a root referee drops its bots to other users")
shut_in = pytest.mark.parametrize("rung", RUNGS[:2])


@pytest.mark.lesson(40)
@shut_in
def test_the_probe_is_kept_out(rung: str) -> None:
    found = probe(forced(rung))
    assert found.problem == ""
    assert found.hides
    assert not found.leave_core


def test_bubblewrap_caps_processes_and_drops_the_user() -> None:
    found = probe(forced("bubblewrap"))
    assert not found.processes
    assert found.user != 0


def test_every_bubblewrap_program_of_this_machine_works() -> None:
    programs = list(bubblewrap.candidates())
    assert programs
    for path in programs:
        assert probe(bubblewrap.Bubblewrap(program=path)).hides


def test_the_probe_sees_that_resource_limits_hide_nothing() -> None:
    for name in ("rlimits", "off"):
        found = probe(forced(name))
        assert found.runs
        assert found.network
        assert found.host_files
        assert found.signal_referee


def test_the_probe_names_what_does_not_start() -> None:
    found = probe(bubblewrap.Bubblewrap(program="/bin/false"))
    assert not found.runs
    assert found.problem == "exit code 1"


# --- the choice ---


def test_auto_takes_the_strongest_rung() -> None:
    assert choose_rung(SandboxPolicy.AUTO).name == "bubblewrap"
    assert choose_rung(SandboxPolicy.REQUIRED).name == "bubblewrap"
    assert choose_rung(SandboxPolicy.OFF).name == "off"
    assert warning(choose_rung(SandboxPolicy.AUTO)) == ""


def test_without_bubblewrap_landlock_is_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "candidates", lambda: iter(()))
    assert choose_rung(SandboxPolicy.AUTO).name == "landlock"


def test_a_broken_bubblewrap_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "candidates", lambda: iter(("/bin/false",)))
    assert choose_rung(SandboxPolicy.AUTO).name == "landlock"


def test_the_last_rung_warns_and_is_refused_when_a_sandbox_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "candidates", lambda: iter(()))
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    rung = choose_rung(SandboxPolicy.AUTO)
    assert rung.name == "rlimits"
    assert "NO REAL SANDBOX" in warning(rung)
    with pytest.raises(ConfigError, match=r"rlimits: it hides neither files nor network.*apt-get install bubblewrap"):
        choose_rung(SandboxPolicy.REQUIRED)


@as_root
def test_required_names_the_folder_that_keeps_bots_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    bot = Entrant(name="bot", kind=BotKind.COMMAND, argv=("/bin/true",), folder=str(tmp_path))
    closed = choice.closed_folder([bot])
    assert closed
    monkeypatch.setattr(bubblewrap, "candidates", lambda: iter(()))
    assert choose_rung(SandboxPolicy.AUTO, [bot]) == Guarded(name="landlock", user="kept")
    with pytest.raises(ConfigError, match=rf"root and {closed} is closed to other users.*chmod o\+x {closed}"):
        choose_rung(SandboxPolicy.REQUIRED, [bot])


def test_a_rung_that_lets_the_probe_through_is_not_taken() -> None:
    good = Findings(
        scratch=True, memory_seen=True, cpu_seen=True, network=False, host_files=False, own_folder=False,
        signal_referee=False, inspect_referee=False,
    )  # fmt: skip
    rung = forced("landlock")
    assert choice.shortcoming(rung, good, "", SandboxPolicy.AUTO) == ""
    for field in ("network", "host_files", "own_folder", "signal_referee", "inspect_referee"):
        worse = attrs.evolve(good, **{field: True})  # type: ignore[arg-type]
        assert choice.shortcoming(rung, worse, "", SandboxPolicy.AUTO) == "it did not keep the probe out"


# --- users ---


@as_root
@pytest.mark.parametrize("name", RUNGS[:3])
def test_a_root_referee_drops_each_seat_to_a_user_of_its_own(name: str) -> None:
    rung: Rung = forced(name, dropped=True)
    bot = Entrant(name="bot", kind=BotKind.COMMAND, argv=("sh", "-c", "id -u; id -G; read line"))
    seen = set()
    for seat in (0, 1):
        with running(bot, rung, seat=seat) as process:
            said = line_of(process).split()
            seen.add(tuple(said))
            assert int(said[0]) >= 58_000
            assert said[0] == said[-1]
    assert len(seen) == 2


@as_root
@pytest.mark.parametrize("name", RUNGS[:3])
def test_the_process_cap_holds_for_a_dropped_bot(name: str) -> None:
    bot = Entrant(
        name="bot", kind=BotKind.COMMAND, processes=5,
        argv=("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do sleep 60 & done; echo all started"),
    )  # fmt: skip
    with running(bot, forced(name, dropped=True)) as process:
        process.exit_status(wait_ms=3000)
        process.sample()
        assert process.process_count <= 5


@as_root
def test_a_folder_that_the_dropped_bot_can_not_enter_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with (
        pytest.raises(StartError, match=rf"{tmp_path} is closed to other users.*chmod -R o\+rX {tmp_path}"),
        running(entrant("pass", folder=str(tmp_path)), "bubblewrap"),
    ):
        pass


# --- files ---


@pytest.mark.lesson(40)
@shut_in
def test_a_plugin_can_not_read_another_plugins_source(
    rung: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(f"{name}'s trick")
    (tmp_path / "single.py").write_text("single trick")
    others = (("other", str(tmp_path / "other")), ("single", str(tmp_path / "single.py")))
    monkeypatch.setattr(program, "_plugin_code", lambda: (("mine", str(tmp_path / "mine")), *others))
    code = f"""
import os
for name in ('mine/code.py', 'other/code.py', 'single.py'):
    try: print(open('{tmp_path}/' + name).read() or 'empty', end='; ')
    except OSError: print('refused', end='; ')
print(flush=True)
"""
    bot = entrant(code, folder=str(tmp_path))
    with running(attrs.evolve(bot, target="mine.bots:Clever"), rung) as process:
        assert line_of(process) in ("mine's trick; refused; refused; ", "mine's trick; refused; empty; ")


def test_landlock_rules_go_around_what_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/x", "a/y", "b"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(program, "_plugin_code", lambda: (("y", str(tmp_path / "a/y")),))
    bot = entrant("pass", folder=str(tmp_path))
    words = file_rules(BotPlan(entrant=bot, limits=Limits(), scratch=tmp_path / "s", info_fd=0, alive_fd=0))
    here = [word.replace(str(tmp_path), "") for word in words if str(tmp_path) in word]
    assert here == ["list=", "list=/a", "read=/a/x", "read=/b", "write=/s"]


@shut_in
def test_the_runtime_can_be_named(rung: str, tmp_path: Path) -> None:
    own, runtime = tmp_path / "own", tmp_path / "runtime"
    own.mkdir()
    runtime.mkdir()
    (runtime / "library").write_text("of the language")
    code = f"""
try: print(open('{runtime}/library').read(), flush=True)
except OSError: print('refused', flush=True)
"""
    bare = entrant(code, folder=str(own))
    with running(bare, rung) as process:
        assert line_of(process) == "refused"
    with running(attrs.evolve(bare, runtime=(str(runtime),)), rung) as process:
        assert line_of(process) == "of the language"


@pytest.mark.parametrize("rung", RUNGS)
def test_the_scratch_folder_is_private_and_limited(rung: str) -> None:
    code = """
import os
home = os.environ['HOME']
print(os.listdir(home), end=' ')
try:
    with open(home + '/big', 'wb') as file:
        for _ in range(4): file.write(b'x' * 2**20)
    print('all', flush=True)
except OSError as error: print(error.errno, flush=True)
"""
    with running(entrant("import signal; signal.signal(25, 1)" + code), rung, limits=Limits(scratch_mb=2)) as process:
        said = line_of(process)
    assert said in (f"[] {errno.ENOSPC}", f"[] {errno.EFBIG}", "[] all")
    assert said.endswith("all") == (rung == "off")


# --- system calls ---


@pytest.mark.lesson(40)
@shut_in
def test_kernel_doors_are_shut(rung: str) -> None:
    code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def refused(*call): return libc.syscall(*call) == -1 and ctypes.get_errno() == 1
print(refused(272, 0x10000000), refused(272, 0x20000), refused(101, 0, 0, 0, 0), refused(203, 0, 8, b'\\3' + bytes(7)),
    refused(56, 0x10000011, 0, 0, 0, 0), refused(425, 1, 0), flush=True)
"""
    with running(entrant(code), rung) as process:
        assert line_of(process) == "True True True True True True"


@shut_in
def test_ordinary_programs_work(rung: str) -> None:
    code = """
import subprocess, threading, socket, select, os
print(subprocess.run(['sh', '-c', 'echo shell'], capture_output=True).stdout.decode().strip(), end=' ')
thread = threading.Thread(target=lambda: print('thread', end=' ')); thread.start(); thread.join()
a, b = socket.socketpair(); a.send(b'pair'); print(b.recv(9).decode(), end=' ')
print(open('/etc/ld.so.cache', 'rb').read(1) != b'', end=' ')
import resource; print(resource.getrlimit(resource.RLIMIT_CORE)[1], flush=True)
"""
    with running(entrant(code), rung) as process:
        assert line_of(process) == "shell thread pair True 0"


def test_the_filter_is_whole_instructions() -> None:
    for kind in (seccomp.NAMESPACES, seccomp.CONFINED, seccomp.OWNING_NOTHING):
        code = seccomp.program(kind)
        assert len(code) % 8 == 0
        descriptor = seccomp.as_file(kind)
        assert os.read(descriptor, 65536) == code
        os.close(descriptor)


@pytest.mark.lesson(40)
@shut_in
def test_abstract_sockets_of_the_host_are_out_of_reach(rung: str) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        name = f"\0arena-test-{os.getpid()}"
        server.bind(name)
        server.listen()
        code = f"""
import socket
try: socket.socket(socket.AF_UNIX).connect({name!r}); print('reached', flush=True)
except OSError: print('refused', flush=True)
"""
        with running(entrant(code), rung) as process:
            assert line_of(process) == "refused"
