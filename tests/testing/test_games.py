"""The kit for games finds what is broken: one small sabotage after the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from random import Random

import pytest

from arena.errors import IllegalAction
from arena.games.api import Action, Game, Json, Option, OptionValue, Outcome, Seat, State
from arena.games.connect_four import ConnectFour, ConnectFourState
from arena.testing.games import Effort, check_facts, check_game, check_outcome

COUNTER = itertools.count()


class Sabotaged(ConnectFourState):
    """Connect Four with something wrong; keeps its class when copied."""

    def copy(self) -> ConnectFourState:
        twin = type(self)()
        for name in ConnectFourState.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin


class LegalList(Sabotaged):
    def legal_actions(self) -> Iterator[Action]:
        return list(super().legal_actions())  # type: ignore[return-value]


class RestlessOrder(Sabotaged):
    def legal_actions(self) -> Iterator[Action]:
        columns = list(super().legal_actions())
        Random(next(COUNTER)).shuffle(columns)
        return iter(columns)


class TooManyOptions(Sabotaged):
    def options(self) -> Sequence[Action]:
        return [*super().options(), 8] if self.to_act is not None else []


class OptionTwice(Sabotaged):
    def options(self) -> Sequence[Action]:
        return [*super().options(), *super().options()]


class NoOptions(Sabotaged):
    def options(self) -> Sequence[Action]:
        return []


class OneOption(Sabotaged):
    def options(self) -> Sequence[Action]:
        return super().options()[:1]


class WrongDefault(Sabotaged):
    def default_action(self) -> Action:
        return 8


class LaxApply(Sabotaged):
    def apply(self, action: Action) -> None:
        try:
            super().apply(action)
        except IllegalAction:
            if self.to_act is None:
                raise
            super().apply(self.default_action())


class LaxCheck(Sabotaged):
    def check(self, action: Action) -> None:
        if self.to_act is None:
            super().check(action)


class SpoilingApply(Sabotaged):
    def apply(self, action: Action) -> None:
        try:
            super().apply(action)
        except IllegalAction:
            self.to_act = 0 if self.to_act else 1
            raise


class SpoilingView(Sabotaged):
    def view(self, seat: Seat) -> Mapping[str, Json]:
        self._taken ^= 1
        return super().view(seat)


class SelfCopy(Sabotaged):
    def copy(self) -> ConnectFourState:
        return self


class ForgetfulCopy(Sabotaged):
    def copy(self) -> ConnectFourState:
        return type(self)()


class RestlessView(Sabotaged):
    def view(self, seat: Seat) -> Mapping[str, Json]:
        return {**super().view(seat), "n": next(COUNTER)}


LIVE: list[Json] = []


class SharedView(Sabotaged):
    def view(self, seat: Seat) -> Mapping[str, Json]:
        return {"played": LIVE}

    def apply(self, action: Action) -> None:
        super().apply(action)
        LIVE.append(1)


class RestlessDigest(Sabotaged):
    def truth(self) -> Json:
        return next(COUNTER)


class EarlyOutcome(Sabotaged):
    def outcome(self) -> Outcome | None:
        return self.standing()


class WrongPlaces(Sabotaged):
    def standing(self) -> Outcome:
        return Outcome(places=(2, 2), scores=(1, 1))


class Endless(Sabotaged):
    def apply(self, action: Action) -> None:
        super().apply(action)
        if self.to_act is None:
            self.__init__()  # type: ignore[misc]


def game_of(state: type[ConnectFourState]) -> Game:
    class Broken(ConnectFour):
        def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> ConnectFourState:
            return state()

    return Broken()


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (LegalList, "no iterator"),
        (RestlessOrder, "changes its order"),
        (TooManyOptions, "options has 8, which check refuses: there is no column 8"),
        (OptionTwice, "options has an action twice"),
        (NoOptions, "no options although"),
        (OneOption, "options has 1 of 7 legal actions"),
        (WrongDefault, "default_action has 8, which check refuses"),
        (LaxApply, "apply plays"),
        (LaxCheck, "check and legal_actions disagree about"),
        (SpoilingApply, "and changed the state"),
        (SpoilingView, "."),
        (SelfCopy, "copy returns the state itself"),
        (ForgetfulCopy, "a copy is not equal"),
        (RestlessView, "the view of seat 0 changes"),
        (SharedView, "shares a list"),
        (RestlessDigest, "equal keys give different deals"),
        (EarlyOutcome, "there is an outcome although"),
        (WrongPlaces, r"places \(2, 2\)"),
        (Endless, "does not end"),
    ],
)
def test_the_kit_finds(state: type[ConnectFourState], reason: str) -> None:
    with pytest.raises(AssertionError, match=reason) as caught:
        check_game(game_of(state), effort=Effort(deals=20, thorough=1, max_actions=200))
    (note,) = caught.value.__notes__
    assert note.startswith("in connect-four with 2 seats")


def test_the_sabotage_is_what_the_kit_finds() -> None:
    check_game(game_of(Sabotaged), effort=Effort(deals=20, thorough=1, max_actions=200))


def test_a_notation_that_does_not_round_trip() -> None:
    class Shifted(ConnectFour):
        def parse(self, text: str) -> Action:
            column = super().parse(text)
            assert isinstance(column, int)
            return column % 7 + 1

    with pytest.raises(AssertionError, match=r"parse\('1'\) is another action: 2"):
        check_game(Shifted())


def test_a_deal_that_ignores_its_key() -> None:
    class Restless(ConnectFour):
        def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> ConnectFourState:
            return super().deal(seats, next(COUNTER).to_bytes(16), {"opening": 6})

    with pytest.raises(AssertionError, match="equal keys give different deals"):
        check_game(Restless())


def test_a_view_that_tells_what_is_hidden() -> None:
    def mirrored(state: State, seat: Seat, rng: Random) -> State:
        """Pretend that nobody sees on which side the board is looked at from."""
        assert isinstance(state, ConnectFourState)
        twin = state.copy()
        if rng.random() < 0.5:
            twin.apply(rng.choice(twin.options()))
        return twin

    with pytest.raises(AssertionError, match="tells of what is hidden"):
        check_game(ConnectFour(), disguise=mirrored)


@pytest.mark.parametrize(
    ("places", "scores", "reason"),
    [
        ((1, 2, 3), (3, 2), "2 scores for 3 seats"),
        ((1, 1, 2), (3, 3, 1), r"as in \(1, 1, 3\)"),
        ((0, 1, 2), (3, 2, 1), r"as in \(1, 2, 3\)"),
        ((1, 2, 3), (1, 2, 3), "place 1 has 1, place 2 2 points"),
    ],
)
def test_outcomes_that_are_none(places: tuple[int, ...], scores: tuple[int, ...], reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        check_outcome(Outcome(places=places, scores=scores), 3)
    check_outcome(Outcome(places=(1, 1, 3), scores=(5, 5, 5), categories={"all": (1, 2, 3)}), 3)


@pytest.mark.parametrize(
    ("attribute", "value", "reason"),
    [
        ("name", "Connect Four", "lower case"),
        ("version", "", "version is empty"),
        ("seat_counts", (3, 2), "don't rise"),
        ("summary", "a\nb", "more than one line"),
        ("options", (Option(name="a", default=1, choices=(2, 3)),), "none of its choices"),
        ("options", (Option(name="a", default=1, choices=(1, "2")),), "another type"),
    ],
)
def test_facts_that_are_wrong(attribute: str, value: object, reason: str) -> None:
    game = ConnectFour()
    setattr(game, attribute, value)
    with pytest.raises(AssertionError, match=reason):
        check_facts(game)
