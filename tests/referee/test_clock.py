from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.referee.clock import SeatClock, to_ms
from arena.referee.settings import Clock, ClockKind


@pytest.mark.lesson(19)
@pytest.mark.parametrize(
    ("control", "allowed_us", "bound_us"),
    [
        (Clock(per_action_ms=100, margin_ms=50), 100_000, 150_000),
        (Clock(per_action_ms=100, margin_ms=0), 100_000, 100_000),
        (Clock(per_action_ms=0, margin_ms=0), 0, 0),
        (Clock(per_action_ms=100, bank_ms=60, margin_ms=5), 60_000, 65_000),
        (Clock(per_action_ms=100, bank_ms=600, margin_ms=5), 100_000, 105_000),
        (Clock(per_action_ms=None, bank_ms=600, margin_ms=5), 600_000, 605_000),
        (Clock(per_action_ms=None), None, None),
        (Clock(per_action_ms=100, margin_ms=50, kind=ClockKind.CPU, cpu_wall_factor=5), 100_000, 550_000),
    ],
)
def test_limit_of_a_request(control: Clock, allowed_us: int | None, bound_us: int | None) -> None:
    clock = SeatClock.start(control)
    assert clock.allowed_us == allowed_us
    assert clock.wall_bound_us == bound_us


def test_bank_is_charged_and_earns_its_increment() -> None:
    clock = SeatClock.start(Clock(per_action_ms=None, bank_ms=1000, increment_ms=10))
    clock.answered(300_000)
    assert clock.bank_us == 710_000


def test_margin_is_not_charged() -> None:
    clock = SeatClock.start(Clock(per_action_ms=None, bank_ms=100, margin_ms=50))
    clock.answered(140_000)
    assert clock.bank_us == 0


def test_strikes_run_out() -> None:
    clock = SeatClock.start(Clock(strikes=2))
    assert [clock.missed(), clock.missed(), clock.missed()] == [True, True, False]


def test_milliseconds_shown_never_promise_more_than_there_is() -> None:
    assert to_ms(1999) == 1


@pytest.mark.lesson(19)
@given(
    bank_ms=st.integers(0, 2000),
    increment_ms=st.integers(0, 100),
    margin_ms=st.integers(0, 50),
    strikes=st.integers(0, 5),
    wishes=st.lists(st.integers(0, 3_000_000), max_size=60),
)
def test_thinking_time_is_bounded_whatever_a_bot_does(
    bank_ms: int, increment_ms: int, margin_ms: int, strikes: int, wishes: list[int]
) -> None:
    clock = SeatClock.start(
        Clock(per_action_ms=None, bank_ms=bank_ms, increment_ms=increment_ms, margin_ms=margin_ms, strikes=strikes)
    )
    spent = answered = requests = 0
    for wish in wishes:
        bound = clock.wall_bound_us
        assert bound is not None
        requests += 1
        if wish <= bound:
            spent += wish
            answered += 1
            clock.answered(wish)
        else:
            spent += bound
            if not clock.missed():
                break
    assert spent <= 1000 * (bank_ms + answered * increment_ms + requests * margin_ms)
    assert clock.bank_us is not None
    assert clock.bank_us >= 0
