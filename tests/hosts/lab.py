"""A lab of "machines": a Dask scheduler and workers as processes of their own, each with a folder of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.end_to_end.command import ARENA, wait_until

SCHEDULER = (sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def children(pid: int) -> list[int]:
    """Return the direct children of a process."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, task.read_text().split())
    return found


def descendants(pid: int) -> list[int]:
    own = children(pid)
    return own + [one for child in own for one in descendants(child)]


def with_words(pids: Sequence[int], word: str) -> list[int]:
    """Return the processes whose command line has a word."""
    found = []
    for pid in pids:
        try:
            if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


class Lab:
    """Machines that can be started and killed."""

    def __init__(self, folder: Path, *, host: str = "127.0.0.1") -> None:
        self.folder = folder
        self.host = host
        self.port = free_port()
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def address(self) -> str:
        return f"tcp://{self.host}:{self.port}"

    def _start(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env=os.environ | {"PYTHONUNBUFFERED": "1", "DASK_LOGGING__DISTRIBUTED": "error"},
            )  # fmt: skip

    def start_scheduler(self) -> None:
        self.scheduler = self._start("scheduler", [*SCHEDULER, "--host", self.host, "--port", str(self.port)])

    def start_worker(self, name: str, slots: int = 1, *, listen: str = "127.0.0.1", within: Sequence[str] = ()) -> None:
        """Start a worker; `within` are the words of a program that shuts it in."""
        place = ["--name", name, "--folder", str(self.folder / name), "--listen", listen]
        self.workers[name] = self._start(
            name, [*within, *ARENA, "worker", self.address, "--slots", str(slots), "--oversubscribe", *place]
        )

    def wait_for(self, name: str) -> None:
        """Wait until a worker has said that it is a host."""
        log = self.folder / f"{name}.log"
        wait_until(lambda: log.exists() and b"is a host of" in log.read_bytes())

    def worker_process(self, name: str) -> int:
        """Return the Dask worker below the nanny."""
        (pid,) = with_words(children(self.workers[name].pid), "spawn_main")
        return pid

    def referees(self, name: str) -> list[int]:
        return with_words(descendants(self.workers[name].pid), "arena.referee")

    def kill_machine(self, name: str) -> None:
        """Kill worker and nanny at once."""
        os.kill(self.worker_process(name), signal.SIGKILL)
        self.workers[name].kill()
        self.workers[name].wait()

    def close(self) -> None:
        for process in [*self.workers.values(), *filter(None, [self.scheduler])]:
            process.terminate()
        for process in [*self.workers.values(), *filter(None, [self.scheduler])]:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def lab(folder: Path, workers: Sequence[str]) -> Iterator[Lab]:
    """Yield a lab whose machines are up."""
    one = Lab(folder)
    try:
        one.start_scheduler()
        for name in workers:
            one.start_worker(name)
        for name in workers:
            one.wait_for(name)
        yield one
    finally:
        one.close()
