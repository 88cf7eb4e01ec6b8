"""Bots that hang, die and dawdle, in real processes and against the clock: what one costs, and what the others see."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.games.api import Game
from arena.games.connect_four import ConnectFour
from arena.referee.bot import Bot
from arena.referee.driver import Driver
from arena.referee.match import Phase
from arena.referee.preflight import preflight
from arena.referee.record import Record, Termination, Verdict
from arena.referee.sandbox import forced
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import BotKind, Clock, ClockKind, Entrant, Fixture, Limits, Settings
from arena.testing.badbots import BAD_BOTS, good_bot
from tests.referee.pile import Pile, PileState

MORE_S = 1.0  #: what a bad bot may cost beyond its limit
CLOCKS = {
    "a request": Clock(per_action_ms=60_000),
    "bank": Clock(per_action_ms=None, bank_ms=60_000),
    "cpu": Clock(per_action_ms=60_000, kind=ClockKind.CPU),
    "none": Clock(per_action_ms=None),
}
TALK = """
import json, os, sys, time
def say(**message): os.write(1, json.dumps(message).encode() + b"\\n")
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind in ("hello", "start"):
        {ready}
        say(type="ready")
    elif kind == "act":
        {act}
        say(type="action", id=message["id"], option=0)
    elif kind == "end":
        {end}
"""


def talker(name: str, *, ready: str = "pass", act: str = "pass", end: str = "pass", folder: str = "") -> Entrant:
    """Return a bot that does these things before it gets ready, before it answers, and when it is told the end."""
    code = TALK.format(ready=ready, act=act, end=end)
    return Entrant(name=name, kind=BotKind.COMMAND, argv=("python3", "-S", "-c", code), folder=folder)


def bad_bot(name: str) -> Entrant:
    return next(bad for bad in BAD_BOTS if bad.name == name).entrant()


class Watched(Driver):
    """A driver that knows the bots it started, calls `during` while a match goes on, and times the play."""

    bots: dict[int, Bot]
    playing_at_s = 0.0

    def start(self, entrant: Entrant) -> Bot:
        bot = super().start(entrant)
        self.bots = getattr(self, "bots", {}) | {bot.number: bot}
        return bot


@contextlib.contextmanager
def table(
    game: Game, clock: Clock, *bots: Entrant, rung: str = "off", limits: Limits | None = None
) -> Iterator[Watched]:
    """Yield a driver for these bots, in the order of their seats."""
    options = {option.name: option.default for option in game.options}
    settings = Settings(game=game.name, game_options=options, seats=len(bots), clock=clock, limits=limits or Limits())
    with scratch_root() as root:
        driver = Watched(game, settings, {bot.name: bot for bot in bots}, forced(rung), root)

        def note_the_time(_: int) -> None:
            if not driver.playing_at_s and driver.match is not None and driver.match.phase is Phase.PLAYING:
                driver.playing_at_s = time.monotonic()

        driver.between = note_the_time
        try:
            yield driver
        finally:
            driver.close()


def play(driver: Watched) -> Record:
    line_up = tuple(driver.entrants)
    fixture = Fixture(
        match_id="m", number=0, line_up=line_up, deal=0, block="b", rotation=0, key="00" * 16,
        bot_seeds=tuple(range(len(line_up))),
    )  # fmt: skip
    return driver.play(fixture)[0]


@pytest.mark.lesson(1)
@pytest.mark.parametrize("rung", ["bubblewrap", "off"])
@pytest.mark.parametrize("clock", CLOCKS.values(), ids=list(CLOCKS))
def test_a_bot_killed_in_the_middle_of_its_turn_is_known_within_a_second(clock: Clock, rung: str) -> None:
    # Its child holds all of its pipes: their end says nothing.
    victim = talker("victim", act="os.fork() or time.sleep(999); time.sleep(999)")
    killed_at_s: list[float] = []
    with table(ConnectFour(), clock, victim, good_bot(), rung=rung) as driver:

        def kill(_: int) -> None:
            process, match = driver.bots[0].process, driver.match
            if match is None or match.asked is None or killed_at_s:
                return
            process.sample()
            if process.process_count == 2:
                killed_at_s.append(time.monotonic())
                os.kill(process.pid, signal.SIGKILL)

        driver.between = kill
        record = play(driver)
    assert time.monotonic() - killed_at_s[0] < MORE_S
    (fault,) = record.faults
    assert (fault.seat, fault.verdict, fault.exit_status) == (0, Verdict.CRASH, "signal SIGKILL")


@pytest.mark.lesson(7)
@pytest.mark.parametrize("rung", ["bubblewrap", "off"])
def test_two_deaf_bots_cost_one_limit_and_less_than_a_second_more(rung: str) -> None:
    deaf, deafer = bad_bot("ignores-sigterm"), bad_bot("never-reads")  # not even the end, nor `quit`
    with table(ConnectFour(), Clock(per_action_ms=300), deaf, deafer, rung=rung) as driver:
        record = play(driver)
        took_s = time.monotonic() - driver.playing_at_s
    assert [(fault.seat, fault.verdict) for fault in record.faults] == [(0, Verdict.TIMEOUT)]
    assert 0.2 < took_s < 0.3 + MORE_S


@pytest.mark.lesson(7)
@pytest.mark.parametrize(
    ("per_action_ms", "reason"), [(300, "300 ms allowed"), (None, "did not read request 0 within 500 ms")]
)
def test_a_bot_whose_request_stands_in_a_full_pipe_costs_less_than_a_second_more(
    per_action_ms: int | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PileState, "view", lambda *_: {"story": "word " * 50_000})  # more than a pipe holds
    greet = "if kind == 'hello': say(type='ready', wants=['view']); continue"
    deaf = talker("deaf", ready=f"{greet}\n        say(type='ready'); time.sleep(999)")
    with table(Pile(), Clock(per_action_ms=per_action_ms), deaf, good_bot()) as driver:
        record = play(driver)
        took_s = time.monotonic() - driver.playing_at_s
    (fault,) = record.faults
    assert (fault.seat, fault.verdict) == (0, Verdict.TIMEOUT)
    assert reason in fault.reason
    assert "did not read" in fault.reason
    assert took_s < (per_action_ms or 500) / 1000 + MORE_S


@pytest.mark.lesson(7)
def test_a_bot_that_closed_its_stdin_is_not_waited_for() -> None:
    deaf = talker("deaf", act="os.close(0); say(type='action', id=message['id'], option=0); time.sleep(999)")
    with table(ConnectFour(), Clock(per_action_ms=None), deaf, good_bot()) as driver:
        record = play(driver)
        took_s = time.monotonic() - driver.playing_at_s
    (fault,) = record.faults
    assert (fault.seat, fault.verdict) == (0, Verdict.TIMEOUT)
    assert took_s < 0.5 + MORE_S


REFILLS = """
import fcntl
if message["id"] == 0:  # fills its own stdin, so that the next request can't be written whole
    ours = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True: os.write(ours, b" " * 4095 + b"\\n")
    except BlockingIOError: pass
    say(type="action", id=0, option=0)
    time.sleep(0.4)
    os.set_blocking(0, False)
    rest = b""
    while b'"id"' not in rest:
        try: rest += os.read(0, 1 << 20)
        except BlockingIOError: pass
    os.set_blocking(0, True)
    message = json.loads(rest[rest.index(b"{"):])
"""


@pytest.mark.lesson(7)
def test_who_keeps_its_stdin_full_does_not_think_for_free() -> None:
    refills = talker("refills", act=REFILLS.replace("\n", "\n        "))
    with table(ConnectFour(), Clock(per_action_ms=200), refills, good_bot()) as driver:
        record = play(driver)
    (fault,) = record.faults
    assert (fault.seat, fault.verdict) == (0, Verdict.TIMEOUT)
    assert "did not read" in fault.reason


@pytest.mark.lesson(8)
def test_no_clock_waits_longer_for_a_bot_that_chats() -> None:
    chatter = bad_bot("drips-harmless-lines")
    for clock in (
        Clock(per_action_ms=200),
        Clock(per_action_ms=None, bank_ms=200),
        Clock(per_action_ms=200, kind=ClockKind.CPU, cpu_wall_factor=2),
    ):
        with table(ConnectFour(), clock, chatter, good_bot()) as driver:
            record = play(driver)
            took_s = time.monotonic() - driver.playing_at_s
        assert [fault.verdict for fault in record.faults] == [Verdict.TIMEOUT]
        assert took_s < (0.4 if clock.kind is ClockKind.CPU else 0.2) + MORE_S


@pytest.mark.lesson(11)
@pytest.mark.parametrize("held_s", [0.2, 0.6])
def test_a_referee_that_was_held_up_blames_nobody(held_s: float) -> None:
    punctual = talker("punctual", act="time.sleep(0.1)")
    with table(ConnectFour(), Clock(per_action_ms=200), punctual, good_bot()) as driver:
        held: list[bool] = []

        def hold_up(_: int) -> None:
            match = driver.match
            if match is not None and match.asked is not None and match.asked.seat == 0 and not held:
                held.append(True)
                time.sleep(held_s)

        driver.between = hold_up
        record = play(driver)
    assert held
    assert record.faults == ()
    assert record.termination is Termination.FINISHED


@pytest.mark.lesson(8, 11)
def test_a_referee_that_was_held_up_waits_for_the_deaf_no_longer_than_that() -> None:
    with table(ConnectFour(), Clock(per_action_ms=300), bad_bot("sleeps-for-ever"), good_bot()) as driver:
        held_at_s: list[float] = []

        def hold_up(_: int) -> None:
            if driver.match is not None and driver.match.phase is Phase.PLAYING and not held_at_s:
                held_at_s.append(time.monotonic())
                time.sleep(0.5)

        driver.between = hold_up
        record = play(driver)
    assert [(fault.seat, fault.verdict) for fault in record.faults] == [(0, Verdict.TIMEOUT)]
    assert 0.5 < time.monotonic() - held_at_s[0] < 0.5 + 0.3 + MORE_S


@pytest.mark.lesson(3)
def test_the_others_play_on_without_the_one_that_is_never_ready() -> None:
    never = bad_bot("ready-but-never-starts")
    clock = Clock(startup_ms=1000)
    with table(Pile(), clock, good_bot("a"), never, good_bot("c")) as driver:
        assert preflight([never], driver.settings, driver.rung, driver.scratch) == []
        record = play(driver)
    (fault,) = record.faults
    assert (fault.seat, fault.verdict) == (1, Verdict.FAILED_TO_START)
    assert "no `ready` to `start` within the start-up limit of 1000 ms" in fault.reason
    assert record.termination is Termination.FINISHED
    assert {request.seat for request in record.requests} == {0, 2}
    assert record.places[1] == 3


@pytest.mark.lesson(4)
def test_a_slow_start_is_never_charged_to_the_clock_of_the_game() -> None:
    slow = talker("slow", ready="time.sleep(0.6)", act="say(type='note', text=str(message['bank_ms']))")
    with table(ConnectFour(), Clock(per_action_ms=None, bank_ms=400, margin_ms=0), slow, good_bot()) as driver:
        record = play(driver)
    assert record.faults == ()
    assert record.bots[0].startup_ms >= 1200
    assert record.notes[0].text == "400"
    assert int(record.notes[-1].text) > 200


@pytest.mark.lesson(20)
def test_every_request_carries_what_is_left_and_what_the_last_one_took() -> None:
    told = "say(type='note', text=' '.join(str(message[key]) for key in ('bank_ms', 'limit_ms', 'last_ms')))"
    clock = Clock(per_action_ms=800, bank_ms=2000, increment_ms=5)
    with table(ConnectFour(), clock, talker("told", act=f"time.sleep(0.02); {told}"), good_bot()) as driver:
        record = play(driver)
    measured_us = [request.wall_us - request.given_back_us for request in record.requests if request.seat == 0]
    bank_us, last_us = 2_000_000, 0
    assert len(measured_us) > 5
    for note, took_us in zip(record.notes, measured_us, strict=True):
        assert note.text == f"{bank_us // 1000} {min(800, bank_us // 1000)} {last_us // 1000}"
        bank_us, last_us = bank_us - took_us + 5000, took_us
    assert min(measured_us) >= 20_000


@pytest.mark.lesson(10)
@pytest.mark.parametrize(
    ("opponent", "termination"), [("good", "finished"), ("exits-when-asked", "forfeit"), ("illegal-action", "forfeit")]
)
def test_who_is_left_hears_the_result_before_it_is_closed(opponent: str, termination: str, tmp_path: Path) -> None:
    write = "time.sleep(0.1); open('told', 'w').write(f\"{message['termination']} {message['places']}\")"
    other = good_bot("other") if opponent == "good" else bad_bot(opponent)
    with table(ConnectFour(), Clock(), other, talker("left", end=write, folder=str(tmp_path))) as driver:
        record = play(driver)
    assert record.termination.value == termination
    assert (tmp_path / "told").read_text() == f"{termination} {list(record.places)}"


@pytest.mark.lesson(15)
@pytest.mark.parametrize("rung", ["bubblewrap", "off"])
def test_a_plain_print_is_enough(rung: str) -> None:
    code = TALK.replace('os.write(1, json.dumps(message).encode() + b"\\n")', "print(json.dumps(message))")
    code = code.format(ready="pass", act="pass", end="pass")
    assert "flush" not in code
    plain = Entrant(name="plain", kind=BotKind.COMMAND, argv=("python3", "-S", "-c", code))
    with table(ConnectFour(), Clock(startup_ms=3000), plain, good_bot(), rung=rung) as driver:
        record = play(driver)
    assert record.faults == ()
    assert record.termination is Termination.FINISHED


@pytest.mark.lesson(43)
def test_no_clock_changes_what_deterministic_bots_play() -> None:
    choose = TALK.replace("option=0", "option=message['id'] % len(message['options'])")
    code = choose.format(ready="pass", act="time.sleep(0.001)", end="pass")
    bots = [Entrant(name=name, kind=BotKind.COMMAND, argv=("python3", "-S", "-c", code)) for name in "ab"]
    played = []
    for clock in CLOCKS.values():
        with table(ConnectFour(), clock, *bots) as driver:
            record = play(driver)
        assert record.faults == ()
        played.append((record.actions, record.places, record.scores, record.digest, record.termination))
    assert len(played[0][0]) > 10
    assert played == [played[0]] * len(CLOCKS)
