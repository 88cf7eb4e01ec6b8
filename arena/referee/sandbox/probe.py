"""The probe: what a rung holds on this machine, found by starting a hostile program on it with the real interpreter."""

from __future__ import annotations

import contextlib
import functools
import os
import select
import socket
import time
from pathlib import Path

import attrs
import msgspec

from arena.referee.process import BotProcess, spawn
from arena.referee.rung import Rung, StartError
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import BotKind, Entrant, Limits

SCRIPT = Path(__file__).with_name("probe_script.py")
DEADLINE_MS = 10_000
_PROCESSES, _FORKS, _MEBIBYTES = 12, 24, 32
_PROBE_NUMBER = 7  #: its own user, away from the bots that may run already


@attrs.frozen(kw_only=True)
class Findings:
    """What a hostile program could do on a rung; True means that it could."""

    problem: str = ""  #: why the program did not run at all; the rest means nothing then
    network: bool = True
    host_files: bool = True
    own_folder: bool = True  #: write into it
    scratch: bool = False  #: write into it, as it should
    signal_referee: bool = True
    inspect_referee: bool = True
    leave_core: bool = True
    processes: bool = True  #: start more than its cap
    user: int = 0
    memory_seen: bool = False  #: we measured the memory it held
    cpu_seen: bool = False  #: we measured the CPU time it used

    @property
    def runs(self) -> bool:
        """Whether bots start, can work and can be measured there."""
        return not self.problem and self.scratch and self.memory_seen and self.cpu_seen

    @property
    def hides(self) -> bool:
        """Whether network, files and the referee are out of a bot's reach."""
        reached = (self.network, self.host_files, self.own_folder, self.signal_referee, self.inspect_referee)
        return self.runs and not any(reached)


@functools.cache
def probe(rung: Rung) -> Findings:
    """Return what holds on `rung`; takes some 50 ms the first time. Must be called on the main thread."""
    with scratch_root() as root, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        return _run(rung, root, server.getsockname()[1])


def _run(rung: Rung, root: Path, port: int) -> Findings:
    folder, own = root / "host", root / "host" / "own"
    own.mkdir(parents=True)
    folder.chmod(0o755)
    own.chmod(0o777)
    secret = folder / "secret"
    secret.write_bytes(b"of the host")
    secret.chmod(0o644)
    words = [str(secret), str(port), str(os.getpid()), str(_FORKS), str(_MEBIBYTES)]
    entrant = Entrant(
        name="probe",
        kind=BotKind.COMMAND,
        argv=("python3", "-I", "-S", str(SCRIPT), *words),
        folder=str(own),
        processes=_PROCESSES,
    )
    try:
        process = spawn(entrant, rung, Limits(), root / "scratch", number=_PROBE_NUMBER)
    except StartError as error:
        return Findings(problem=str(error))
    try:
        return _judge(process, _first_line(process))
    finally:
        process.kill()
        process.close()


def _judge(process: BotProcess, line: bytes) -> Findings:
    if not line.endswith(b"\n"):
        return Findings(problem=_why(process))
    process.sample()
    found = Findings(**msgspec.json.decode(line, type=dict[str, bool | int]))  # type: ignore[arg-type]
    return attrs.evolve(found, memory_seen=process.memory_mb >= _MEBIBYTES, cpu_seen=process.cpu_us() > 0)


def _first_line(process: BotProcess) -> bytes:
    deadline = time.monotonic() + DEADLINE_MS / 1000
    line = b""
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    while not line.endswith(b"\n") and poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        part = os.read(process.stdout, 65536)
        if not part:
            break
        line += part
    return line


def _why(process: BotProcess) -> str:
    status = process.exit_status(wait_ms=500) or "it said nothing in time"
    text = b""
    with contextlib.suppress(BlockingIOError):
        text = os.read(process.stderr, 65536)
    last = text.decode(errors="replace").strip().splitlines()[-1:]
    return ": ".join([status, *last])
