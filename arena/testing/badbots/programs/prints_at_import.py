"""A plugin bot that prints while it is imported; the host turns that to stderr, so it is legal."""

from __future__ import annotations

from arena.sdk import Bot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arena.sdk import Turn

print("hello from the import")


class First(Bot):
    """Plays the first option."""

    def choose(self, turn: Turn) -> int:  # noqa: ARG002
        """Play the first option."""
        return 0
