"""The bottom rung: a random option of any game."""

from __future__ import annotations

from arena.sdk import Bot, Turn


class Random(Bot):
    """Plays each of its options with the same probability; all of its randomness comes from `bot_seed`."""

    name = "random"
    version = "1"
    wants = ("options",)

    def choose(self, turn: Turn) -> int:
        """Return the index of any option."""
        return self.rng.randrange(len(turn.options))
