"""Records replayed without bots: honest ones agree, and every lie is found."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from arena import plugins
from arena.errors import ArchiveError
from arena.games.api import Action, State
from arena.options import complete_options
from arena.referee.record import Fault, PlayedAction, Record, Request, Source, Termination, Verdict
from arena.referee.settings import Fixture
from arena.referee.verify import live_seats, matches_plan, replay, verify

Forfeits = Mapping[int, int]  #: number of actions played to the seat that forfeits then


class _Writer:
    """Plays random options by the rules of the arena and writes down what happens."""

    def __init__(self, game: str, seats: int, forfeits: Forfeits) -> None:
        self.game = plugins.game(game)
        self.options = complete_options(self.game, {})
        self.key = bytes(range(32))
        self.seats = seats
        self.forfeits = forfeits
        self.state = self.game.deal(seats, self.key, self.options)
        self.draw = random.Random(5)
        self.actions: list[PlayedAction] = []
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.gone: set[int] = set()

    def record(self) -> Record:
        termination = Termination.FINISHED
        while (seat := self.state.to_act) is not None:
            if len(self.actions) in self.forfeits and self.forfeits[len(self.actions)] not in self.gone:
                self._forfeit(self.forfeits[len(self.actions)])
            if self.seats - len(self.gone) < 2:
                termination = Termination.FORFEIT
                break
            self._act(seat)
        standing = self.state.standing()
        ranks = [99 if seat in self.gone else place for seat, place in enumerate(standing.places)]
        return Record(
            match_id="m-0",
            game=self.game.name,
            game_options=self.options,
            fingerprint=self.game.fingerprint(self.options),
            line_up=tuple("abcd"[: self.seats]),
            deal=0,
            block="b-0",
            rotation=0,
            key=self.key.hex(),
            actions=tuple(self.actions),
            requests=tuple(self.requests),
            faults=tuple(self.faults),
            termination=termination,
            places=tuple(sorted(ranks).index(rank) + 1 for rank in ranks),
            scores=standing.scores,
            categories=standing.categories,
            digest=self.state.digest(),
        )

    def _forfeit(self, seat: int) -> None:
        self.gone.add(seat)
        self.faults.append(
            Fault(seat=seat, verdict=Verdict.CRASH, reason="it ended", action_number=len(self.actions), at_ms=0)
        )

    def _act(self, seat: int) -> None:
        sole = self.state.sole_action()
        if seat in self.gone:
            self._play(self.state.default_action(), Source.FORFEIT, -1)
        elif sole is not None:
            self._play(sole, Source.FORCED, -1)
        else:
            self.requests.append(Request(seat=seat, wall_us=1, cpu_us=1))
            self._play(self.draw.choice(self.state.options()), Source.BOT, len(self.requests) - 1)

    def _play(self, action: Action, source: Source, request: int) -> None:
        assert self.state.to_act is not None
        self.actions.append(PlayedAction(seat=self.state.to_act, action=str(action), source=source, request=request))
        self.state.apply(action)


def write(game: str = "connect-four", seats: int = 2, forfeits: Forfeits | None = None) -> Record:
    return _Writer(game, seats, forfeits or {}).record()


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
    lie = attrs.evolve(record, actions=(attrs.evolve(record.actions[0], **change), *record.actions[1:]))
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


def test_a_record_of_another_match_than_planned_is_found() -> None:
    record = write()
    fixture = Fixture(
        match_id="m-0", number=0, line_up=("a", "b"), deal=0, block="b-0", rotation=0, key=record.key, bot_seeds=(1, 2)
    )
    assert matches_plan(record, fixture) == []
    assert [str(d) for d in matches_plan(record, attrs.evolve(fixture, line_up=("b", "a"), deal=4))] == [
        "line_up: ('a', 'b') is stored, ('b', 'a') was planned",
        "deal: 0 is stored, 4 was planned",
    ]


def test_seats_are_live_until_they_forfeit() -> None:
    record = write(forfeits={5: 1})
    assert [live_seats(record, number) for number in (4, 5, 6)] == [[0, 1], [0], [0]]


def test_a_replay_that_fails_names_the_match() -> None:
    record = write()
    broken = attrs.evolve(record, actions=(attrs.evolve(record.actions[0], action="9"),))
    with pytest.raises(ArchiveError, match="m-0: action 0, `9`, can't be replayed"):
        list(replay(broken, plugins.game(record.game)))
