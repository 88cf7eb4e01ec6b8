"""Referees that take nothing: the scheduler waits for none for ever; what all backends promise: test_backends.py."""

from __future__ import annotations

import sys
import time

import attrs
import msgspec
import pytest
import trio

from arena.errors import ArenaError
from arena.referee.settings import BotKind, Entrant
from arena.referee.wire import Play, Setup
from arena.tournament import pool
from arena.tournament.pool import QUEUE_AT_MOST, Pool, Referee, RefereeLost, Slot
from tests.tournament.course import ENTRANTS, SETTINGS, Course, fixture

PIPE_BYTES = 65_536
READS_ONCE = 'import time; input(); print(\'{"type":"ready","host":{}}\', flush=True); time.sleep(600)'
READS_NEVER = "import time; time.sleep(600)"


def setup_of(entrants: tuple[Entrant, ...]) -> Setup:
    return Setup(settings=SETTINGS, entrants=entrants, slot=0, cores=())


@pytest.mark.lesson(9)
def test_a_referee_that_does_not_read_its_matches_is_given_up() -> None:
    async def send() -> float:
        referee = await Referee.start(setup_of(ENTRANTS), [sys.executable, "-I", "-S", "-c", READS_ONCE])
        began_s = time.monotonic()
        try:
            with pytest.raises(RefereeLost, match="the referee read nothing for 0 s"):
                await referee.send(Play(tuple(fixture(f"m{number}", number) for number in range(2000))), within_s=0.3)
            return time.monotonic() - began_s
        finally:
            await referee.kill()

    assert trio.run(send) < 1


@pytest.mark.lesson(9)
def test_a_referee_that_does_not_read_its_set_up_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "READY_WITHIN_S", 0.2)
    many = tuple(Entrant(name=f"bot-{number}", kind=BotKind.COMMAND, argv=("x" * 500,)) for number in range(200))
    command = [sys.executable, "-I", "-S", "-c", READS_NEVER]
    playing = Pool(lambda _: setup_of(many), [Slot(0)], command=command)
    course = Course(["m0"])
    with pytest.raises(BaseExceptionGroup) as caught:
        trio.run(playing.play, course, course)
    (error,) = caught.value.exceptions
    assert isinstance(error, ArenaError)
    assert "no referee can be started: the referee read nothing" in str(error)


@pytest.mark.lesson(9)
def test_what_is_handed_over_ahead_fits_a_pipe() -> None:
    longest = "𠀀" * 40  # as names may be: of letters that take four bytes
    greatest = fixture("r10-l9999-d9999-s3", 99_999)
    greatest = attrs.evolve(
        greatest, line_up=(longest,) * 4, block="r10-l9999-d9999", key="00" * 16, bot_seeds=(2**63 - 1,) * 4
    )
    assert len(msgspec.json.encode(Play((greatest,) * QUEUE_AT_MOST))) < PIPE_BYTES
