"""A bot's process: started on a rung of the sandbox, measured, frozen and killed with everything below it (Linux).

Bots are started by `subprocess.Popen` on the main thread, because a parent-death signal follows the thread
that spawned. Limits come from a chain of programs that each exec the next, never from a hook in a forked
copy of the referee. The three pipes are raw non-blocking descriptors for the driver to wait on.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import attrs
import msgspec

from arena.referee import procfs
from arena.referee.record import Verdict
from arena.referee.rung import BotPlan, Launch, Rung, StartError
from arena.referee.settings import Entrant, Limits

KILL_DEADLINE_MS = 1000
WATCH_EVERY_MS = 50  #: what bots use is looked at so often
#: Pages that processes share count once, unless they add up to so many times the cap: every one has to be looked at.
SHARING = 4
PAUSE_OF_SHARES = 10  #: such a look is followed by a pause of so many times its length
PAUSE_OF_FILES = 20  #: a look at a bot's files is followed by a pause of so many times its length
LEAST_OPEN_FILES, OPEN_FILES_PER_PROCESS = 256, 64  #: what a bot may hold open, by its cap on processes
SOCKETS = 64  #: of a bot, all its processes together
REFRESH_MS = 10  #: the process table is not read more often than this by samples
_WRAPPER_SIGNAL_BASE = 128

_table = procfs.ProcessTable()
_refreshed_at = 0.0


def _refresh(max_age_ms: float = 0.0) -> None:
    global _refreshed_at
    now = time.monotonic()
    if (now - _refreshed_at) * 1000 >= max_age_ms:
        _table.refresh()
        _refreshed_at = now


class _Info(msgspec.Struct, rename="kebab"):
    child_pid: int


@attrs.frozen
class Overuse:
    """More than a bot may have."""

    verdict: Verdict
    reason: str  #: what it did, for example `held 97 MiB of resident memory; 96 are allowed`
    advice: str


class BotProcess:
    """A running bot. All times are microseconds, memory is MiB (2**20 bytes) of resident pages."""

    def __init__(self, popen: subprocess.Popen[bytes], plan: BotPlan, launch: Launch, info: int, alive: int) -> None:
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        self.stdin, self.stdout, self.stderr = popen.stdin.fileno(), popen.stdout.fileno(), popen.stderr.fileno()
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self.entrant = plan.entrant
        self.memory_limit_mb = plan.memory_mb
        self.process_limit = plan.processes
        self.memory_mb = 0.0  #: as of the last `sample`
        self.peak_memory_mb = 0.0
        self.process_count = 0  #: processes and threads of the bot, wrappers left out, as of the last `sample`
        self.pidfd = os.pidfd_open(popen.pid)  #: readable when the bot has ended
        self.descriptors = (self.stdout, self.stderr, self.stdin, self.pidfd)
        self._popen = popen
        self._launch = launch
        self._info: int | None = info
        self._alive: int | None = alive
        self._init = 0
        self._pid = 0
        self._measured: tuple[int, ...] = ()
        self._sole_clock = 0  # of the process that is measured when it is the only one
        self._reaped_us = 0
        self._lost_us = 0
        self._last_raw_us = 0
        self._files_due_s = 0.0
        self._shares_due_s = 0.0
        self._shared_once_mb = 0.0
        self._killed = False
        _table.register(popen.pid)

    @property
    def pid(self) -> int:
        """The host's process id of the bot itself, not of its wrapper; 0 while it is not known, or gone too early."""
        if not self._pid:
            self._measure_tree()
        return self._pid

    def cpu_us(self) -> int:
        """Return the CPU time that the bot has used so far; -1 while its process is not known.

        Summed over its process tree as of the last sample, ended children included; it never falls.
        """
        if self._sole_clock:  # the common case, called twice an action
            try:
                raw = self._reaped_us + time.clock_gettime_ns(self._sole_clock) // 1000
            except OSError:
                pass
            else:
                if raw >= self._last_raw_us:
                    self._last_raw_us = raw
                    return raw + self._lost_us
        if not self._measured:
            self._measure_tree()
        if not self._measured:
            return -1 if not self._last_raw_us else self._last_raw_us + self._lost_us
        try:
            raw = self._reaped_us + sum(map(procfs.cpu_clock_us, self._measured))
        except OSError:
            self._measure_tree()
            raw = self._tree_cpu_us()
        return self._account(raw)

    def cpu_now_us(self) -> int:
        """Return what `cpu_us` does after a look for processes that are new, which takes longer."""
        _refresh(REFRESH_MS)
        self._measure_tree()
        return self.cpu_us()

    def sample(self) -> None:
        """Look at the whole tree: update `memory_mb`, `peak_memory_mb`, `process_count`."""
        _refresh(REFRESH_MS)
        if self._measure_tree():
            self._account(self._tree_cpu_us())
        self.memory_mb = sum(map(procfs.resident_bytes, self._measured)) / 2**20
        if self.memory_limit_mb < self.memory_mb <= SHARING * self.memory_limit_mb and len(self._measured) > 1:
            self.memory_mb = self._memory_shared_once_mb()
        self.process_count = sum(map(procfs.tasks, self._measured))
        self.peak_memory_mb = max(self.peak_memory_mb, self.memory_mb)

    def overuse(self) -> Overuse | None:
        """Sample, and return what the bot has too much of, if anything. To be called every `WATCH_EVERY_MS`.

        A look at its files that took long, since it has many, is not repeated soon.
        """
        self.sample()
        if self.memory_mb > self.memory_limit_mb:
            reason = f"held {self.memory_mb:.0f} MiB of resident memory; {self.memory_limit_mb} are allowed"
            return Overuse(Verdict.MEMORY_LIMIT, reason, "use less, or have the organiser declare `memory_mb` for it")
        if self.process_count > self.process_limit:  # the rung could not hold it
            reason = f"ran {self.process_count} processes and threads; {self.process_limit} are allowed"
            return Overuse(Verdict.MEMORY_LIMIT, reason, "start fewer")
        began_s = time.monotonic()
        if began_s < self._files_due_s:
            return None
        found = self._overuse_of_files()
        ended_s = time.monotonic()
        self._files_due_s = ended_s + PAUSE_OF_FILES * (ended_s - began_s)
        return found

    def freeze(self) -> None:
        """Stop every process of the bot; what it starts meanwhile too."""
        stopped: set[int] = set()
        for _ in range(20):
            _refresh()
            running = set(self._members()) - stopped
            if not running:
                return
            _signal_all(running, signal.SIGSTOP)
            stopped |= running

    def thaw(self) -> None:
        """Let every process of the bot go on."""
        _refresh()
        _signal_all(self._members(), signal.SIGCONT)

    def begin_kill(self) -> None:
        """Kill the bot with everything below it, without waiting for that; `kill` makes sure of it later."""
        self._mark_killed()
        self._strike(wrapper_too=False)

    def kill(self) -> bool:
        """Kill the bot with everything below it and wait for that, at most 1 s; return whether all is gone."""
        return kill_all([self])

    def exit_status(self, wait_ms: int = 0) -> str:
        """Return how the bot ended (`exit code 3`, `signal SIGSEGV`), "" while it runs, after waiting `wait_ms`."""
        code = self._popen.poll()
        if code is None and wait_ms:
            _wait_readable(self.pidfd, wait_ms)
            code = self._popen.poll()
        if code is None:
            return ""
        if self._killed:
            return "killed by the referee"
        return describe_exit(code)

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it is left that a kill could end."""
        return self._popen.poll() is not None and not any(map(procfs.is_alive, self._members()))

    def close(self) -> None:
        """Give the descriptors back; the bot must be killed before."""
        assert self._popen.returncode is not None, "kill the bot before its descriptors are closed"
        self._close_alive()
        if self._info is not None:
            os.close(self._info)
            self._info = None
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        _table.forget(self._popen.pid)

    # --- inside ---

    def _overuse_of_files(self) -> Overuse | None:
        most = max(LEAST_OPEN_FILES, OPEN_FILES_PER_PROCESS * self.process_limit)
        held = list(itertools.islice(procfs.open_files(self._measured), most + 1))
        if len(held) > most:
            return Overuse(Verdict.MEMORY_LIMIT, f"held more than {most} files open", "close what is not needed")
        sockets = len({found.st_ino for found in held if stat.S_ISSOCK(found.st_mode)})
        if sockets > SOCKETS:
            reason = f"held {sockets} sockets open; {SOCKETS} are allowed, since memory hides in their buffers"
            return Overuse(Verdict.MEMORY_LIMIT, reason, "close what is not needed")
        if excess := self._launch.scratch.excess(self._measured, held):
            return Overuse(Verdict.OUTPUT_LIMIT, f"its scratch folder {excess}", "keep less there")
        return None

    def _resolve(self) -> None:
        if self._info is None:
            return
        try:
            text = os.read(self._info, 4096)
        except BlockingIOError:
            return
        if text:
            self._init = msgspec.json.decode(text, type=_Info).child_pid
            os.close(self._info)
            self._info = None
            if not self._launch.inner_init:
                self._pid = self._init
                self._init = 0

    def _members(self) -> list[int]:
        if not self._pid:
            self._resolve()
        wrappers = (self._popen.pid, self._init)
        return [pid for pid in _table.members(self._popen.pid) if pid not in wrappers]

    def _measure_tree(self) -> bool:
        """Fix the processes that `cpu_us` sums; return whether there are any."""
        members = self._members()
        if not members:
            _refresh(REFRESH_MS)
            members = self._members()
        if not self._pid and self._init:
            self._pid = next((pid for pid in members if _inner_pid(pid) == 2), 0)
        self._measured = tuple(members) if self._pid or not self._launch.inner_init else ()
        self._sole_clock = procfs.cpu_clock(self._measured[0]) if len(self._measured) == 1 else 0
        wrappers = (pid for pid in (self._popen.pid, self._init) if pid)
        self._reaped_us = sum(map(procfs.reaped_cpu_us, (*self._measured, *wrappers)))
        return bool(self._measured)

    def _memory_shared_once_mb(self) -> float:
        """Return the memory of the tree with shared pages counted once, which takes long to find out: as of lately."""
        began_s = time.monotonic()
        if began_s >= self._shares_due_s:
            self._shared_once_mb = sum(map(procfs.proportional_bytes, self._measured)) / 2**20
            ended_s = time.monotonic()
            self._shares_due_s = ended_s + PAUSE_OF_SHARES * (ended_s - began_s)
        return self._shared_once_mb

    def _tree_cpu_us(self) -> int:
        total = self._reaped_us
        for pid in self._measured:
            with contextlib.suppress(OSError):
                total += procfs.cpu_clock_us(pid)
        return total

    def _account(self, raw_us: int) -> int:
        if raw_us < self._last_raw_us:  # a process ended and nobody waited for it: its time is not lost
            self._lost_us += self._last_raw_us - raw_us
        self._last_raw_us = raw_us
        return raw_us + self._lost_us

    def _close_alive(self) -> None:
        if self._alive is not None:
            os.close(self._alive)
            self._alive = None

    def _strike(self, *, wrapper_too: bool) -> bool:
        """Send SIGKILL to all that is left; return whether anything but a zombie was.

        A guardian ends by itself once all is swept up, unless the bot got hold of it: then `wrapper_too`.
        """
        self._close_alive()
        _refresh()
        members = self._members()
        left = [pid for pid in members if procfs.is_alive(pid)]
        _signal_all(left, signal.SIGKILL)
        if self._popen.poll() is None:
            if self._launch.inner_init or wrapper_too:
                _signal_all([pid for pid in (self._init, self._popen.pid) if pid], signal.SIGKILL)
            return True
        return bool(left)

    def _mark_killed(self) -> None:
        self._killed = self._killed or self._popen.poll() is None


def kill_all(bots: Iterable[BotProcess]) -> bool:
    """Kill several bots at once, each with everything below it; wait at most 1 s, return whether all is gone."""
    left = list(bots)
    for bot in left:
        bot._mark_killed()
    deadline = time.monotonic() + KILL_DEADLINE_MS / 1000
    while True:
        now = time.monotonic()
        left = [bot for bot in left if bot._strike(wrapper_too=now > deadline - KILL_DEADLINE_MS / 2000)]
        if not left:
            return True
        if now > deadline:
            return False
        _wait_readable(left[0].pidfd, 2)


def describe_exit(code: int) -> str:
    """Return an exit code of `Popen`, or of a wrapper that says 128 + signal, in words."""
    number = -code if code < 0 else code - _WRAPPER_SIGNAL_BASE
    try:
        return f"signal {signal.Signals(number).name}" if number > 0 else f"exit code {code}"
    except ValueError:
        return f"exit code {code}"


def spawn(
    entrant: Entrant, rung: Rung, limits: Limits, scratch: Path, *, slot: int = 0, number: int = 0, builds: bool = False
) -> BotProcess:
    """Start a bot and return at once; raise `StartError` when its program is missing or not executable.

    Must be called on the main thread. The core is inherited from the caller. `scratch` is an existing
    folder of the host, used by the rungs that have no file system of their own. `builds`: see `BotPlan`.
    """
    assert threading.current_thread() is threading.main_thread(), "bots are started on the main thread"
    info, info_write = os.pipe2(os.O_CLOEXEC)
    alive_read, alive = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(info, False)
    ours, theirs = [info, alive], [info_write, alive_read]
    try:
        plan = BotPlan(
            entrant=entrant, limits=limits, scratch=scratch, slot=slot, number=number, info_fd=info_write,
            alive_fd=alive_read, builds=builds,
        )  # fmt: skip
        launch = rung.launch(plan)
        theirs.extend(launch.close_fds)
        return BotProcess(_start(launch), plan, launch, info, alive)
    except BaseException:
        _close_all(ours)
        raise
    finally:
        _close_all(theirs)


def _start(launch: Launch) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            launch.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=launch.folder,
            env=launch.env,
            pass_fds=launch.pass_fds,
            start_new_session=True,
        )
    except OSError as error:
        raise StartError(f"{launch.argv[0]} can't be started: {error.strerror}") from None


def _close_all(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _wait_readable(descriptor: int, wait_ms: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(wait_ms))


def _inner_pid(pid: int) -> int:
    for line in procfs.read_proc(pid, "status").splitlines():
        if line.startswith(b"NSpid:"):
            return int(line.split()[-1])
    return 0
