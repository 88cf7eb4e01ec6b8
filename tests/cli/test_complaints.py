"""What is said of bots that fail."""

from __future__ import annotations

from pathlib import Path

import attrs
import click
import pytest

from arena.cli.complaints import Complaints, last_lines
from arena.referee.record import Fault, Verdict

LATE = Fault(
    seat=1,
    verdict=Verdict.TIMEOUT,
    reason="no answer to request 3 after 1050 ms",
    advice="answer sooner",
    action_number=4,
    at_ms=9,
    stderr_tail="one\n  ^^^^\ntwo",
)


@pytest.mark.lesson(13)
def test_a_fault_is_told_with_seat_reason_advice_stderr_and_log() -> None:
    said: list[str] = []
    Complaints(said.append).fault("m-7", "bob", LATE, Path("runs/x/logs/m-7.seat-1.stderr"))
    assert click.unstyle(said[0]).splitlines() == [
        "m-7: bob (seat 1) forfeits: timeout: no answer to request 3 after 1050 ms",
        "    advice: answer sooner",
        "    stderr: one",
        "    stderr: two",
        "    log: runs/x/logs/m-7.seat-1.stderr",
    ]


@pytest.mark.lesson(14)
def test_the_same_complaint_is_told_once_and_then_counted() -> None:
    said: list[str] = []
    complaints = Complaints(said.append)
    for request in range(3, 6):
        complaints.fault("m", "bob", attrs.evolve(LATE, reason=f"no answer to request {request} after 1050 ms"))
    complaints.fault("m", "ann", LATE)
    complaints.fault("m", "bob", attrs.evolve(LATE, verdict=Verdict.CRASH))
    assert len(said) == 3
    assert complaints.summary() == ["bob: the same in 2 more matches: timeout: no answer to request 3 after 1050 ms"]


def test_how_it_ended_is_not_said_twice() -> None:
    said: list[str] = []
    crash = attrs.evolve(LATE, reason="ended with exit code 3", exit_status="exit code 3", forfeits=False)
    complaints = Complaints(said.append)
    complaints.fault("m", "bob", crash)
    assert said[0].count("exit code 3") == 1
    assert "spends a strike" in said[0]
    complaints.fault("m", "bob", attrs.evolve(crash, reason="it is gone"))
    assert "    it ended with exit code 3" in said[1]


def test_the_last_lines_say_something() -> None:
    assert last_lines("a\n\nb\n ~~~^^ \nc", 2) == ["b", "c"]
