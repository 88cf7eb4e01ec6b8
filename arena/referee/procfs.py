"""What `/proc` tells about processes: whose they are, what they hold in memory, how much CPU they used (Linux).

`ProcessTable` attributes every process of the machine once, when it is first seen: to a root (a bot's
outermost process, registered at its start) when its parent belongs there, else to nobody for good. That
holds for orphans too, because a root is, or holds, the subreaper of everything below it. A refresh costs
one listing of `/proc` and one small read for each process that is new. A number that another process has taken over
meanwhile is told by its inode: the kernel makes one for each process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICK_US = 1_000_000 // os.sysconf("SC_CLK_TCK")
LARGE_ADDRESS_SPACE_BYTES = 2**30
FOREIGN = 0  #: the owner of a process that belongs to no bot


def read_proc(pid: int, name: str) -> bytes:
    """Return the content of `/proc/pid/name`, empty when the process is gone or closed to us."""
    try:
        descriptor = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 8192)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def stat_fields(pid: int) -> list[bytes]:
    """Return the fields of `/proc/pid/stat` from the state on (its index 0), empty when the process is gone."""
    text = read_proc(pid, "stat")
    return text[text.rfind(b")") + 2 :].split()


def is_alive(pid: int) -> bool:
    """Return whether the process runs; a zombie does not."""
    fields = stat_fields(pid)
    return bool(fields) and fields[0] not in (b"Z", b"X")


def resident_bytes(pid: int) -> int:
    """Return the resident memory of one process with its page tables, 0 when it is gone.

    Page tables count only in a large address space: by reading a little everywhere a process makes many of them, and
    holds nothing else. In a small one they are less than a five hundredth of it.
    """
    fields = read_proc(pid, "statm").split()
    if len(fields) < 2:
        return 0
    large = int(fields[0]) * PAGE_BYTES > LARGE_ADDRESS_SPACE_BYTES
    return int(fields[1]) * PAGE_BYTES + (page_table_bytes(pid) if large else 0)


def page_table_bytes(pid: int) -> int:
    """Return the size of the page tables of one process, 0 when it is gone."""
    return _kib_after(b"VmPTE:", read_proc(pid, "status"))


def proportional_bytes(pid: int) -> int:
    """Return the resident memory with shared pages divided among their sharers; where that is closed, all of it.

    Page tables, which nobody shares, come on top.
    """
    shared = _kib_after(b"Pss:", read_proc(pid, "smaps_rollup"))
    return shared + page_table_bytes(pid) if shared else resident_bytes(pid)


def _kib_after(label: bytes, text: bytes) -> int:
    """Return the bytes of the line `label N kB`, 0 when there is none."""
    for line in text.splitlines():
        if line.startswith(label):
            return int(line.split()[1]) * 1024
    return 0


def open_files(pids: Iterable[int]) -> Iterator[os.stat_result]:
    """Yield what processes hold open, once for each descriptor, as far as we may look."""
    for pid in pids:
        folder = f"/proc/{pid}/fd"
        try:
            names = os.listdir(folder)  # noqa: PTH208 - it is a hot path
        except OSError:
            continue
        for name in names:
            try:
                yield os.stat(f"{folder}/{name}")  # noqa: PTH116 - it is a hot path
            except OSError:
                continue


def cpu_clock(pid: int) -> int:
    """Return the id of the clock of a process's CPU time, for `time.clock_gettime_ns`; see clock_getcpuclockid(3)."""
    return (~pid << 3) | 2


def cpu_clock_us(pid: int) -> int:
    """Return the CPU time of a live process with all its threads, in microseconds; raise `OSError` when it is gone."""
    return time.clock_gettime_ns((~pid << 3) | 2) // 1000


def reaped_cpu_us(pid: int) -> int:
    """Return the CPU time of the ended children that the process has waited for, in microseconds."""
    fields = stat_fields(pid)
    return (int(fields[13]) + int(fields[14])) * TICK_US if len(fields) > 14 else 0


def tasks(pid: int) -> int:
    """Return the number of threads of a process, 0 when it is gone."""
    fields = stat_fields(pid)
    return int(fields[17]) if len(fields) > 17 else 0


def _inodes() -> dict[int, int]:
    """Return the processes of the machine, each with the inode of its folder in `/proc`."""
    with os.scandir("/proc") as entries:  # it is a hot path
        return {int(entry.name): entry.inode() for entry in entries if entry.name.isdigit()}


class ProcessTable:
    """Which process belongs to which bot; shared by all bots of one referee."""

    def __init__(self) -> None:
        self._owner: dict[int, int] = {}
        self._inode: dict[int, int] = {}

    def register(self, root: int) -> None:
        """Make `root` the owner of itself and of everything that it will start."""
        self._owner[root] = root

    def forget(self, root: int) -> None:
        """Drop a root that is gone with all its processes."""
        for pid in [pid for pid, owner in self._owner.items() if owner == root]:
            del self._owner[pid]

    def refresh(self) -> None:
        """Look at the processes that are new, and forget those that are gone."""
        self.seen(_inodes())

    def seen(self, present: Mapping[int, int]) -> None:
        """Take note of the processes that there are, each with its inode."""
        owners, inodes = self._owner, self._inode
        for pid, owner in list(owners.items()):
            inode = present.get(pid)
            # A root is our child: its number is nobody else's before we have waited for it. Where the kernel is short
            # of memory it makes inodes anew; then others are attributed again, to the same root.
            if inode is None or (owner != pid and inode != inodes.get(pid)):
                del owners[pid]
        self._inode = dict(present)
        parents = {pid: self._parent(pid) for pid in present.keys() - owners.keys()}
        for pid in parents:
            self._attribute(pid, parents)

    def members(self, root: int) -> list[int]:
        """Return the processes of `root`, itself included, as of the last refresh, oldest known first."""
        return [pid for pid, owner in self._owner.items() if owner == root]

    def _attribute(self, pid: int, parents: dict[int, int]) -> int:
        path = []
        while pid not in self._owner and pid in parents:
            path.append(pid)
            pid = parents[pid]
        owner = self._owner.get(pid, FOREIGN)
        for member in reversed(path):
            self._owner[member] = owner
        return owner

    @staticmethod
    def _parent(pid: int) -> int:
        fields = stat_fields(pid)
        return int(fields[1]) if len(fields) > 1 else FOREIGN
