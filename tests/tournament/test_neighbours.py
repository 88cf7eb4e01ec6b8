"""What slots do to each other: nothing. Floods in one leave the others' clocks alone, a slow one holds up nobody."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
import trio

from arena.referee.record import Verdict
from arena.referee.settings import Clock, Entrant, Fixture, Limits, SandboxPolicy, Settings
from arena.referee.wire import MatchPlayed, Setup
from arena.testing.badbots import BAD_BOTS, good_bot
from arena.tournament.backend import Loss
from arena.tournament.pool import QUEUE_S, Pool, Slot
from tests.tournament.course import ENTRANTS, FAKE, SETTINGS, Course

FLOODS = ("floods-lines", "one-endless-line", "huge-json", "a-gigabyte-on-stderr")
GROWTH_BYTES = 20 * 2**20  #: that a referee's memory may grow by


class Tables(Course):
    """Matches in turns between tables; keeps results and the referees' memory."""

    def __init__(self, line_ups: list[tuple[str, ...]], rounds: int) -> None:
        super().__init__([])
        self.left = [self._fixture(number, line_up) for number, line_up in enumerate(line_ups * rounds)]
        self.played_by: list[tuple[Fixture, MatchPlayed, int]] = []
        self.first_bytes: dict[int, int] = {}  #: what each referee held when its first match was over
        self.peak_bytes: dict[int, int] = {}

    @staticmethod
    def _fixture(number: int, line_up: tuple[str, ...]) -> Fixture:
        return Fixture(
            match_id=f"m{number}", number=number, line_up=line_up, deal=0, block="b", rotation=0, key="00" * 16,
            bot_seeds=(1, 2),
        )  # fmt: skip

    async def played(self, match: MatchPlayed, fixture: Fixture, slot: int) -> None:
        await trio.lowlevel.checkpoint()
        self.played_by.append((fixture, match, slot))
        for pid in referees():
            self.first_bytes.setdefault(pid, memory_bytes(pid, "VmRSS"))
            self.peak_bytes[pid] = memory_bytes(pid, "VmHWM")

    async def lost(self, loss: Loss) -> None:
        raise AssertionError(loss.reason)

    async def set_aside(self, loss: Loss) -> None:
        raise AssertionError(loss.reason)


def referees() -> list[int]:
    """Return the referees, which are children of this process."""
    mine = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in mine if b"arena.referee" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def memory_bytes(pid: int, field: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) * 1024


@pytest.mark.lesson(12)
def test_floods_in_one_slot_neither_fill_our_memory_nor_stop_the_clocks_of_the_others() -> None:
    floods = [bad.entrant() for bad in BAD_BOTS if bad.name in FLOODS]
    assert len(floods) == len(FLOODS)
    entrants: tuple[Entrant, ...] = (*floods, good_bot("good"), good_bot("calm"), good_bot("quiet"))
    settings = Settings(
        game="connect-four", game_options={"opening": 0}, seats=2, clock=Clock(startup_ms=5000, per_action_ms=100),
        limits=Limits(), sandbox=SandboxPolicy.OFF,
    )  # fmt: skip
    line_ups = [line_up for name in FLOODS for line_up in ((name, "good"), ("calm", "quiet"))]
    tables = Tables([("calm", "quiet"), ("quiet", "calm"), *line_ups], 2)
    slots = [Slot(0), Slot(1)]
    pool = Pool(lambda slot: Setup(settings=settings, entrants=entrants, slot=slot.number, cores=slot.cores), slots)
    trio.run(pool.play, tables, tables)
    assert len(tables.played_by) == 20
    for fixture, match, _ in tables.played_by:
        flooded = fixture.line_up[0] in FLOODS
        verdicts = [(fault.seat, fault.verdict) for fault in match.faults]
        assert verdicts == [(0, Verdict.OUTPUT_LIMIT)] * flooded, fixture.line_up
    assert len(tables.peak_bytes) == 2
    for pid, peak in tables.peak_bytes.items():
        assert peak - tables.first_bytes[pid] < GROWTH_BYTES


@attrs.define
class Spell:
    """From when to when a match was played, as its referee saw it."""

    match_id: str
    begun_s: float
    ended_s: float


def spells(folder: Path) -> list[Spell]:
    lines = [line.split() for line in (folder / "spells").read_text().splitlines()]
    return [Spell(match_id, float(begun), float(ended)) for match_id, begun, ended in lines]


def alive_at(moment_s: float, played: Sequence[Spell]) -> int:
    return sum(spell.begun_s <= moment_s < spell.ended_s for spell in played)


class Timed(Course):
    """A course that knows when it gave its last match out."""

    given_out_s = 0.0

    def next_fixture(self) -> Fixture | None:
        fixture = super().next_fixture()
        if fixture is not None:
            self.given_out_s = time.monotonic()
        return fixture


@pytest.mark.lesson(32)
@pytest.mark.parametrize("slots", [1, 3])
def test_no_more_matches_than_slots_and_every_slot_busy_while_one_bot_is_20_times_slower(
    slots: int, tmp_path: Path
) -> None:
    slow_ms, fast_ms = 200, 10
    ids = [f"think-{slow_ms if number % 8 == 5 else fast_ms}-{number}" for number in range(48 * slots)]
    course = Timed(ids)
    pool = Pool(
        lambda slot: Setup(settings=SETTINGS, entrants=ENTRANTS, slot=slot.number, cores=()),
        [Slot(number) for number in range(slots)],
        command=[sys.executable, "-I", str(FAKE), str(tmp_path)],
    )
    trio.run(pool.play, course, course)
    played = spells(tmp_path)
    assert sorted(spell.match_id for spell in played) == sorted(ids)
    assert max(alive_at(spell.begun_s, played) for spell in played) == slots
    first_s, last_s = min(spell.ended_s for spell in played), max(spell.ended_s for spell in played)
    shared_s = course.given_out_s - first_s  # as long as anything is left to be given out, nobody rests
    busy_s = sum(max(0, min(spell.ended_s, course.given_out_s) - max(spell.begun_s, first_s)) for spell in played)
    assert busy_s / (shared_s * slots) > 0.75
    assert last_s - course.given_out_s < QUEUE_S + 2 * slow_ms / 1000 + 0.3  # then each has so much of a queue
