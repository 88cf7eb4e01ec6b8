"""System call filters, assembled by hand (Linux; x86-64 and ARM 64). Standard library only: the guardian loads it.

`NAMESPACES` is for bots with namespaces of their own: it refuses new ones, mounts, tracing, kernel doors, memory
outside processes, sockets that namespaces don't shut in, and leaving the core that the match is pinned to. `CONFINED`
refuses all sockets but pairs, and reaching for other processes, too. `OWNING_NOTHING` also refuses what an owner may do
to a file without opening it: change its rights, owner, times and attributes.
"""

from __future__ import annotations

import os
import platform
import struct
from collections.abc import Mapping, Sequence

# Numbers on x86-64 and ARM 64, from the kernel's system call tables.
_KERNEL_DOORS = {
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268),
    "unshare": (272, 97), "ptrace": (101, 117), "bpf": (321, 280), "perf_event_open": (298, 241),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "userfaultfd": (323, 282),
    "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "open_by_handle_at": (304, 265), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "pidfd_getfd": (438, 438), "acct": (163, 89), "swapon": (167, 224),
    "reboot": (169, 142), "syslog": (103, 116), "sched_setaffinity": (203, 122),
    # memory that belongs to no process, where a cap on resident memory would not see it
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
}  # fmt: skip
_REACHING = {
    "socket": (41, 198), "setpriority": (141, 140), "msgget": (68, 186), "semget": (64, 190),
    "mq_open": (240, 180), "process_madvise": (440, 440), "ioprio_set": (251, 30),
    # what others of the same user made: segments, queues and semaphores have small numbers that anybody can guess
    "shmat": (30, 196), "shmctl": (31, 195), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192), "mq_unlink": (241, 181),
    # names of files that others make and open
    "inotify_add_watch": (254, 27), "fanotify_init": (300, 262),
}  # fmt: skip
#: What an owner may do to a file wherever it is: Landlock has no rule for it. `_NONE` is no call at all.
_NONE = 0xFFFF_FFFF
_OWNING = {
    "chmod": (90, _NONE), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, _NONE), "lchown": (94, _NONE), "fchown": (93, 55), "fchownat": (260, 54),
    "utime": (132, _NONE), "utimes": (235, _NONE), "futimesat": (261, _NONE), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}  # fmt: skip
#: Families of sockets that a network namespace shuts in: local, IPv4, IPv6, netlink. Others, of a virtual machine's
#: host for one, lead past it.
_MAKING_SOCKETS, _FAMILIES = ((41, 198), (53, 199)), (1, 2, 10, 16)
#: Calls that succeed without doing anything: buffers of sockets belong to no process, and stay as small as they are.
_SETSOCKOPT, _SOL_SOCKET, _BUFFER_OPTIONS = (54, 208), 1, (7, 8)
#: Refused for any process but the caller (first argument 0): who lets an opponent wait for the core wins.
_OTHERS_ONLY = {
    "prlimit64": (302, 261),
    "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
}  # fmt: skip
_CLONE, _CLONE3 = (56, 220), 435
_NEW_NAMESPACES = 0x7E02_0000  #: the CLONE_NEW* flags

_MACHINES = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}  #: column of the tables, AUDIT_ARCH
_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_NUMBER, _ARCH, _ARGUMENT, _NEXT_ARGUMENT = 0, 4, 16, 8  #: offsets in the kernel's struct seccomp_data
_X32_BIT = 0x4000_0000

NAMESPACES = "namespaces"
CONFINED = "confined"
OWNING_NOTHING = "owning-nothing"


def supported() -> bool:
    """Return whether there are filters for this machine's processor."""
    return platform.machine() in _MACHINES


def program(kind: str) -> bytes:
    """Return the filter as instructions for the kernel; b"" on a processor that is not supported."""
    if not supported():
        return b""
    column, arch = _MACHINES[platform.machine()]
    code = [_op(_LOAD, _ARCH), _op(_EQUAL, arch, 1, 0), _op(_RETURN, _KILL), _op(_LOAD, _NUMBER)]
    if column == 0:
        code += [_op(_ABOVE, _X32_BIT, 0, 1), _op(_RETURN, _ERRNO | _ENOSYS)]
    refused = _KERNEL_DOORS | (_REACHING if kind != NAMESPACES else {}) | (_OWNING if kind == OWNING_NOTHING else {})
    for numbers in refused.values():
        code += [_op(_EQUAL, numbers[column], 0, 1), _op(_RETURN, _ERRNO | _EPERM)]
    code += [_op(_EQUAL, _CLONE3, 0, 1), _op(_RETURN, _ERRNO | _ENOSYS)]  # its flags can't be seen: libraries use clone
    code += _on_argument(_CLONE[column], _op(_ANY_BIT, _NEW_NAMESPACES, 0, 1))
    for numbers in _OTHERS_ONLY.values():
        code += _on_argument(numbers[column], _op(_EQUAL, 0, 1, 0))
    for numbers in _MAKING_SOCKETS:
        code += _only(numbers[column], _FAMILIES)
    for option in _BUFFER_OPTIONS:
        code += _pretend(_SETSOCKOPT[column], {1: _SOL_SOCKET, 2: option})
    return b"".join([*code, _op(_RETURN, _ALLOW)])


def as_file(kind: str) -> int:
    """Return a new descriptor from which the filter can be read."""
    descriptor = os.memfd_create(f"seccomp-{kind}", os.MFD_CLOEXEC)
    os.write(descriptor, program(kind))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _on_argument(number: int, test: bytes) -> list[bytes]:
    """Refuse call `number` when `test` of its first argument falls through to the next instruction."""
    return [
        _op(_EQUAL, number, 0, 4),
        _op(_LOAD, _ARGUMENT),
        test,
        _op(_RETURN, _ERRNO | _EPERM),
        _op(_LOAD, _NUMBER),
    ]


def _only(number: int, values: Sequence[int]) -> list[bytes]:
    """Refuse call `number` unless its first argument is one of `values`."""
    tests = [_op(_EQUAL, value, left, 0) for left, value in zip(range(len(values), 0, -1), values, strict=True)]
    refuse = [_op(_RETURN, _ERRNO | _EAFNOSUPPORT), _op(_LOAD, _NUMBER)]
    return [_op(_EQUAL, number, 0, len(tests) + 3), _op(_LOAD, _ARGUMENT), *tests, *refuse]


def _pretend(number: int, arguments: Mapping[int, int]) -> list[bytes]:
    """Let call `number` with these arguments (by their places) succeed without being made."""
    tests = []
    for left, (place, value) in zip(range(len(arguments) - 1, -1, -1), arguments.items(), strict=True):
        tests += [_op(_LOAD, _ARGUMENT + place * _NEXT_ARGUMENT), _op(_EQUAL, value, 0, 2 * left + 1)]
    return [_op(_EQUAL, number, 0, len(tests) + 2), *tests, _op(_RETURN, _ERRNO), _op(_LOAD, _NUMBER)]


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
