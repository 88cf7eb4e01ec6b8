"""Every game of ours through the kit that strangers use."""

from __future__ import annotations

import pytest

from arena.builtin import arena_games
from arena.testing.games import check_game

GAMES = {game.name: game for game in arena_games()}


@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name in GAMES for seats in GAMES[name].seat_counts])
def test_our_games_keep_their_promises(name: str, seats: int) -> None:
    check_game(GAMES[name], seats=[seats])


@pytest.mark.parametrize("opening", [2, 4, 6])
def test_connect_four_from_random_openings(opening: int) -> None:
    check_game(GAMES["connect-four"], options={"opening": opening})
