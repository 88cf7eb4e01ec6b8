"""Child processes of ours that are no bots: they get a session of their own, and nothing there outlives us."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence


@contextlib.contextmanager
def child(
    argv: Sequence[str], *, stderr: int | None = None, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a child with pipes for stdin and stdout; on the way out kill it and what it left running in its session.

    On Linux the kernel kills them as well when this process ends, even by SIGKILL. May be called on any thread.
    """
    with contextlib.ExitStack() as held:
        theirs: list[int] = []
        if sys.platform == "linux":
            reader, writer = os.pipe()
            held.callback(os.close, writer)
            theirs.append(reader)
        try:
            process = held.enter_context(
                subprocess.Popen(
                    argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=env, pass_fds=theirs,
                    start_new_session=True,
                )
            )  # fmt: skip
            held.callback(kill, process)
            for reader in theirs:
                _kill_at_our_end(process.pid, reader)
        finally:
            for reader in theirs:
                os.close(reader)
        yield process


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the child and, where sessions exist, whatever it left running in its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _kill_at_our_end(group: int, reader: int) -> None:
    """Let the kernel kill a process group when the other end of the pipe, which we alone hold, is closed.

    A parent-death signal would not do: it follows the thread that spawned, and spares what the child started.
    """
    import fcntl  # not everywhere

    fcntl.fcntl(reader, fcntl.F_SETOWN, -group)
    fcntl.fcntl(reader, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC)
