from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from arena import plugins
from arena.referee.inprocess import NO_LIMITS, play
from arena.referee.record import Source, Termination, Verdict, decode, encode
from arena.referee.settings import Clock
from arena.referee.verify import verify
from arena.sdk import Bot, End, Start, Turn
from tests.referee.pile import Pile

KEY = bytes(16)


class First(Bot):
    """Takes the first option, remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def started(self, start: Start) -> None:
        self.told.append(f"start {start.seat}/{start.seats} {start.options}")

    def choose(self, turn: Turn) -> int | str | Sequence[str]:
        return 0

    def ended(self, end: End) -> None:
        self.told.append(f"end {end.termination} {end.places}")


class Random(Bot):
    def choose(self, turn: Turn) -> str:
        return self.rng.choice(list(turn.options))


class Looks(First):
    wants = ("view", "actions")

    def choose(self, turn: Turn) -> str:
        self.told.append(f"{turn.view} {turn.history()} {turn.limit_ms}")
        self.note(f"request {turn.id}")
        return "1"


class Raises(First):
    def choose(self, turn: Turn) -> int:
        raise KeyError("no idea")


class Talks(First):
    def choose(self, turn: Turn) -> Sequence[str]:
        return ["3", "3"]


def test_a_match_is_told_and_recorded() -> None:
    bots = [First(), First()]
    record = play(Pile(), bots, key=KEY, options={"size": 3}, bot_options=[{"x": 1}, {}])
    assert bots[0].told == ["start 0/2 {'x': 1}", "end finished (1, 2)"]
    assert record.host.in_process
    assert [played.source for played in record.actions] == [Source.BOT, Source.BOT, Source.FORCED]
    assert decode(encode(record)) == record
    assert verify(record, Pile()) == []


def test_a_turn_carries_what_was_wanted() -> None:
    bot = Looks()
    record = play(Pile(), [First(), bot], key=KEY, options={"size": 5}, clock=Clock(per_action_ms=5000))
    assert bot.told[1] == "{'left': 4, 'taken': [1, 0]} [(0, '1')] 5000"
    assert [note.text for note in record.notes] == ["request 1", "request 3"]


@pytest.mark.parametrize(("bot", "verdict"), [(Raises(), Verdict.CRASH)])
def test_what_a_bot_raises_is_its_fault(bot: Bot, verdict: Verdict) -> None:
    record = play(Pile(), [bot, First()], key=KEY)
    assert record.termination is Termination.FORFEIT
    assert record.faults[0].verdict is verdict
    assert "KeyError" in record.faults[0].reason


@pytest.mark.parametrize("clock", [NO_LIMITS, Clock(per_action_ms=5000)])
def test_a_bot_can_tell_how_long_it_has_thought(clock: Clock) -> None:
    thought_s: list[float] = []

    class Thinks(First):
        def choose(self, turn: Turn) -> int:
            received_s = turn.received
            time.sleep(0.001)
            assert turn.received == received_s
            thought_s.append(time.monotonic() - received_s)
            return 0

    play(Pile(), [Thinks(), Thinks()], key=KEY, options={"size": 5}, clock=clock)
    assert len(thought_s) == 4
    assert all(0.001 <= one < 5 for one in thought_s)


def test_everybody_hears_the_end_once_also_who_forfeits_in_the_middle() -> None:
    bots = [First(), Raises(), First()]
    record = play(Pile(), bots, key=KEY, options={"size": 12})
    assert record.termination is Termination.FINISHED
    ends = [[told for told in bot.told if told.startswith("end")] for bot in bots]
    assert ends == [["end finished (1, 3, 1)"], ["end forfeit ()"], ["end finished (1, 3, 1)"]]


def test_lists_of_actions_are_played_while_it_is_the_seats_turn() -> None:
    record = play(Pile(), [Talks(), First()], key=KEY, options={"size": 9})
    assert [played.seat for played in record.actions[:4]] == [0, 1, 0, 1]


@pytest.mark.parametrize("name", ["castell", "connect-four"])
def test_equal_seeds_give_equal_records(name: str) -> None:
    game = plugins.game(name)
    seats = game.seat_counts[0]
    first, again, other = (
        play(game, [Random() for _ in range(seats)], key=KEY, bot_seeds=[seed + seat for seat in range(seats)])
        for seed in (1, 1, 7)
    )
    assert first == again
    assert first.actions != other.actions
    assert verify(first, game) == []
