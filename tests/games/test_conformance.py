"""Every game of ours through the kit that strangers use."""

from __future__ import annotations

from random import Random

import pytest

from arena.builtin import arena_games
from arena.games.api import Seat, State
from arena.games.castell.state import State as CastellState
from arena.testing.games import Disguise, Effort, check_game

GAMES = {game.name: game for game in arena_games()}


def with_another_bag(state: State, seat: Seat, rng: Random) -> State:
    """Draw anew what nobody has seen."""
    return CastellState.from_view(state.view(seat), rng)


DISGUISES: dict[str, Disguise] = {"castell": with_another_bag}
EFFORTS = {"castell": Effort(deals=1)}


@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name in GAMES for seats in GAMES[name].seat_counts])
def test_our_games_keep_their_promises(name: str, seats: int) -> None:
    check_game(GAMES[name], seats=[seats], disguise=DISGUISES.get(name), effort=EFFORTS.get(name))


@pytest.mark.parametrize("seats", GAMES["castell"].seat_counts)
def test_castell_on_its_other_side(seats: int) -> None:
    check_game(
        GAMES["castell"], options={"side": "advanced"}, seats=[seats], disguise=with_another_bag, effort=Effort(deals=1)
    )


@pytest.mark.heavy
@pytest.mark.parametrize("side", ["standard", "advanced"])
def test_castell_thoroughly(side: str) -> None:
    check_game(GAMES["castell"], options={"side": side}, disguise=with_another_bag, effort=Effort(deals=30, thorough=1))


@pytest.mark.parametrize("opening", [2, 4, 6])
def test_connect_four_from_random_openings(opening: int) -> None:
    check_game(GAMES["connect-four"], options={"opening": opening})


def test_a_bag_drawn_anew_is_another_state() -> None:
    """The check of views would say nothing if the disguise changed nothing."""
    castell = GAMES["castell"]
    options = {option.name: option.default for option in castell.options}
    state = castell.deal(3, bytes(32), options)
    assert len({with_another_bag(state, 0, Random(seed)).digest() for seed in range(5)} - {state.digest()}) == 5
