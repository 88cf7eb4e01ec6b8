"""The table of bad bots, played for real: verdict, evidence, cost, our memory, and nothing left alive."""

from __future__ import annotations

import os
from collections.abc import Mapping

import attrs
import pytest

from arena.games.api import Game, Json, OptionValue
from arena.games.connect_four import ConnectFour
from arena.referee.record import Verdict
from arena.referee.sandbox import forced
from arena.testing.badbots import BAD_BOTS, BadBot, Opponent
from arena.testing.badbots.playing import SEAT_OF_BAD, complaints, play
from tests.referee.pile import Pile, PileState

BY_NAME = {bad.name: bad for bad in BAD_BOTS}


class WordyState(PileState):
    """A pile whose view fills a pipe of one page at once."""

    def copy(self) -> WordyState:
        return WordyState(self.seats, self.left, list(self.taken), self.turn)

    def view(self, seat: int) -> Mapping[str, Json]:
        return {"left": self.left, "story": "word " * 5000}


class WordyPile(Pile):
    """The pile with that view."""

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> PileState:
        return WordyState(seats, int(options["size"]), [0] * seats, 0)


def found_wrong(bad: BadBot, rung: str) -> list[str]:
    game: Game = WordyPile() if bad.full_pipe else ConnectFour()
    matches = play(bad, game, forced(rung), matches=2 if bad.litters else 1)
    return [wrong for played in matches for wrong in complaints(bad, played, rung)]


@pytest.mark.parametrize("bad", BAD_BOTS, ids=lambda bad: bad.name)
def test_bad_bot(bad: BadBot) -> None:
    assert found_wrong(bad, "bubblewrap") == []


def test_spinners_do_not_make_their_opponent_late() -> None:
    spinner = BY_NAME["burns-in-four-children"]
    hasty = attrs.evolve(spinner, opponent=Opponent.GOOD, clock=attrs.evolve(spinner.clock, per_action_ms=50))
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        (played,) = play(hasty, ConnectFour(), forced("bubblewrap"))
    finally:
        os.sched_setaffinity(0, cores)
    assert not [fault for fault in played.record.faults if fault.seat != SEAT_OF_BAD]
    assert played.left == ()


def test_complaints_are_made() -> None:
    leaver = BY_NAME["exits-when-asked"]
    (played,) = play(leaver, ConnectFour(), forced("bubblewrap"))
    assert played.fault is not None
    assert complaints(leaver, played, "bubblewrap") == []
    other = attrs.evolve(leaver, verdict=Verdict.TIMEOUT, evidence="no such words", stderr="silence")
    costly = attrs.evolve(played, wall_ms=1e6, growth_bytes=2**30, left=(1,))
    assert len(complaints(other, costly, "bubblewrap")) == 6
    assert len(complaints(BY_NAME["crlf-and-bom"], played, "bubblewrap")) == 1
    unseen = attrs.evolve(played, record=attrs.evolve(played.record, faults=()))
    assert "got away" in complaints(other, unseen, "off")[0]
    assert "should not" in complaints(attrs.evolve(other, says=True), played, "landlock")[-1]


LOWER_RUNGS = [
    (bad, rung) for bad in BAD_BOTS for rung in ("landlock", "rlimits", "off") if rung == "landlock" or not bad.litters
]


@pytest.mark.heavy
@pytest.mark.parametrize(("bad", "rung"), LOWER_RUNGS, ids=[f"{bad.name}-{rung}" for bad, rung in LOWER_RUNGS])
def test_bad_bot_on_a_lower_rung(bad: BadBot, rung: str) -> None:
    assert found_wrong(bad, rung) == []
