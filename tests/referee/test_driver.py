"""Matches with real programs; what bad programs do to the driver stands in tests/testing/test_bad_bots.py."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from arena.games.connect_four import ConnectFour, ConnectFourState
from arena.referee.bot import Bot
from arena.referee.driver import WAIT_EVERY_US, Driver
from arena.referee.preflight import preflight
from arena.referee.record import Record, Termination, Verdict, canonical, decode, encode
from arena.referee.sandbox import choose_rung
from arena.referee.settings import BotKind, Clock, ClockKind, Entrant, Fixture, SandboxPolicy, Settings
from arena.referee.summary import summarise
from arena.referee.verify import verify
from benchmarks.instant import build
from benchmarks.instant import entrants as instant_entrants
from tests.referee.pile import Pile

GAME = ConnectFour()
PROGRAM = """
import json, os, sys
matches = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        print(json.dumps({"type": "ready", "name": "counts", "wants": ["options", "view"]}), flush=True)
    elif kind == "start":
        matches += 1
        print(json.dumps({"type": "note", "text": f"match {matches} {os.getpid()} {message['options']}"}))
        print('{"type":"ready"}', flush=True)
    elif kind == "act":
        assert message["view"]["board"].count("/") == 5
        print(json.dumps({"type": "action", "id": message["id"], "action": message["options"][-1]}), flush=True)
    elif kind == "end":
        print("told", message["places"], file=sys.stderr, flush=True)
"""
SETTINGS = Settings(
    game="connect-four", game_options={"opening": 0}, seats=2, sandbox=SandboxPolicy.OFF, clock=Clock(startup_ms=20_000)
)


def fixture(number: int) -> Fixture:
    return Fixture(
        match_id=f"m{number}",
        number=number,
        line_up=("a", "b"),
        deal=0,
        block="b",
        rotation=0,
        key="00" * 16,
        bot_seeds=(1, 2),
    )


@pytest.fixture
def entrants(tmp_path: Path) -> dict[str, Entrant]:
    (tmp_path / "bot.py").write_text(PROGRAM)
    one = Entrant(
        name="a", kind=BotKind.COMMAND, argv=(sys.executable, "bot.py"), folder=str(tmp_path), options={"x": 1}
    )
    return {"a": one, "b": attrs.evolve(one, name="b", options={})}


def play(entrants: dict[str, Entrant], settings: Settings, folder: Path, matches: int = 1) -> Iterator[Record]:
    driver = Driver(GAME, settings, entrants, choose_rung(settings.sandbox), folder)
    try:
        for number in range(matches):
            yield driver.play(fixture(number))[0]
    finally:
        driver.close()


def note_of(record: Record) -> str:
    """Return what the program at seat 0 noted."""
    (note,) = [note.text for note in record.notes if note.seat == 0]
    return note


@pytest.mark.lesson(21)
def test_a_match_is_recorded_whole(entrants: dict[str, Entrant], tmp_path: Path) -> None:
    (record,) = play(entrants, SETTINGS, tmp_path)
    assert record.termination is Termination.FINISHED
    assert record.faults == ()
    assert verify(record, GAME) == []
    assert [bot.name for bot in record.bots] == ["counts", "counts"]
    assert [bot.stderr_tail for bot in record.bots] == ["", ""]  # what comes after the end is not part of the match
    assert all(request.wall_us > 0 and request.cpu_us >= 0 for request in record.requests)
    assert note_of(record).endswith("{'x': 1}")


def test_bots_are_fresh_or_live_on(entrants: dict[str, Entrant], tmp_path: Path) -> None:
    for fresh in (True, False):
        records = list(play(entrants, attrs.evolve(SETTINGS, fresh=fresh), tmp_path, matches=3))
        texts = [note_of(record).split() for record in records]
        assert [words[1] for words in texts] == (["1"] * 3 if fresh else ["1", "2", "3"])
        assert len({words[2] for words in texts}) == (3 if fresh else 1)


@pytest.mark.lesson(43)
def test_limits_change_nothing_for_a_deterministic_bot(entrants: dict[str, Entrant], tmp_path: Path) -> None:
    quiet = {name: attrs.evolve(one, argv=(*one.argv, "x")) for name, one in entrants.items()}
    (limited,) = play(quiet, SETTINGS, tmp_path)
    (free,) = play(quiet, attrs.evolve(SETTINGS, clock=Clock(per_action_ms=None)), tmp_path)
    assert [action.action for action in limited.actions] == [action.action for action in free.actions]
    assert limited.digest == free.digest


def test_traces_hold_every_line(entrants: dict[str, Entrant], tmp_path: Path) -> None:
    settings = attrs.evolve(SETTINGS, trace=True)
    driver = Driver(GAME, settings, entrants, choose_rung(settings.sandbox), tmp_path)
    try:
        record, traces = driver.play(fixture(0))
    finally:
        driver.close()
    said = b"".join(data for direction, data in traces[1] if direction == ">")
    assert said.count(b'"type": "action"') == sum(request.seat == 1 for request in record.requests)
    assert traces[0][0][1].startswith(b'{"type":"hello"')


def test_a_program_that_is_missing_forfeits_and_the_match_ends(entrants: dict[str, Entrant], tmp_path: Path) -> None:
    entrants["a"] = attrs.evolve(entrants["a"], argv=("./nothing",))
    (record,) = play(entrants, SETTINGS, tmp_path)
    assert record.termination is Termination.FORFEIT
    assert record.places == (2, 1)
    assert record.faults[0].verdict is Verdict.FAILED_TO_START
    assert canonical(record)


def test_preflight_names_everybody_who_fails(entrants: dict[str, Entrant], tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text("import sys; print('no licence', file=sys.stderr); sys.exit(3)")
    (tmp_path / "mute.py").write_text("import sys; sys.stdin.read()")
    good = entrants["a"]
    tried = [
        good,
        attrs.evolve(good, name="ghost", argv=("./nothing",)),
        attrs.evolve(good, name="dies", argv=(sys.executable, "dies.py")),
        attrs.evolve(good, name="mute", argv=(sys.executable, "mute.py")),
    ]
    done: list[int] = []
    settings = attrs.evolve(SETTINGS, clock=Clock(startup_ms=2500))
    failures = preflight(tried, settings, choose_rung(SandboxPolicy.OFF), tmp_path, at_once=4, progress=done.append)
    assert [failure.entrant for failure in failures] == ["ghost", "dies", "mute"]
    assert "exit code 3" in failures[1].reason
    assert failures[1].stderr_tail == "no licence"
    assert "start-up limit of 2500 ms" in failures[2].reason
    assert done == [4]


THINKER = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "start"):
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "act":
        THINK
        print(json.dumps({"type": "action", "id": message["id"], "option": 0}), flush=True)
"""


@pytest.mark.lesson(21)
@pytest.mark.parametrize(
    ("think", "verdicts"),
    [
        ("time.sleep(0.15)", []),
        ("until = time.process_time() + 60\n        while time.process_time() < until: pass", [Verdict.TIMEOUT]),
    ],
)
def test_a_cpu_clock_counts_what_a_bot_computes_and_not_what_it_waits(
    entrants: dict[str, Entrant], tmp_path: Path, think: str, verdicts: list[Verdict]
) -> None:
    (tmp_path / "thinker.py").write_text(THINKER.replace("THINK", think))
    entrants["a"] = attrs.evolve(entrants["a"], argv=(sys.executable, "thinker.py"))
    clock = Clock(startup_ms=20_000, per_action_ms=100, margin_ms=0, kind=ClockKind.CPU, cpu_wall_factor=50)
    (record,) = play(entrants, attrs.evolve(SETTINGS, game_options={"opening": 6}, clock=clock), tmp_path)
    assert [fault.verdict for fault in record.faults] == verdicts
    if verdicts:
        assert "of CPU time" in record.faults[0].reason


@pytest.mark.lesson(11)
def test_a_game_that_breaks_makes_the_match_void_and_leaves_nobody_behind(
    entrants: dict[str, Entrant], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: ConnectFourState) -> tuple[int, ...]:
        if "x" in "".join(state.rows()):
            raise ZeroDivisionError("the author forgot a case")
        return tuple(range(1, 8))

    monkeypatch.setattr(ConnectFourState, "options", broken)
    (record,) = play(entrants, SETTINGS, tmp_path)
    assert record.termination is Termination.VOID
    assert (record.places, record.scores) == ((), ())
    (fault,) = record.faults
    assert (fault.verdict, fault.forfeits) == (Verdict.REFEREE_ERROR, False)
    assert fault.reason == "ZeroDivisionError: the author forgot a case"
    assert "Traceback" in fault.stderr_tail
    assert decode(encode(record)) == record
    assert summarise(record).void


@pytest.fixture
def one_core() -> Iterator[None]:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


@pytest.mark.usefixtures("one_core")
def test_what_a_bot_computes_while_its_request_is_still_being_written_counts(
    entrants: dict[str, Entrant], tmp_path: Path
) -> None:
    think = "until = time.process_time() + 0.0001\n        while time.process_time() < until: pass"
    (tmp_path / "thinker.py").write_text(THINKER.replace("THINK", think))
    entrants = {name: attrs.evolve(one, argv=(sys.executable, "thinker.py")) for name, one in entrants.items()}
    (record,) = play(entrants, SETTINGS, tmp_path)
    assert min(request.wall_us for request in record.requests) >= 100
    assert min(request.cpu_us for request in record.requests) >= 100


@pytest.mark.lesson(6)
def test_bots_that_answer_at_once_keep_nobody_else_unheard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = build(tmp_path)
    if program is None:
        pytest.skip("no C compiler to build the instant bot with")
    settings = attrs.evolve(SETTINGS, game="pile", game_options={"size": 30_000})
    receive = Bot.receive

    def receive_answer(bot: Bot) -> bool:
        select.select([bot.process.stdout], [], [], 1)
        return receive(bot)

    monkeypatch.setattr(Bot, "receive", receive_answer)
    reader, writer = os.pipe()
    os.write(writer, b"x")
    driver: Driver
    heard_after: list[int] = []

    def hear() -> None:
        assert driver.match is not None
        heard_after.append(len(driver.match.actions))

    driver = Driver(
        Pile(), settings, instant_entrants(program), choose_rung(SandboxPolicy.OFF), tmp_path, watched={reader: hear}
    )
    try:
        record, _ = driver.play(fixture(0))
    finally:
        driver.close()
        os.close(reader)
        os.close(writer)
    assert len(record.actions) == 30_000
    during = [before for before in heard_after if 0 < before < 30_000]
    assert len(during) >= sum(request.wall_us for request in record.requests) // (4 * WAIT_EVERY_US)
    assert len(during) >= 10


def test_who_burns_off_turn_is_frozen_at_every_turn_of_the_others(entrants: dict[str, Entrant], tmp_path: Path) -> None:
    burns = THINKER.replace("import json, sys, time", "import json, sys, threading, time").replace(
        "THINK", "burning = burning or not threading.Thread(target=spin, daemon=True).start()"
    )
    head = "burning = False\ndef spin():\n    while True: pass\n"
    (tmp_path / "burns.py").write_text(head + burns)
    (tmp_path / "sleeps.py").write_text(THINKER.replace("THINK", "time.sleep(0.4)"))
    entrants = {
        name: attrs.evolve(one, argv=(sys.executable, f"{program}.py"))
        for (name, one), program in zip(entrants.items(), ("burns", "sleeps"), strict=True)
    }
    clock = Clock(startup_ms=20_000, strikes=1)
    (record,) = play(entrants, attrs.evolve(SETTINGS, clock=clock, game_options={"opening": 6}), tmp_path)
    burnt_ms = [request.off_turn_cpu_us // 1000 for request in record.requests if request.seat == 0]
    assert [fault.forfeits for fault in record.faults] == [False], burnt_ms
    caught = next(number for number, ms in enumerate(burnt_ms) if ms > 200)
    assert len(burnt_ms) > caught + 2
    assert max(burnt_ms[caught + 1 :]) < 100
