"""`arena perft`: counts action sequences from a deal, to compare implementations of the rules."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import attrs
import click

from arena import plugins
from arena.cli.output import as_json, print_json, print_table
from arena.cli.seating import game_options
from arena.errors import ConfigError
from arena.games.api import State
from arena.games.castell import perft as castell
from arena.games.castell.state import State as CastellState
from arena.options import check_seats, complete_options
from arena.tournament.keys import deal_key, secret_of_seed


@click.command("perft")
@click.argument("depth", type=click.IntRange(min=1, max=99))
@click.option("--game", "game_name", default="castell", show_default=True, help="Which game.")
@click.option("--seats", type=click.IntRange(min=1), help="Seats at the table; the fewest unless given.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Which deals.")
@click.option("--deal", type=click.IntRange(min=0), default=0, show_default=True, help="Which deal of the seed.")
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game; may be repeated.")
@click.option("--after", multiple=True, metavar="ACTION", help="Play this action first; may be repeated.")
@click.option("--divide", is_flag=True, help="Count below each first action, at DEPTH only.")
@as_json
def verb(
    depth: int,
    game_name: str,
    seats: int | None,
    seed: int,
    deal: int,
    pairs: tuple[str, ...],
    after: tuple[str, ...],
    divide: bool,
    as_json: bool,
) -> None:
    """Count sequences of 1 to DEPTH actions from the opening of a deal.

    For Castell in two columns: `collapsed` takes all towers for one target as one action, `complete` every tower.
    """
    game = plugins.game(game_name)
    seats = seats or game.seat_counts[0]
    problems = check_seats(game, seats)
    if problems:
        raise ConfigError(problems)
    options = complete_options(game, game_options(game, pairs))
    state = game.deal(seats, deal_key(secret_of_seed(seed), deal), options)
    for text in after:
        state.apply(game.parse(text))
    rows = list(_divided(state, depth) if divide else _deepening(state, depth))
    if as_json:
        print_json(rows)
    else:
        print_table(list(rows[0]) if rows else ["depth"], [[_cell(value) for value in row.values()] for row in rows])


def _deepening(state: State, depth: int) -> Iterator[dict[str, Any]]:
    for level in range(1, depth + 1):
        began = time.perf_counter()
        counts = _counts(state, level)
        yield {"depth": level, **counts, "seconds": round(time.perf_counter() - began, 3)}


def _divided(state: State, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(state, CastellState):
        for text, counts in castell.divide(state, depth).items():
            yield {"action": text, **attrs.asdict(counts)}
        return
    for action in state.legal_actions():
        below = state.copy()
        below.apply(action)
        yield {"action": str(action), **_counts(below, depth - 1)}


def _counts(state: State, depth: int) -> dict[str, int]:
    if isinstance(state, CastellState):
        return attrs.asdict(castell.perft(state, depth))
    return {"complete": _count(state, depth)}


def _count(state: State, depth: int) -> int:
    """Count the sequences of exactly `depth` legal actions."""
    if depth == 0:
        return 1
    if depth == 1:
        return sum(1 for _ in state.legal_actions())
    total = 0
    for action in state.legal_actions():
        below = state.copy()
        below.apply(action)
        total += _count(below, depth - 1)
    return total


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
