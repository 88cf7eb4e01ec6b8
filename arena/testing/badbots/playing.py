"""Play a bad bot against good ones in real processes, and judge everything that is promised of such a match (Linux)."""

from __future__ import annotations

import contextlib
import re
import select
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import attrs

from arena.games.api import Game
from arena.referee import procfs
from arena.referee.driver import Driver
from arena.referee.record import Fault, Record, Termination
from arena.referee.rung import Rung
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import Entrant, Fixture
from arena.testing.badbots.table import BadBot, Needs, Opponent, good_bot, settings_for, slow_bot

SEAT_OF_BAD = 0
GRACE_MS = 1000  #: that a bad bot may cost beyond the limit that applies
GROWTH_BYTES = 20 * 2**20  #: that the referee's memory may grow by
GONE_WITHIN_S = 2.0


@attrs.frozen(kw_only=True)
class Played:
    """A match and what it cost."""

    record: Record
    wall_ms: float  #: start-up included
    growth_bytes: int  #: of this process: its peak in the match over what it held before
    left: tuple[int, ...]  #: processes that the bots left alive, 2 s later

    @property
    def startup_ms(self) -> int:
        """What the start of the slowest bot took, of those that did start."""
        return max(0, *(bot.startup_ms for bot in self.record.bots))

    @property
    def fault(self) -> Fault | None:
        """The fault that cost the bad bot the match."""
        return next((fault for fault in self.record.faults if fault.forfeits and fault.seat == SEAT_OF_BAD), None)


def play(bad: BadBot, game: Game, rung: Rung, *, seats: int = 2, matches: int = 1) -> list[Played]:
    """Play `matches` matches of one deal with the bad bot on seat 0. Main thread only."""
    other = slow_bot if bad.opponent is Opponent.SLOW else good_bot
    mark = uuid.uuid4().hex
    with scratch_root() as root, _argument(bad, root) as argument:
        bots = [bad.entrant(argument), *(other(f"other-{seat}") for seat in range(1, seats))]
        entrants = {bot.name: attrs.evolve(bot, env={"BAD_BOTS_MARK": mark}) for bot in bots}
        options = {option.name: option.default for option in game.options}
        driver = Driver(game, settings_for(bad, game.name, seats, options=options), entrants, rung, root)
        try:
            return [_play_one(driver, entrants, number, mark) for number in range(matches)]
        finally:
            driver.close()


def complaints(bad: BadBot, played: Played, rung: str) -> list[str]:
    """Return what is not as promised, as sentences; none when all is well. `rung` is the name of the rung."""
    wrong = _wrong_verdict(bad, played, rung) if bad.verdict else _wrong_end(played)
    if bad.verdict and played.wall_ms > (most := bad.cost_ms + GRACE_MS + played.startup_ms):
        wrong.append(f"it took {played.wall_ms:.0f} ms, more than {most}")
    blamed = {fault.seat for fault in played.record.faults} - {SEAT_OF_BAD}
    if blamed:
        wrong.append(f"seats {blamed} were blamed as well")
    words = [note.text for note in played.record.notes]
    shut_in = rung in ("bubblewrap", "landlock")
    if bad.says and shut_in and not (words and all(text.startswith("refused") for text in words)):
        wrong.append(f"it got where it should not: {words}")
    if played.growth_bytes >= GROWTH_BYTES:
        wrong.append(f"the referee grew by {played.growth_bytes} bytes")
    if played.left:
        wrong.append(f"processes {played.left} are alive")
    return wrong


def _wrong_verdict(bad: BadBot, played: Played, rung: str) -> list[str]:
    fault, record = played.fault, played.record
    if fault is None:
        return [f"it got away: {record.faults}"]
    expected = bad.verdict if rung != "bubblewrap" or bad.behind_wrapper is None else bad.behind_wrapper
    wrong = []
    if fault.verdict is not expected:
        wrong.append(f"the verdict is {fault.verdict.value}, not {expected.value if expected else 'none'}: {fault}")
    if not re.search(bad.evidence, fault.reason, re.DOTALL):
        wrong.append(f"the reason has no {bad.evidence!r}: {fault.reason}")
    if not re.search(bad.stderr, fault.stderr_tail, re.DOTALL):
        wrong.append(f"the stderr tail has no {bad.stderr!r}: {fault.stderr_tail}")
    if record.forfeited != (SEAT_OF_BAD,) or record.places[SEAT_OF_BAD] != len(record.places):
        wrong.append(f"it does not hold the last place: {record.places}, forfeited: {record.forfeited}")
    return wrong


def _wrong_end(played: Played) -> list[str]:
    record = played.record
    fine = not record.faults and record.termination is Termination.FINISHED
    return [] if fine else [f"it did nothing wrong, but the match ended as {record.termination.value}: {record.faults}"]


def _play_one(driver: Driver, entrants: dict[str, Entrant], number: int, mark: str) -> Played:
    fixture = Fixture(
        match_id=f"m{number}", number=number, line_up=tuple(entrants), deal=0, block="b0", rotation=0, key="00" * 16,
        bot_seeds=tuple(range(len(entrants))),
    )  # fmt: skip
    before = _peak_bytes(reset=True)
    begun = time.monotonic()
    record, _ = driver.play(fixture)
    wall_ms = (time.monotonic() - begun) * 1000
    return Played(
        record=record, wall_ms=wall_ms, growth_bytes=max(0, _peak_bytes() - before), left=tuple(_left_alive(mark))
    )


@contextlib.contextmanager
def _argument(bad: BadBot, folder: Path) -> Iterator[str]:
    """Provide what the bot reaches for."""
    if bad.needs is Needs.PORT:
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            yield str(server.getsockname()[1])
    elif bad.needs is Needs.FILE:
        file = folder / "clever.py"
        file.write_text("a trick of another bot")
        yield str(file)
    else:
        yield ""


def _peak_bytes(*, reset: bool = False) -> int:
    """Return the highest resident memory of this process since the last reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def _left_alive(mark: str) -> list[int]:
    until = time.monotonic() + GONE_WITHIN_S
    while (alive := _marked(mark)) and time.monotonic() < until:
        select.select([], [], [], 0.01)
    return alive


def _marked(mark: str) -> list[int]:
    """Return the live processes whose environment has `mark`: what a bot starts inherits it."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if mark.encode() in procfs.read_proc(pid, "environ") and procfs.is_alive(pid)]
