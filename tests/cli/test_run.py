"""`arena run` with real referees and real bots, in tournaments of a few matches."""

from __future__ import annotations

import json
import sqlite3
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from arena.cli import ExitCode, execute
from arena.cli.run import ClockTime
from arena.tournament import cores
from arena.tournament.store import RunReader

GOOD = """\
from arena.sdk import Bot, run
class Good(Bot):
    def choose(self, turn):
        return self.rng.randrange(len(turn.options))
run(Good)
"""
CRASHING = """\
from arena.sdk import Bot, run
class Crashing(Bot):
    def choose(self, turn):
        raise ValueError("I am lost")
run(Crashing)
"""
BOTS = {"good": GOOD, "other": GOOD, "crashing": CRASHING, "broken": "import no_such_module\n"}


def tournament(folder: Path, *entrants: str, deals: int = 1, more: str = "") -> str:
    """Write a tournament of these bots, without a sandbox so that it starts at once."""
    (folder / "bots").mkdir(exist_ok=True)
    for name in entrants:
        (folder / "bots" / f"{name}.py").write_text(BOTS[name])
    lines = ['game = "connect-four"', 'sandbox = "off"', more, f"[format]\ndeals = {deals}"]
    lines += [f'[[entrants]]\ncommand = ["python3", "bots/{name}.py"]' for name in entrants]
    file = folder / "small.toml"
    file.write_text("\n".join(lines))
    return str(file)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let `runs/` lie in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.lesson(13, 14)
def test_a_tournament_ends_in_a_table_and_its_records_verify(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tournament(here, "good", "other", "crashing")
    assert execute(["run", file, "--slots", "1"]) == ExitCode.COMPLETE
    out, err = capsys.readouterr()
    assert "small\n  game       connect-four" in out
    assert out.count("crashing (seat") == 1
    assert "    stderr: ValueError: I am lost" in out
    assert "    log: runs/small/logs/" in out
    assert "crashing: the same in 3 more matches" in out
    assert out.split("Standings")[1].count("\n") >= 5
    assert "complete: 6 matches in runs/small" in err
    assert "NO SANDBOX" in err
    standings = json.loads((here / "runs/small/standings.json").read_text())
    assert {row["entrant"] for row in standings["standings"]} == {"good", "other", "crashing"}
    feedback = here / "runs/small/entrants/crashing"
    assert (feedback / "faults.txt").read_text().startswith("crashing: 4 matches, faults in 4\n")
    assert "  stderr: ValueError: I am lost" in (feedback / "faults.txt").read_text().splitlines()
    assert len((feedback / "matches.csv").read_text().splitlines()) == 1 + 2 * 4
    assert (here / "runs/small/entrants/good/faults.txt").read_text() == "good: 4 matches, faults in 0\n"
    for verb in (["verify", "small"], ["table", "small", "--full"], ["show", "small"]):
        assert execute(verb) == ExitCode.COMPLETE
    assert "6 matches replayed, every one equal" in capsys.readouterr().out


def test_a_run_that_is_stopped_goes_on_where_it_was(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tournament(here, "good", "other", deals=3)
    monkeypatch.setattr(sys, "argv", ["arena", "run", file, "--budget", "2"])
    assert execute(["run", file, "--budget", "2", "--slots", "1"]) == ExitCode.INTERRUPTED
    assert f"2 matches safe in runs/small; go on with: arena run {file} --budget 2" in capsys.readouterr().err
    with RunReader(here / "runs/small") as reader:
        first = reader.rows()
    assert len(first) == 2
    assert execute(["run", file, "--json", "--slots", "1"]) == ExitCode.COMPLETE
    out = json.loads(capsys.readouterr().out)
    assert out["ending"]["complete"]
    assert out["tables"]["matches"] == 6
    with RunReader(here / "runs/small") as reader:
        assert reader.rows()[:2] == first


def test_a_run_that_is_complete_says_so_and_starts_nobody(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tournament(here, "good", "other", deals=2)
    assert execute(["run", file, "--slots", "1"]) == ExitCode.COMPLETE
    first = capsys.readouterr()
    with RunReader(here / "runs/small") as reader:
        secret = reader.plan.secret
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.cli.run.open_run", lambda *_, **__: pytest.fail("a bot was started"))
        assert execute(["run", file, "--slots", "1"]) == ExitCode.COMPLETE
        again = capsys.readouterr()
        assert again.out.strip() == first.out[first.out.index("Standings") :].strip()
        assert again.err == f"complete: 4 matches in runs/small; the run's secret was {secret}\n"
        assert execute(["run", file, "--json"]) == ExitCode.COMPLETE
        assert json.loads(capsys.readouterr().out)["ending"]["complete"]
    longer = tournament(here, "good", "other", deals=3)
    assert execute(["run", longer, "--slots", "1"]) == ExitCode.COMPLETE
    out, err = capsys.readouterr()
    assert "6 by round-robin, of which 4 are played already" in out
    assert "complete: 6 matches" in err


@pytest.mark.lesson(22)
def test_what_exceeds_the_machine_is_warned_of_before_the_first_match(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tournament(here, "good", "other", more="limits = { memory_mb = 2_000_000_000 }")
    slots = len(cores.available()) + 1
    assert execute(["run", file, "--slots", str(slots)]) == ExitCode.USAGE
    assert f"{slots} slots on {slots - 1} cores would spoil the clocks" in capsys.readouterr().err
    assert execute(["run", file, "--slots", str(slots), "--oversubscribe"]) == ExitCode.COMPLETE
    err = capsys.readouterr().err
    assert err.index(f"of {slots} slots share cores with other matches") < err.index("complete: ")
    assert err.index(f"{slots} slots of 2 bots may use {slots * 4_000_000_000:,} MB") < err.index("complete: ")


def test_an_entrant_that_cannot_start_stops_the_run_before_match_1(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tournament(here, "good", "other", "broken")
    assert execute(["run", file, "--slots", "1"]) == ExitCode.ENTRANT
    err = capsys.readouterr().err
    assert "1 entrant can't be started; nothing was played" in err
    assert "No module named 'no_such_module'" in err
    assert not (here / "runs").exists()


def test_an_entrant_that_cannot_start_can_be_left_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tournament(here, "good", "other", "broken", more='on_unstartable = "exclude"')
    assert execute(["run", file, "--slots", "1"]) == ExitCode.COMPLETE
    told = capsys.readouterr()
    assert "broken does not take part: " in told.err
    assert "  left out   1: broken\n" in told.out
    assert execute(["table", "small"]) == ExitCode.COMPLETE
    assert "excluded before match 1: broken" in capsys.readouterr().out


def test_a_folder_that_is_no_bot_is_left_out_aloud(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "handed-in/empty").mkdir(parents=True)
    file = tournament(here, "good", "other", more='on_unstartable = "exclude"')
    with Path(file).open("a") as more:
        more.write('\n[[entrants]]\nglob = "handed-in/*"\n')
    assert execute(["run", file, "--slots", "1"]) == ExitCode.COMPLETE
    told = capsys.readouterr()
    assert "empty does not take part: " in told.err
    assert "has no arena.toml with a command" in told.err
    assert "  left out   1: empty\n" in told.out


def test_who_won_is_said_at_the_end_and_ever_after(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tournament(here, "good", "crashing")
    Path(file).write_text(Path(file).read_text().replace("[format]", '[format]\nname = "knockout"'))
    for words in (["run", file, "--slots", "1"], ["run", file], ["table", "small"]):
        assert execute(words) == ExitCode.COMPLETE
        assert "\ngood won the final\n" in capsys.readouterr().out
    with sqlite3.connect(here / "runs/small/run.sqlite") as connection:
        connection.execute("UPDATE plans SET plan = replace(plan, '\"knockout\"', '\"gone\"')")
    assert execute(["table", "small"]) == ExitCode.COMPLETE
    told = capsys.readouterr().out
    assert "Standings" in told
    assert "how the tournament stands can't be told: " in told
    assert "'gone'" in told


def test_strict_stops_at_the_first_fault_with_its_traceback(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tournament(here, "good", "crashing", deals=9)
    assert execute(["run", file, "--strict", "--slots", "1"]) == ExitCode.ENTRANT
    err = capsys.readouterr().err
    assert "stopped by --strict: crashing at seat" in err
    assert "Traceback" in err
    with RunReader(here / "runs/small") as reader:
        assert reader.count() < 18


def test_a_dry_run_lists_the_matches_and_plays_none(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tournament(here, "good", "other", deals=2)
    assert execute(["run", file, "--dry-run"]) == ExitCode.COMPLETE
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-2:] for line in lines] == [["good", "other"], ["other", "good"]] * 2
    assert execute(["run", file, "--dry-run", "--json"]) == ExitCode.COMPLETE
    assert len(json.loads(capsys.readouterr().out)["pairings"]) == 4
    assert not (here / "runs").exists()


def test_traces_are_kept_on_demand(here: Path) -> None:
    file = tournament(here, "good", "other")
    assert execute(["run", file, "--trace", "--no-time-limit", "--seed", "5", "--slots", "1"]) == ExitCode.COMPLETE
    (first, *_) = sorted((here / "runs/small/logs").glob("*.seat-0.trace"))
    lines = first.read_text().splitlines()
    assert lines[1].startswith('< {"type":"hello"')
    assert '"per_action_ms"' not in first.read_text()
    with RunReader(here / "runs/small") as reader:
        assert reader.plan.seed == 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.toml"], "nowhere.toml: there is no such file"),
        (["{file}", "--until", "25:00"], "'25:00' is no time of day; write it as 07:00"),
        (["{file}", "--slots", "500"], "500 slots on "),
        (["{file}", "--budget", "1"], "--budget: 1 is less than one block of 2 matches"),
    ],
)
def test_wrong_use_plays_nothing(
    here: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tournament(here, "good", "other")
    assert execute(["run", *(text.format(file=file) for text in arguments)]) == ExitCode.USAGE
    assert sentence in capsys.readouterr().err
    assert not (here / "runs").exists()


def test_a_run_must_not_lie_where_a_bot_can_read_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tournament(here, "good", "other")
    assert execute(["run", file, "--out", str(here / "bots/run")]) == ExitCode.USAGE
    assert "lies in the folder of good and other, which could read it" in capsys.readouterr().err


def test_until_means_the_next_time_that_the_clock_shows_it() -> None:
    now = datetime.now().astimezone()
    for minutes in (2, -2):
        wanted = now + timedelta(minutes=minutes)
        moment = ClockTime().convert(wanted.strftime("%H:%M"), None, None)
        assert (moment.hour, moment.minute) == (wanted.hour, wanted.minute)
        assert timedelta(0) < moment - now <= timedelta(days=1, minutes=1)
