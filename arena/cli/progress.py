"""How a run is watched: a block that is redrawn on a terminal, a plain line now and then when piped."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import attrs
import click

from arena.cli.output import dim
from arena.games.api import Seat
from arena.terminal import passing
from arena.wording import counted

PLAIN_EVERY_S = 10.0  #: between two lines of a run that is piped
REDRAW_EVERY_S = 0.2
BAR_WIDTH = 30


@attrs.frozen(kw_only=True)
class Progress:
    """How far a run is."""

    done: int  #: matches whose fate is known
    total: int | None  #: of the plan; None where that depends on results
    done_before: int = 0  #: of `done`, by an earlier start of the same run
    elapsed_s: float = 0.0  #: since this start
    playing: int = 0  #: matches that are being played now
    state: str = ""  #: where the tournament stands, in the words of its format
    hosts: str = ""  #: the machines it is played on, where there are several

    @property
    def per_second(self) -> float:
        """Matches a second since this start."""
        return (self.done - self.done_before) / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds to go at this rate; None while that can't be said."""
        if self.total is None or self.per_second == 0:
            return None
        return (self.total - self.done) / self.per_second


def told(progress: Progress) -> str:
    """Return a line such as `120 of 400 matches, 3.1 a second, 1 min 30 s left`."""
    total = f" of {progress.total:,}" if progress.total is not None else ""
    parts = [f"{progress.done:,}{total} matches"]
    if progress.per_second:
        rate = progress.per_second
        parts.append(f"{rate:.1f} a second" if rate >= 1 else f"{rate * 60:.1f} a minute")
    if progress.left_s is not None and progress.done != progress.total:
        parts.append(f"{duration(progress.left_s)} left")
    parts += [text for text in (progress.hosts, progress.state) if text]
    return ", ".join(parts)


def bar(progress: Progress, width: int = BAR_WIDTH) -> str:
    """Return a bar, empty where the total is not known."""
    filled = 0 if not progress.total else min(width, width * progress.done // progress.total)
    return f"[{'#' * filled}{'-' * (width - filled)}]"


def duration(seconds: float) -> str:
    """Return a time such as `8 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class PlainView:
    """Lines for a pipe or a file."""

    def __init__(
        self, *, err: bool = False, now: Callable[[], float] = time.monotonic, every_s: float = PLAIN_EVERY_S
    ) -> None:
        """Make a view; with `err` it prints to stderr."""
        self._err = err
        self._now = now
        self._every_s = every_s
        self._next_s = now() + every_s

    def say(self, text: str) -> None:
        """Print."""
        click.echo(text, err=self._err)

    def update(self, progress: Progress, standings: Callable[[], Sequence[str]]) -> None:
        """Print a line of progress if it is time."""
        del standings
        if self._now() >= self._next_s:
            self._next_s = self._now() + self._every_s
            self.say(told(progress))

    def close(self) -> None:
        """Nothing is left to clear."""


class LiveView:
    """A block at the bottom of a terminal: bar, numbers, the standings so far; messages scroll above it."""

    def __init__(
        self,
        *,
        write: Callable[[str], None] | None = None,
        now: Callable[[], float] = time.monotonic,
        size: Callable[[], tuple[int, int]] | None = None,
    ) -> None:
        """Make a view; `size` returns columns and lines of the terminal."""
        self._write = write or (lambda text: click.echo(text, nl=False))
        self._now = now
        self._size = size or shutil.get_terminal_size
        self._next_s = now()
        self._drawn = 0

    def say(self, text: str) -> None:
        """Print above the block."""
        self._clear()
        self._write(f"{text}\n")

    def update(self, progress: Progress, standings: Callable[[], Sequence[str]]) -> None:
        """Redraw the block if it is time; `standings` is called only then."""
        if self._now() < self._next_s:
            return
        columns, lines = self._size()
        block = [*standings(), "", f"{bar(progress)} {told(progress)}", dim(f"{progress.playing} being played")]
        block = [_cut(line, columns - 1) for line in block[-(lines - 1) :]]
        self._clear()
        self._write("".join(f"{line}\n" for line in block))
        self._drawn = len(block)
        # What drawing costs may never cost more than a small part of the time.
        self._next_s = self._now() + REDRAW_EVERY_S

    def close(self) -> None:
        """Take the block away."""
        self._clear()

    def _clear(self) -> None:
        if self._drawn:
            self._write(f"\x1b[{self._drawn}F\x1b[J")
            self._drawn = 0


def _cut(line: str, width: int) -> str:
    """Cut a line to the terminal, so that it takes one row; a line that is cut loses its colour."""
    plain = click.unstyle(line)
    return line if len(plain) <= width else plain[: max(0, width - 1)] + "…"


@contextmanager
def checking(bot: str) -> Iterator[Callable[[Seat, int], None]]:
    """Yield what shows on a terminal how far the check of a bot is, and leave nothing of that behind."""
    try:
        yield lambda seat, actions: passing(f"  {bot} on seat {seat}: {counted(actions, 'action')} so far")
    finally:
        passing("")
