"""An opponent that plays any game, for checks of other bots; needs nothing but the arena itself."""

from __future__ import annotations

import time

from arena.sdk import Bot, Start, Turn

THINKS_AT = (2, 3)  #: of its requests in a match, counted from 1
THINKS_MS = 600  #: then, without using the CPU, unless the clock allows less
SHARE = 0.6  #: of its limit that it uses at most


class RandomOpponent(Bot):
    """Plays a random option, decided by its seed alone; thinks twice, so that a bot that computes off turn is seen."""

    name = "random opponent"

    def started(self, start: Start) -> None:
        """Begin to count."""
        del start
        self._asked = 0

    def choose(self, turn: Turn) -> int:
        """Return a random option."""
        self._asked += 1
        if self._asked in THINKS_AT:
            limit_ms = THINKS_MS if turn.limit_ms is None else SHARE * turn.limit_ms
            time.sleep(min(THINKS_MS, limit_ms) / 1000)
        return self.rng.randrange(len(turn.options))
