"""States as JSON values: what a seat may see, the whole truth, and a full state made from a view.

A view has these keys. Seats and regions are positions in lists; castellers are counts by size (entry 0 counts size 1)
except in `castellers`, which lists sizes, falling.

=============  =====================================================================================================
seat           whose view it is
edition        fingerprint of the edition
side           side of the wheel
round          from 1
phase          "turn", "festival" or "over"
to_act         the seat that acts, or null
first          the seat with the first player marker
done           in a turn: what has been done of move, recruit, train, special
festival       the festival that is on, as a position in `festivals`, or null
asked          seats still to be asked at it after `to_act`
built          the towers built at it: [seat, tower]
regions        names
castellers     by region: the sizes there
tiles          by region: numbers of the local performance tiles there
laid           by region: special action tokens there, by owner
offers         by region: the kinds that can be trained there this round
pawns          by seat: a region's name, or null off the board
teams          by seat: castellers
ranks          by seat: balance, base, mix, strength, width
tokens         by seat: special action tokens left
best           by seat: best festival score
points         by seat: points as if the match ended now
prizes         by seat: [kind, region]
size_tokens    by seat: [size, region]
won            by seat: [tile, region]
collected      by seat: special action tokens collected, by region
festivals      the calendar: [round, region, size, ...]
prize_left     prizes left, by kind
gone           size tokens that left the game
spare          size tokens that were never laid out
wheel          kinds of the wheel tiles; the first faces the first slot in round 1
bag            castellers in the bag
=============  =====================================================================================================
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arena.errors import ConfigError, Problem
from arena.games.api import Json
from arena.games.castell import scoring
from arena.games.castell.actions import parse_tower, tower_text
from arena.games.castell.edition import Edition, shipped_edition
from arena.games.castell.judge import festival_score
from arena.games.castell.tables import KINDS, tables_for

if TYPE_CHECKING:
    from arena.games.castell.state import State

__all__ = ["festival_score", "public_view", "state_from_view", "truth"]

_DONE = ("move", "recruit", "train", "special")


def public_view(state: State, seat: int) -> dict[str, Json]:
    """Return what `seat` may see, key by key as listed above."""
    return {"seat": seat, **_facts(state), "bag": _bag_counts(state)}


def truth(state: State) -> dict[str, Json]:
    """Return the view without its seat, and the bag as sizes in the order in which they will be drawn."""
    return {**_facts(state), "bag": list(state.deal.bag[state.bag_at :])}


def _bag_counts(state: State) -> list[int]:
    counts = [0] * state.deal.tables.sizes
    for size in state.deal.bag[state.bag_at :]:
        counts[size - 1] += 1
    return counts


def _facts(state: State) -> dict[str, Json]:
    deal, tables = state.deal, state.deal.tables
    names = tables.names
    here = [*names, None]
    phase = "over" if state.seat is None else "festival" if state.festival >= 0 else "turn"
    return {
        "edition": tables.edition.fingerprint,
        "side": tables.side,
        "round": state.round,
        "phase": phase,
        "to_act": state.seat,
        "first": state.first,
        "done": [word for bit, word in enumerate(_DONE) if state.done >> bit & 1] if phase == "turn" else [],
        "festival": state.festival if state.festival >= 0 else None,
        "asked": list(state.asked),
        "built": [[seat, tower_text(tower)] for seat, tower in state.built],
        "regions": list(names),
        "castellers": [list(tables.larder(packed).sizes) for packed in state.regions],
        "tiles": [list(row) for row in state.rows],
        "laid": [list(laid.to_bytes(tables.seats, "little")) for laid in state.laid],
        "offers": [[KINDS[kind] for kind in offer] for offer in state.offers],
        "pawns": [here[pawn] for pawn in state.pawns],
        "teams": [list(tables.counts(team)) for team in state.teams],
        "ranks": [list(ranks) for ranks in state.ranks],
        "tokens": state.tokens[:],
        "best": state.best[:],
        "points": [sum(scoring.points_of(state, seat)) for seat in range(tables.seats)],
        "prizes": [[[kind, names[region]] for kind, region in row] for row in state.prizes],
        "size_tokens": [[[size, names[region]] for size, region in row] for row in state.size_tokens],
        "won": [[[tile, names[region]] for tile, region in row] for row in state.won],
        "collected": [list(row) for row in state.collected],
        "festivals": [[f.round, names[f.region], *f.sizes] for f in deal.festivals],
        "prize_left": dict(zip(tables.prize_kinds, state.prize_left, strict=True)),
        "gone": list(state.gone),
        "spare": list(deal.spare),
        "wheel": list(deal.ring),
    }


def state_from_view(facts: Mapping[str, Any], rng: random.Random, edition: Edition | None = None) -> State:
    """See `State.from_view`."""
    edition = edition or shipped_edition()
    if facts.get("edition") != edition.fingerprint:
        problem = f"the view is of edition {facts.get('edition')}, but edition {edition.fingerprint} is at hand"
        raise ConfigError([Problem("edition", problem)])
    try:
        return _restored(facts, rng, edition)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ConfigError([Problem("view", f"this is no view of a Castell state: {error!r}")]) from error


def _restored(facts: Mapping[str, Any], rng: random.Random, edition: Edition) -> State:
    from arena.games.castell.setup import shuffled
    from arena.games.castell.state import Deal, Festival, opening

    tables = tables_for(edition, facts["side"], len(facts["pawns"]))
    index, seats = tables.index, tables.seats
    bag = [size for size, count in enumerate(facts["bag"], 1) for _ in range(count)]
    festivals = tuple(Festival(round=f[0], region=index[f[1]], sizes=tuple(f[2:])) for f in facts["festivals"])
    deal = Deal(
        tables=tables,
        bag=tuple(shuffled(rng, bag)),
        ring=tuple(facts["wheel"]),
        festivals=festivals,
        spare=tuple(facts["spare"]),
    )
    state = opening(
        deal,
        [tables.pack(sizes) for sizes in facts["castellers"]],
        [tables.pack_counts(counts) for counts in facts["teams"]],
        [tuple(row) for row in facts["tiles"]],
    )
    state.round, state.first, state.seat = facts["round"], facts["first"], facts["to_act"]
    state.offers = deal.offers[state.round - 1]
    if facts["phase"] == "turn":
        state.turn = tables.orders[state.first].index(facts["to_act"])
        state.done = sum(1 << bit for bit, word in enumerate(_DONE) if word in facts["done"])
    else:
        state.turn, state.done = seats, 15
    state.festival = -1 if facts["festival"] is None else facts["festival"]
    state.asked = tuple(facts["asked"])
    state.built = tuple((seat, parse_tower(text)) for seat, text in facts["built"])
    state.laid = [int.from_bytes(bytes(row), "little") for row in facts["laid"]]
    state.pawns = [-1 if name is None else index[name] for name in facts["pawns"]]
    state.ranks = [tuple(row) for row in facts["ranks"]]
    state.tokens, state.best = list(facts["tokens"]), list(facts["best"])
    state.prizes = _won(facts["prizes"], index)
    state.size_tokens = _won(facts["size_tokens"], index)
    state.won = _won(facts["won"], index)
    state.collected = tuple(tuple(row) for row in facts["collected"])
    state.prize_left = tuple(facts["prize_left"][kind] for kind in tables.prize_kinds)
    state.gone = tuple(facts["gone"])
    return state


def _won(rows: list[list[list[Any]]], index: Mapping[str, int]) -> Any:
    return tuple(tuple((what, index[name]) for what, name in row) for row in rows)
