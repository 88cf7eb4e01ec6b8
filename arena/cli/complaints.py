"""What is said of bots that fail: everything the first time, afterwards only how often it happened again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import click

from arena.cli.output import dim, strong
from arena.referee.record import Fault
from arena.wording import counted

STDERR_LINES = 5  #: of the tail that are shown


class Complaints:
    """Faults of a run as they are told to its organiser."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` prints one or several lines."""
        self._say = say
        self._told: dict[tuple[str, str, str], str] = {}
        self._again: Counter[tuple[str, str, str]] = Counter()

    def fault(self, match_id: str, entrant: str, fault: Fault, log: Path | None = None) -> None:
        """Tell a fault, unless the same was told of this entrant before: then count it.

        Two faults are the same when they differ in numbers only. `log` is where the entrant's output stands.
        """
        kind = (entrant, fault.verdict.value, _without_numbers(fault.reason))
        if kind in self._told:
            self._again[kind] += 1
            return
        self._told[kind] = fault.reason
        self._say("\n".join(self._lines(match_id, entrant, fault, log)))

    def summary(self) -> list[str]:
        """Return one line for each complaint that came again, the most frequent first."""
        return [
            f"{entrant}: the same in {counted(times, 'more match', 'more matches')}: {verdict}: "
            f"{self._told[entrant, verdict, reason]}"
            for (entrant, verdict, reason), times in self._again.most_common()
        ]

    @staticmethod
    def _lines(match_id: str, entrant: str, fault: Fault, log: Path | None) -> list[str]:
        what = "forfeits" if fault.forfeits else "spends a strike"
        head = f"{match_id}: {strong(entrant)} (seat {fault.seat}) {what}: "
        lines = [head + click.style(fault.verdict.value, fg="red") + f": {fault.reason}"]
        if fault.exit_status and fault.exit_status not in fault.reason:
            lines.append(f"    it ended with {fault.exit_status}")
        if fault.advice:
            lines.append(f"    advice: {fault.advice}")
        lines += [dim(f"    stderr: {line}") for line in last_lines(fault.stderr_tail)]
        if log is not None:
            lines.append(dim(f"    log: {log}"))
        return lines


def last_lines(stderr: str, number: int = STDERR_LINES) -> list[str]:
    """Return the last lines that say something; those that only underline the one above are left out."""
    return [line for line in stderr.splitlines() if line.strip(" ^~")][-number:]


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text)
