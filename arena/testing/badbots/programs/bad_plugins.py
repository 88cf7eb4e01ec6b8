"""Plugin bots that misbehave in one way each."""

# ruff: noqa: ARG002 - bots that misbehave don't look at what they get

from __future__ import annotations

import sys
import threading
import time

from arena.sdk import Bot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arena.sdk import End, Start, Turn


class RaisesEverywhere(Bot):
    """Raises in every callback."""

    def started(self, start: Start) -> None:
        """Raise."""
        raise RuntimeError(f"no match on seat {start.seat} for me")

    def choose(self, turn: Turn) -> int:
        """Raise."""
        raise RuntimeError(f"no answer to request {turn.id}")

    def ended(self, end: End) -> None:
        """Raise."""
        raise RuntimeError(f"no end by {end.termination}")


class RaisesWhenAsked(Bot):
    """Raises at its first request."""

    def choose(self, turn: Turn) -> int:
        """Raise."""
        raise RuntimeError(f"no answer to request {turn.id}")


class LoopsForEver(Bot):
    """Loops for ever at its first request."""

    def choose(self, turn: Turn) -> int:
        """Never return."""
        while True:
            pass


class LeavesThreadsRunning(Bot):
    """Plays on while its threads, which would keep Python from ending, sleep for ever."""

    def started(self, start: Start) -> None:
        """Start the threads."""
        for _ in range(3):
            threading.Thread(target=time.sleep, args=(3600,)).start()

    def choose(self, turn: Turn) -> int:
        """Play the first option."""
        return 0


class PrintsEverywhere(Bot):
    """Prints to stdout in every callback; the host turns that to stderr, so it is legal."""

    def started(self, start: Start) -> None:
        """Print."""
        print("we begin as", start.seat)

    def choose(self, turn: Turn) -> int:
        """Print and play the first option."""
        print('{"type":"action","id":0,"option":99}')
        sys.__stdout__ and sys.__stdout__.write("and through the back door\n")
        return 0
