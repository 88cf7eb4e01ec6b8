"""Run inside a rung by the probe: try what a hostile bot would, and say how far it came. Standard library only.

    python probe_script.py SECRET_FILE PORT REFEREE_PID FORKS MEBIBYTES

Writes one line of JSON, then waits to be killed, holding the memory. True means that the attempt succeeded.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable


def succeeds(attempt: Callable[[], object]) -> bool:
    """Return whether the attempt went through."""
    try:
        attempt()
    except OSError:
        return False
    return True


def connect(port: int) -> None:
    """Reach a server on the host."""
    with socket.create_connection(("127.0.0.1", port), timeout=2):
        pass


def read(path: str) -> None:
    """Read a file."""
    with open(path, "rb") as file:  # noqa: PTH123
        file.read()


def write(folder: str) -> None:
    """Leave a file in a folder."""
    path = os.path.join(folder, "probe")  # noqa: PTH118
    with open(path, "wb"):  # noqa: PTH123
        pass
    os.unlink(path)  # noqa: PTH108


def fork_many(count: int) -> bool:
    """Start `count` children that stay; return whether all could be started."""
    children = []
    try:
        for _ in range(count):
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
    except OSError:
        return False
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return True


def main(secret: str, port: str, referee: str, forks: str, mebibytes: str) -> None:
    """Try everything and report."""
    pid = int(referee)
    found = {
        "network": succeeds(lambda: connect(int(port))),
        "host_files": succeeds(lambda: read(secret)),
        "own_folder": succeeds(lambda: write(".")),
        "scratch": succeeds(lambda: write(tempfile.gettempdir())),
        "signal_referee": succeeds(lambda: os.kill(pid, 0)),
        "inspect_referee": succeeds(lambda: read(f"/proc/{pid}/environ")),
        "leave_core": succeeds(lambda: os.sched_setaffinity(0, os.sched_getaffinity(0))),
        "processes": fork_many(int(forks)),
        "user": os.getuid(),
    }
    held = bytearray(int(mebibytes) * 2**20)
    held[::4096] = b"x" * len(held[::4096])
    print(json.dumps(found), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
