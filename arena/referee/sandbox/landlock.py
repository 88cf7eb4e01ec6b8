"""Landlock and prctl through ctypes (Linux). Standard library only: the guardian loads it in the bot's process.

Landlock needs no privilege and no namespace. File rules exist from ABI 1, TCP rules from 4, and from 6 on a
process can be kept from signalling, and from abstract sockets of, processes outside.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  #: system calls, the same on all processors
_VERSION_FLAG, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
#: All rights over files that an ABI knows, as a number of lowest bits.
_BITS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15}
_BITS_FROM_ABI_5 = 16
_NET_BIND_AND_CONNECT, _SCOPE_SOCKETS_AND_SIGNALS = 3, 3

READ = _EXECUTE | _READ_FILE | _READ_DIR
LIST = _READ_DIR
WRITE = -1  #: everything

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_MODE_FILTER = 2

_libc = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """Return the kernel's Landlock ABI, 0 where there is none."""
    return max(0, int(_libc.syscall(_CREATE, None, 0, _VERSION_FLAG)))


def restrict(rules: Iterable[tuple[str, int]]) -> None:
    """Keep this thread, and what it starts, to `rules` of (path, rights); missing paths are skipped.

    TCP, signals to the outside and abstract sockets are refused as far as the kernel can. `no_new_privileges`
    comes first. Raise `OSError` when the kernel refuses.
    """
    version = abi()
    handled = (1 << _BITS_BY_ABI.get(version, _BITS_FROM_ABI_5)) - 1
    attributes = struct.pack("=Q", handled)
    if version >= 4:
        attributes += struct.pack("=Q", _NET_BIND_AND_CONNECT)
    if version >= 6:
        attributes += struct.pack("=Q", _SCOPE_SOCKETS_AND_SIGNALS)
    ruleset = _checked(_libc.syscall(_CREATE, attributes, len(attributes), 0))
    try:
        for path, rights in rules:
            _add(ruleset, path, rights & handled)
        _checked(_libc.syscall(_RESTRICT, ruleset, 0))
    finally:
        os.close(ruleset)


def no_new_privileges() -> None:
    """Let no program that is started gain anything, for good."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Take all capabilities away from what is started next, root's too; does nothing for other users."""
    if os.geteuid() == 0:
        for number in range(64):
            _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)  # a number the kernel does not know is an error


def die_with_parent(number: int) -> None:
    """Receive signal `number` when the thread that started this process ends."""
    _prctl(_PR_SET_PDEATHSIG, number)


def become_subreaper() -> None:
    """Become the parent of every orphan below."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def install_filter(code: bytes) -> None:
    """Install a seccomp filter, the instructions as `seccomp.program` gives them."""
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.c_char_p(header))


def _add(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _FILE_RIGHTS
        rule = struct.pack("=Qi", rights, descriptor)
        _checked(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0))
    finally:
        os.close(descriptor)


def _prctl(option: int, value: int, argument: object = 0) -> None:
    _checked(_libc.prctl(option, value, argument, 0, 0))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
