"""Matches with bots in this very process: for training, tests and benchmarks, through the same referee code.

Nothing can stop a bot here: a limit is judged only after its answer has come, and nothing keeps it from reading the
whole process. So such matches must be asked for, are marked in their record, and never count in a tournament.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from arena.games.api import Game, OptionValue, Seat
from arena.protocol.messages import ActionMessage, Ready
from arena.protocol.messages import End as EndMessage
from arena.protocol.messages import Note as NoteMessage
from arena.protocol.messages import Start as StartMessage
from arena.referee.match import Ask, Breach, Commands, Match, Send
from arena.referee.record import Host, Record, Verdict
from arena.referee.settings import BotKind, Clock, Entrant, Fixture, SandboxPolicy, Settings
from arena.sdk.bot import Bot, End, Fault, Start, Turn, begin, checked_answer, checked_wants, take_notes
from arena.sdk.bot import Clock as ClockTold

NO_LIMITS = Clock(per_action_ms=None)


class LocalTurn(Turn):
    """A turn that makes what the bot looks at, and nothing else."""

    __slots__ = ("_looked_s", "_match", "_seat", "_told")

    def __init__(self, match: Match, seat: Seat) -> None:
        """Tell `seat` of the open request of `match`."""
        self._match, self._seat = match, seat
        self._told: tuple[Sequence[str], Any, Sequence[str]] | None = None
        self._looked_s: float | None = None  # when the bot first asked for the time, where no clock runs

    def _make(self) -> tuple[Sequence[str], Any, Sequence[str]]:
        if self._told is None:
            act = self._match.request()
            self._told = (act.options or (), act.view, act.actions or ())
        return self._told

    @property
    def options(self) -> Sequence[str]:  # type: ignore[override]
        """As in `Turn`."""
        return self._make()[0]

    @property
    def view(self) -> Mapping[str, Any] | None:  # type: ignore[override]
        """As in `Turn`."""
        view: Mapping[str, Any] | None = self._make()[1]
        return view

    @property
    def actions(self) -> Sequence[str]:  # type: ignore[override]
        """As in `Turn`."""
        return self._make()[2]

    @property
    def id(self) -> int:  # type: ignore[override]
        """As in `Turn`."""
        asked = self._match.asked
        return asked.number if asked is not None else -1

    @property
    def count(self) -> int:  # type: ignore[override]
        """As in `Turn`, but always there."""
        return len(self._match.options)

    @property
    def bank_ms(self) -> int | None:  # type: ignore[override]
        """As in `Turn`."""
        bank = self._match.players[self._seat].clock.bank_us
        return None if bank is None else bank // 1000

    @property
    def limit_ms(self) -> int | None:  # type: ignore[override]
        """As in `Turn`."""
        allowed = self._match.players[self._seat].clock.allowed_us
        return None if allowed is None else allowed // 1000

    @property
    def last_ms(self) -> int:  # type: ignore[override]
        """As in `Turn`."""
        return self._match.players[self._seat].last_us // 1000

    @property
    def received(self) -> float:  # type: ignore[override]
        """As in `Turn`; where no clock runs, the time when this was first looked at."""
        asked = self._match.asked
        if asked is not None and asked.written_us >= 0:
            return asked.written_us / 1e6
        if self._looked_s is None:
            self._looked_s = time.monotonic()
        return self._looked_s


def play(
    game: Game,
    bots: Sequence[Bot],
    *,
    key: bytes,
    options: Mapping[str, OptionValue] | None = None,
    bot_options: Sequence[Mapping[str, OptionValue]] = (),
    names: Sequence[str] = (),
    bot_seeds: Sequence[int] = (),
    clock: Clock = NO_LIMITS,
    match_id: str = "local",
) -> Record:
    """Play one match and return its record.

    Args:
        game: the rules.
        bots: one for each seat; an instance may play many matches, one after the other.
        key: of the deal; equal keys give equal deals.
        options: of the game, those that differ from their defaults.
        bot_options: of each bot.
        names: of the entrants by seat; the bots' own names, made unique, when left out.
        bot_seeds: by seat; the seats' numbers when left out.
        clock: limits, judged after each answer.
        match_id: for the record.
    """
    names = tuple(names) or tuple(f"{bot.name or type(bot).__name__}-{seat}" for seat, bot in enumerate(bots))
    settings = Settings(
        game=game.name,
        game_options={option.name: option.default for option in game.options} | dict(options or {}),
        seats=len(bots),
        clock=clock,
        sandbox=SandboxPolicy.OFF,
    )
    fixture = Fixture(
        match_id=match_id,
        number=0,
        line_up=names,
        deal=0,
        block=match_id,
        rotation=0,
        key=key.hex(),
        bot_seeds=tuple(bot_seeds) or tuple(range(len(bots))),
    )
    given = bot_options or [{}] * len(bots)
    entrants = [
        Entrant(name=name, kind=BotKind.PLUGIN, options=chosen) for name, chosen in zip(names, given, strict=True)
    ]
    match = Match(game, settings, entrants, fixture)
    _Table(match, bots).play()
    return match.record(host=Host(in_process=True, rung="none"))


class _Table:
    """One match with bots in this process."""

    def __init__(self, match: Match, bots: Sequence[Bot]) -> None:
        self._match = match
        self._bots = bots
        self._now_us: Callable[[], int] = _now_us if match.settings.clock.limited else _no_time

    def play(self) -> None:
        for seat, bot in enumerate(self._bots):
            self._start(seat, bot)
        self._run()

    def _start(self, seat: Seat, bot: Bot) -> None:
        match, now_us = self._match, self._now_us
        try:
            commands = match.kept(
                seat,
                Ready(name=bot.name or type(bot).__name__, version=bot.version, wants=tuple(checked_wants(bot))),  # type: ignore[arg-type]
                now_us(),
            )
            for command in commands:
                if isinstance(command, Send) and isinstance(command.message, StartMessage):
                    begin(bot, _start(command.message))
        except Exception:  # noqa: BLE001 - whatever a bot raises is its own fault
            self._end(match.failed(seat, self._raised(), now_us()))
        else:
            self._take_notes(seat, bot)
            self._end(match.ready(seat, Ready(), now_us()))

    def _run(self) -> None:
        match, bots, now_us = self._match, self._bots, self._now_us
        limited = match.settings.clock.limited
        turns = [LocalTurn(match, seat) for seat in range(len(bots))]
        while (asked := match.asked) is not None:
            seat = asked.seat
            bot, turn = bots[seat], turns[seat]
            turn._told = turn._looked_s = None
            if limited:
                match.written(now_us())
            try:
                choice = bot.choose(turn)
            except Exception:  # noqa: BLE001 - whatever a bot raises is its own fault
                commands = match.failed(seat, self._raised(), now_us())
            else:
                if bot._notes:
                    self._take_notes(seat, bot)
                if type(choice) is int and 0 <= choice < len(match.options):
                    commands = match.chosen(choice, now_us() if limited else 0)
                else:
                    commands = self._answer(seat, choice)
            if type(commands[0]) is not Ask:
                self._end(commands)

    def _answer(self, seat: Seat, choice: object) -> Commands:
        asked = self._match.asked
        assert asked is not None
        try:
            key, value = checked_answer(choice)
        except (TypeError, ValueError) as error:
            return self._match.failed(seat, Breach(Verdict.CRASH, str(error)), self._now_us())
        message = ActionMessage(id=asked.number, **{key: tuple(value) if isinstance(value, list) else value})  # type: ignore[arg-type]
        return self._match.answered(seat, message, self._now_us())

    @staticmethod
    def _raised() -> Breach:
        lines = traceback.format_exc().strip().splitlines()
        return Breach(Verdict.CRASH, f"raised {lines[-1]}", stderr_tail="\n".join(lines[-20:]))

    def _take_notes(self, seat: Seat, bot: Bot) -> None:
        for note in take_notes(bot):
            self._match.noted(seat, NoteMessage(text=note))

    def _end(self, commands: Commands) -> None:
        """Tell the bots whose match is over: everybody's, or that of one that forfeited."""
        for command in commands:
            if isinstance(command, Send) and isinstance(command.message, EndMessage):
                self._bots[command.seat].ended(_end(command.message))


def _start(message: StartMessage) -> Start:
    return Start(
        match=message.match,
        seat=message.seat,
        seats=message.seats,
        names=message.names,
        game_options=message.game_options,
        options=message.options,
        clock=ClockTold(**msgspec.structs.asdict(message.clock)),
        bot_seed=message.bot_seed,
    )


def _end(message: EndMessage) -> End:
    fault = message.fault
    return End(
        termination=message.termination,
        places=message.places,
        scores=message.scores,
        categories=message.categories,
        fault=None if fault is None else Fault(verdict=fault.verdict, reason=fault.reason, advice=fault.advice),
    )


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _no_time() -> int:
    return 0
