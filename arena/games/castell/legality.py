"""Which actions are legal, one function for each kind; a refusal is the sentence that says which rule bars it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arena.games.castell.actions import Compete, Decline, End, Move, Perform, Recruit, Special, Train
from arena.games.castell.edition import SPECIAL
from arena.games.castell.judge import festival_problem, tile_problem
from arena.games.castell.tables import KINDS, SPECIAL_KIND

if TYPE_CHECKING:
    from arena.games.castell.state import State

#: What a player has done this turn, as bits of `State.done`; all are set while nobody has a turn.
MOVED, RECRUITED, TRAINED, SPENT, NO_TURN = 1, 2, 4, 8, 15

_OFF_BOARD = "your pawn is off the board, which allows no action but move (or end)"


def _done(state: State, verb: str) -> str:
    if state.seat is None:
        return "the match is over"
    if state.festival >= 0:
        return "a festival is on: compete with a tower, or decline"
    return f"you have {verb} this turn; each action may be taken once a turn"


def move(state: State, action: Move) -> str | None:
    """Refuse a move that is not to a neighbouring region, or from off the board to any region."""
    if state.done & MOVED:
        return _done(state, "moved")
    tables, pawn = state.deal.tables, state.pawns[state.acting]
    if action.region in tables.reach[pawn]:
        return None
    return _no_way(state, pawn, action.region, "a pawn moves to a neighbouring region")


def _no_way(state: State, pawn: int, region: str, rule: str) -> str:
    tables = state.deal.tables
    if region not in tables.index:
        return f"there is no region {region}; the regions are {', '.join(tables.names)}"
    if tables.index[region] == pawn:
        return f"the pawn is in {region} already"
    near = ", ".join(tables.names[i] for i in tables.neighbours[pawn])
    return f"{region} is no neighbour of {tables.names[pawn]} ({near}); {rule}"


def recruit(state: State, action: Recruit) -> str | None:
    """Refuse to recruit anything but one or two castellers that are in the pawn's region."""
    if state.done & RECRUITED:
        return _done(state, "recruited")
    pawn = state.pawns[state.acting]
    if pawn < 0:
        return _OFF_BOARD
    if action.sizes in state.deal.tables.larder(state.regions[pawn]).takes:
        return None
    if len(action.sizes) > 2:
        return f"recruit takes one or two castellers, not {len(action.sizes)}"
    return _not_there(state, pawn)


def _not_there(state: State, pawn: int) -> str:
    tables = state.deal.tables
    there = " ".join(map(str, tables.falling(state.regions[pawn]))) or "nobody"
    return f"{tables.names[pawn]} does not have these castellers (sizes falling); there: {there}"


def train(state: State, action: Train) -> str | None:
    """Refuse a skill that the wheel does not offer or that is at its cap."""
    if state.done & TRAINED:
        return _done(state, "trained")
    tables, pawn = state.deal.tables, state.pawns[state.acting]
    if pawn < 0:
        return _OFF_BOARD
    kind = tables.skill.get(action.skill)
    if kind is None:
        special = "; a special tile is trained by a wheel action" if action.skill == SPECIAL else ""
        return f"there is no skill {action.skill}; the skills are {', '.join(tables.skill)}{special}"
    if kind not in state.offers[pawn]:
        return f"the wheel offers {_offered(state, pawn)} in {tables.names[pawn]} this round, not {action.skill}"
    if state.ranks[state.acting][kind] >= tables.highest_rank:
        return f"{action.skill} is at rank {tables.highest_rank}, the highest, and can't be trained"
    return None


def _offered(state: State, pawn: int) -> str:
    return " and ".join(KINDS[kind] for kind in state.offers[pawn]) or "nothing"


def special(state: State, action: Special) -> str | None:
    """Refuse a special action, paid by a token or granted by a special tile of the wheel, that can't be carried out."""
    if state.done & (TRAINED if action.free else SPENT):
        return _done(state, "trained" if action.free else "paid for a special action")
    seat = state.acting
    pawn = state.pawns[seat]
    if pawn < 0:
        return _OFF_BOARD
    if action.free:
        if SPECIAL_KIND not in state.offers[pawn]:
            where = state.deal.tables.names[pawn]
            return f"the wheel offers {_offered(state, pawn)} in {where} this round, no special action"
    elif not state.tokens[seat]:
        return "you have no special action token left"
    why = _effect(state, action.effect, pawn)
    if why is None and not action.free and state.deal.tables.one_per_player:
        return barred_token(state, action.effect, pawn)
    return why


def _effect(state: State, effect: Move | Recruit | Perform, pawn: int) -> str | None:
    tables = state.deal.tables
    if type(effect) is Move:
        if effect.region in tables.special_reach[pawn]:
            return None
        return _no_way(state, pawn, effect.region, "a special action moves the pawn to a neighbouring region")
    if type(effect) is Recruit:
        if len(effect.sizes) != 1:
            return f"a special action recruits one casteller, not {len(effect.sizes)}"
        return None if effect.sizes in tables.larder(state.regions[pawn]).takes else _not_there(state, pawn)
    assert type(effect) is Perform
    if effect.tile not in state.rows[pawn]:
        here = ", ".join(f"#{tile}" for tile in state.rows[pawn]) or "none"
        return f"tile #{effect.tile} does not lie in {tables.names[pawn]}; its tiles: {here}"
    seat = state.acting
    tile, team = tables.edition.tiles[effect.tile - 1], tables.counts(state.teams[seat])
    return tile_problem(tile, effect.tower, team, state.ranks[seat], tables.edition.tower_rules)


def barred_token(state: State, effect: Move | Recruit | Perform, pawn: int) -> str | None:
    """Refuse, under `token_spaces = "one_per_player"`, a paid action whose token would join another of the player's.

    A performer collects every token of the region by this very action, so none is in the way then.
    """
    tables = state.deal.tables
    if type(effect) is Perform:
        return None
    place = tables.index[effect.region] if type(effect) is Move and not tables.lay_before else pawn
    if state.laid[place] >> 8 * state.acting & 255:
        return f"a token of yours lies in {tables.names[place]} already, and a region holds one of each player"
    return None


def compete(state: State, action: Compete) -> str | None:
    """Refuse a tower that may not enter the festival."""
    if state.festival < 0:
        return "no festival is on" if state.seat is not None else "the match is over"
    tables, seat = state.deal.tables, state.acting
    sizes = state.deal.festivals[state.festival].sizes
    team = tables.counts(state.teams[seat])
    return festival_problem(action.tower, sizes, team, state.ranks[seat], tables.edition.tower_rules)


def decline(state: State, action: Decline) -> str | None:
    """Refuse to decline when no festival is on."""
    del action
    if state.festival < 0:
        return "no festival is on; a turn is ended by end" if state.seat is not None else "the match is over"
    return None


def end(state: State, action: End) -> str | None:
    """Refuse to end a turn that is none."""
    del action
    return _done(state, "ended") if state.done == NO_TURN and not state.in_turn else None


RULES: dict[type, Callable[[State, Any], str | None]] = {
    Move: move,
    Recruit: recruit,
    Train: train,
    Special: special,
    Compete: compete,
    Decline: decline,
    End: end,
}
