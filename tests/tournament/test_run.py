"""A run with a backend that plays nothing: what is stored, and what stops it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import attrs
import msgspec
import pytest
import trio

from arena.errors import ArchiveError
from arena.referee.record import encode
from arena.referee.settings import Fixture
from arena.referee.summary import summarise
from arena.referee.wire import MatchPlayed
from arena.tournament.backend import Sink, Source
from arena.tournament.run import LOGS, Ending, Run
from arena.tournament.store import RunStore
from benchmarks.slots import Nobody
from tests.tournament.making import make_plan, make_record

PLAN = make_plan(settings={"deals": 4})


@attrs.frozen
class Batches:
    """Hands in results, so many at once; the writer has begun with one batch when the next one comes."""

    sizes: tuple[int, ...]
    faulty: tuple[str, ...] = ()
    stderr: str = ""

    async def play(self, source: Source, sink: Sink) -> None:
        for size in self.sizes:
            for _ in range(size):
                fixture = source.next_fixture()
                assert fixture is not None
                await sink.played(self.result(fixture), fixture, 0)
            for _ in range(2):  # by then the writer has had its turn, and waits for the disk
                await trio.lowlevel.checkpoint()

    def result(self, fixture: Fixture) -> MatchPlayed:
        record = make_record(fixture, faulty=self.faulty)
        faults = tuple(attrs.evolve(fault, stderr_tail=self.stderr) for fault in record.faults)
        return MatchPlayed(summarise(record), faults, msgspec.Raw(encode(record)))


def run(folder: Path, backend: Batches, *, strict: bool) -> tuple[Ending, int]:
    with RunStore(folder, PLAN) as store:
        ending = trio.run(Run(store, folder, Nobody(), strict=strict).play, backend)
        return ending, store.count()


@pytest.mark.parametrize("sizes", [(1,), (3,), (1, 1), (1, 2)])
def test_the_first_fault_stops_a_strict_run_whatever_comes_with_it(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    ending, stored = run(tmp_path, Batches(sizes, ("ada",)), strict=True)
    assert ending.strict_fault == "ada at seat 0 of l000-d000-s0: timeout: too late"
    assert (ending.complete, ending.interrupted, stored) == (False, False, sum(sizes))


def test_faults_stop_no_other_run(tmp_path: Path) -> None:
    ending, stored = run(tmp_path, Batches((3,), ("ada",)), strict=False)
    assert (ending.strict_fault, ending.interrupted, stored) == ("", False, 3)


def test_a_log_that_cannot_be_written_is_a_sentence_and_the_result_is_safe(tmp_path: Path) -> None:
    (tmp_path / LOGS).write_text("in the way")
    with pytest.raises(ArchiveError, match=r"l000-d000-s0\.seat-0\.stderr: can't be written: "):
        run(tmp_path, Batches((1,), ("ada",), "oops"), strict=False)
    with RunStore(tmp_path, PLAN) as store:
        assert store.count() == 1


def test_a_time_that_is_over_already_ends_the_run_in_order(tmp_path: Path) -> None:
    with RunStore(tmp_path, PLAN) as store:
        ending = trio.run(partial(Run(store, tmp_path, Nobody()).play, Batches(()), wind_down_after_s=-5.0))
    assert not ending.complete
