from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from arena.protocol.messages import Act, ActionMessage, End, Hello, Note, Ready, Start
from arena.referee.match import (
    NOTE_OVERHEAD_BYTES,
    REASON_BYTES,
    Ask,
    Breach,
    Command,
    Commands,
    Drop,
    Expire,
    Freeze,
    Match,
    Phase,
    Send,
)
from arena.referee.record import Fault, Source, Termination, Verdict, decode, encode
from arena.referee.settings import BotKind, Clock, ClockKind, Entrant, Fixture, Limits, Settings
from arena.referee.verify import verify
from tests.referee.pile import Pile

MS = 1000


def table(seats: int = 2, *, size: int = 10, clock: Clock | None = None, limits: Limits | None = None) -> Match:
    names = tuple("abcd"[:seats])
    settings = Settings(
        game="pile",
        game_options={"size": size},
        seats=seats,
        clock=clock or Clock(per_action_ms=100, margin_ms=0),
        limits=limits or Limits(),
    )
    fixture = Fixture(
        match_id="m", number=0, line_up=names, deal=0, block="b", rotation=0, key="00" * 16, bot_seeds=(7,) * seats
    )
    entrants = [Entrant(name=name, kind=BotKind.COMMAND, argv=("x",)) for name in names]
    return Match(Pile(), settings, entrants, fixture)


def begin(match: Match, *, cpu_us: int = 0, wants: tuple[str, ...] | None = None) -> Commands:
    commands: list[Command] = []
    for seat in range(match.settings.seats):
        match.spawned(seat, 0)
    for seat in range(match.settings.seats):
        match.ready(seat, Ready(wants=wants), 0)  # type: ignore[arg-type]
    for seat in range(match.settings.seats):
        commands += match.ready(seat, Ready(), 0, cpu_us)
    return commands


def act_of(match: Match, commands: Commands) -> Act:
    assert match.asked is not None
    assert [command for command in commands if isinstance(command, Ask)] == [Ask(match.asked.seat)]
    return match.request()


def answer(match: Match, option: int = 0, *, now_us: int = 0, took_us: int = 0, cpu_us: int = -1) -> Commands:
    asked = match.asked
    assert asked is not None
    if asked.written_us < 0:
        match.written(now_us)
    message = ActionMessage(id=asked.number, option=option)
    return match.answered(asked.seat, message, now_us + took_us, cpu_us)


def play_out(match: Match) -> None:
    while match.phase is not Phase.OVER:
        answer(match)


def forfeits(match: Match) -> list[Fault]:
    return [fault for fault in match.faults if fault.forfeits]


def check(match: Match) -> None:
    record = match.record()
    assert decode(encode(record)) == record
    assert verify(record, Pile()) == []


def test_a_match_from_hello_to_end() -> None:
    match = table(size=4)
    assert match.spawned(0, 0) == [Send(0, Hello(protocol=1, arena="", game="pile"))]
    (start,) = match.ready(0, Ready(name="n\x1bame", version="1"), 5)
    assert isinstance(start, Send)
    assert isinstance(start.message, Start)
    assert (start.message.seat, start.message.names, start.message.bot_seed) == (0, ("a", "b"), 7)
    match.spawned(1, 0)
    match.ready(1, Ready(), 5)
    assert match.ready(1, Ready(), 6) == []
    act = act_of(match, match.ready(0, Ready(), 7))
    assert act == Act(id=0, count=3, options=["1", "2", "3"], limit_ms=100, last_ms=0)
    answer(match, 2)
    # one is left: it is forced, and nobody is asked
    assert match.phase is Phase.OVER
    record = match.record()
    assert [played.source for played in record.actions] == [Source.BOT, Source.FORCED]
    assert (record.termination, record.places, record.scores) == (Termination.FINISHED, (1, 2), (3, 1))
    assert record.bots[0].name == "n ame"
    check(match)


@pytest.mark.lesson(10)
def test_everybody_left_is_told_the_result() -> None:
    match = table(size=2)
    begin(match)
    ends = [c.message for c in answer(match, 1) if isinstance(c, Send)]
    assert ends == [End(places=(1, 2), scores=(2, 0), categories={"taken": (2, 0)}, termination="finished")] * 2


def test_what_a_bot_wants_is_what_it_gets() -> None:
    match = table(size=9)
    begin(match, wants=("view", "actions"))
    answer(match, 2)
    asked = act_of(match, answer(match, 2))
    assert asked == Act(
        id=2, view={"left": 3, "taken": [3, 3]}, actions=["0 3", "1 3"], limit_ms=asked.limit_ms, last_ms=0
    )


def test_actions_in_a_row_are_played_while_it_is_this_seats_turn() -> None:
    match = table(size=9)
    begin(match)
    assert match.asked is not None
    match.written(0)
    match.answered(0, ActionMessage(id=0, actions=("3", "3")), 0)
    assert [(played.seat, played.action) for played in match.actions] == [(0, "3")]
    assert match.asked.seat == 1


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (ActionMessage(id=0, option=3), "there are 3 options"),
        (ActionMessage(id=0, action="7"), "`7`: '7' is no action of this game"),
        (ActionMessage(id=0, actions=("nonsense",)), "nonsense"),
    ],
)
def test_illegal(message: ActionMessage, words: str) -> None:
    match = table(3)
    begin(match)
    match.written(0)
    commands = match.answered(0, message, 0)
    (fault,) = match.faults
    assert fault.verdict is Verdict.ILLEGAL
    assert words in fault.reason
    assert Drop(0) in commands
    assert match.asked is not None
    assert match.asked.seat == 1
    play_out(match)
    assert match.record().places[0] == 3
    check(match)


def test_a_seat_that_was_never_greeted_back_is_not_told_the_end() -> None:
    match = table(2)
    match.spawned(0, 0)
    commands = match.failed(0, Breach(Verdict.CRASH, "gone"), 0)
    assert commands == [Drop(0)]


def test_the_last_one_left_wins_at_once() -> None:
    match = table(2)
    begin(match)
    match.failed(1, Breach(Verdict.CRASH, "ended with exit code 3", exit_status="exit code 3"), 50 * MS)
    assert match.phase is Phase.OVER
    record = match.record()
    assert (record.termination, record.places, record.requests) == (Termination.FORFEIT, (1, 2), ())
    check(match)


def test_forfeiters_share_the_last_place() -> None:
    match = table(4, size=20)
    begin(match)
    answer(match, 2)
    match.failed(0, Breach(Verdict.CRASH, "gone"), 0)
    match.failed(2, Breach(Verdict.PROTOCOL, "rubbish"), 0)
    play_out(match)
    record = match.record()
    assert (record.places[0], record.places[2]) == (3, 3)
    assert sorted((record.places[1], record.places[3])) in ([1, 1], [1, 2])
    assert {played.source for played in record.actions if played.seat == 2} == {Source.FORFEIT}
    check(match)


@pytest.mark.lesson(3, 11)
def test_a_crash_before_ready_is_a_failure_to_start() -> None:
    match = table(2)
    match.spawned(0, 0)
    match.failed(0, Breach(Verdict.CRASH, "ended with exit code 1"), 0)
    assert match.faults[0].verdict is Verdict.FAILED_TO_START
    assert match.phase is Phase.STARTING  # the other one is still to be heard of
    match.spawned(1, 0)
    match.ready(1, Ready(), 0)
    match.ready(1, Ready(), 0)
    assert match.record().termination is Termination.FORFEIT


def test_nobody_starts() -> None:
    match = table(3)
    for seat in range(3):
        match.spawned(seat, seat)
    assert match.deadline_us == 10_000 * MS
    match.time_passed(10_000 * MS + 2)
    record = match.record()
    assert (record.termination, record.places) == (Termination.ABANDONED, (1, 1, 1))
    assert [fault.verdict for fault in record.faults] == [Verdict.FAILED_TO_START] * 3
    check(match)


@pytest.mark.lesson(3, 4)
def test_start_up_has_its_own_limit_for_each_answer() -> None:
    match = table(2, clock=Clock(startup_ms=1000, per_action_ms=1))
    match.spawned(0, 0)
    match.spawned(1, 0)
    match.ready(0, Ready(), 900 * MS)
    match.ready(1, Ready(), 900 * MS)
    assert match.deadline_us == 1900 * MS
    assert match.time_passed(1899 * MS) == []
    match.ready(0, Ready(), 1899 * MS)
    match.time_passed(1900 * MS)
    assert [fault.seat for fault in match.faults] == [1]


@pytest.mark.lesson(8)
@pytest.mark.parametrize(("took_us", "late"), [(100 * MS, False), (100 * MS + 1, True)])
def test_the_deadline_is_absolute(took_us: int, late: bool) -> None:
    match = table(2)
    begin(match)
    match.written(0)
    assert match.deadline_us is not None
    assert match.deadline_us >= 100 * MS
    answer(match, took_us=took_us)
    assert bool(match.faults) is late
    if late:
        assert match.faults[0].verdict is Verdict.TIMEOUT


@pytest.mark.lesson(19)
def test_time_passes_only_at_the_deadline() -> None:
    match = table(2, clock=Clock(per_action_ms=100, margin_ms=50))
    begin(match)
    match.written(0)
    match.time_passed(150 * MS)
    assert match.faults == []
    assert match.deadline_us == 150 * MS + 1
    match.time_passed(150 * MS + 1)
    assert "150 ms; the 100 ms allowed for one request and 50 ms margin are over" in match.faults[0].reason


@pytest.mark.lesson(19)
def test_a_bank_says_that_it_was_the_bank() -> None:
    match = table(2, clock=Clock(per_action_ms=1000, bank_ms=100, margin_ms=0))
    begin(match)
    answer(match, took_us=60 * MS)
    answer(match, now_us=60 * MS)
    match.written(60 * MS)
    match.time_passed(100 * MS + 1)
    assert "40 ms left on its bank" in match.faults[0].reason


@pytest.mark.lesson(19)
def test_a_strike_pays_with_a_default_action() -> None:
    match = table(2, clock=Clock(per_action_ms=100, margin_ms=0, strikes=1))
    begin(match)
    match.written(0)
    commands = match.time_passed(101 * MS)
    assert commands[0] == Expire(0, 0)
    assert match.actions[0].source is Source.STRIKE
    assert not match.faults[0].forfeits
    answer(match, now_us=101 * MS)
    match.written(102 * MS)
    match.time_passed(300 * MS)
    assert [fault.seat for fault in forfeits(match)] == [0]
    check(match)


@pytest.mark.lesson(19)
def test_without_limits_nothing_is_ever_late() -> None:
    match = table(2, clock=Clock(per_action_ms=None))
    begin(match)
    match.written(0)
    assert match.deadline_us is None
    answer(match, took_us=10**12)
    assert match.faults == []


def cpu_clock() -> Clock:
    return Clock(per_action_ms=100, margin_ms=0, kind=ClockKind.CPU, cpu_wall_factor=5)


def test_a_cpu_clock_does_not_count_waiting() -> None:
    match = table(2, clock=cpu_clock())
    begin(match)
    match.written(0, 1000)
    assert match.deadline_us == 100 * MS  # to look again: its CPU time may be used up then
    match.time_passed(101 * MS, [11 * MS, 0])
    assert match.faults == []
    assert match.deadline_us is not None
    assert match.deadline_us > 101 * MS
    answer(match, now_us=0, took_us=300 * MS, cpu_us=50 * MS)
    assert match.faults == []
    assert match.requests[0].cpu_us == 49 * MS


@pytest.mark.lesson(21)
def test_a_cpu_clock_stops_a_bot_that_computes() -> None:
    match = table(2, clock=cpu_clock())
    begin(match)
    match.written(0, 0)
    match.time_passed(120 * MS, [110 * MS, 0])
    assert "110 ms of CPU time" in match.faults[0].reason


@pytest.mark.lesson(21)
def test_a_cpu_clock_is_bounded_by_wall_time() -> None:
    match = table(2, clock=cpu_clock())
    begin(match)
    match.written(0, 0)
    match.time_passed(500 * MS + 1, [20 * MS, 0])
    assert match.faults[0].verdict is Verdict.TIMEOUT
    assert "no answer to request 0 after 500 ms;" in match.faults[0].reason  # of wall time, and that is what fired
    assert "(it used 20 ms of CPU time)" in match.faults[0].reason


def off_turn_match(strikes: int = 0) -> Match:
    match = table(
        2,
        size=30,
        clock=Clock(per_action_ms=1000, margin_ms=0, strikes=strikes),
        limits=Limits(off_turn_cpu_percent=50),
    )
    begin(match)
    match.written(0, 0)
    match.answered(0, ActionMessage(id=0, option=0), 0, 0)
    match.written(0, 0)
    return match


@pytest.mark.lesson(23)
@pytest.mark.parametrize(
    ("burnt_ms", "acted_upon"), [(0, False), (200, False), (499, False), (501, True), (4000, True)]
)
def test_cpu_off_turn(burnt_ms: int, acted_upon: bool) -> None:
    match = off_turn_match()
    match.answered(1, ActionMessage(id=1, option=0), 1000 * MS, 0)
    match.written(1000 * MS, burnt_ms * MS)
    assert bool(match.faults) is acted_upon
    if acted_upon:
        assert f"{burnt_ms} ms of CPU time in 1000 ms" in match.faults[0].reason
    else:
        answer(match, now_us=1000 * MS)
    assert match.requests[2].off_turn_cpu_us == burnt_ms * MS  # in the record, tolerated or not


def test_cpu_off_turn_costs_a_strike_and_freezes() -> None:
    match = off_turn_match(strikes=1)
    match.answered(1, ActionMessage(id=1, option=0), 1000 * MS, 0)
    commands = match.written(1000 * MS, 900 * MS)
    assert Freeze(0) in commands
    assert match.actions[-1].source is Source.STRIKE
    assert match.asked is not None
    assert match.asked.seat == 1


@pytest.mark.lesson(23)
@pytest.mark.parametrize("kind", list(ClockKind))
@pytest.mark.parametrize("looks", [1, 2, 7])
@pytest.mark.parametrize(
    ("wall_ms", "stolen_ms", "own_ms", "charged_ms"),
    [
        (100, 0, 20, 100),
        (101, 0, 20, 101),
        (150, 50, 90, 100),
        (150, 49, 90, 101),
        (150, 150, 90, 90),
        (150, 60, 101, 101),  # what it computed itself nobody took
        (300, 200, 0, 100),
        (300, 300, -1, 0),
    ],
)
def test_what_other_bots_computed_is_not_charged(
    kind: ClockKind, looks: int, wall_ms: int, stolen_ms: int, own_ms: int, charged_ms: int
) -> None:
    clock = Clock(per_action_ms=100, bank_ms=1000, margin_ms=0, kind=kind, cpu_wall_factor=1)
    match = table(3, size=30, clock=clock)
    begin(match)
    match.written(0, 0 if own_ms >= 0 else -1)
    for look in range(1, looks + 1):  # one of the others took two thirds of it
        both = stolen_ms * MS * look // looks
        match.looked(wall_ms * MS * look // looks, [0, both - both // 3, both // 3])
    if wall_ms > 100:
        match.time_passed(wall_ms * MS, [own_ms * MS if own_ms >= 0 else -1, 0, 0])
    if charged_ms > 100:
        (fault,) = match.faults
        assert (fault.seat, fault.verdict) == (0, Verdict.TIMEOUT)
        given_back = f"{wall_ms - charged_ms} ms that others took are not counted"
        assert (given_back in fault.reason) is (wall_ms > charged_ms)
    else:
        assert match.deadline_us is not None
        assert match.deadline_us > (wall_ms if wall_ms > 100 else 0) * MS
        answer(match, took_us=wall_ms * MS, cpu_us=own_ms * MS if own_ms >= 0 else -1)
        assert match.faults == []
        charged = own_ms if kind is ClockKind.CPU and own_ms >= 0 else charged_ms
        assert match.players[0].clock.bank_us == (1000 - charged) * MS
        assert match.players[0].last_us == charged * MS
    (request,) = match.requests
    assert (request.wall_us, request.given_back_us) == (wall_ms * MS, (wall_ms - charged_ms) * MS)


@pytest.mark.lesson(23)
def test_only_what_was_computed_off_turn_and_meanwhile_is_given_back() -> None:
    match = table(2, size=30)
    begin(match)
    match.looked(0, [0, 0])
    match.written(0, 0)
    match.looked(50 * MS, [50 * MS, 0])
    match.answered(0, ActionMessage(id=0, option=0), 90 * MS, 90 * MS)  # its own turn
    match.looked(95 * MS, [94 * MS, 0])  # before anybody was asked
    match.written(95 * MS, 0)
    match.looked(120 * MS, [100 * MS, 10 * MS])
    assert match.asked is not None
    assert match.asked.stolen_us == 6 * MS
    match.looked(130 * MS, [120 * MS, 10 * MS])  # most of it before, by processes that were found late
    assert match.asked.stolen_us == 26 * MS
    match.looked(140 * MS, [900 * MS, 20 * MS])  # on many cores
    assert match.asked.stolen_us == 45 * MS


@pytest.mark.lesson(23)
def test_who_computes_off_turn_is_frozen_at_the_look_that_sees_it() -> None:
    match = off_turn_match()
    assert match.looked(200 * MS, [200 * MS, 0]) == []
    assert match.looked(401 * MS, [200 * MS, 0]) == []
    assert match.looked(450 * MS, [224 * MS, 0]) == []
    assert match.looked(500 * MS, [251 * MS, 0]) == [Freeze(0)]


def test_who_owes_an_answer_may_compute_as_long_again_and_no_longer() -> None:
    match = table(2, size=30, clock=Clock(per_action_ms=1000, margin_ms=0, strikes=1))
    begin(match)
    match.written(0, 0)
    match.time_passed(1000 * MS + 1, [1000 * MS, 0])
    assert match.players[0].owes_answer
    match.written(1001 * MS, 0)
    assert match.looked(2201 * MS, [2200 * MS, 0]) == []
    assert match.looked(2202 * MS, [2201 * MS, 0]) == [Freeze(0)]


@pytest.mark.lesson(11)
@pytest.mark.parametrize("kind", list(ClockKind))
def test_time_in_which_nobody_listened_is_given_back_and_not_charged(kind: ClockKind) -> None:
    match = table(2, size=30, clock=Clock(per_action_ms=None, bank_ms=100, margin_ms=0, kind=kind, cpu_wall_factor=1))
    begin(match)
    match.written(0, 0)
    match.held_up(2000 * MS)
    match.time_passed(2050 * MS, [60 * MS, 0])
    assert match.faults == []
    assert match.deadline_us is not None
    assert 2050 * MS < match.deadline_us <= 2100 * MS + 1
    answer(match, took_us=2080 * MS, cpu_us=70 * MS)
    assert match.players[0].clock.bank_us == (20 if kind is ClockKind.WALL else 30) * MS
    assert match.requests[0].wall_us == 2080 * MS


@pytest.mark.lesson(11)
def test_time_in_which_nobody_listened_is_given_back_at_the_start() -> None:
    match = table(2, clock=Clock(startup_ms=1000))
    match.spawned(0, 0)
    match.spawned(1, 0)
    match.held_up(3000 * MS)
    assert match.time_passed(3999 * MS) == []
    match.time_passed(4000 * MS)
    assert [fault.verdict for fault in match.faults] == [Verdict.FAILED_TO_START] * 2


def test_notes_are_capped_and_cleaned() -> None:
    match = table(2, limits=Limits(note_bytes=10, notes_bytes=15 + 3 * NOTE_OVERHEAD_BYTES))
    begin(match)
    match.noted(0, Note(text="hello\x1b[31m there"))
    match.noted(0, Note(text="12345"))
    match.noted(0, Note(text="123456"))
    assert [note.text for note in match.notes] == ["hello […", "12345"]


def test_empty_notes_are_capped_too() -> None:
    match = table(2, limits=Limits(notes_bytes=100 * NOTE_OVERHEAD_BYTES))
    begin(match)
    for _ in range(1000):
        match.noted(0, Note(text=""))
    assert len(match.notes) == 100


def test_a_reason_is_capped() -> None:
    match = table(2)
    begin(match)
    match.failed(0, Breach(Verdict.CRASH, "x" * 200_000), 0)
    assert len(match.faults[0].reason.encode()) == REASON_BYTES


def test_a_fault_of_a_seat_that_waits_leaves_the_open_request_alone() -> None:
    match = table(3)
    begin(match)
    match.written(0)
    assert match.asked is not None
    before = replace(match.asked)
    match.failed(2, Breach(Verdict.CRASH, "gone"), 10)
    assert match.asked == before
    play_out(match)
    check(match)


@pytest.mark.parametrize(
    "late_event",
    [
        lambda match: match.failed(0, Breach(Verdict.CRASH, "x"), 0),
        lambda match: match.time_passed(10**9),
        lambda match: match.written(0),
        lambda match: match.answered(0, ActionMessage(id=0, option=0), 0),
        lambda match: match.ready(0, Ready(), 0),
    ],
)
def test_events_after_the_end_change_nothing(late_event: Callable[[Match], Commands]) -> None:
    match = table(2, size=2)
    begin(match)
    answer(match, 1)
    record = match.record()
    assert late_event(match) == []
    assert match.record() == record
