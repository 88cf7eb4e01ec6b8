"""Views: what they hide, what they hold, and states made from them."""

from __future__ import annotations

import random

import attrs
import msgspec
import pytest

from arena.errors import ConfigError
from arena.games.castell import view as view_module
from arena.games.castell.state import State
from tests.games.castell.play import aiming, dealt, playing
from tests.games.castell.situations import at_festival, edition_with, play


def with_another_bag(state: State, seed: int) -> State:
    """Return the same state with the rest of its bag in another order."""
    twin = state.copy()
    drawn, rest = twin.deal.bag[: twin.bag_at], list(twin.deal.bag[twin.bag_at :])
    random.Random(seed).shuffle(rest)
    twin.deal = attrs.evolve(twin.deal, bag=(*drawn, *rest))
    return twin


def test_states_that_differ_only_in_the_order_of_the_bag_look_the_same_byte_for_byte() -> None:
    for state, _ in playing(dealt(3, 4), aiming, random.Random(4)):
        if len(state.deal.bag) - state.bag_at < 2:
            break
        twin = with_another_bag(state, 1)
        for seat in range(3):
            assert msgspec.json.encode(twin.view(seat)) == msgspec.json.encode(state.view(seat))
        assert list(map(str, twin.options())) == list(map(str, state.options()))


def test_the_digest_knows_the_order_of_the_bag() -> None:
    state = dealt(2)
    assert with_another_bag(state, 1).digest() != state.digest()
    assert len(state.digest()) == 32


def test_the_keys_are_those_documented() -> None:
    table = str(view_module.__doc__).split("=\n")[1]
    documented = [line.split()[0] for line in table.splitlines() if line and line[0] not in " ="]
    assert list(dealt(2).view(1)) == documented


def test_a_view_shows_the_unseen_as_counts() -> None:
    view = dealt(4).view(2)
    assert view["seat"] == 2
    assert sum(view["bag"]) == 150 - 7 * 5 - 4 * 7  # type: ignore[arg-type]


def test_a_view_tells_what_is_going_on() -> None:
    state = at_festival("9 7", {0: "9 9 9 8 8 7 6", 1: "9", 2: "9"})
    play(state, "compete 9 9 9/8 8/7/6")
    view = state.view(1)
    assert (view["phase"], view["to_act"], view["asked"]) == ("festival", 1, [2])
    assert view["built"] == [[0, "9 9 9/8 8/7/6"]]
    assert view["festivals"][view["festival"]] == [5, "girona", 7, 9]  # type: ignore[index]


def test_a_state_made_from_a_view_at_a_festival_plays_on() -> None:
    state = at_festival("9 7", {0: "9 9 9 8 8 7 6", 1: "9", 2: "9"})
    play(state, "compete 9 9 9/8 8/7/6")
    twin = State.from_view(state.view(0), random.Random(3))
    play(state, "decline", "decline")
    play(twin, "decline", "decline")
    assert twin.view(0) == state.view(0)


def test_with_the_true_bag_it_is_the_true_state() -> None:
    for state, _ in playing(dealt(4, 2), aiming, random.Random(2)):
        twin = State.from_view(state.view(1), random.Random(0))
        twin.deal = attrs.evolve(twin.deal, bag=state.deal.bag[state.bag_at :])
        assert twin.digest() == state.digest()


def test_the_bag_is_drawn_anew_for_each_generator() -> None:
    view = dealt(3).view(0)
    bags = {State.from_view(view, random.Random(seed)).deal.bag for seed in range(5)}
    assert len(bags) == 5
    assert len({tuple(sorted(bag)) for bag in bags}) == 1


def test_a_view_of_another_edition_or_no_view_is_refused() -> None:
    edition = edition_with(special_move='"any"')
    state = dealt(3, edition=edition)
    with pytest.raises(ConfigError, match="the view is of edition"):
        State.from_view(state.view(0), random.Random(1))
    assert State.from_view(state.view(0), random.Random(1), edition).view(0) == state.view(0)
    with pytest.raises(ConfigError, match="the view is of edition None"):
        State.from_view({}, random.Random(1))
    broken = {key: value for key, value in dealt(3).view(0).items() if key != "wheel"}
    with pytest.raises(ConfigError, match=r"this is no view of a Castell state: KeyError\('wheel'\)"):
        State.from_view(broken, random.Random(1))
