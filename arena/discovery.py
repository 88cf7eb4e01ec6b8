"""Finds out what installed plugins bring, without trusting them: each is loaded in a child process with a deadline.

The child (`arena.discovery_child`) sends plain facts back. A plugin that fails, prints to stdout or hangs
is left out, by name and with its reason; it can't hurt the others, nor this process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from importlib.metadata import distributions
from pathlib import Path

import attrs
import msgspec

from arena.child import child, kill
from arena.hookspecs import PROJECT, BotPlugin, FormatPlugin

DEADLINE_S = 20.0  #: for one plugin; generous because a busy machine must not lose plugins

#: Run by the child: take over the parent's path before anything but the standard library is imported.
_CHILD = (
    "import json, sys; request = json.load(sys.stdin); sys.path[:] = request['path']; "
    "from arena.discovery_child import main; main(request['entry_point'])"
)


@attrs.frozen(kw_only=True)
class EntryPoint:
    """Where a plugin stands."""

    distribution: str  #: as named in its metadata
    version: str
    name: str
    value: str  #: `module` or `module:attr`

    @property
    def title(self) -> str:
        """How people are told of it."""
        return self.distribution if self.name == self.distribution else f"{self.distribution} ({self.name})"


@attrs.frozen(kw_only=True)
class GameFacts:
    """What is known of a plugin's game before its code is let in."""

    name: str
    version: str
    seats: tuple[int, ...]
    summary: str = ""


@attrs.frozen(kw_only=True)
class InstalledBot(BotPlugin):
    """A plugin's bot and where its code stands."""

    distribution: str = ""
    search_path: tuple[str, ...] = ()  #: folders to put on `sys.path` so that `target` can be imported


@attrs.frozen(kw_only=True)
class PluginFacts:
    """What one plugin brings; with a `reason` it is left out and brings nothing."""

    entry_point: EntryPoint
    games: tuple[GameFacts, ...] = ()
    bots: tuple[InstalledBot, ...] = ()
    formats: tuple[FormatPlugin, ...] = ()
    observes: bool = False  #: whether it wants to hear of finished matches or tournaments
    reason: str = ""


def discover(path: Sequence[str] | None = None, *, deadline_s: float = DEADLINE_S) -> tuple[PluginFacts, ...]:
    """Return the facts of every plugin on `path` (`sys.path` if None), sorted by distribution and entry point.

    Remembered for the life of this process. Takes at most `deadline_s` for each plugin, several at a time.
    """
    return _discover(tuple(sys.path if path is None else path), deadline_s)


@lru_cache(maxsize=8)
def _discover(path: tuple[str, ...], deadline_s: float) -> tuple[PluginFacts, ...]:
    absolute = [str(Path(folder).absolute()) for folder in path]
    found = sorted(_entry_points(absolute), key=lambda entry: (entry.distribution, entry.name))
    if not found:
        return ()
    running: set[subprocess.Popen[bytes]] = set()
    with ThreadPoolExecutor(max_workers=(os.cpu_count() or 1) + 1) as pool:
        asked = [pool.submit(_ask, entry, absolute, deadline_s, running) for entry in found]
        try:
            return tuple(future.result() for future in asked)
        except BaseException:  # Ctrl-C above all: nobody waits for a plugin that hangs
            for future in asked:
                future.cancel()
            while wait(asked, timeout=0.02).not_done:
                for process in tuple(running):
                    kill(process)
            raise


def _entry_points(path: list[str]) -> Iterator[EntryPoint]:
    seen: set[str] = set()
    for distribution in distributions(path=path):
        name = distribution.metadata["Name"]
        if name in seen:
            continue  # an older copy further back on the path: Python wouldn't import it either
        seen.add(name)
        for entry in distribution.entry_points:
            if entry.group == PROJECT:
                yield EntryPoint(distribution=name, version=distribution.version, name=entry.name, value=entry.value)


def _ask(entry: EntryPoint, path: list[str], deadline_s: float, running: set[subprocess.Popen[bytes]]) -> PluginFacts:
    """Load one plugin in a child, which is among the `running` meanwhile."""
    request = msgspec.json.encode({"path": path, "entry_point": entry})
    with child([sys.executable, "-I", "-c", _CHILD], stderr=subprocess.DEVNULL) as process:
        running.add(process)
        try:
            answer, _ = process.communicate(request, timeout=deadline_s)
        except subprocess.TimeoutExpired:
            return PluginFacts(entry_point=entry, reason=f"did not finish loading within {deadline_s:g} s")
        finally:
            running.discard(process)
    try:
        return msgspec.json.decode(answer, type=PluginFacts)
    except msgspec.DecodeError:
        return PluginFacts(entry_point=entry, reason=f"ended the process while loading ({_status(process.returncode)})")


def _status(returncode: int) -> str:
    return f"exit code {returncode}" if returncode >= 0 else f"signal {signal.Signals(-returncode).name}"
