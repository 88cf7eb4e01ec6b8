"""What every backend promises, kept by the pool of this machine and by a Dask cluster alike."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from arena.errors import ArenaError
from arena.referee.settings import Entrant
from arena.referee.wire import Setup
from arena.tournament.backend import Backend
from arena.tournament.pool import Pool, Slot
from tests.tournament.course import ENTRANTS, FAKE, SETTINGS, Course

SILENT_FOR_S = 0.5


def pool(folder: Path, slots: int, entrants: tuple[Entrant, ...]) -> Backend:
    def setup(slot: Slot) -> Setup:
        return Setup(settings=SETTINGS, entrants=entrants, slot=slot.number, cores=slot.cores)

    return Pool(
        setup,
        [Slot(number) for number in range(slots)],
        command=[sys.executable, "-I", str(FAKE), str(folder)],
        silent_for_s=SILENT_FOR_S,
    )


@attrs.define
class Workshop:
    """Makes a backend, and plays on it."""

    make: Callable[[Path, int, tuple[Entrant, ...]], Backend]
    folder: Path

    def play(self, course: Course, *, slots: int = 2, entrants: tuple[Entrant, ...] = ENTRANTS) -> None:
        trio.run(self.make(self.folder, slots, entrants).play, course, course)


@pytest.fixture(params=["pool", "dask"])
def workshop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workshop]:
    if request.param == "pool":
        yield Workshop(pool, tmp_path)
        return
    pytest.importorskip("distributed", reason="Dask is not installed")
    from tests.hosts.in_process import dask_backends

    with dask_backends(SILENT_FOR_S) as make:
        yield Workshop(make, tmp_path)


@pytest.mark.parametrize("slots", [1, 3])
@pytest.mark.parametrize("after_each", [False, True])
def test_every_fixture_is_played_once(workshop: Workshop, slots: int, after_each: bool) -> None:
    ids = [f"m{number}" for number in range(30)]
    course = Course(ids, after_each=after_each)
    workshop.play(course, slots=slots)
    assert sorted(course.results) == sorted(ids)
    assert Counter((workshop.folder / "log").read_text().split()) == Counter(ids)


@pytest.mark.lesson(11)
def test_a_match_that_loses_its_referee_is_replayed(workshop: Workshop) -> None:
    course = Course(["m0", "die-2", "m1", "m2"])
    workshop.play(course)
    assert sorted(course.results) == ["die-2", "m0", "m1", "m2"]
    assert [(loss.fixture.match_id, loss.times, loss.last_seat) for loss in course.losses] == [
        ("die-2", 1, 1),
        ("die-2", 2, 1),
    ]
    assert "exit code 9" in course.losses[0].reason


def test_a_match_that_kills_three_referees_is_set_aside(workshop: Workshop) -> None:
    course = Course(["m0", "die-3", "m1", "die-4", "m2"])
    workshop.play(course)
    assert sorted(course.results) == ["m0", "m1", "m2"]
    assert sorted((loss.fixture.match_id, loss.times, loss.last_seat) for loss in course.aside) == [
        ("die-3", 3, 1),
        ("die-4", 3, 1),
    ]


@pytest.mark.lesson(9)
def test_a_stalled_referee_is_replaced(workshop: Workshop) -> None:
    course = Course(["stall", "m0", "m1"])
    workshop.play(course)
    assert sorted(course.results) == ["m0", "m1"]
    assert len(course.losses) == 2
    assert "said nothing" in course.aside[0].reason


def test_a_referee_that_returns_another_match_is_replaced(workshop: Workshop) -> None:
    course = Course(["lie", "m0"])
    workshop.play(course)
    assert course.results == ["m0"]
    assert "returned other for lie" in course.aside[0].reason


@pytest.mark.lesson(11)
def test_a_match_that_a_broken_game_made_void_is_replayed_and_set_aside(workshop: Workshop) -> None:
    course = Course(["void", "m0"])
    workshop.play(course)
    assert course.results == ["m0"]
    assert len(course.losses) == 2
    assert "referee error: KeyError: 3" in course.aside[0].reason


def test_a_referee_that_writes_what_is_no_message_is_replaced(workshop: Workshop) -> None:
    course = Course(["babble", "m0"])
    workshop.play(course)
    assert course.results == ["m0"]
    assert course.aside[0].reason == "the referee wrote `debug: here we are`, which is no message"


def test_a_refused_set_up_ends_the_run_with_its_reason(workshop: Workshop) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        workshop.play(Course(["m0"]), entrants=())
    leaves = caught.value.exceptions
    assert all(isinstance(error, ArenaError) and "no sandbox here" in str(error) for error in leaves)


def test_a_cancelled_backend_stops_its_referees(workshop: Workshop) -> None:
    course = Course(["m0", "stall", "m1", *(f"n{number}" for number in range(50))])
    before = referees(workshop.folder)

    async def cancelled_in_the_middle() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(workshop.make(workshop.folder, 1, ENTRANTS).play, course, course)
            await course.first_result.wait()
            nursery.cancel_scope.cancel()

    trio.run(cancelled_in_the_middle)
    assert before == []
    assert gone(workshop.folder)
    assert course.results[0] == "m0"
    assert len(course.results) < 53


def referees(folder: Path) -> Sequence[int]:
    """Return the fake referees that work in `folder`."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words: Any = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if os.fsencode(folder) in words:
            found.append(int(entry.name))
    return found


def gone(folder: Path) -> bool:
    """Return whether no referee is left soon; a Dask worker ends them on threads of its own."""
    deadline = time.monotonic() + 5
    while left := referees(folder):
        if time.monotonic() > deadline:
            return not left
        os.sched_yield()
    return True
