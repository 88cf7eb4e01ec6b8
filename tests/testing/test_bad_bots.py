"""The table of bad bots, played for real: verdict, evidence, cost, our memory, and nothing left alive."""

from __future__ import annotations

import contextlib
import os
import re
import select
import socket
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
import pytest

from arena.games.api import Game, Json, OptionValue
from arena.games.connect_four import ConnectFour
from arena.referee import procfs
from arena.referee.driver import Driver
from arena.referee.record import Record, Termination
from arena.referee.sandbox import forced
from arena.referee.sandbox.scratch import remove, scratch_root
from arena.referee.settings import Fixture
from arena.testing.badbots import BAD_BOTS, BadBot, Needs, Opponent, good_bot, settings_for, slow_bot
from tests.referee.pile import Pile, PileState

GRACE_MS = 1000
START_MS = 2500  #: for starting all bots of a match while other tests keep the machine busy
MEMORY_GROWTH_BYTES = 20 * 2**20
SEAT_OF_BAD = 0


class WordyState(PileState):
    """A pile whose view fills a pipe of one page at once."""

    def copy(self) -> WordyState:
        return WordyState(self.seats, self.left, list(self.taken), self.turn)

    def view(self, seat: int) -> Mapping[str, Json]:
        return {"left": self.left, "story": "word " * 5000}


class WordyPile(Pile):
    """The pile with that view."""

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> PileState:
        return WordyState(seats, int(options["size"]), [0] * seats, 0)


@attrs.frozen
class Played:
    """A match and what it cost."""

    record: Record
    wall_ms: float
    growth_bytes: int
    left: list[int]


@contextlib.contextmanager
def argument_of(bad: BadBot, folder: Path) -> Iterator[str]:
    """Provide what the bot reaches for."""
    if bad.needs is Needs.PORT:
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            yield str(server.getsockname()[1])
    elif bad.needs is Needs.FILE:
        file = folder / "clever.py"
        file.write_text("a secret trick")
        yield str(file)
    else:
        yield ""


def play(bad: BadBot, rung: str, matches: int = 1) -> list[Played]:
    """Play the bad bot against good ones, on the game it needs."""
    root = scratch_root()
    game: Game = WordyPile() if bad.full_pipe else ConnectFour()
    opponent = slow_bot() if bad.opponent is Opponent.SLOW else good_bot()
    with argument_of(bad, root) as argument:
        mark = uuid.uuid4().hex
        bots = [attrs.evolve(bot, env={"TEST_MARK": mark}) for bot in (bad.entrant(argument), opponent)]
        entrants = {bot.name: bot for bot in bots}
        settings = settings_for(bad, game.name, 2, options={option.name: option.default for option in game.options})
        driver = Driver(game, settings, entrants, forced(rung), root)
        try:
            return [_play_one(driver, tuple(entrants), number, mark) for number in range(matches)]
        finally:
            driver.close()
            remove(root)


def _play_one(driver: Driver, line_up: tuple[str, ...], number: int, mark: str) -> Played:
    fixture = Fixture(
        match_id=f"m{number}", number=number, line_up=line_up, deal=0, block="b0", rotation=0, key="00" * 16,
        bot_seeds=(1, 2),
    )  # fmt: skip
    before = _peak_bytes(reset=True)
    begun = time.monotonic()
    record, _ = driver.play(fixture)
    wall_ms = (time.monotonic() - begun) * 1000
    return Played(record, wall_ms, _peak_bytes() - before, _left_alive(mark))


def _peak_bytes(*, reset: bool = False) -> int:
    """Return the highest resident memory of this process since the last reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def _left_alive(mark: str) -> list[int]:
    """Return the processes of the bots that are alive, and still are 2 s later."""
    until = time.monotonic() + 2.0
    while (alive := _marked(mark)) and time.monotonic() < until:
        select.select([], [], [], 0.01)
    return alive


def _marked(mark: str) -> list[int]:
    """Return the live processes whose environment has `mark`: what a bot starts inherits it."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if mark.encode() in procfs.read_proc(pid, "environ") and procfs.is_alive(pid)]


def judge(bad: BadBot, played: Played, *, shut_in: bool, wrapped: bool = False) -> None:
    """Check everything that is promised of a match with this bot."""
    record = played.record
    faults = record.faults
    assert not [fault for fault in faults if fault.seat != SEAT_OF_BAD], "a good bot was blamed"
    if bad.verdict is None:
        assert faults == ()
        assert record.termination is Termination.FINISHED
    else:
        fault = next(fault for fault in faults if fault.forfeits)
        assert fault.verdict is ((wrapped and bad.behind_wrapper) or bad.verdict), fault
        assert re.search(bad.evidence, fault.reason, re.DOTALL), fault.reason
        assert re.search(bad.stderr, fault.stderr_tail, re.DOTALL), fault.stderr_tail
        assert record.forfeited == (SEAT_OF_BAD,)
        assert record.places == (2, 1)
        assert played.wall_ms < bad.cost_ms + GRACE_MS + START_MS
    if bad.needs is not Needs.NOTHING or bad.name == "remembers-earlier-matches":
        words = [note.text for note in record.notes]
        assert words
        assert all(text.startswith("refused") for text in words) or not shut_in, words
    assert played.growth_bytes < MEMORY_GROWTH_BYTES
    assert played.left == []


def matches_of(bad: BadBot) -> int:
    return 2 if bad.name == "remembers-earlier-matches" else 1


@pytest.mark.parametrize("bad", BAD_BOTS, ids=lambda bad: bad.name)
def test_bad_bot(bad: BadBot) -> None:
    for played in play(bad, "bubblewrap", matches_of(bad)):
        judge(bad, played, shut_in=True, wrapped=True)


def test_spinners_do_not_make_their_opponent_late() -> None:
    spinner = next(bad for bad in BAD_BOTS if bad.name == "burns-in-four-children")
    hasty = attrs.evolve(spinner, opponent=Opponent.GOOD, clock=attrs.evolve(spinner.clock, per_action_ms=50))
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        (played,) = play(hasty, "bubblewrap")
    finally:
        os.sched_setaffinity(0, cores)
    assert not [fault for fault in played.record.faults if fault.seat != SEAT_OF_BAD]
    assert played.left == []


LOWER_RUNGS = [
    (bad, rung)
    for bad in BAD_BOTS
    for rung in ("landlock", "rlimits", "off")
    if rung == "landlock" or bad.name != "remembers-earlier-matches"  # it would litter the host
]


@pytest.mark.heavy
@pytest.mark.parametrize(("bad", "rung"), LOWER_RUNGS, ids=[f"{bad.name}-{rung}" for bad, rung in LOWER_RUNGS])
def test_bad_bot_on_a_lower_rung(bad: BadBot, rung: str) -> None:
    for played in play(bad, rung, matches_of(bad)):
        judge(bad, played, shut_in=rung == "landlock")
