"""Checks a bot as a tournament would play it: one match on every seat, then a verdict for each rule.

The matches are real: processes, sandbox, limits and clock are those of the settings. The opponents play at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from statistics import median

import attrs

from arena.games.api import Game, Seat
from arena.referee.driver import Driver
from arena.referee.preflight import Unstartable, preflight
from arena.referee.record import Fault, Record, Verdict
from arena.referee.rung import Rung
from arena.referee.settings import BotKind, Entrant, Fixture, Settings
from arena.tournament.keys import bot_seed, deal_key

Progress = Callable[[Seat, int], None]  #: told of the seat that is played, and of the number of actions so far

#: Every rule that a bot can break, in the order in which they come up, with what passing means.
RULES: dict[Verdict, str] = {
    Verdict.FAILED_TO_START: "starts, and answers `hello` and `start` with `ready` in time",
    Verdict.PROTOCOL: "speaks the protocol",
    Verdict.ILLEGAL: "plays legal actions only",
    Verdict.TIMEOUT: "answers in time, and computes only when it is asked",
    Verdict.CRASH: "lives until the match is over",
    Verdict.OUTPUT_LIMIT: "keeps its output within the limits",
    Verdict.MEMORY_LIMIT: "keeps memory and processes within the limits",
}

#: What helps where the fault itself brings no advice.
ADVICE: dict[Verdict, str] = {
    Verdict.FAILED_TO_START: "start it by hand, type a `hello` as in docs/protocol.md, and see what it answers; in"
    " Python, its last line is `run(ItsClass)`",
    Verdict.PROTOCOL: "compare what it wrote with `arena schema` and docs/protocol.md",
    Verdict.ILLEGAL: "choose one of the options that `act` carries",
    Verdict.TIMEOUT: "answer sooner: `act` carries `limit_ms`",
    Verdict.CRASH: "let it write to stderr where it is, and look at its last lines",
    Verdict.OUTPUT_LIMIT: "write one short line for each request; log less",
    Verdict.MEMORY_LIMIT: "use less, or ask the organiser for more",
}


class Result(StrEnum):
    """How a rule was kept."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNTRIED = "not tried"  #: it never came so far


@attrs.frozen(kw_only=True)
class RuleResult:
    """One rule and how the bot kept it."""

    rule: str  #: the verdict that breaking it brings
    result: Result
    text: str  #: what passing means, or what was seen, with the offending line
    advice: str = ""
    match_id: str = ""  #: where it was broken first
    stderr_tail: str = ""


@attrs.frozen(kw_only=True)
class SeatResult:
    """The match on one seat."""

    seat: int
    termination: str
    place: int | None
    score: int | None
    actions: int


@attrs.frozen(kw_only=True)
class CheckReport:
    """Everything a check found."""

    bot: str
    rules: tuple[RuleResult, ...]
    seats: tuple[SeatResult, ...]
    requests: int = 0
    median_ms: float | None = None
    worst_ms: float | None = None
    limit_ms: int | None = None
    startup_ms: int | None = None  #: worst
    peak_memory_mb: float | None = None
    stderr_bytes: int = 0

    @property
    def passed(self) -> bool:
        """Whether every rule was kept."""
        return all(rule.result is Result.PASS for rule in self.rules)


def check(
    entrant: Entrant,
    game: Game,
    settings: Settings,
    rung: Rung,
    scratch: Path,
    *,
    secret: bytes = bytes(16),
    progress: Progress | None = None,
) -> tuple[CheckReport, list[Record]]:
    """Start the bot, play a match on every seat, and return what was found. Main thread only.

    Args:
        entrant: the bot.
        game: the rules.
        settings: of the matches.
        rung: of the sandbox.
        scratch: an existing folder for scratch folders.
        secret: decides deals and seeds.
        progress: told at least every 50 ms which seat is played and how many actions its match has.
    """
    failures = preflight([entrant], settings, rung, scratch)
    if failures:
        (failure,) = failures
        return not_started(failure), []
    records = _play(entrant, game, settings, rung, scratch, secret, progress)
    return report(entrant.name, settings, records), records


def not_started(failure: Unstartable) -> CheckReport:
    """Return what can be said of a bot that could not be built or started."""
    first = RuleResult(
        rule=Verdict.FAILED_TO_START,
        result=Result.FAIL,
        text=failure.reason,
        advice=failure.advice or ADVICE[Verdict.FAILED_TO_START],
        stderr_tail=failure.stderr_tail,
    )
    return CheckReport(bot=failure.entrant, rules=(first, *_untried(first)), seats=())


def report(bot: str, settings: Settings, records: Sequence[Record]) -> CheckReport:
    """Return what the records of a check say about the bot called `bot`."""
    mine = [(record, record.line_up.index(bot)) for record in records]
    faults = [(record, fault) for record, seat in mine for fault in record.faults if fault.seat == seat]
    times = [request.wall_us / 1000 for record, seat in mine for request in record.requests if request.seat == seat]
    facts = [record.bots[seat] for record, seat in mine if record.bots]
    return CheckReport(
        bot=bot,
        rules=tuple(_rule(verdict, faults) for verdict in RULES),
        seats=tuple(_seat(record, seat) for record, seat in mine),
        requests=len(times),
        median_ms=round(median(times), 3) if times else None,
        worst_ms=max(times, default=None),
        limit_ms=settings.clock.per_action_ms,
        startup_ms=max((fact.startup_ms for fact in facts), default=None),
        peak_memory_mb=max((fact.peak_memory_mb for fact in facts), default=None),
        stderr_bytes=max((fact.stderr_bytes for fact in facts), default=0),
    )


def _play(
    entrant: Entrant,
    game: Game,
    settings: Settings,
    rung: Rung,
    scratch: Path,
    secret: bytes,
    progress: Progress | None,
) -> list[Record]:
    opponents = [_opponent(entrant.name, number) for number in range(settings.seats - 1)]
    records: list[Record] = []

    def look(_: Seat) -> None:
        if progress is not None and driver.match is not None:
            progress(len(records), len(driver.match.actions))

    driver = Driver(game, settings, {one.name: one for one in (entrant, *opponents)}, rung, scratch, between=look)
    try:
        for seat in range(settings.seats):
            names = [one.name for one in opponents]
            names.insert(seat, entrant.name)
            match_id = f"check-seat-{seat}"
            fixture = Fixture(
                match_id=match_id, number=seat, line_up=tuple(names), deal=seat, block=match_id, rotation=0,
                key=deal_key(secret, seat).hex(),
                bot_seeds=tuple(bot_seed(secret, match_id, other) for other in range(settings.seats)),
            )  # fmt: skip
            records.append(driver.play(fixture)[0])
    finally:
        driver.close()
    return records


def _opponent(bot: str, number: int) -> Entrant:
    name = f"opponent-{number + 1}"
    return Entrant(
        name=name if name != bot else f"{name}-of-{bot}",
        kind=BotKind.PLUGIN,
        target="arena.testing.opponent:RandomOpponent",
    )


def _rule(verdict: Verdict, faults: Sequence[tuple[Record, Fault]]) -> RuleResult:
    for record, fault in faults:
        if fault.verdict is verdict:
            return RuleResult(
                rule=verdict,
                result=Result.FAIL,
                text=fault.reason,
                advice=fault.advice or ADVICE[verdict],
                match_id=record.match_id,
                stderr_tail=fault.stderr_tail,
            )
    return RuleResult(rule=verdict, result=Result.PASS, text=RULES[verdict])


def _untried(first: RuleResult) -> list[RuleResult]:
    return [
        RuleResult(rule=verdict, result=Result.UNTRIED, text=text)
        for verdict, text in RULES.items()
        if verdict != first.rule
    ]


def _seat(record: Record, seat: int) -> SeatResult:
    return SeatResult(
        seat=seat,
        termination=record.termination.value,
        place=record.places[seat] if record.places else None,
        score=record.scores[seat] if record.scores else None,
        actions=sum(played.seat == seat for played in record.actions),
    )
