"""One plan, any number of slots: equal records, watched over by one stored digest."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from arena.referee.record import canonical
from tests.end_to_end.command import TOURNAMENTS, arena, processes_in, records_of, start, stored, wait_until

FILE = str(TOURNAMENTS / "signature.toml")
#: Changes with the rules, the shipped edition, the bots in the file, the plan or the referee; look at why before it
#: is written anew.
DIGEST = "221afad82bfe5c4fa74aad34afd8d560"


def signature(run: Path) -> str:
    records = [canonical(record) for _, record in sorted(records_of(run).items())]
    return hashlib.blake2b(msgspec.json.encode(records, order="deterministic"), digest_size=16).hexdigest()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signature")
    arena("run", FILE, "--out", "one", "--slots", "1", folder=folder)
    return folder / "one"


def test_one_stored_digest_watches_over_everything(played: Path) -> None:
    assert signature(played) == DIGEST


def test_two_slots_play_the_same(played: Path) -> None:
    arena("run", FILE, "--out", "two", "--slots", "2", "--oversubscribe", folder=played.parent)
    assert signature(played.parent / "two") == signature(played)


def test_every_record_replays(played: Path) -> None:
    assert "6 matches replayed, every one equal" in arena("verify", str(played), folder=played.parent)


def test_a_killed_run_goes_on_to_the_same_records(played: Path) -> None:
    folder = played.parent
    command = ("run", FILE, "--out", "killed", "--slots", "2", "--oversubscribe")
    with start(*command, folder=folder) as process:
        wait_until(lambda: process.poll() is not None or stored(folder / "killed") > 0)
        process.kill()
    before = stored(folder / "killed")
    arena(*command, folder=folder)
    assert 0 < before < 6
    assert signature(folder / "killed") == signature(played)


@pytest.mark.heavy
@pytest.mark.timeout(900)
def test_twenty_kills_at_random_moments_change_nothing(played: Path) -> None:
    folder, draw = played.parent, random.Random(20)
    command = ("run", FILE, "--out", "haunted", "--slots", "2", "--oversubscribe")
    kills = 0
    while kills < 20:
        with start(*command, folder=folder) as process:
            try:
                process.communicate(timeout=draw.uniform(0.2, 4.0))
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
        if process.returncode == 0:
            assert signature(folder / "haunted") == signature(played)
            shutil.rmtree(folder / "haunted")
    arena(*command, folder=folder)
    assert signature(folder / "haunted") == signature(played)
    wait_until(lambda: processes_in(folder) == [], within_s=2)
