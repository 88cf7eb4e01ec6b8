"""The second rung: one action ahead, nothing more."""

from __future__ import annotations

import random

from arena.games.api import Action
from arena.games.castell.scoring import points_of
from arena.games.castell.state import State
from arena.sdk import Turn
from castell_bots.seeing import Seeing

# What things are worth to it, in points; all of them small beside a point that is really scored.
RANK = 0.3
CASTELLER = 0.2
READY_TILE = 0.1  # for each point of the best tile it could perform where it stands
READY_FESTIVAL = 0.8  # standing where it can build at a festival this round
NO_TOKEN = 0.6  # spending a special action token


class Greedy(Seeing):
    """Plays the action after which the state looks best to it; the first of equals, so it is deterministic."""

    name = "greedy"
    version = "1"

    def choose(self, turn: Turn) -> str:
        """Return the best action by one look ahead."""
        state = self.state(turn, random.Random(0))
        return str(best_action(state))


def best_action(state: State) -> Action:
    """Return the option after which `worth` is highest; a tower at a festival whenever one can be built."""
    seat = state.acting
    options = state.options()
    if not state.in_turn:
        return options[0]
    best, most = options[-1], worth(state, seat)  # `end` is always last, and changes nothing
    for option in options[:-1]:
        after = state.copy()
        after.apply(option)
        value = worth(after, seat)
        if value > most:
            best, most = option, value
    return best


def worth(state: State, seat: int) -> float:
    """Return what the state is worth to the seat, in points."""
    tables = state.deal.tables
    team, ranks, pawn = state.teams[seat], state.ranks[seat], state.pawns[seat]
    value = sum(points_of(state, seat)) + RANK * sum(ranks) + CASTELLER * sum(tables.counts(team))
    value += NO_TOKEN * state.tokens[seat]
    if pawn < 0:
        return value - 1
    if state.tokens[seat]:
        ready = [tile for tile in state.rows[pawn] if tables.perform(tile, team, ranks)]
        value += READY_TILE * max((tables.edition.tiles[tile - 1].points for tile in ready), default=0)
    for index in state.deal.by_round.get(state.round, ()):
        festival = state.deal.festivals[index]
        if festival.region == pawn and tables.compete(team, ranks, festival.sizes):
            value += READY_FESTIVAL
    return value
