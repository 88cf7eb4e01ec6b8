"""Machines that die in the middle of a run: the store ends up equal to that of an uninterrupted one."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.command import TOURNAMENTS, arena, start, stored, wait_until
from tests.end_to_end.test_signature import DIGEST, signature
from tests.hosts.lab import Lab, lab

pytest.importorskip("distributed", reason="Dask is not installed")
FILE = str(TOURNAMENTS / "signature.toml")
BOT = """\
from arena.sdk import Bot, run
class Player(Bot):
    def choose(self, turn):
        return self.rng.randrange(len(turn.options))
run(Player)
"""


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("lab"), ["left", "right"]) as one:
        yield one


def test_two_machines_play_the_signature_plan_though_a_worker_is_killed(machines: Lab) -> None:
    command = ("run", FILE, "--out", "killed", "--on", machines.address)
    with start(*command, folder=machines.folder) as process:
        wait_until(lambda: process.poll() is not None or stored(machines.folder / "killed") > 0)
        os.kill(machines.worker_process("left"), signal.SIGKILL)
        output, _ = process.communicate(timeout=90)
    assert process.returncode == 0, output
    assert signature(machines.folder / "killed") == DIGEST
    assert "left was lost" in output
    # Two plugins and one program, once for each machine.
    assert len(list((machines.folder / "right" / "bots").iterdir())) == 2
    table = arena("hosts", "killed", folder=machines.folder)
    assert "left" in table
    assert "right" in table


# -- heavy: every loss at random moments ----------------------------------------------------------------------------


def tournament(folder: Path) -> str:
    for name in ("one", "two", "three"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "main.py").write_text(BOT)
    file = folder / "losses.toml"
    entrants = "".join(
        f'[[entrants]]\nname = "{name}"\nfolder = "{name}"\ncommand = ["python3", "main.py"]\n'
        for name in ("one", "two", "three")
    )
    file.write_text(
        f'game = "connect-four"\nseed = 7\n[clock]\nper_action_ms = "none"\n[format]\ndeals = 20\n{entrants}'
    )
    return str(file)


def kill_worker(one: Lab) -> None:
    os.kill(one.worker_process("left"), signal.SIGKILL)


def kill_referee(one: Lab) -> None:
    for pid in one.referees("left")[:1]:
        os.kill(pid, signal.SIGKILL)


def kill_machine(one: Lab) -> None:
    one.kill_machine("left")


def kill_scheduler(one: Lab) -> None:
    assert one.scheduler is not None
    one.scheduler.kill()
    one.scheduler.wait()
    one.start_scheduler()


KILLS: dict[str, Callable[[Lab], None]] = {
    "worker": kill_worker,
    "referee": kill_referee,
    "machine": kill_machine,
    "scheduler": kill_scheduler,
}


@pytest.mark.heavy
@pytest.mark.timeout(600)
@pytest.mark.parametrize("what", [*KILLS, "run"])
@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_loss_the_same_command_ends_in_the_same_records(tmp_path: Path, what: str, seed: int) -> None:
    file = tournament(tmp_path)
    arena("run", file, "--out", "whole", "--slots", "2", "--oversubscribe", folder=tmp_path)
    moment = random.Random(seed).randrange(1, 100)
    with lab(tmp_path, ["left", "right"]) as one:
        command = ("run", file, "--out", "hurt", "--on", one.address)
        for _ in range(4):
            with start(*command, folder=tmp_path) as process:
                if what:
                    wait_until(lambda: process.poll() is not None or stored(tmp_path / "hurt") >= moment)
                    process.kill() if what == "run" else KILLS[what](one)
                    what = ""
                output, _ = process.communicate(timeout=120)
            if process.returncode == 0:
                break
        assert process.returncode == 0, output
    assert stored(tmp_path / "hurt") == stored(tmp_path / "whole") == 120
    assert signature(tmp_path / "hurt") == signature(tmp_path / "whole")


KILLER = """\
import os, signal
from arena.sdk import Bot, run

def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

class Killer(Bot):
    def started(self, start):
        if start.match == "MATCH":
            pid = os.getpid()
            while pid > 1:
                words = open(f"/proc/{pid}/cmdline").read()
                if "spawn_main" in words:
                    os.kill(pid, signal.SIGKILL)
                pid = parent(pid)
    def choose(self, turn):
        return self.rng.randrange(len(turn.options))
run(Killer)
"""


@pytest.mark.heavy
@pytest.mark.timeout(600)
def test_a_match_that_kills_every_worker_is_found_among_many_and_set_aside(tmp_path: Path) -> None:
    file = Path(tournament(tmp_path))
    file.write_text('sandbox = "off"\n' + file.read_text())
    guilty = arena("run", str(file), "--dry-run", folder=tmp_path).splitlines()[70].split()[1]
    for name in ("one", "two", "three"):
        (tmp_path / name / "main.py").write_text(KILLER.replace("MATCH", guilty))
    with lab(tmp_path, ["left", "right"]) as one:
        output = arena("run", str(file), "--out", "hurt", "--on", one.address, folder=tmp_path, code=4)
    assert stored(tmp_path / "hurt") == 119
    assert f"{guilty} is set aside: it lost its referee" in output
    assert output.count("is set aside") == 1
