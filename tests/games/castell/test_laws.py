"""Laws that hold after every action, as a stateful test over random play and play that aims at towers."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.errors import IllegalAction
from arena.games.api import Action
from arena.games.castell.actions import END, Compete, Move, Recruit, Special, parse_action
from arena.games.castell.edition import shipped_edition
from arena.games.castell.setup import deal
from arena.games.castell.state import State
from tests.games.castell.conserved import castellers, check_conserved
from tests.games.castell.play import aiming, at_random, dealt

EDITION = shipped_edition()
NEARLY = [
    parse_action(text)
    for text in (
        "end",
        "decline",
        "recruit 5",
        "recruit 5 4",
        "recruit 1 1 1",
        "train mix",
        "wheel recruit 3",
        "special recruit 3",
        "special recruit 3 3",
        "wheel move valls",
        "special move valls",
        "move nowhere",
        "compete 9/8/7/6",
        "compete 5 5 5/4 4/3/2",
        "special perform #1 9 9 9/8 8/7",
        "wheel perform #99 9",
        "train special",
    )
]


def refused(door: Callable[[Action], None], action: Action) -> str | None:
    """Return the sentence with which `check` or `apply` refuses the action, or None."""
    try:
        door(action)
    except IllegalAction as error:
        return str(error)
    return None


class Laws(RuleBasedStateMachine):
    """Plays one match and checks what must hold."""

    state: State
    key: bytes
    side: str
    played: list[object]

    @initialize(seats=st.sampled_from([2, 3, 4]), number=st.integers(0, 10**6), advanced=st.booleans())
    def begin(self, seats: int, number: int, advanced: bool) -> None:
        self.side = "advanced" if advanced else "standard"
        self.seats, self.number = seats, number
        self.state = self.opening()
        self.played = []
        self.ranks = list(self.state.ranks)

    def opening(self) -> State:
        key = self.number.to_bytes(16, "big")
        return deal(EDITION, "advanced" if self.side == "advanced" else "standard", self.seats, key)

    @precondition(lambda self: self.state.to_act is not None)
    @rule(seed=st.integers(0, 2**32), aims=st.booleans(), actions=st.integers(1, 12))
    def play(self, seed: int, aims: bool, actions: int) -> None:
        rng = random.Random(seed)
        for _ in range(actions):
            if self.state.to_act is None:
                return
            before, digest = self.state.copy(), self.state.digest()
            action = (aiming if aims else at_random)(self.state, rng)
            assert parse_action(str(action)) == action
            self.state.check(action)
            self.state.apply(action)
            assert before.digest() == digest, "a copy never hears of the original"
            assert self.state.digest() != digest, "an action changes something"
            self.played.append(action)
            self.conserved()

    @precondition(lambda self: self.state.to_act is not None)
    @rule()
    def try_nearly_legal_actions(self) -> None:
        options = set(self.state.options())
        digest = self.state.digest()
        for action in NEARLY:
            why = refused(self.state.check, action)
            if why is None:
                assert action in options or has_tower(action)
                continue
            assert action not in options
            assert str(action) in why
            assert refused(self.state.apply, action) == why
            assert self.state.digest() == digest

    @rule()
    def end_the_turn(self) -> None:
        if self.state.to_act is not None and self.state.in_turn:
            self.state.apply(END)
            self.played.append(END)

    @rule(seed=st.integers(0, 2**32))
    def rebuild_from_a_view(self, seed: int) -> None:
        """A state made from a view looks the same, plays the same until the bag matters, and shows the same to all."""
        for seat in range(self.seats):
            view = self.state.view(seat)
            twin = State.from_view(msgspec.json.decode(msgspec.json.encode(view)), random.Random(seed))
            assert msgspec.json.encode(twin.view(seat)) == msgspec.json.encode(view)
        assert twin.options() == self.state.options()
        original, rng = self.state.copy(), random.Random(seed)
        for _ in range(30):
            if original.to_act is None or original.bag_at != self.state.bag_at:
                break
            assert msgspec.json.encode(twin.view(0)) == msgspec.json.encode(original.view(0))
            action = aiming(original, rng)
            original.apply(action)
            twin.apply(action)

    @rule()
    def replay_the_record(self) -> None:
        again = self.opening()
        for action in self.played:
            again.apply(parse_action(str(action)))
        assert again.digest() == self.state.digest()

    @invariant()
    def conserved(self) -> None:
        if not hasattr(self, "state"):
            return
        state = self.state
        check_conserved(state)
        for before, after in zip(self.ranks, state.ranks, strict=True):
            assert all(a <= b <= 5 for a, b in zip(before, after, strict=True))
        self.ranks = list(state.ranks)
        assert len(list(islice(state.legal_actions(), 2))) == min(2, len(state.options()))
        assert (state.to_act is None) == (not state.options())
        if state.to_act is not None:
            state.check(state.default_action())


def has_tower(action: object) -> bool:
    return isinstance(action, Compete) or (
        isinstance(action, Special) and not isinstance(action.effect, Move | Recruit)
    )


TestLaws = Laws.TestCase
TestLaws.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)


def test_playouts_with_every_number_of_seats() -> None:
    """Whole matches, both ways of playing: every one ends with an outcome, and towers are built."""
    towers = 0
    for seats in (2, 3, 4):
        for number in range(4):
            state, rng = dealt(seats, number), random.Random(number)
            while state.to_act is not None:
                action = (aiming if number % 2 else at_random)(state, rng)
                towers += has_tower(action)
                state.apply(action)
                assert sum(castellers(state).values()) == 150
            assert state.outcome() is not None
    assert towers > 50
