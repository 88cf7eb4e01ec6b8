"""The bots play every table without a fault, the same way each time, and each is better than the one below."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import mean

import pytest

from arena import plugins
from arena.games.castell.game import Castell
from arena.games.connect_four import ConnectFour
from arena.referee.inprocess import play
from arena.referee.record import Record, Source, canonical
from arena.sdk import Bot
from castell_bots.greedy import Greedy
from castell_bots.planner import Planner
from castell_bots.random_bot import Random

RUNGS: tuple[type[Bot], ...] = (Random, Greedy, Planner)


def castell(bots: Sequence[type[Bot]], deal: int = 0, side: str = "standard") -> Record:
    record = play(Castell(), [bot() for bot in bots], key=b"deal %012d" % deal, options={"side": side})
    assert not record.faults
    return record


@pytest.mark.parametrize("side", ["standard", "advanced"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_they_play_at_every_table(seats: int, side: str) -> None:
    record = castell([*RUNGS, Greedy][-seats:], side=side)
    assert len(record.places) == seats


def test_each_is_better_than_the_one_below() -> None:
    scores: list[list[int]] = [[], [], []]
    for deal in range(3):
        for turn in range(3):
            seats = [(rung + turn) % 3 for rung in range(3)]
            record = castell([RUNGS[rung] for rung in seats], deal)
            for rung, score in zip(seats, record.scores, strict=True):
                scores[rung].append(score)
    for below, above in pairwise([mean(row) for row in scores]):
        assert above > below + 5, scores


def test_they_play_the_same_again() -> None:
    assert canonical(castell(RUNGS)) == canonical(castell(RUNGS))


def test_the_planner_answers_whole_turns() -> None:
    record = castell([Planner, Planner])
    asked = {action.request for action in record.actions if action.source is Source.BOT}
    assert len(asked) < len(record.actions) / 2


def test_random_plays_any_game_and_by_its_seed_alone() -> None:
    records = [play(ConnectFour(), [Random(), Random()], key=b"k" * 16, bot_seeds=seeds) for seeds in [(1, 2)] * 2]
    other = play(ConnectFour(), [Random(), Random()], key=b"k" * 16, bot_seeds=(1, 3))
    assert canonical(records[0]) == canonical(records[1])
    assert records[0].actions != other.actions


def test_they_are_found_through_the_door_of_strangers() -> None:
    found = plugins.bots()
    for bot in RUNGS:
        facts = found[bot.name]
        assert facts.distribution == "castell-bots"
        assert facts.version == bot.version
        assert facts.target == f"{bot.__module__}:{bot.__name__}"
