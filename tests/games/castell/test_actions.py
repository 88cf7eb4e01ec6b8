"""The notation of actions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import NotationError
from arena.games.castell.actions import (
    DECLINE,
    END,
    Compete,
    Move,
    Perform,
    Recruit,
    Special,
    Train,
    parse_action,
    parse_tower,
    tower_text,
)
from arena.games.castell.edition import SKILLS

levels = st.lists(st.integers(1, 10), min_size=1, max_size=5).map(lambda sizes: tuple(sorted(sizes, reverse=True)))
towers = st.lists(levels, min_size=1, max_size=6).map(tuple)
regions = st.sampled_from(["girona", "valls", "l'alt-camp", "region_2"])
moves, recruits = st.builds(Move, regions), st.builds(Recruit, levels)
effects = st.one_of(moves, recruits, st.builds(Perform, st.integers(1, 32), towers))
actions = st.one_of(
    moves,
    recruits,
    st.builds(Train, st.sampled_from(SKILLS)),
    st.builds(Special, effects, st.booleans()),
    st.builds(Compete, towers),
    st.sampled_from([DECLINE, END]),
)


@given(actions)
def test_notation_round_trips(action: object) -> None:
    assert parse_action(str(action)) == action
    assert "\n" not in str(action)


@given(actions, actions)
def test_actions_are_equal_exactly_when_their_notation_is(one: object, other: object) -> None:
    assert (one == other) == (str(one) == str(other))


@pytest.mark.parametrize(
    "text",
    [
        "move girona",
        "recruit 7 3",
        "train balance",
        "special recruit 4",
        "special move valls",
        "special perform #12 8 8 8/6 6/3",
        "wheel recruit 4",
        "wheel move valls",
        "wheel perform #1 3 3 3/2 2/1",
        "compete 9 9 9/7 7/4/2",
        "decline",
        "end",
    ],
)
def test_the_forms_of_the_design(text: str) -> None:
    assert str(parse_action(text)) == text


def test_sizes_in_any_order_and_doubled_spaces_are_understood() -> None:
    assert str(parse_action("  recruit  3   7 ")) == "recruit 7 3"
    assert str(parse_action("compete 5 6 6 / 4 4")) == "compete 6 6 5/4 4"
    assert tower_text(parse_tower("10 10 9/7 7/4")) == "10 10 9/7 7/4"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no action of Castell"),
        ("dance", "the forms are: move REGION"),
        ("end now", "is no action of Castell"),
        ("decline it", "is no action of Castell"),
        ("move", "does not name a region"),
        ("move Girona", "does not name a region"),
        ("move girona valls", "does not name a region"),
        ("recruit", "there is no casteller"),
        ("recruit 0", "'0' is no size"),
        ("recruit -3", "'-3' is no size"),
        ("recruit 07", "'07' is no size"),
        ("recruit \u0663", "is no size"),
        ("recruit 99999999999", "is no size"),
        ("train", "does not name a skill"),
        ("special", "is no special action"),
        ("special train mix", "comes recruit, move or perform"),
        ("wheel perform 12 3/2", "write its number as #12"),
        ("wheel perform #x 3/2", "write its number as #12"),
        ("wheel perform #12", "there is no casteller"),
        ("compete 9 9//7", "level 2 of the tower"),
        ("compete", "level 1 of the tower"),
        ("x" * 5000, "..."),
    ],
)
def test_what_is_no_action_is_refused_with_a_sentence(text: str, says: str) -> None:
    with pytest.raises(NotationError, match=r".") as error:
        parse_action(text)
    assert says in str(error.value)
    assert len(str(error.value)) < 400
