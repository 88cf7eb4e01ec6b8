"""Speed of Castell: whole random playouts, and each operation a searching bot repeats."""

from __future__ import annotations

import random

import msgspec
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from arena.games.castell.actions import END, Move, Recruit, Train
from arena.games.castell.state import State
from tests.games.castell.play import Policy, aiming, at_random, dealt

MATCHES = 20


def middle(steps: int = 60) -> State:
    """Return a 3-seat state of mid-game in which a player has the whole turn, pawn on the board."""
    state, rng = dealt(3, 1), random.Random(1)
    for _ in range(steps):
        state.apply(aiming(state, rng))
    while state.done or not state.in_turn or state.pawns[state.acting] < 0:
        state.apply(state.default_action())
    return state


@pytest.mark.parametrize("policy", [at_random, aiming])
def test_playouts(benchmark: BenchmarkFixture, policy: Policy) -> None:
    """Whole matches by `options`, a choice and `apply`, deals included; actions a second stand in `extra_info`."""

    def play() -> int:
        steps = 0
        for number in range(MATCHES):
            state, rng = dealt(2 + number % 3, number), random.Random(number)
            while state.to_act is not None:
                state.apply(policy(state, rng))
                steps += 1
        return steps

    steps = benchmark(play)
    if benchmark.stats is not None:
        benchmark.extra_info["actions_per_s"] = round(steps / benchmark.stats.stats.min)


def test_random_actions(benchmark: BenchmarkFixture) -> None:
    """The bare loop of `options`, a choice and `apply`, caches warm: the work that a rule library is compared by."""
    openings = [dealt(2 + number % 3, number) for number in range(MATCHES)]

    def play() -> int:
        steps, choose = 0, random.Random(7).random
        for opening in openings:
            state = opening.copy()
            while state.seat is not None:
                options = state.options()
                state.apply(options[int(choose() * len(options))])
                steps += 1
        return steps

    steps = benchmark(play)
    if benchmark.stats is not None:
        benchmark.extra_info["actions_per_s"] = round(steps / benchmark.stats.stats.min)


@pytest.mark.parametrize("kind", [Move, Recruit, Train, type(END)])
def test_apply(benchmark: BenchmarkFixture, kind: type) -> None:
    """One ordinary action on a fresh copy; the copy is not timed."""
    state = middle()
    while not any(isinstance(option, kind) for option in state.options()):
        state.apply(state.default_action())
    action = next(option for option in state.options() if isinstance(option, kind))

    def fresh() -> tuple[tuple[State], dict[str, object]]:
        return (state.copy(),), {}

    benchmark.pedantic(lambda twin: twin.apply(action), setup=fresh, rounds=2000)  # type: ignore[no-untyped-call]


def test_copy(benchmark: BenchmarkFixture) -> None:
    """An independent state."""
    benchmark(middle().copy)


def test_options(benchmark: BenchmarkFixture) -> None:
    """All simple actions and a tower for each target, caches warm."""
    benchmark(middle().options)


def test_view(benchmark: BenchmarkFixture) -> None:
    """What a seat may see, as values."""
    benchmark(middle().view, 0)


def test_view_as_bytes(benchmark: BenchmarkFixture) -> None:
    """What a seat may see, encoded."""
    state = middle()
    benchmark(lambda: msgspec.json.encode(state.view(0)))


def test_digest(benchmark: BenchmarkFixture) -> None:
    """The digest of the whole truth."""
    benchmark(middle().digest)


def test_standing(benchmark: BenchmarkFixture) -> None:
    """Points and places as if the match ended now."""
    benchmark(middle().standing)


def test_from_view(benchmark: BenchmarkFixture) -> None:
    """A full state from a view, the bag drawn anew."""
    state, rng = middle(), random.Random(1)
    view = state.view(0)
    benchmark(lambda: State.from_view(view, rng))
