"""Records replayed without bots: honest ones agree, and every lie is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import pytest
from msgspec.structs import replace

from arena import plugins
from arena.errors import ArchiveError
from arena.games.api import State
from arena.referee.record import Fault, PlayedAction, Record, Request, Source, Termination, Verdict
from arena.referee.verify import live_seats, replay, verify
from arena.testing.records import fixture_of, random_record

Forfeits = Mapping[int, int]  #: number of actions played to the seat that forfeits then


def write(forfeits: Forfeits | None = None) -> Record:
    return random_record(plugins.game("connect-four"), fixture_of(("a", "b")), forfeits=forfeits)


def found(record: Record) -> list[str]:
    return [str(difference) for difference in verify(record, plugins.game(record.game))]


@pytest.mark.parametrize("forfeits", [{}, {0: 0}, {5: 1}, {6: 1}])
def test_an_honest_record_agrees_with_its_replay(forfeits: Forfeits) -> None:
    assert found(write(forfeits=forfeits)) == []


def test_a_replay_yields_every_action_before_it_is_played() -> None:
    record = write()
    game = plugins.game(record.game)
    last: State | None = None
    for index, step in enumerate(replay(record, game)):
        assert step.index == index
        assert step.state.to_act == step.played.seat
        step.state.check(step.action)
        last = step.state
    assert last is not None
    assert last.digest() == record.digest


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"digest": "0" * 32}, "digest: 00000000000000000000000000000000 is stored, the replay ends in"),
        ({"places": (1, 1)}, "places: (1, 1) is stored, the replay gives"),
        ({"scores": (7, 0)}, "scores: (7, 0) is stored, the replay gives"),
        ({"categories": {"x": (1, 2)}}, "categories: {'x': (1, 2)} is stored, the replay gives {}"),
        ({"termination": Termination.FORFEIT}, "termination: forfeit is stored, the replay ends finished"),
        ({"fingerprint": "connect-four 0"}, "rules: played under connect-four 'connect-four 0', these are"),
        ({"game_options": {"opening": 3}}, "deal: game_options.opening: 3 is none of the choices"),
        ({"line_up": ("a", "b", "c")}, "deal: seats: connect-four is played at 2 seats, not 3"),
        ({"key": "xyz"}, "actions: the key 'xyz' is not written in hex digits"),
    ],
)
def test_a_changed_field_is_found(change: dict[str, Any], difference: str) -> None:
    assert found(attrs.evolve(write(), **change))[0].startswith(difference)


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"seat": 1}, "action 0: seat 1 is stored, but seat 0 acts"),
        ({"source": Source.FORCED}, "is stored as forced, but there was a choice"),
        ({"source": Source.FORFEIT}, "action 0: its source is 'forfeit', but seat 0 had not forfeited"),
        ({"source": Source.STRIKE}, "action 0: it spent a strike of seat 0, but no such fault is stored"),
        ({"request": 1}, "action 0: it answers request 1, which seat 0 never had"),
        ({"request": -1}, "action 0: it answers request -1, which seat 0 never had"),
        ({"action": "8"}, "actions: action 0, `8`, can't be replayed: '8' is no action"),
    ],
)
def test_a_changed_action_is_found(change: dict[str, Any], difference: str) -> None:
    record = write()
    lie = attrs.evolve(record, actions=(replace(record.actions[0], **change), *record.actions[1:]))
    assert any(difference in text for text in found(lie)), found(lie)


def test_an_action_that_is_not_legal_there_is_found() -> None:
    record = write()
    full = tuple(PlayedAction(seat=index % 2, action="1", source=Source.BOT, request=index) for index in range(7))
    asked = tuple(Request(seat=index % 2, wall_us=1, cpu_us=1) for index in range(7))
    assert found(attrs.evolve(record, actions=full, requests=asked)) == [
        "actions: action 6, `1`, can't be replayed: column 1 is full"
    ]


def test_a_missing_action_is_found() -> None:
    record = write()
    assert "termination: finished is stored, the replay ends in the middle" in found(
        attrs.evolve(record, actions=record.actions[:-1])
    )


def test_play_after_the_last_opponent_forfeited_is_found() -> None:
    record = write()
    fault = Fault(seat=1, verdict=Verdict.CRASH, reason="it ended", action_number=2, at_ms=0)
    texts = found(attrs.evolve(record, faults=(fault,)))
    assert "action 2: it was played when fewer than two seats were left" in texts


def test_a_void_match_is_replayed_but_not_scored() -> None:
    record = attrs.evolve(write(), termination=Termination.VOID, places=(), scores=())
    assert found(record) == []
    assert found(attrs.evolve(record, digest="")) != []


def test_seats_are_live_until_they_forfeit() -> None:
    record = write(forfeits={5: 1})
    assert [live_seats(record, number) for number in (4, 5, 6)] == [[0, 1], [0], [0]]


def test_a_replay_that_fails_names_the_match() -> None:
    record = write()
    broken = attrs.evolve(record, actions=(replace(record.actions[0], action="9"),))
    with pytest.raises(ArchiveError, match="m-0: action 0, `9`, can't be replayed"):
        list(replay(broken, plugins.game(record.game)))
