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


#: What docs/promises.md has a number for, and the rows that prove it.
PROOFS = {
    3: {"never-ready", "ready-but-never-starts"},
    5: {"forks-a-child-and-exits", "daemonises"},
    7: {"sleeps-for-ever", "ignores-sigterm", "stops-itself", "never-reads"},
    8: {"chats-instead-of-getting-ready", "drips-harmless-lines", "drips-one-long-answer", "drips-on-stderr"},
    11: {"exits-at-once", "answers-twice", "illegal-action", "burns-its-time", "dies-after-some-actions"},
    12: {"floods-lines", "one-endless-line", "huge-json", "a-gigabyte-on-stderr"},
    15: {"greets-without-a-line-end", "gets-ready-without-a-line-end", "forgets-the-line-end"},
    16: {"crlf-and-bom"},
    17: {"prints-debug-output", "traces-on-stdout"},
    23: {"burns-off-turn-with-threads", "burns-in-a-forked-child", "burns-in-four-children"},
    24: {"loops-for-ever", "hangs-at-import"},
    40: {"reads-another-bots-files", "opens-a-socket"},
}


def test_no_promise_has_lost_its_bad_bots() -> None:
    assert set().union(*PROOFS.values()) <= set(BY_NAME)
    assert {bad.verdict for bad in BAD_BOTS if bad.verdict} == set(Verdict) - {Verdict.REFEREE_ERROR}


def found_wrong(bad: BadBot, rung: str) -> list[str]:
    game: Game = WordyPile() if bad.full_pipe else ConnectFour()
    matches = play(bad, game, forced(rung), matches=2 if bad.litters else 1)
    return [wrong for played in matches for wrong in complaints(bad, played, rung)]


@pytest.mark.lesson(3, 5, 7, 8, 11, 12, 15, 16, 17, 23, 24, 40)
@pytest.mark.parametrize("bad", BAD_BOTS, ids=lambda bad: bad.name)
def test_bad_bot(bad: BadBot) -> None:
    assert found_wrong(bad, "bubblewrap") == []


@pytest.mark.lesson(23)
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
