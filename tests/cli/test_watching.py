"""What is said while a run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest

from arena.cli.progress import PlainView, Progress
from arena.cli.watching import Watch
from arena.referee.summary import MatchRow
from arena.testing.records import fixture_of
from arena.tournament.backend import Loss
from arena.tournament.director import Status, Unscored


class View(PlainView):
    """Keeps everything."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.progress: list[Progress] = []
        self.standings: list[Sequence[str]] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def update(self, progress: Progress, standings: Callable[[], Sequence[str]]) -> None:
        self.progress.append(progress)
        self.standings.append(standings())


class Director:
    settled, total, state = 3, 8, "round 2"


ROW = MatchRow(
    match_id="m-1", line_up=("ann", "bob"), places=(1, 2), scores=(2, 0), block="b", deal=0, termination="finished"
)


@pytest.fixture
def view() -> View:
    return View()


def test_a_reason_why_matches_are_not_played_is_told_once(view: View) -> None:
    watch = Watch(view, ["ann", "bob"])
    for number in range(3):
        watch.unscored(
            Unscored(
                match_id=f"m-{number}", number=number, line_up=("ann", "bob"), status=Status.NOT_PLAYED,
                reason="disabled: bob lost 3 matches by its own faults",
            )
        )  # fmt: skip
    assert view.said == ["matches that are not played: disabled: bob lost 3 matches by its own faults"]


def test_a_match_that_is_set_aside_names_its_likely_cause(view: View) -> None:
    aside = Unscored(
        match_id="m-1", number=1, line_up=("ann", "bob"), status=Status.SET_ASIDE, reason="it lost its referee 3 times",
        blamed="bob",
    )  # fmt: skip
    Watch(view, []).unscored(aside)
    assert view.said == ["m-1 is set aside: it lost its referee 3 times; the last message came from bob"]


def test_a_lost_referee_is_told(view: View) -> None:
    loss = Loss(
        fixture=fixture_of(("a", "b")), slot=0, reason="the referee was killed by SIGKILL", last_seat=1, times=1
    )
    watch = Watch(view, [])
    watch.started(loss.fixture, 0)
    watch.lost(loss)
    assert view.said == ["m-0: the referee was killed by SIGKILL; the match is replayed"]


def test_progress_counts_from_this_start(view: View) -> None:
    clock = iter([0.0, 4.0])
    watch = Watch(view, ["ann", "bob"], done_before=1, now=lambda: next(clock))
    watch.started(fixture_of(("ann", "bob")), 0)
    watch.settled(Director())  # type: ignore[arg-type]
    (progress,) = view.progress
    assert (progress.done, progress.total, progress.playing, progress.state) == (3, 8, 1, "round 2")
    assert progress.per_second == 0.5


def test_the_standings_that_were_stored_are_the_ones_that_are_shown(view: View) -> None:
    watch = Watch(view, ["ann", "bob"], anchor="cy")
    watch.settled(Director())  # type: ignore[arg-type]
    assert view.standings == [[]]
    stored = json.loads(watch.make_standings([ROW]))
    assert {row["entrant"] for row in stored["standings"]} == {"ann", "bob"}
    watch.settled(Director())  # type: ignore[arg-type]
    assert view.standings[-1][0] == "Standings"


def test_observers_hear_of_results_and_their_failures_are_said(view: View) -> None:
    class Observers:
        def __init__(self) -> None:
            self.heard: list[tuple[str, dict[str, object]]] = []

        def match_finished(self, run: str, summary: dict[str, object]) -> list[str]:
            self.heard.append((run, summary))
            return ["plugin watcher: it failed"]

    observers = Observers()
    watch = Watch(view, [], observers=observers, folder="runs/x")  # type: ignore[arg-type]
    watch.played(ROW, (), ())
    ((run, summary),) = observers.heard
    assert (run, summary["match_id"]) == ("runs/x", "m-1")
    assert view.said == ["plugin watcher: it failed"]
