"""What the bots that know Castell share: from a request to a full state."""

from __future__ import annotations

import random

from arena.games.castell.edition import Edition, load_edition
from arena.games.castell.state import State
from arena.sdk import Bot, Start, Turn


class Seeing(Bot):
    """A bot that plays from its view."""

    wants = ("view",)
    edition: Edition

    def started(self, start: Start) -> None:
        """Read the edition that is played."""
        self.edition = load_edition(str(start.game_options.get("edition", "")))

    def state(self, turn: Turn, rng: random.Random) -> State:
        """Return a full state that agrees with the view; the bag's order is drawn by `rng`."""
        assert turn.view is not None
        return State.from_view(turn.view, rng, self.edition)
