"""How long a bot may think: deadlines from the clock that it is told."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.sdk import Clock, Turn

RESERVE_MS = 12.0  #: the answer has to travel, and no step of a search is interrupted
RESERVE_SHARE = 0.2  #: of the limit, for steps that last longer on a slow machine
UNLIMITED_MS = 150.0  #: thought at each request when there is no limit
REQUESTS_AHEAD = 12  #: a bank is never spent as if fewer requests would come


class OutOfTime(Exception):
    """The deadline has passed; what was found so far counts."""


class Deadline:
    """The end of thinking about one request, on the clock that counts."""

    def __init__(self, clock: Clock, turn: Turn) -> None:
        """Start thinking now; some of the time may be gone already."""
        self._now: Callable[[], float] = time.process_time if clock.kind == "cpu" else time.monotonic
        gone_ms = 0.0 if clock.kind == "cpu" else (time.monotonic() - turn.received) * 1000
        self._end = self._now() + (think_ms(turn) - gone_ms) / 1000

    def left_ms(self) -> float:
        """Return what is left, below 0 when there is nothing."""
        return (self._end - self._now()) * 1000

    def check(self) -> None:
        """Raise `OutOfTime` when it has passed."""
        if self._now() >= self._end:
            raise OutOfTime


def think_ms(turn: Turn) -> float:
    """Return how long to think about a request, in ms, without what is kept in reserve."""
    if turn.limit_ms is None:
        return UNLIMITED_MS
    limit = float(turn.limit_ms)
    if turn.bank_ms is not None:
        limit = min(limit, max(turn.bank_ms, 0) / REQUESTS_AHEAD)
    return limit - max(RESERVE_MS, RESERVE_SHARE * limit) if limit > 2 * RESERVE_MS else limit / 4


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep the garbage collector away: among a search's many small objects it takes tens of ms at a time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
