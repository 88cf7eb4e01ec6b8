from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import pytest

from arena.games.api import Action, Game, Json, OptionValue, Seat
from arena.games.castell.game import Castell
from arena.games.connect_four import ConnectFour, ConnectFourState
from arena.testing.elsewhere import check_elsewhere


class _SetOrder(ConnectFourState):
    def options(self) -> Sequence[Action]:
        return [int(text) for text in {str(column) for column in super().options()}]


class _Address(ConnectFourState):
    def view(self, seat: Seat) -> Mapping[str, Json]:
        return {"process": os.getpid()}


class SetOrder(ConnectFour):
    """A game whose options come in the order of a set."""

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> ConnectFourState:
        return _SetOrder()


class Address(ConnectFour):
    """A game whose view shows what belongs to the process."""

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> ConnectFourState:
        return _Address()


class Raising(ConnectFour):
    """A game that fails."""

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> ConnectFourState:
        raise RuntimeError("no cards")


@pytest.mark.parametrize(("game", "seats"), [(ConnectFour, 2), (Castell, 4)])
def test_our_games_are_the_same_everywhere(game: type[Game], seats: int) -> None:
    check_elsewhere(game, seats=seats)


@pytest.mark.parametrize("game", [SetOrder, Address])
def test_what_differs_is_found(game: type[Game]) -> None:
    with pytest.raises(AssertionError, match="two processes differ after 0 actions"):
        check_elsewhere(game, seats=2)


def test_what_fails_there_is_shown() -> None:
    with pytest.raises(AssertionError, match="no cards"):
        check_elsewhere(Raising, seats=2)
