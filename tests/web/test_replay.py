"""Replays: the state at every action is the record's."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from arena import plugins
from arena.games.api import Game, State
from arena.games.castell.state import State as CastellState
from arena.games.connect_four import ConnectFour
from arena.referee.record import Record
from arena.referee.verify import deal
from arena.testing.records import fixture_of, random_record
from arena.web.replay import Replay, make_replay


def record_of(game: Game, seats: int, number: int, forfeits: dict[int, int] | None = None) -> Record:
    line_up = tuple(f"e{seat}" for seat in range(seats))
    return random_record(game, fixture_of(line_up, number=number, key=f"{number:064x}"), forfeits=forfeits)


def frames(replay: Replay) -> list[dict[str, Any]]:
    """Return whole scenes, as the viewer's script puts them together."""
    whole: list[dict[str, Any]] = []
    for change in replay.scenes:
        assert isinstance(change, dict)
        whole.append({**(whole[-1] if whole else {}), **change})
    return whole


def states(record: Record, game: Game) -> list[State]:
    state = deal(record, game)
    found = [state.copy()]
    for played in record.actions:
        state.apply(game.parse(played.action))
        found.append(state.copy())
    return found


@pytest.mark.parametrize(("name", "seats", "forfeits"), [
    ("castell", 2, None), ("castell", 3, {20: 1}), ("castell", 4, None), ("connect-four", 2, None),
])  # fmt: skip
def test_every_frame_is_the_state_after_so_many_actions(name: str, seats: int, forfeits: dict[int, int] | None) -> None:
    game = plugins.game(name)
    record = record_of(game, seats, seats, forfeits)
    replay = make_replay(record, game)
    expected = states(record, game)
    assert len(replay.scenes) == len(replay.steps) + 1 == len(record.actions) + 1
    for whole, state in zip(frames(replay), expected, strict=True):
        assert whole == msgspec.json.decode(msgspec.json.encode(game.scene(state)))
    assert [(step.seat, step.action) for step in replay.steps] == [(one.seat, one.action) for one in record.actions]
    assert all(
        step.say == game.tell(state, game.parse(step.action))
        for step, state in zip(replay.steps, expected, strict=False)
    )
    assert replay.points[-1][1] == tuple(
        zip(*(expected[-1].standing().categories.values() or [record.scores]), strict=True)
    )


def test_points_are_kept_where_they_change() -> None:
    game = plugins.game("castell")
    record = record_of(game, 3, 9)
    replay, expected = make_replay(record, game), states(record, game)
    starts = [frame for frame, _ in replay.points]
    assert starts == sorted(set(starts))
    for frame, state in enumerate(expected):
        now = next(points for start, points in reversed(replay.points) if start <= frame)
        assert now == tuple(zip(*state.standing().categories.values(), strict=True))


def test_rounds_begin_where_the_scene_says_so() -> None:
    game = plugins.game("castell")
    replay = make_replay(record_of(game, 2, 4), game)
    scenes = frames(replay)
    begins = [number for number, step in enumerate(replay.steps) if step.round]
    assert [scenes[number]["round"] for number in begins] == list(range(1, 11))


def test_changes_are_small() -> None:
    game = plugins.game("castell")
    replay = make_replay(record_of(game, 4, 1), game)
    whole = sum(len(msgspec.json.encode(scene)) for scene in frames(replay))
    assert len(msgspec.json.encode(replay)) < whole / 4


def test_nothing_of_the_order_of_the_bag_is_in_a_replay() -> None:
    game = plugins.game("castell")
    for scene in frames(make_replay(record_of(game, 2, 2), game)):
        assert "bag" not in scene


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_scenes_of_castell_are_equal_when_only_the_bag_differs(seat: int | None) -> None:
    game = plugins.game("castell")
    for state in states(record_of(game, 2, 6), game)[::10]:
        view = state.view(0)
        one, other = (CastellState.from_view(view, random.Random(dice)) for dice in (1, 2))
        assert game.scene(one, seat) == game.scene(other, seat) == game.scene(state, seat)


class Plain(ConnectFour):
    """A game without a drawing."""

    def drawing(self) -> str:
        return ""


def test_a_game_without_a_drawing_is_shown_as_text() -> None:
    game = Plain()
    record = record_of(game, 2, 3)
    replay = make_replay(record, game)
    assert replay.scenes == ()
    shown = ""
    for text, state in zip(replay.texts, states(record, game), strict=True):
        shown = shown if text is None else text
        assert shown == game.draw(state)


def test_a_match_without_any_action_has_one_frame() -> None:
    game = plugins.game("connect-four")
    record = record_of(game, 2, 3, {0: 0})
    replay = make_replay(record, game)
    assert replay.steps == ()
    assert len(replay.scenes) == 1
