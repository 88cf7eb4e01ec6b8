"""The third rung: aims at coming festivals, and plans whole turns for them."""

from __future__ import annotations

import random

from arena.games.api import Action
from arena.games.castell.actions import END
from arena.games.castell.state import State
from arena.sdk import Turn
from castell_bots.outlook import Outlook
from castell_bots.seeing import Seeing
from castell_bots.turns import best_lines


class Planner(Seeing):
    """Looks where the festivals on its best way are, and plays the turn that promises most for them.

    It looks at no clock and draws nothing, so the same view gets the same answer everywhere.
    """

    name = "planner"
    version = "1"
    width = 3  #: of the beam over a turn's actions

    def choose(self, turn: Turn) -> list[str]:
        """Return the actions of the whole turn, or the best tower at a festival."""
        state = self.state(turn, random.Random(0))
        return [str(action) for action in planned_turn(state, self.width)]


def planned_turn(state: State, width: int) -> list[Action]:
    """Return the best turn that a beam of this width finds."""
    if not state.in_turn:
        return [state.options()[0]]
    outlook = Outlook(state, state.acting)
    return [*best_lines(state, width, outlook.value)[0].actions, END]
