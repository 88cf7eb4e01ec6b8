"""The top rung: tries its turns out against the others, and ends each trial by looking for its own next turn."""

from __future__ import annotations

from typing import ClassVar

from arena.games.castell.state import State
from castell_bots.outlook import Outlook
from castell_bots.rehearsal import lead, play_on
from castell_bots.searcher import Searcher
from castell_bots.turns import best_lines


class Champion(Searcher):
    """Searches wider than `searcher`, and knows what a table is worth at the beginning of a turn.

    A trial ends when its next turn begins: a narrow beam finds the best turn there, and all its prospects count.
    So it plans two turns ahead, sees which festivals others will reach and which tiles they can take first.
    """

    name = "champion"
    version = "1"
    widths: ClassVar[tuple[int, ...]] = (3, 8, 16)
    finalists = 24
    next_width = 1  #: of the beam over its next turn

    def varies(self, state: State) -> bool:
        """Return whether castellers are drawn before the next turn; nothing else is left to chance."""
        return state.round + 1 in self.edition.refill_rounds

    def trial(self, state: State) -> float:
        """Play on to the next turn of this seat and return what the best turn is worth there."""
        seat = state.acting
        play_on(state, 0, self._check)
        if state.seat is None:
            return lead(state, seat, self.rivalry)
        value = best_lines(state, self.next_width, Outlook(state, seat, check=self._check).value)[0].value
        return value + lead(state, seat, self.rivalry) - lead(state, seat, 0.0)
