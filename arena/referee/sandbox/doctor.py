"""What this machine can enforce on bots, tried for real, and what to install for more; `arena doctor` shows it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import attrs

from arena.errors import ConfigError
from arena.referee.process import WATCH_EVERY_MS
from arena.referee.rung import Rung
from arena.referee.sandbox import bubblewrap, landlock, seccomp
from arena.referee.sandbox.choice import INSTALL, choose_rung, closed_folder, rungs, warning
from arena.referee.sandbox.probe import Findings, probe
from arena.referee.settings import SandboxPolicy

LOOKED_AT = f"seen every {WATCH_EVERY_MS} ms"  #: nothing but a look keeps a bot from it


@attrs.frozen(kw_only=True)
class RungReport:
    """What holds on one rung."""

    name: str
    program: str = ""  #: of bubblewrap: which one
    user: str  #: `dropped` or `kept`
    usable: bool  #: bots start there and can be measured
    hides: bool  #: network, files and the referee are out of reach
    holds: Mapping[str, str]  #: by what a bot might reach for: what became of it; empty when not usable
    problem: str = ""  #: why it is not usable


@attrs.frozen(kw_only=True)
class Report:
    """What holds on this machine."""

    chosen: str  #: the rung of `sandbox = "auto"`
    required: bool  #: whether `sandbox = "required"` can be met
    warning: str  #: what `auto` means here, "" when bots are shut in
    facts: Mapping[str, str]  #: about the machine
    rungs: tuple[RungReport, ...]  #: strongest first
    advice: tuple[str, ...]  #: what to do for more; empty when all is well


def examine() -> Report:
    """Try every rung of this machine, in about half a second; main thread only. Raise `ConfigError` off Linux."""
    chosen = choose_rung(SandboxPolicy.AUTO)
    closed = closed_folder() if os.geteuid() == 0 else ""
    tried = tuple(_report(rung) for rung in rungs(dropped=os.geteuid() == 0 and not closed))
    return Report(
        chosen=chosen.name,
        required=_can_be_required(),
        warning=warning(chosen),
        facts=_facts(closed),
        rungs=tried,
        advice=tuple(_advice(tried, closed)),
    )


def _report(rung: Rung) -> RungReport:
    found = probe(rung)
    return RungReport(
        name=rung.name,
        program=getattr(rung, "program", ""),
        user=rung.user,
        usable=found.runs,
        hides=found.hides,
        holds=_holds(rung, found) if found.runs else {},
        problem="" if found.runs else found.problem or "bots can't work or be measured there",
    )


def _holds(rung: Rung, found: Findings) -> dict[str, str]:
    referee = "signals reach it" if found.signal_referee else "readable" if found.inspect_referee else "out of reach"
    return {
        "network": "reached" if found.network else "blocked",
        "host files": "readable" if found.host_files else "hidden",
        "own folder": "writable" if found.own_folder else "read-only",
        "referee": referee,
        "memory": LOOKED_AT,
        "processes": LOOKED_AT if found.processes else "capped",
        "scratch folder": "capped" if rung.name == "bubblewrap" else LOOKED_AT,
        "core": "can be left" if found.leave_core else "kept",
        "user": "root" if found.user == 0 else f"uid {found.user}",
    }


def _facts(closed: str) -> dict[str, str]:
    programs = ", ".join(bubblewrap.candidates()) or "none"
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_version()} in {sys.base_prefix}",
        "user": "root" if os.geteuid() == 0 else f"uid {os.geteuid()}",
        "closed to other users": closed or "nothing on the way to Python",
        "cores": str(len(os.sched_getaffinity(0))),
        "bubblewrap": programs,
        "user namespaces": _user_namespaces(),
        "landlock": f"ABI {landlock.abi()}" if landlock.abi() else "not in this kernel",
        "seccomp": "filters for this processor" if seccomp.supported() else "no filters for this processor",
    }


def _user_namespaces() -> str:
    for name, off in (
        ("user/max_user_namespaces", "0"),
        ("kernel/unprivileged_userns_clone", "0"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
    ):
        try:
            if Path("/proc/sys", name).read_text().strip() == off:
                return f"shut for ordinary users by {name.replace('/', '.')}"
        except OSError:
            continue
    return "open"


def _advice(tried: tuple[RungReport, ...], closed: str) -> list[str]:
    top = [rung for rung in tried if rung.name == "bubblewrap"]
    if any(rung.hides for rung in top):
        return []
    lines = []
    if not top:
        lines.append(INSTALL)
    missing = [tool for tool in bubblewrap.CHAIN_TOOLS if shutil.which(tool) is None]
    if missing:
        lines.append(f"install util-linux and coreutils: {', '.join(missing)} is missing")
    if top and (why := _user_namespaces()) != "open":
        lines.append(f"bubblewrap can't work: user namespaces are {why}; the system's package may be exempt from it")
    if closed:
        lines.append(f"{closed} is closed to other users, so bots of a root referee stay root; play as another user")
    return lines


def _can_be_required() -> bool:
    try:
        choose_rung(SandboxPolicy.REQUIRED)
    except ConfigError:
        return False
    return True
