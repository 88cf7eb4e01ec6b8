"""An opponent that plays any game, for checks of other bots; needs nothing but the arena itself."""

from __future__ import annotations

from arena.sdk import Bot, Turn


class RandomOpponent(Bot):
    """Plays a random option, decided by its seed alone."""

    name = "random opponent"

    def choose(self, turn: Turn) -> int:
        """Return a random option."""
        return self.rng.randrange(len(turn.options))
