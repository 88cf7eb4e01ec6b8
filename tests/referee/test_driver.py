"""Matches with real programs; what bad programs do to the driver stands in tests/testing/test_bad_bots.py."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import pytest

from arena.games.api import Seat
from arena.games.connect_four import ConnectFour, ConnectFourState
from arena.referee.bot import Bot
from arena.referee.driver import WAIT_EVERY_US, Driver
from arena.referee.preflight import preflight
from arena.referee.record import Record, Termination, Verdict, canonical, decode, encode
from arena.referee.sandbox import choose_rung, forced
from arena.referee.sandbox.scratch import scratch_root
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


KEEPS_A_DIARY = """
import json, os, pathlib, sys, time
name = ""
diary = pathlib.Path(os.environ["HOME"], "diary")
def say(**message): print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "start"):
        if message["type"] == "start":
            name = message["names"][message["seat"]]
            with diary.open("a") as pages: pages.write(message["match"] + " ")
            say(type="note", text=f"{os.getpid()} {time.process_time()} {diary.read_text()}")
        say(type="ready")
    elif message["type"] == "act":
        time.sleep(0.05 if name == "slow" else 0)
        say(type="action", id=message["id"], option=0)
    elif message["type"] == "end":
        ONCE_OVER
"""


def diaries(once_over: str, line_ups: Sequence[str], rung: str = "off", pause_s: float = 0.0) -> list[Record]:
    """Play matches of bots that live on and do something once each match is over."""
    argv = ("python3", "-S", "-c", KEEPS_A_DIARY.replace("ONCE_OVER", once_over))
    names = {name for line_up in line_ups for name in line_up.split()}
    bots = {name: Entrant(name=name, kind=BotKind.COMMAND, argv=argv) for name in names}
    with scratch_root() as scratch:
        driver = Driver(GAME, attrs.evolve(SETTINGS, fresh=False), bots, forced(rung), scratch)
        records = []
        try:
            for number, line_up in enumerate(line_ups):
                records.append(driver.play(attrs.evolve(fixture(number), line_up=tuple(line_up.split())))[0])
                time.sleep(pause_s)
        finally:
            driver.close()
    return records


def diary_of(record: Record, seat: Seat) -> tuple[str, float, list[str]]:
    """Return the process id of the bot at a seat, its CPU time in seconds so far, and the matches that it remembers."""
    (note,) = [note.text for note in record.notes if note.seat == seat]
    pid, cpu_s, *matches = note.split()
    return pid, float(cpu_s), matches


@pytest.mark.parametrize("rung", ["bubblewrap", "landlock", "off"])
def test_bots_that_live_on_keep_a_scratch_folder_of_their_own(rung: str) -> None:
    line_ups = ["a b", "b a", "c a", "b c", "a a"]
    records = diaries("pass", line_ups, rung)
    assert [record.faults for record in records] == [()] * len(records)
    remembered: dict[str, list[str]] = {}
    for number, line_up in enumerate(line_ups[:-1]):
        for seat, name in enumerate(line_up.split()):
            _, _, matches = diary_of(records[number], seat)
            assert matches == [*remembered.get(name, []), f"m{number}"]
            remembered[name] = matches
    both = [diary_of(records[-1], seat)[2] for seat in (0, 1)]
    assert sorted(both) == sorted([[*remembered["a"], "m4"], ["m4"]])


@pytest.mark.lesson(23)
def test_bots_that_live_on_do_nothing_while_others_play() -> None:
    spin = "until = time.monotonic() + 1.0\n        while name == 'b' and time.monotonic() < until: pass"
    # The pause lets it hear of the end: what it hears only when it is thawed it computes then.
    records = diaries(spin, ["a b", "a slow", "a b"], pause_s=0.3)
    assert [record.faults for record in records] == [()] * 3
    (pid, before_s, _), (same, after_s, _) = diary_of(records[0], 1), diary_of(records[2], 1)
    assert pid == same
    assert after_s - before_s < 0.6


def test_what_a_bot_says_once_its_match_is_over_belongs_to_no_match() -> None:
    chat = "say(type='note', text='late'); print('late', file=sys.stderr, flush=True)"
    records = diaries(chat, ["a b"] * 4, pause_s=0.2)
    for record in records:
        assert record.faults == ()
        assert "late" not in [note.text for note in record.notes]
        assert [bot.stderr_tail for bot in record.bots] == ["", ""]
    assert len({diary_of(record, seat)[0] for record in records for seat in (0, 1)}) == 2


@pytest.mark.parametrize(
    "misdeed", ["say(type='action', id=0, option=0)", "sys.exit()", "print('{' * 999, flush=True)"]
)
def test_who_misbehaves_between_matches_is_started_anew(misdeed: str) -> None:
    records = diaries(misdeed, ["a b"] * 3, pause_s=0.2)
    assert [record.faults for record in records] == [()] * 3
    assert len({diary_of(record, 0)[0] for record in records}) == 3


def test_few_bots_live_on() -> None:
    names = "abcdefghijkl"
    records = diaries("pass", [*(f"z {name}" for name in names), "z l", "z c"])
    assert [record.faults for record in records] == [()] * len(records)
    pids = [diary_of(record, 1)[0] for record in records]
    assert pids[-2] == pids[names.index("l")]
    assert pids[-1] != pids[names.index("c")]
    assert len({diary_of(record, 0)[0] for record in records}) == 1


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
    read_stdout = Bot.read_stdout

    def read_answer(bot: Bot) -> bytes | None:
        select.select([bot.process.stdout], [], [], 1)
        return read_stdout(bot)

    monkeypatch.setattr(Bot, "read_stdout", read_answer)
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


def test_who_was_frozen_and_lives_on_plays_its_next_match() -> None:
    spin = "threading.Thread(target=spin, daemon=True).start()"
    codes = {
        "a": "import threading\ndef spin():\n    while True: pass\n"
        + THINKER.replace("THINK", f"{spin} if message['id'] == 0 else None"),
        "b": THINKER.replace("THINK", "time.sleep(0.4)"),
    }
    bots = {
        name: Entrant(name=name, kind=BotKind.COMMAND, argv=("python3", "-S", "-c", code))
        for name, code in codes.items()
    }
    settings = attrs.evolve(SETTINGS, game="pile", game_options={"size": 8}, clock=Clock(strikes=1), fresh=False)
    with scratch_root() as scratch:
        driver = Driver(Pile(), settings, bots, forced("off"), scratch)
        try:
            records = [driver.play(fixture(number))[0] for number in range(2)]
        finally:
            driver.close()
    for record in records:
        assert record.termination is Termination.FINISHED
        assert [(fault.seat, fault.forfeits) for fault in record.faults] == [(0, False)]


BURN = {
    "four threads": "[threading.Thread(target=spin, daemon=True).start() for _ in range(4)]",
    "forty sessions": "[os.fork() or (os.setsid(), spin()) for _ in range(40)]",
    "bursts": "threading.Thread(target=burst, daemon=True).start()",
}
BURNERS_HEAD = """
import os, threading
def spin():
    while True: pass
def burst():
    until = time.process_time() + 0.15  # which is tolerated
    while time.process_time() < until: pass
"""


def core_is_ours() -> bool:
    """Return whether no other program takes much of the core that we run on."""
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    while (took_s := time.perf_counter() - began_s) < 0.05:
        pass
    return time.process_time() - began_cpu_s > 0.95 * took_s


@pytest.mark.lesson(23)
@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("burn", BURN.values(), ids=list(BURN))
def test_nobody_is_late_for_what_another_bot_computed_on_its_core(burn: str, seats: int) -> None:
    needs_most_of_its_time = "until = time.process_time() + 0.15\n        while time.process_time() < until: pass"
    burns = THINKER.replace("THINK", "pass") + f"        {burn}\n"
    codes = {"burns": BURNERS_HEAD + burns} | {
        f"computes-{seat}": THINKER.replace("THINK", needs_most_of_its_time) for seat in range(1, seats)
    }
    bots = {
        name: Entrant(name=name, kind=BotKind.COMMAND, argv=("python3", "-S", "-c", code))
        for name, code in codes.items()
    }
    settings = attrs.evolve(
        SETTINGS,
        game="pile",
        game_options={"size": 4 * seats},
        seats=seats,
        clock=Clock(per_action_ms=200, margin_ms=0),
    )
    for _ in range(5):
        was_ours = core_is_ours()
        with scratch_root() as scratch:
            driver = Driver(Pile(), settings, bots, forced("off"), scratch)
            try:
                record, _ = driver.play(attrs.evolve(fixture(0), line_up=tuple(bots), bot_seeds=(1,) * seats))
            finally:
                driver.close()
        late = {fault.seat for fault in record.faults} - {0}
        if not late:
            break
        assert not (was_ours and core_is_ours()), f"late: {late}"
    else:
        pytest.skip("other programs compute on this core, whose time nobody gives back")
    stolen_us = [request.given_back_us for request in record.requests if request.seat != 0]
    assert max(stolen_us) > 20_000
