"""Actions as sentences."""

from __future__ import annotations

from arena.games.api import Action
from arena.games.castell.actions import Compete, Move, Perform, Recruit, Special, Train, tower_text
from arena.games.castell.judge import festival_score
from arena.games.castell.state import State


def tell(state: State, action: Action) -> str:
    """Return what `action`, about to be played in `state`, does, as a short sentence without a subject."""
    if isinstance(action, Special):
        how = "trains a special tile and" if action.free else "pays a token and"
        return f"{how} {_plain(state, action.effect)}"
    return _plain(state, action)


def _plain(state: State, action: Action) -> str:
    tables, seat = state.deal.tables, state.acting
    pawn = state.pawns[seat]
    here = tables.names[pawn] if pawn >= 0 else "off the board"
    if isinstance(action, Move):
        return f"moves from {here} to {action.region}" if pawn >= 0 else f"enters the board in {action.region}"
    if isinstance(action, Recruit):
        return f"recruits {' and '.join(f'a {size}' if size != 8 else 'an 8' for size in action.sizes)} in {here}"
    if isinstance(action, Train):
        return f"trains {action.skill} to rank {state.ranks[seat][tables.skill[action.skill]] + 1}"
    if isinstance(action, Perform):
        tile = tables.edition.tiles[action.tile - 1]
        tokens = sum(state.laid[pawn].to_bytes(tables.seats, "little"))
        found = f" and collects {tokens} token{'s' * (tokens > 1)}" if tokens else ""
        what = f"performs #{tile.number} ({tile}) in {here} for {tile.points} points"
        return f"{what} with {tower_text(action.tower)}{found}"
    if isinstance(action, Compete):
        festival = state.deal.festivals[state.festival]
        score = festival_score(action.tower, festival.sizes)
        return f"builds {tower_text(action.tower)} at the festival in {here}: {score} points"
    return "builds nothing at the festival" if state.festival >= 0 else "ends the turn"
