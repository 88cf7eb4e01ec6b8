"""What an author is told of their bot."""

from __future__ import annotations

from arena.referee.record import Fault, Verdict
from arena.report.feedback import fault_lines

CRASH = Fault(
    seat=1, verdict=Verdict.CRASH, reason="ended with exit code 1", advice="read on", action_number=1, at_ms=5,
    stderr_tail="one\ntwo", exit_status="exit code 1",
)  # fmt: skip


def test_a_fault_is_told_in_full() -> None:
    assert list(fault_lines("bob", 9, [("m-1", CRASH)], 1)) == [
        "bob: 9 matches, faults in 1",
        "",
        "m-1, seat 1, after 1 action: forfeited: crash",
        "  ended with exit code 1",
        "  it ended with: exit code 1",
        "  advice: read on",
        "  stderr: one",
        "  stderr: two",
    ]


def test_of_many_faults_the_rest_is_pointed_to() -> None:
    lines = list(fault_lines("bob", 9, [("m", CRASH)] * 5, 5, at_most=2))
    assert sum(line.startswith("m, seat") for line in lines) == 2
    assert lines[-1] == "and more; `arena show RUN --entrant bob --faults` lists all"
