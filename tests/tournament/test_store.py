from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from arena.errors import ArchiveError
from arena.referee.record import decode, encode
from arena.referee.settings import Clock, Fixture
from arena.tournament.director import Director, Status, Unscored
from arena.tournament.files import write_atomically
from arena.tournament.lock import LOCK_FILE, RunLock
from arena.tournament.plan import Plan, preview
from arena.tournament.store import RUN_FILE, Event, RunReader, RunStore, StoredMatch, stored_plan
from tests.tournament.making import changed, make_plan, make_record, make_stored

PLAN = make_plan(settings={"deals": 4})


def fixtures(plan: Plan = PLAN) -> list[Fixture]:
    return [plan.fixture(number, pairing) for number, pairing in enumerate(preview(plan).pairings)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore(tmp_path / "run", PLAN) as opened:
        yield opened


def test_what_goes_in_comes_out(store: RunStore) -> None:
    matches = [make_stored(fixture, slot=3) for fixture in fixtures()]
    store.insert_many(matches[5:])
    store.insert_many(matches[:5])
    with RunReader(store.path.parent) as reader:
        assert reader.plan == PLAN
        assert reader.rows() == [match.row for match in matches]  # in the order of the plan
        assert reader.record(matches[2].row.match_id) == matches[2].record
        assert reader.record("nobody") is None
        assert [record for _, record in reader.records()] == [match.record for match in matches]
        assert reader.count() == 12
        (host,) = reader.hosts()
        assert host.slot == 0  # what differs from match to match is no part of it


def test_a_match_is_stored_once(store: RunStore) -> None:
    first, *_ = fixtures()
    match = make_stored(first)
    store.insert_many([match])
    other = attrs.evolve(match, record=make_stored(first, faulty=["ada"]).record)
    store.insert_many([match, other])
    assert store.count() == 1
    assert store.record(first.match_id) == match.record


def test_two_matches_of_one_number_are_a_bug_that_is_told(store: RunStore) -> None:
    one, other, *_ = (make_stored(fixture) for fixture in fixtures())
    store.insert_many([one])
    with pytest.raises(ArchiveError, match="can't be stored as number 0"):
        store.insert_many([attrs.evolve(other, number=0)])
    assert store.count() == 1


def test_a_group_is_stored_whole_or_not_at_all(store: RunStore) -> None:
    good, bad, *_ = (make_stored(fixture) for fixture in fixtures())
    with pytest.raises(ArchiveError):
        store.insert_many([good, attrs.evolve(bad, number=0)], events=[Event(kind="x", text="y")])
    assert store.count() == 0
    assert store.events() == []


def test_unscored_matches_count_nowhere(store: RunStore) -> None:
    matches = [make_stored(fixture) for fixture in fixtures()]
    line_up = matches[1].row.line_up
    decisions = [
        Unscored(match_id=matches[1].row.match_id, number=1, line_up=line_up, status=Status.NOT_PLAYED, reason="x"),
        Unscored(
            match_id=matches[2].row.match_id,
            number=2,
            line_up=line_up,
            status=Status.SET_ASIDE,
            reason="y",
            blamed="ada",
        ),
    ]
    store.insert_many([match for match in matches if match.number != 2], decisions)
    store.insert_many((), decisions)
    assert store.unscored() == decisions
    assert list(store.set_aside()) == [matches[2].row.match_id]
    assert len(store.rows()) == 10
    assert len(store.all_rows()) == 11


def test_events_have_a_time(store: RunStore) -> None:
    store.insert_many((), (), [Event(kind="lost", text="a referee died")])
    (event,) = store.events()
    assert (event.kind, event.text) == ("lost", "a referee died")
    assert event.at.endswith("+00:00")


def test_a_second_writer_is_refused_by_name(store: RunStore) -> None:
    with pytest.raises(ArchiveError, match=rf"process {os.getpid()} on .* is playing this run"):
        RunStore(store.path.parent, PLAN)
    store.insert_many([make_stored(fixtures()[0])])  # the holder is not disturbed


def test_the_lock_goes_with_its_holder(tmp_path: Path) -> None:
    code = f"""
import sys, time
from pathlib import Path
from arena.tournament.lock import RunLock
lock = RunLock(Path({str(tmp_path)!r}))
print("held", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(ArchiveError, match=f"process {child.pid} "):
            RunLock(tmp_path)
        child.send_signal(signal.SIGKILL)
        child.wait()
    RunLock(tmp_path).release()
    assert (tmp_path / LOCK_FILE).exists()


def test_the_same_plan_goes_on_with_the_stored_secret(tmp_path: Path) -> None:
    with RunStore(tmp_path, PLAN) as store:
        store.insert_many([make_stored(fixtures()[0])])
    with RunStore(tmp_path, attrs.evolve(PLAN, secret="ff" * 16)) as store:
        assert store.continued == ()
        assert store.plan == PLAN
        assert store.count() == 1
        assert len(store.stored_plans()) == 1


def begin(folder: Path) -> None:
    """Leave a run behind in which one match was played."""
    with RunStore(folder, PLAN) as store:
        store.insert_many([make_stored(fixtures()[0])])


def test_a_run_in_which_nothing_was_played_takes_any_settings(tmp_path: Path) -> None:
    RunStore(tmp_path, PLAN).close()
    assert stored_plan(tmp_path) is None
    other = changed(PLAN, clock=Clock(per_action_ms=7))
    with RunStore(tmp_path, other) as store:
        assert store.stored_plans() == [other]
        assert store.continued == ()


def test_changed_settings_are_refused_with_the_difference(tmp_path: Path) -> None:
    begin(tmp_path)
    with pytest.raises(ArchiveError, match=r"clock.per_action_ms: was 1000, now 7") as caught:
        RunStore(tmp_path, changed(PLAN, clock=Clock(per_action_ms=7)))
    assert "--out" in str(caught.value)
    RunStore(tmp_path, PLAN).close()  # nothing was changed, and the lock was given back


def test_a_continuation_is_taken_and_remembered(tmp_path: Path) -> None:
    begin(tmp_path)
    more = make_plan(settings={"deals": 6})
    with RunStore(tmp_path, more) as store:
        assert list(map(str, store.continued)) == ["format.deals: was 4, now 6"]
        assert store.plan.secret == PLAN.secret
        assert [event.kind for event in store.events()] == ["continued"]
    with RunStore(tmp_path, more) as store:
        assert store.continued == ()
        assert len(store.stored_plans()) == 2
        assert len(preview(store.plan).pairings) == 18
    assert stored_plan(tmp_path) == store.plan


def test_no_run_is_no_plan(tmp_path: Path) -> None:
    assert stored_plan(tmp_path) is None
    with pytest.raises(ArchiveError, match="there is no run here"):
        RunReader(tmp_path)
    (tmp_path / RUN_FILE).touch()  # killed in its first moment
    assert stored_plan(tmp_path) is None
    begin(tmp_path)
    assert stored_plan(tmp_path) == PLAN


def test_a_full_disk_is_one_sentence_and_loses_nothing(store: RunStore) -> None:
    matches = [make_stored(fixture) for fixture in fixtures()]
    store.insert_many(matches[:2])
    connection = store._connection  # to make the disk small
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    big = [attrs.evolve(match, record=_padded(match.record)) for match in matches[2:]]
    with pytest.raises(ArchiveError, match="the disk is full; what is stored is safe"):
        store.insert_many(big)
    assert store.count() == 2
    connection.execute(f"PRAGMA max_page_count = {pages * 100}")
    store.insert_many(big)
    assert store.count() == 12


def _padded(record: bytes) -> bytes:
    """Return the record with something that can't be compressed."""
    return encode(attrs.evolve(decode(record), digest=os.urandom(20_000).hex()))


def test_a_folder_that_cannot_be_made_is_one_sentence() -> None:
    with pytest.raises(ArchiveError, match="can't be made"):
        RunStore(Path("/proc/no-such-run"), PLAN)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / RUN_FILE).write_bytes(b"this is no database at all" * 100)
    for opening in (lambda: RunReader(tmp_path), lambda: RunStore(tmp_path, PLAN)):
        with pytest.raises(ArchiveError, match="is not the file of a run"):
            opening()


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_file", lambda _: True)  # as of one that another user may not read, or that just went
    with pytest.raises(ArchiveError, match=r"run\.sqlite: can't be opened: it is gone, or may not be read"):
        RunReader(tmp_path)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE matches SET summary = '{}'", "the summary of a match is damaged"),
        ("UPDATE records SET record = x'00'", "a record is damaged"),
        ("UPDATE unscored SET status = 'x'", "unscored matches is damaged"),
        ("UPDATE plans SET plan = '{}'", "version None"),
    ],
)
def test_damaged_rows_are_archive_errors(tmp_path: Path, damage: str, said: str) -> None:
    first, second, *_ = fixtures()
    with RunStore(tmp_path, PLAN) as store:
        gone = Unscored(match_id="x", number=9, line_up=("a",), status=Status.NOT_PLAYED, reason="")
        store.insert_many([make_stored(first), make_stored(second)], [gone])
    with sqlite3.connect(tmp_path / RUN_FILE) as connection:
        connection.execute(damage)
    connection.close()
    with pytest.raises(ArchiveError, match=said):
        _read_all(tmp_path)


def _read_all(folder: Path) -> None:
    with RunReader(folder) as reader:
        reader.rows()
        list(reader.records())
        reader.unscored()
        _ = reader.plan


def test_another_version_is_refused(tmp_path: Path) -> None:
    RunStore(tmp_path, PLAN).close()
    with sqlite3.connect(tmp_path / RUN_FILE) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    for opening in (lambda: RunReader(tmp_path), lambda: RunStore(tmp_path, PLAN)):
        with pytest.raises(ArchiveError, match="store version 99, this arena reads 1"):
            opening()


def test_a_reader_sees_what_is_committed_while_the_run_goes_on(store: RunStore) -> None:
    one, other, *_ = (make_stored(fixture) for fixture in fixtures())
    store.insert_many([one])
    with RunReader(store.path.parent) as reader:
        assert reader.count() == 1
        store.insert_many([other])
        assert reader.count() == 2


def test_a_finished_run_is_one_file_that_needs_no_write_access(tmp_path: Path) -> None:
    with RunStore(tmp_path, PLAN) as store:
        store.insert_many([make_stored(fixtures()[0])])
    assert sorted(path.name for path in tmp_path.iterdir()) == [LOCK_FILE, RUN_FILE]
    assert (tmp_path / RUN_FILE).stat().st_mode & 0o077 == 0  # it holds the secret
    with RunReader(tmp_path) as reader:
        assert reader.count() == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [LOCK_FILE, RUN_FILE]


WRITER = """
import sys
from pathlib import Path
from arena.tournament.director import Director
from arena.tournament.store import RunStore
from tests.tournament.making import make_plan, make_stored

with RunStore(Path(sys.argv[1]), make_plan(("ada", "bad", "cyd"), settings={"deals": 60}, disable_after=40)) as store:
    director = Director(store.plan, store.all_rows(), store.set_aside())
    while (fixture := director.next_fixture()) is not None:
        match = make_stored(fixture, faulty=["bad"] if fixture.number % 3 == 0 else [])
        director.finished(match.row)
        store.insert_many([match], director.decisions())
        print(fixture.match_id, flush=True)
    store.insert_many((), director.decisions())
    print("complete" if director.complete else "not complete", flush=True)
"""


def _write(folder: Path, kill_after: int | None) -> list[str]:
    """Run a writer, kill it behind so many announcements, and return what it announced."""
    announced: list[str] = []
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            announced.append(line.strip())
            if len(announced) == kill_after:
                child.kill()
    return announced


def test_kill_9_of_the_writer_loses_nothing_that_was_announced_and_plays_nothing_twice(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert _write(whole, None)[-1] == "complete"
    announced: list[str] = []
    for kill_after in (1, 23, 60):
        announced += _write(killed, kill_after)
        with RunReader(killed) as reader:
            assert set(announced) <= set(reader.all_rows())
    announced += _write(killed, None)
    assert announced[-1] == "complete"
    assert len(set(announced)) == len(announced)
    with RunReader(whole) as one, RunReader(killed) as other:
        assert one.rows() == other.rows()
        assert one.unscored() == other.unscored()
        assert one.unscored()
        assert list(one.records()) == list(other.records())


def test_files_are_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "standings.json"
    write_atomically(path, b"one")
    write_atomically(path, "two")
    assert path.read_text() == "two"
    assert [one.name for one in tmp_path.iterdir()] == ["standings.json"]
    with pytest.raises(ArchiveError, match="can't be written"):
        write_atomically(tmp_path / "no" / "folder", b"x")


@pytest.mark.heavy
def test_kill_9_at_20_random_moments(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    _write(whole, None)
    dice = random.Random(5)
    announced = [match_id for _ in range(20) for match_id in _write(killed, dice.randint(1, 8))]
    announced += _write(killed, None)
    assert announced[-1] == "complete"
    assert len(set(announced)) == len(announced)
    with RunReader(whole) as one, RunReader(killed) as other:
        assert one.rows() == other.rows()
        assert one.unscored() == other.unscored()
        assert list(one.records()) == list(other.records())


@pytest.mark.heavy
def test_100_000_matches_are_read_and_resumed_in_under_two_seconds(tmp_path: Path) -> None:
    names = tuple(f"bot-{number:02d}" for number in range(12))
    plan = make_plan(names, seats=4, settings={"deals": 51})
    with RunStore(tmp_path, plan) as store:
        director = Director(plan)
        batch: list[StoredMatch] = []
        while (fixture := director.next_fixture()) is not None:
            batch.append(make_stored(fixture))
            director.finished(batch[-1].row)
            if len(batch) == 2000:
                store.insert_many(batch)
                batch = []
        store.insert_many(batch)
    began = time.process_time()  # the time of this process: what else the machine does is not our affair
    with RunReader(tmp_path) as reader:
        rows = reader.rows()
    read_s = time.process_time() - began
    assert len(rows) == 495 * 51 * 4
    began = time.process_time()
    with RunStore(tmp_path, plan) as store:
        again = Director(store.plan, store.all_rows(), store.set_aside())
        assert again.next_fixture() is None
        assert again.complete
    resume_s = time.process_time() - began
    megabytes = (tmp_path / RUN_FILE).stat().st_size / 1e6
    print(f"{len(rows):,} matches: read in {read_s:.2f} s, resumed in {resume_s:.2f} s, {megabytes:.0f} MB")
    assert max(read_s, resume_s) < 2


def test_the_record_in_the_store_is_a_record(store: RunStore) -> None:
    first, *_ = fixtures()
    store.insert_many([make_stored(first)])
    stored = store.record(first.match_id)
    assert stored is not None
    assert decode(stored) == make_record(first)


def test_a_file_that_is_no_run_is_told_from_one_that_was_stopped_while_being_made(tmp_path: Path) -> None:
    file = tmp_path / RUN_FILE
    file.touch()
    with pytest.raises(ArchiveError, match="the file is empty: the run was stopped while being made; start it again"):
        RunReader(tmp_path)
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE other (key)")
    with pytest.raises(ArchiveError, match="is not the file of a run, but another database"):
        RunReader(tmp_path)
