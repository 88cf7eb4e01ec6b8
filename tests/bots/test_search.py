"""The bots that search: by a clock that only moves when they look at it, so that nothing depends on this machine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from statistics import mean
from types import SimpleNamespace

import pytest

from arena.games.api import Action
from arena.games.castell.game import Castell
from arena.games.castell.state import State
from arena.referee.inprocess import play
from arena.referee.settings import Clock as MatchClock
from arena.referee.settings import ClockKind
from arena.sdk import Bot, Clock, Start, Turn
from arena.sdk.bot import begin
from castell_bots import searcher, timing
from castell_bots.champion import Champion
from castell_bots.greedy import best_action
from castell_bots.outlook import Outlook, distances
from castell_bots.planner import Planner
from castell_bots.rehearsal import play_on, redrawn
from castell_bots.searcher import Searcher
from castell_bots.turns import best_lines, turn_key

OPTIONS = {"side": "standard", "edition": ""}
LOOK_MS = 0.2  #: by which the clock moves when somebody looks at it


class Ticking:
    """A clock in seconds."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        self.now_s += LOOK_MS / 1000
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ticking]:
    ticking = Ticking()
    with monkeypatch.context() as patch:
        patch.setattr(timing, "time", SimpleNamespace(monotonic=ticking, process_time=ticking))
        yield ticking


def seated(bot: Bot, seat: int = 0, kind: str = "wall") -> Bot:
    clock = Clock(kind=kind, per_action_ms=100)
    start = Start(
        match="m", seat=seat, seats=3, names=["a", "b", "c"], game_options=OPTIONS, options={}, clock=clock, bot_seed=7
    )
    begin(bot, start)
    return bot


def asked(state: State, limit_ms: int, clock: Ticking) -> Turn:
    turn = Turn(id=1, view=state.view(state.acting), limit_ms=limit_ms)
    turn.received = clock.now_s
    return turn


def middle_of_a_match(rounds: int = 3, deal: int = 1) -> State:
    """Return a state at the beginning of a turn."""
    state = Castell().deal(3, b"deal %012d" % deal, OPTIONS)
    while state.round < rounds or not state.in_turn or state.done:
        state.apply(best_action(state))
    return state


@pytest.mark.parametrize("kind", ["wall", "cpu"])
@pytest.mark.parametrize("limit_ms", [1, 10, 40, 100, 400])
@pytest.mark.parametrize("searching", [Searcher, Champion])
def test_the_clock_is_never_overstepped(searching: type[Bot], limit_ms: int, kind: str, clock: Ticking) -> None:
    state = middle_of_a_match()
    bot = seated(searching(), state.acting, kind)
    while state.in_turn and state.seat == bot.start.seat:
        began = clock.now_s
        turn = asked(state, limit_ms, clock)
        action = bot.choose(turn)
        assert isinstance(action, str)
        assert (clock.now_s - began) * 1000 <= limit_ms
        state.apply(Castell().parse(action))


@pytest.mark.parametrize("searching", [Searcher, Champion])
def test_nothing_is_looked_for_once_time_is_up(
    searching: type[Bot], clock: Ticking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A best action can take 60 ms where nothing is remembered and the machine is busy."""
    state = middle_of_a_match()
    slow_ms, bot = 15, seated(searching(), state.acting)

    def slow(of: State) -> Action:
        clock.now_s += slow_ms / 1000
        return best_action(of)

    def endless(*_: object, check: Callable[[], None]) -> None:
        while True:
            check()

    monkeypatch.setattr(searcher, "best_action", slow)
    monkeypatch.setattr(searcher, "Outlook", endless)
    turn, began = asked(state, 100, clock), clock.now_s
    assert bot.choose(turn) == str(best_action(state))
    assert (clock.now_s - began) * 1000 < timing.think_ms(turn) + 3 * LOOK_MS


@pytest.mark.parametrize("searching", [Searcher, Champion])
def test_the_time_is_used(searching: type[Bot], clock: Ticking) -> None:
    state = middle_of_a_match()
    bot = seated(searching(), state.acting)
    began = clock.now_s
    bot.choose(asked(state, 100, clock))
    assert (clock.now_s - began) * 1000 > 60


def test_a_bank_is_not_spent_at_once() -> None:
    turn = Turn(id=1, limit_ms=60_000, bank_ms=60_000)
    assert timing.think_ms(turn) < 60_000 / timing.REQUESTS_AHEAD
    assert timing.think_ms(Turn(id=1, limit_ms=0, bank_ms=0)) == 0
    assert timing.think_ms(Turn(id=1)) == timing.UNLIMITED_MS


@pytest.mark.parametrize("limit_ms", [1, 5, 24, 25, 100, 1000])
def test_less_than_the_limit_is_thought(limit_ms: int) -> None:
    assert 0 < timing.think_ms(Turn(id=1, limit_ms=limit_ms)) < limit_ms


def test_the_bag_is_drawn_anew_and_nothing_else_changes() -> None:
    state = middle_of_a_match()
    other = redrawn(state, random.Random(3))
    assert other.view(0) == state.view(0)
    assert other.truth() != state.truth()
    assert redrawn(state, random.Random(3)).truth() == other.truth()


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_playing_on_stops_where_a_turn_begins(turns: int) -> None:
    state = middle_of_a_match()
    seat, number = state.acting, state.round
    play_on(state, turns, lambda: None)
    assert (state.seat, state.round, state.done) == (seat, number + turns + 1, 0)


def test_playing_on_ends_with_the_match() -> None:
    state = middle_of_a_match()
    play_on(state, 99, lambda: None)
    assert state.outcome() is not None


def test_a_wider_beam_finds_what_a_narrow_one_finds() -> None:
    for deal in range(4):
        state = middle_of_a_match(deal=deal)
        outlook = Outlook(state, state.acting)
        narrow, wide = best_lines(state, 1, outlook.value), best_lines(state, 12, outlook.value)
        assert wide[0].value >= narrow[0].value
        assert [line.value for line in wide] == sorted((line.value for line in wide), reverse=True)
        assert len({turn_key(line.state) for line in wide}) == len(wide)
        for line in wide[:20]:
            again = state.copy()
            for action in line.actions:
                again.apply(action)
            assert again.truth() == line.state.truth()


def test_distances_are_counted_in_moves() -> None:
    tables = middle_of_a_match().deal.tables
    rows = distances(tables)
    for start, row in enumerate(rows[:-1]):
        assert row[start] == 0
        assert {to for to, moves in enumerate(row) if moves == 1} == set(tables.neighbours[start])
        assert all(rows[to][start] == moves for to, moves in enumerate(row))
        assert max(row) < 5
    assert set(rows[-1]) == {1}


@pytest.mark.heavy
@pytest.mark.usefixtures("clock")
def test_each_rung_is_better_than_the_one_below() -> None:
    cpu = MatchClock(kind=ClockKind.CPU, per_action_ms=None)  # which our clock stands in for
    makers: list[Callable[[], Bot]] = [Planner, Searcher, Champion]
    scores: list[list[int]] = [[], [], []]
    for deal in range(6):
        for turn in range(3):
            seats = [(rung + turn) % 3 for rung in range(3)]
            record = play(Castell(), [makers[rung]() for rung in seats], key=b"deal %012d" % deal, clock=cpu)
            assert not record.faults
            for rung, score in zip(seats, record.scores, strict=True):
                scores[rung].append(score)
    assert mean(scores[0]) < mean(scores[1]) < mean(scores[2]), scores
