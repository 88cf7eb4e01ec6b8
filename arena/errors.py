"""The errors of castell-arena.

The type says whose fault it is. What a *bot* does wrong is never an exception: it is a
:class:`arena.referee.record.Fault` inside a record. Anything that is not an `ArenaError` is a bug.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs


class ArenaError(Exception):
    """Base of all errors that a person can do something about; `str()` is one plain sentence or a short list."""


@attrs.frozen
class Problem:
    """One thing that is wrong with an input."""

    path: str  #: where it is, for example ``clock.per_action_ms`` or ``entrants[2].name``
    problem: str  #: what is wrong, with the offending value, and what to do

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


class ConfigError(ArenaError):
    """A configuration (tournament file, edition file, arguments) is wrong; carries *all* its problems."""

    def __init__(self, problems: Iterable[Problem], *, source: str = "") -> None:
        self.problems = tuple(problems)
        self.source = source
        lines = [str(problem) for problem in self.problems]
        if len(lines) == 1:
            text = f"{source}: {lines[0]}" if source else lines[0]
        else:
            head = f"{source}: {len(lines)} problems" if source else f"{len(lines)} problems"
            text = "\n  ".join([head, *lines])
        super().__init__(text)


class EntrantError(ArenaError):
    """A bot can't be built or started where nothing can be played without it."""


class PluginError(ArenaError):
    """A plugin could not be loaded or broke its contract; names the plugin."""

    def __init__(self, plugin: str, problem: str) -> None:
        self.plugin = plugin
        self.problem = problem
        super().__init__(f"plugin {plugin}: {problem}")


class ArchiveError(ArenaError):
    """A stored run can't be read, written or continued; names the file."""

    def __init__(self, file: str, problem: str) -> None:
        self.file = file
        self.problem = problem
        super().__init__(f"{file}: {problem}")


class NotationError(ArenaError, ValueError):
    """A text is no action of this game at all."""


class IllegalAction(ArenaError, ValueError):
    """An action is not allowed in this state; the text says which rule. The state is unchanged."""


class ProtocolError(ArenaError):
    """The protocol between referee and bot was broken."""


class LocalProtocolError(ProtocolError):
    """We broke the protocol: a bug of the caller."""


class RemoteProtocolError(ProtocolError):
    """The other side broke the protocol; `str()` is the reason, one sentence that quotes what was received."""

    def __init__(self, reason: str, *, verdict: str = "protocol", advice: str = "") -> None:
        self.verdict = verdict  #: `protocol` or `output limit`: the text of the `Verdict` it deserves
        self.advice = advice  #: what the author of the other side can do about it
        super().__init__(reason)
