from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from arena.errors import ArenaError
from arena.referee.settings import BotKind, Entrant, Fixture, Settings
from arena.referee.wire import MatchPlayed, Setup
from arena.tournament.backend import Loss
from arena.tournament.pool import Pool, Slot

FAKE = Path(__file__).with_name("fake_referee.py")
ENTRANTS = tuple(Entrant(name=name, kind=BotKind.COMMAND, argv=("x",)) for name in "ab")


def fixture(match_id: str, number: int) -> Fixture:
    return Fixture(
        match_id=match_id, number=number, line_up=("a", "b"), deal=0, block="b", rotation=0, key="", bot_seeds=()
    )


class Course:
    """A source with a fixed list, and a sink that remembers."""

    def __init__(self, ids: Sequence[str], *, after_each: bool = False) -> None:
        self.left = [fixture(match_id, number) for number, match_id in enumerate(ids)]
        self.results: list[str] = []
        self.losses: list[Loss] = []
        self.aside: list[Loss] = []
        self.after_each = after_each
        self.handed_out = 0

    def next_fixture(self) -> Fixture | None:
        waits = self.after_each and self.handed_out > len(self.results) + len(self.aside)
        if not self.left or waits:
            return None
        self.handed_out += 1
        return self.left.pop(0)

    @property
    def done(self) -> bool:
        return not self.left

    def started(self, fixture: Fixture, slot: int) -> None:
        pass

    async def played(self, match: MatchPlayed, fixture: Fixture, slot: int) -> None:
        await trio.lowlevel.checkpoint()
        assert match.summary.match_id == fixture.match_id
        self.results.append(fixture.match_id)

    async def lost(self, loss: Loss) -> None:
        await trio.lowlevel.checkpoint()
        self.losses.append(loss)

    async def set_aside(self, loss: Loss) -> None:
        await trio.lowlevel.checkpoint()
        self.aside.append(loss)


def play(course: Course, folder: Path, *, slots: int = 2, entrants: tuple[Entrant, ...] = ENTRANTS) -> None:
    def setup(slot: Slot) -> Setup:
        return Setup(settings=Settings(game="pile", seats=2), entrants=entrants, slot=slot.number, cores=slot.cores)

    pool = Pool(
        setup,
        [Slot(number) for number in range(slots)],
        command=[sys.executable, "-I", str(FAKE), str(folder)],
        silent_for_s=0.5,
    )
    trio.run(pool.play, course, course)


@pytest.mark.parametrize("slots", [1, 2, 3])
@pytest.mark.parametrize("after_each", [False, True])
def test_every_fixture_is_played_once(tmp_path: Path, slots: int, after_each: bool) -> None:
    ids = [f"m{number}" for number in range(30)]
    course = Course(ids, after_each=after_each)
    play(course, tmp_path, slots=slots)
    assert sorted(course.results) == sorted(ids)
    assert Counter((tmp_path / "log").read_text().split()) == Counter(ids)


def test_a_match_that_loses_its_referee_is_replayed(tmp_path: Path) -> None:
    course = Course(["m0", "die-2", "m1", "m2"])
    play(course, tmp_path)
    assert sorted(course.results) == ["die-2", "m0", "m1", "m2"]
    assert [(loss.fixture.match_id, loss.times, loss.last_seat) for loss in course.losses] == [
        ("die-2", 1, 1),
        ("die-2", 2, 1),
    ]
    assert "exit code 9" in course.losses[0].reason


def test_a_match_that_kills_three_referees_is_set_aside(tmp_path: Path) -> None:
    course = Course(["m0", "die-3", "m1", "die-4", "m2"])
    play(course, tmp_path)
    assert sorted(course.results) == ["m0", "m1", "m2"]
    assert sorted((loss.fixture.match_id, loss.times) for loss in course.aside) == [("die-3", 3), ("die-4", 3)]


def test_a_stalled_referee_is_replaced(tmp_path: Path) -> None:
    course = Course(["stall", "m0", "m1"])
    play(course, tmp_path)
    assert sorted(course.results) == ["m0", "m1"]
    assert len(course.losses) == 2
    assert "said nothing" in course.aside[0].reason


def test_a_referee_that_returns_another_match_is_replaced(tmp_path: Path) -> None:
    course = Course(["lie", "m0"])
    play(course, tmp_path)
    assert course.results == ["m0"]
    assert "returned other for lie" in course.aside[0].reason


def test_a_refused_set_up_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        play(Course(["m0"]), tmp_path, entrants=())
    leaves = caught.value.exceptions
    assert all(isinstance(error, ArenaError) and "no sandbox here" in str(error) for error in leaves)
