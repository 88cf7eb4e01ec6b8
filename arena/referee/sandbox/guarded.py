"""The rungs without namespaces: Landlock with seccomp, resource limits, and nothing. Each bot has a guardian."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from arena.referee import procfs
from arena.referee.rung import BOT_NICENESS, BotPlan, Launch
from arena.referee.sandbox import program, seccomp
from arena.referee.sandbox.bubblewrap import ETC
from arena.referee.sandbox.limits import rlimits
from arena.referee.sandbox.scratch import empty
from arena.referee.sandbox.usage import Folder, files_allowed

GUARDIAN = program.ARENA_FOLDER / "referee" / "guardian.py"
SYSTEM_READABLE = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", *(f"/etc/{name}" for name in ETC))
#: What runtimes look up about the machine and themselves; other processes stay out of sight.
PROC_READABLE = ("self", "cpuinfo", "meminfo", "stat", "filesystems", "version", "sys/vm", "sys/kernel/osrelease")
SPARE_PROCESSES = 16  #: of a user that is not the bot's alone; there the exact cap is the driver's, who watches
DEVICES = ("null", "zero", "full", "random", "urandom")


@attrs.frozen(kw_only=True)
class Guarded:
    """Bots below a guardian that sweeps up after them; what else holds depends on the rung."""

    name: str  #: `landlock`, `rlimits` or `off`
    user: str = "kept"  #: `dropped`: as another user than the root referee

    def launch(self, plan: BotPlan) -> Launch:
        """Return how to start the bot, its scratch folder emptied; raise `StartError` when it has no program."""
        argv = program.argv_of(plan.entrant)
        empty(plan.scratch, owner=plan.uid if self.user == "dropped" else None)
        folder = program.folder_of(plan.entrant)
        words = [f"info={plan.info_fd}", f"alive={plan.alive_fd}", f"nice={BOT_NICENESS}", f"chdir={folder}"]
        if self.name != "off":
            words += [
                f"limit={name}:{value}" for name, value in rlimits(plan, processes=self._process_cap(plan)).items()
            ]
        if self.user == "dropped":
            words.append(f"uid={plan.uid}")
        if self.name == "landlock":
            # Files of others are safe from another user anyway. A linker has to make its program executable.
            kind = seccomp.CONFINED if plan.builds or self.user == "dropped" else seccomp.OWNING_NOTHING
            words += [f"filter={kind}", *file_rules(plan)]
        script = (program.interpreter(), "-I", "-S", str(GUARDIAN))
        return Launch(
            argv=(*script, *words, "--", *argv),
            env=program.environment(plan.entrant, str(plan.scratch)),
            folder="/",
            scratch=Folder(plan.scratch, plan.limits.scratch_mb, files_allowed(plan)),
            pass_fds=(plan.info_fd, plan.alive_fd),
        )

    def _process_cap(self, plan: BotPlan) -> int:
        """The kernel counts by user: where the bot shares ours, what runs already and guardians must fit too."""
        return plan.processes if self.user == "dropped" else plan.processes + _tasks_of(os.geteuid()) + SPARE_PROCESSES


def file_rules(plan: BotPlan) -> list[str]:
    """Return the guardian's words for what the bot may read, list and write."""
    hidden = program.hidden_paths(plan.entrant)
    words = [f"read={path}" for path in SYSTEM_READABLE]
    words += [f"read=/proc/{name}" for name in PROC_READABLE]
    words += [f"write=/dev/{name}" for name in DEVICES]
    for path in program.readable_paths(plan.entrant):
        words += _without(path, hidden)
    # Python looks for packages by listing the folder they stand in: names below it, no contents.
    return [*words, f"list={program.ARENA_FOLDER.parent}", f"write={plan.scratch}"]


def _without(path: str, hidden: Iterable[str]) -> Iterator[str]:
    """Allow `path` but for what is hidden below it: a rule of Landlock holds for a whole hierarchy."""
    if path in hidden:
        return
    if not any(other.startswith(path + "/") for other in hidden):
        yield f"read={path}"
        return
    yield f"list={path}"
    for entry in sorted(Path(path).iterdir()):
        yield from _without(str(entry), hidden)


def _tasks_of(uid: int) -> int:
    folders = (path for path in Path("/proc").iterdir() if path.name.isdigit())
    total = 0
    for folder in folders:
        try:
            if folder.stat().st_uid == uid:
                total += procfs.tasks(int(folder.name))
        except OSError:
            continue
    return total
