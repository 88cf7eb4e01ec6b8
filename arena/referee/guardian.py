"""The guardian of one bot on the rungs without a process namespace (Linux); run as a script, standard library only.

    python -I -S guardian.py WORD=VALUE ... -- PROGRAM ARGUMENT ...

It lives in a session of its own, is the subreaper of everything the bot starts, and starts the bot: in another
session, lowered as its words say. It sweeps up all that is left when the bot ends, and when the pipe `alive`
ends, which is when the referee is gone. When the guardian dies the bot is killed by the kernel. Its exit status is
the bot's. Words: `info=FD`, `alive=FD`, `nice=N`, `uid=N`, `limit=NAME:VALUE`, `filter=KIND`, `chdir=FOLDER`,
`read=PATH`, `list=PATH`, `write=PATH`; any of the last three confines the bot by Landlock.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sandbox"))  # noqa: PTH100, PTH118, PTH120

import landlock  # type: ignore[import-not-found]
import seccomp  # type: ignore[import-not-found]

del sys.path[0]

NOT_STARTED = 127
Options = dict[str, list[str]]


def parse(words: list[str]) -> tuple[Options, list[str]]:
    """Return the options and the bot's program."""
    split = words.index("--")
    options: Options = {}
    for word in words[:split]:
        name, _, value = word.partition("=")
        options.setdefault(name, []).append(value)
    return options, words[split + 1 :]


def become_bot(options: Options, argv: list[str]) -> None:
    """Lower this process as told and exec the bot; never return."""
    try:
        guardian = os.getppid()
        os.setsid()
        os.nice(int(options["nice"][0]))
        confine(options)
        landlock.die_with_parent(signal.SIGKILL)  # a change of user would clear it
        if os.getppid() != guardian:
            os._exit(NOT_STARTED)
        os.chdir(options["chdir"][0])
        os.execv(argv[0], argv)  # noqa: S606
    except OSError as error:
        os.write(2, f"{argv[0]} can't be started: {error}\n".encode())
    finally:
        os._exit(NOT_STARTED)


def confine(options: Options) -> None:
    """Take away files, calls, resources and the user, in the order in which each can still be done."""
    lowered = any(word in options for word in ("uid", "limit", "filter", "read"))
    if lowered:
        landlock.no_new_privileges()
        landlock.drop_capabilities()
    rules = [(path, landlock.READ) for path in options.get("read", [])]
    rules += [(path, landlock.LIST) for path in options.get("list", [])]
    rules += [(path, landlock.WRITE) for path in options.get("write", [])]
    for text in options.get("limit", []):
        name, _, value = text.partition(":")
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (int(value), int(value)))
    if rules:
        landlock.restrict(rules)
    for value in options.get("uid", []):
        os.setgroups([])
        os.setresgid(int(value), int(value), int(value))
        os.setresuid(int(value), int(value), int(value))
    for kind in options.get("filter", []):
        landlock.install_filter(seccomp.program(kind))


def guard(bot: int, alive: int, woken: int) -> int:
    """Wait until the bot ends or the referee is gone; return the bot's wait status, a kill's when it was killed."""
    poll = select.poll()
    poll.register(alive, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if woken in ready:
            os.read(woken, 4096)
        status = reap(bot)
        if status is not None:
            return status
        if alive in ready:
            return int(signal.SIGKILL)


def reap(bot: int) -> int | None:
    """Wait for all children that have ended; return the bot's status when it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == bot:
            found = status


def sweep() -> None:
    """Kill everything below until nothing is left; orphans come to us, so this ends."""
    while True:
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.001)


def descendants(root: int) -> list[int]:
    """Return all processes below `root`."""
    below = {root}
    parents = {int(name): parent_of(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208
    grown = True
    while grown:
        new = {pid for pid, parent in parents.items() if parent in below} - below
        below |= new
        grown = bool(new)
    return sorted(below - {root})


def parent_of(pid: str) -> int:
    """Return the parent's process id, 0 when the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            text = file.read()
    except OSError:
        return 0
    return int(text[text.rfind(b")") + 2 :].split()[1])


def leave(status: int) -> None:
    """End as the bot did."""
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if number:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def main(words: list[str]) -> None:
    """Start the bot and guard it."""
    options, argv = parse(words)
    info, alive = int(options["info"][0]), int(options["alive"][0])
    os.set_inheritable(info, False)
    os.set_inheritable(alive, False)
    landlock.become_subreaper()
    woken, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake)
    bot = os.fork()
    if bot == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        become_bot(options, argv)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.write(info, b'{"child-pid": %d}' % bot)
    os.close(info)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # the bot's pipes are the bot's alone
        os.dup2(nothing, descriptor)
    status = guard(bot, alive, woken)
    sweep()
    leave(status)


if __name__ == "__main__":
    main(sys.argv[1:])
