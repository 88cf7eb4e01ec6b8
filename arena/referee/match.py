"""One match as a pure state machine: events with the time go in, commands come out.

It reads no clock, no file and no pipe. Each public method is an event and returns the commands that the driver
carries out in order. The same code runs with real processes (`arena.referee.driver`), with bots in this process
(`arena.referee.inprocess`) and with events made up by tests. Times are integer microseconds of one monotonic
clock of the driver's choice.

A match goes through three phases. *Starting*: every seat gets `hello`, then `start`, each answered within the
start-up limit. *Playing*: at most one seat is asked at a time; forced actions and those of seats that forfeited
are played without asking. *Over*: `record()` can be taken. What a bot does wrong becomes a `Fault`; nothing that
a bot does raises here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeAlias

import attrs
import msgspec

from arena.cleaning import clean
from arena.errors import IllegalAction, NotationError
from arena.games.api import Action, Game, Outcome, Seat
from arena.protocol.messages import (
    PROTOCOL_VERSION,
    Act,
    ActionMessage,
    ClockFacts,
    End,
    EndFault,
    Hello,
    Ready,
    RefereeMessage,
    Start,
)
from arena.protocol.messages import Note as NoteMessage
from arena.referee.clock import US_PER_MS, SeatClock, to_ms
from arena.referee.record import (
    BotFacts,
    Fault,
    Host,
    Note,
    PlayedAction,
    Record,
    Request,
    Source,
    Termination,
    Verdict,
)
from arena.referee.settings import ClockKind, Entrant, Fixture, Settings


@attrs.frozen
class Send:
    """Write this message to this seat's bot."""

    seat: Seat
    message: RefereeMessage


@attrs.frozen
class Ask:
    """Write the open `Match.request` to this seat's bot and call `written`."""

    seat: Seat


@attrs.frozen
class Drop:
    """End this seat's bot now, with everything it started."""

    seat: Seat


@attrs.frozen
class Freeze:
    """From now on, stop this seat's bot whenever it is not asked."""

    seat: Seat


@attrs.frozen
class Expire:
    """Stop waiting for this seat's answer to this request; it is dropped when it still comes."""

    seat: Seat
    request: int


@attrs.frozen
class Breach:
    """What a bot did wrong, before it is known what it costs: the parts of a `Fault` that whoever saw it knows."""

    verdict: Verdict
    reason: str
    advice: str = ""
    stderr_tail: str = ""
    exit_status: str = ""


@attrs.frozen
class Hint:
    """What else is known of a bot that does not answer."""

    what: str  #: goes on from `it`
    advice: str


Command: TypeAlias = Send | Ask | Drop | Freeze | Expire
Commands: TypeAlias = Sequence[Command]


class Phase(Enum):
    """Where a match stands."""

    STARTING = "starting"
    PLAYING = "playing"
    OVER = "over"


class Stage(Enum):
    """Where one seat stands."""

    HELLO = "hello"  #: its answer to `hello` is awaited
    START = "start"  #: its answer to `start` is awaited
    PLAYING = "playing"
    FORFEITED = "forfeited"


NOTE_OVERHEAD_BYTES = 32  #: what an empty note counts
REASON_BYTES = 1000  #: of a fault's reason, at most

# Python 3.11 takes ten times as long to look a member up as a name; these are needed at every action.
_FORFEITED = Stage.FORFEITED
_BOT, _FORCED = Source.BOT, Source.FORCED


@attrs.define
class Player:
    """What the match knows of one seat."""

    entrant: Entrant
    clock: SeatClock
    stage: Stage = Stage.HELLO
    deadline_us: int | None = None  #: of its start-up message
    spawned_us: int = 0
    startup_ms: int = -1
    name: str = ""
    version: str = ""
    wants: frozenset[str] = frozenset({"options"})
    told: int = 0  #: how many of the match's actions it has been sent
    queue: deque[str] = attrs.field(factory=deque)  #: actions it sent ahead, for this turn
    last_us: int = 0  #: what its last request took
    cpu_us: int = -1  #: its CPU time when it last answered; -1 before or where it can't be measured
    seen_us: int = -1  #: its CPU time at the last look
    since_us: int = 0  #: when it last answered
    owes_answer: bool = False  #: its last request timed out and a strike paid for it
    note_bytes: int = 0


class Asked(msgspec.Struct, gc=False):
    """The request that is open."""

    seat: Seat
    number: int
    written_us: int = -1  #: when it was about to be written: its clock runs from then; -1: no clock runs
    bound_us: int | None = None  #: time after which it is late, not counting what others took of it
    deadline_us: int | None = None  #: when to look again at the latest
    cpu_us: int = -1  #: the bot's CPU time when it was written
    off_turn_us: int = 0
    stolen_us: int = 0  #: what others took of its time: other bots that computed, a referee that did not listen


class Match:
    """The authoritative course of one match."""

    def __init__(
        self, game: Game, settings: Settings, entrants: Sequence[Entrant], fixture: Fixture, *, arena: str = ""
    ) -> None:
        """Deal the fixture.

        Args:
            game: the rules.
            settings: how it is played; `game_options` complete.
            entrants: by seat.
            fixture: which match this is.
            arena: version told to the bots.
        """
        self.game = game
        self.settings = settings
        self.fixture = fixture
        self.arena = arena
        self.phase = Phase.STARTING
        self.asked: Asked | None = None
        self.state = game.deal(settings.seats, bytes.fromhex(fixture.key), settings.game_options)
        self.players = [Player(entrant, SeatClock.start(settings.clock)) for entrant in entrants]
        self.actions: list[PlayedAction] = []
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.notes: list[Note] = []
        self.termination: Termination | None = None
        self._outcome = Outcome(places=(), scores=())  # once it is over; stays so in a void match
        self.options: Sequence[Action] = ()  #: of the open request
        self._told: tuple[Sequence[Action], list[str]] = ((), [])  # options and their texts, as last told
        self._asks: list[Commands] = [[Ask(seat)] for seat in range(settings.seats)]
        self._began_us = 0
        self._counts_cpu = settings.clock.kind is ClockKind.CPU
        self._off_turn_grace_us = settings.limits.off_turn_cpu_grace_ms * US_PER_MS
        self._live_seats = settings.seats

    # -- what the driver may ask ------------------------------------------------------------------------------

    @property
    def deadline_us(self) -> int | None:
        """When `time_passed` must be called at the latest; None: nothing is awaited with a limit."""
        if self.asked is not None:
            return self.asked.deadline_us
        if self.phase is not Phase.STARTING:
            return None
        return min((player.deadline_us for player in self.players if player.deadline_us is not None), default=None)

    @property
    def live(self) -> list[Seat]:
        """The seats that have not forfeited, rising."""
        return [seat for seat, player in enumerate(self.players) if player.stage is not Stage.FORFEITED]

    def request(self) -> Act:
        """Return the open request; once for each `Ask`."""
        asked = self.asked
        assert asked is not None, "nobody is asked"
        player = self.players[asked.seat]
        wants, allowed_us, bank_us = player.wants, player.clock.allowed_us, player.clock.bank_us
        count = options = actions = None
        if "options" in wants:
            count, options = len(self.options), self._option_texts()
        if "actions" in wants:
            actions = [f"{played.seat} {played.action}" for played in self.actions[player.told :]]
            player.told = len(self.actions)
        return Act(
            id=asked.number,
            count=count,
            options=options,
            view=self.state.view(asked.seat) if "view" in wants else None,
            actions=actions,
            bank_ms=None if bank_us is None else bank_us // US_PER_MS,
            limit_ms=None if allowed_us is None else allowed_us // US_PER_MS,
            last_ms=player.last_us // US_PER_MS,
        )

    def _option_texts(self) -> list[str]:
        """Return the options in notation; a game that keeps its options as one tuple has them written once."""
        options, (told, texts) = self.options, self._told
        if options is not told or type(options) is not tuple:
            texts = list(map(str, options))
            self._told = options, texts
        return texts

    # -- events -----------------------------------------------------------------------------------------------

    def spawned(self, seat: Seat, now_us: int) -> Commands:
        """Note that a seat's program has been started: it is greeted, and its start-up limit runs."""
        player = self.players[seat]
        player.spawned_us = now_us
        player.deadline_us = now_us + self.settings.clock.startup_ms * US_PER_MS
        return [Send(seat, Hello(protocol=PROTOCOL_VERSION, arena=self.arena, game=self.game.name))]

    def kept(self, seat: Seat, ready: Ready, now_us: int) -> Commands:
        """Note that a seat's program lives on from an earlier match, in which it answered `hello` with `ready`."""
        self.players[seat].spawned_us = now_us
        return self._greeted(seat, ready, now_us)

    def ready(self, seat: Seat, message: Ready, now_us: int, cpu_us: int = -1) -> Commands:
        """Take a seat's `ready`, to `hello` or to `start`."""
        player = self.players[seat]
        if player.stage is Stage.HELLO:
            return self._greeted(seat, message, now_us)
        if player.stage is Stage.START:
            player.stage = Stage.PLAYING
            player.startup_ms = to_ms(now_us - player.spawned_us)
            player.deadline_us = None
            player.cpu_us, player.since_us = cpu_us, now_us
            return self._begin_if_all_started(now_us)
        return []

    def written(self, now_us: int, cpu_us: int = -1) -> Commands:
        """Note that the open request has been handed to the bot: its clock runs from here.

        Args:
            now_us: when that began.
            cpu_us: CPU time of the bot then, -1 where it can't be measured.
        """
        asked = self.asked
        if asked is None:
            return []
        player = self.players[asked.seat]
        asked.written_us, asked.cpu_us = now_us, cpu_us
        if cpu_us >= 0 and player.cpu_us >= 0:
            asked.off_turn_us = max(0, cpu_us - player.cpu_us)
            if asked.off_turn_us > self._off_turn_grace_us and self._burnt_off_turn(player, asked.off_turn_us, now_us):
                return self._off_turn_fault(asked, player, now_us)
        asked.bound_us = player.clock.wall_bound_us
        look_after_us = player.clock.tolerated_us if self._counts_cpu and cpu_us >= 0 else asked.bound_us
        asked.deadline_us = None if look_after_us is None else now_us + look_after_us
        return []

    def looked(self, now_us: int, cpu_by_seat: Sequence[int]) -> Commands:
        """Account for what bots computed since the last look while they were not asked.

        Whoever is asked does not pay for it, and who did too much of it is frozen. To be told every 50 ms or so, and
        before any answer that took long is taken and anybody is called late.

        Args:
            now_us: the time.
            cpu_by_seat: CPU time of every seat's bot so far, -1 where it can't be measured.
        """
        asked = self.asked
        commands: list[Command] = []
        stolen_us = 0
        for seat, player in enumerate(self.players):
            cpu_us = cpu_by_seat[seat]
            if (asked is not None and asked.seat == seat) or cpu_us < 0 or player.cpu_us < 0:
                continue
            stolen_us += max(0, cpu_us - max(player.seen_us, player.cpu_us))
            player.seen_us = cpu_us
            if self.phase is Phase.PLAYING and self._burnt_off_turn(player, cpu_us - player.cpu_us, now_us):
                commands.append(Freeze(seat))
        if asked is not None and asked.written_us >= 0:
            asked.stolen_us = min(asked.stolen_us + stolen_us, now_us - asked.written_us)
        return commands

    def answered(self, seat: Seat, message: ActionMessage, now_us: int, cpu_us: int = -1) -> Commands:
        """Take the answer to the open request; anything else was refused by the connection before."""
        asked = self.asked
        if asked is None or asked.seat != seat or message.id != asked.number:
            return []
        if message.option is not None:
            return self.chosen(message.option, now_us, cpu_us)
        late = self._clock_answer(asked, now_us, cpu_us)
        if late is not None:
            return late
        commands = self._take(seat, message, asked.number, now_us)
        return commands if commands is not None else self._advance(now_us)

    def chosen(self, option: int, now_us: int, cpu_us: int = -1) -> Commands:
        """Take the answer to the open request that is one of the `options`, by its index: 0 or more."""
        asked, options = self.asked, self.options
        assert asked is not None, "nobody is asked"
        if asked.written_us < 0:  # no clock runs
            self._close(asked, 0, -1)
        elif (late := self._clock_answer(asked, now_us, cpu_us)) is not None:
            return late
        if option >= len(options):
            return self._illegal(asked.seat, f"option {option}", f"there are {len(options)} options", now_us)
        self._play(asked.seat, options[option], _BOT, asked.number)
        return self._advance(now_us)

    def noted(self, seat: Seat, message: NoteMessage) -> Commands:
        """Keep a bot's note for the record, as far as its caps allow."""
        player, limits = self.players[seat], self.settings.limits
        text = clean(message.text, limits.note_bytes)
        size = len(text.encode()) + NOTE_OVERHEAD_BYTES
        if player.note_bytes + size <= limits.notes_bytes:
            player.note_bytes += size
            self.notes.append(Note(seat=seat, action_number=len(self.actions), text=text))
        return []

    def time_passed(
        self, now_us: int, cpu_by_seat: Sequence[int] = (), *, hints: Sequence[Hint | None] = ()
    ) -> Commands:
        """Judge whoever is late now; harmless when nobody is.

        Args:
            now_us: the time.
            cpu_by_seat: as for `looked`; empty: of none.
            hints: what else is known of every seat, for the reason; empty: nothing.
        """
        if self.phase is Phase.STARTING:
            commands: list[Command] = []
            for seat, player in enumerate(self.players):
                if player.deadline_us is not None and now_us >= player.deadline_us:
                    commands += self._not_started(seat, now_us, hints[seat] if hints else None)
            return commands
        asked = self.asked
        if asked is None or asked.deadline_us is None or asked.written_us < 0 or now_us < asked.deadline_us:
            return []
        wall_us = now_us - asked.written_us
        cpu_us = cpu_by_seat[asked.seat] if cpu_by_seat else -1
        spent_us = cpu_us - asked.cpu_us if cpu_us >= 0 and asked.cpu_us >= 0 else -1
        player = self.players[asked.seat]
        charged_us = _charged_us(asked, wall_us, spent_us)
        left_us = self._left_us(player, asked, charged_us, spent_us)
        if left_us >= 0:
            asked.deadline_us = now_us + max(US_PER_MS if self._counts_cpu else 0, left_us + 1)
            return []
        return self._late(asked, now_us, wall_us, charged_us, spent_us, cpu_us, hints[asked.seat] if hints else None)

    def held_up(self, held_us: int) -> None:
        """Give back time in which the referee was kept from listening: whoever is waited for does not pay for it."""
        if self.asked is not None:
            self.asked.stolen_us += held_us
        for player in self.players:
            if player.deadline_us is not None:
                player.deadline_us += held_us

    def failed(self, seat: Seat, breach: Breach, now_us: int) -> Commands:
        """Take a failure of a seat's program that the driver saw: it ended, broke the protocol or crossed a cap."""
        player = self.players[seat]
        if self.phase is Phase.OVER or player.stage is Stage.FORFEITED:
            return []
        if breach.verdict is Verdict.CRASH and player.stage in (Stage.HELLO, Stage.START):
            breach = attrs.evolve(breach, verdict=Verdict.FAILED_TO_START)
        return self._forfeit(seat, breach, now_us)

    def void(self, breach: Breach, now_us: int) -> None:
        """End the match without a result, because the referee or the game itself failed."""
        self._fault(self.asked.seat if self.asked is not None else 0, breach, now_us, forfeits=False)
        self.asked = None
        self.phase, self.termination = Phase.OVER, Termination.VOID

    # -- the start --------------------------------------------------------------------------------------------

    def _greeted(self, seat: Seat, ready: Ready, now_us: int) -> Commands:
        player, fixture, settings = self.players[seat], self.fixture, self.settings
        player.stage = Stage.START
        player.name, player.version = clean(ready.name or "", 80), clean(ready.version or "", 40)
        if ready.wants is not None:
            player.wants = frozenset(ready.wants)
        player.deadline_us = now_us + settings.clock.startup_ms * US_PER_MS
        start = Start(
            match=fixture.match_id,
            seat=seat,
            seats=settings.seats,
            names=fixture.line_up,
            game_options=settings.game_options,
            options=player.entrant.options,
            clock=ClockFacts(
                startup_ms=settings.clock.startup_ms,
                per_action_ms=settings.clock.per_action_ms,
                bank_ms=settings.clock.bank_ms,
                increment_ms=settings.clock.increment_ms,
                margin_ms=settings.clock.margin_ms,
                strikes=settings.clock.strikes,
                kind=settings.clock.kind.value,
            ),
            bot_seed=fixture.bot_seeds[seat],
        )
        return [Send(seat, start)]

    def _not_started(self, seat: Seat, now_us: int, hint: Hint | None) -> Commands:
        stage = self.players[seat].stage
        limit = self.settings.clock.startup_ms
        breach = Breach(
            Verdict.FAILED_TO_START,
            f"no `ready` to `{stage.value}` within the start-up limit of {limit} ms"
            + (f"; it {hint.what}" if hint else ""),
            'answer `hello` and `start` each with one line {"type":"ready"}, end the line and flush it',
        )
        return self._forfeit(seat, breach, now_us)

    def _begin_if_all_started(self, now_us: int) -> Commands:
        if any(player.stage in (Stage.HELLO, Stage.START) for player in self.players):
            return []
        self.phase = Phase.PLAYING
        self._began_us = now_us
        return self._advance(now_us)

    # -- the course of play -----------------------------------------------------------------------------------

    def _advance(self, now_us: int) -> Commands:
        """Play whatever needs no question, then ask, or end."""
        state, players = self.state, self.players
        while True:
            seat = state.to_act
            if seat is None:
                return self._end(Termination.FINISHED)
            if self._live_seats < 2:
                return self._end(Termination.FORFEIT if self._live_seats else Termination.ABANDONED)
            player = players[seat]
            if player.stage is _FORFEITED:
                self._play(seat, state.default_action(), Source.FORFEIT)
                continue
            if player.queue:
                commands = self._play_text(seat, player.queue.popleft(), len(self.requests) - 1, now_us)
                if commands is not None:
                    return commands
                continue
            options = state.options()
            if len(options) > 1:
                self.options = options
                self.asked = Asked(seat, len(self.requests))
                return self._asks[seat]
            self._play(seat, options[0], _FORCED)

    def _take(self, seat: Seat, message: ActionMessage, number: int, now_us: int) -> Commands | None:
        """Play what an answer says in notation; None when play goes on, commands when it was a fault."""
        if message.action is not None:
            return self._play_text(seat, message.action, number, now_us)
        self.players[seat].queue.extend(message.actions or ())
        return None

    def _play_text(self, seat: Seat, text: str, number: int, now_us: int) -> Commands | None:
        try:
            action = self.game.parse(text)
            self.state.check(action)
        except (NotationError, IllegalAction) as error:
            return self._illegal(seat, f"`{clean(text, 200)}`", str(error), now_us)
        self._play(seat, action, _BOT, number)
        return None

    def _play(self, seat: Seat, action: Action, source: Source, request: int = -1) -> None:
        self.state.apply(action)
        self.actions.append(PlayedAction(seat, str(action), source, request))
        queue = self.players[seat].queue
        if queue and self.state.to_act != seat:
            queue.clear()

    def _illegal(self, seat: Seat, what: str, why: str, now_us: int) -> Commands:
        breach = Breach(
            Verdict.ILLEGAL,
            f"played {what}: {clean(why, 400)}",
            "choose one of the options that `act` carries, or check the action before it is sent",
        )
        return self._forfeit(seat, breach, now_us)

    # -- time -------------------------------------------------------------------------------------------------

    def _clock_answer(self, asked: Asked, now_us: int, cpu_us: int) -> Commands | None:
        """Charge the clock for an answer; None when it came in time, commands when it was late."""
        player = self.players[asked.seat]
        wall_us = now_us - asked.written_us if asked.written_us >= 0 else 0
        cpu_spent_us = cpu_us - asked.cpu_us if cpu_us >= 0 and asked.cpu_us >= 0 else -1
        charged_us = _charged_us(asked, wall_us, cpu_spent_us) if asked.stolen_us else wall_us
        if asked.bound_us is not None and self._left_us(player, asked, charged_us, cpu_spent_us) < 0:
            return self._late(asked, now_us, wall_us, charged_us, cpu_spent_us, cpu_us)
        self.asked = None
        self.requests.append(Request(asked.seat, wall_us, cpu_spent_us, asked.off_turn_us, True, wall_us - charged_us))
        player.last_us = cpu_spent_us if self._counts_cpu and cpu_spent_us >= 0 else charged_us
        if player.clock.bank_us is not None:
            player.clock.answered(player.last_us)
        player.cpu_us, player.since_us, player.owes_answer = cpu_us, now_us, False
        return None

    def _left_us(self, player: Player, asked: Asked, charged_us: int, cpu_us: int) -> int:
        """Return how much longer a request with a limit may take at least; less than 0: it is late."""
        left_us = (asked.bound_us or 0) - charged_us
        return min(left_us, (player.clock.tolerated_us or 0) - cpu_us) if self._counts_cpu else left_us

    def _late(
        self,
        asked: Asked,
        now_us: int,
        wall_us: int,
        charged_us: int,
        cpu_spent_us: int,
        cpu_us: int,
        hint: Hint | None = None,
    ) -> Commands:
        player, control = self.players[asked.seat], self.settings.clock
        self._close(asked, wall_us, cpu_spent_us, wall_us - charged_us, answered=False)
        allowed_us = player.clock.allowed_us or 0
        counts_cpu = self._counts_cpu and cpu_spent_us > (player.clock.tolerated_us or 0)
        spent = f"{to_ms(cpu_spent_us)} ms of CPU time" if counts_cpu else f"{to_ms(charged_us)} ms"
        by_bank = control.bank_ms is not None and allowed_us < (control.per_action_ms or allowed_us + 1) * US_PER_MS
        limit = f"the {to_ms(allowed_us)} ms " + ("left on its bank" if by_bank else "allowed for one request")
        reason = (
            f"no answer to request {asked.number} after {spent}; {limit} and {control.margin_ms} ms margin are over"
        )
        advice = "answer sooner: `act` carries `limit_ms`, the time this request may take"
        if cpu_spent_us >= 0 and not counts_cpu:
            reason += f" (it used {to_ms(cpu_spent_us)} ms of CPU time)"
        if charged_us < wall_us:
            reason += f"; {to_ms(wall_us - charged_us)} ms that others took are not counted"
        if hint:
            reason += f"; it {hint.what}"
            advice = hint.advice
        player.last_us, player.cpu_us, player.since_us = charged_us, cpu_us, now_us
        breach = Breach(Verdict.TIMEOUT, reason, advice)
        return self._strike_or_forfeit(asked, breach, now_us, has_strike=player.clock.missed())

    def _burnt_off_turn(self, player: Player, burnt_us: int, now_us: int) -> bool:
        grace_us = self._off_turn_grace_us
        if player.owes_answer:  # it may still be at its last request, for as long again as that could take
            grace_us += player.clock.tolerated_us or 0
        if burnt_us <= grace_us:
            return False
        return burnt_us * 100 > self.settings.limits.off_turn_cpu_percent * (now_us - player.since_us)

    def _off_turn_fault(self, asked: Asked, player: Player, now_us: int) -> Commands:
        self._close(asked, 0, 0, answered=False)
        reason = (
            f"used {to_ms(asked.off_turn_us)} ms of CPU time in {to_ms(now_us - player.since_us)} ms while it was not"
            f" asked; {self.settings.limits.off_turn_cpu_percent} % of that time is tolerated"
        )
        advice = "don't think on the opponents' time: stop every thread and child before you answer"
        player.cpu_us, player.since_us = asked.cpu_us, now_us
        breach = Breach(Verdict.TIMEOUT, reason, advice)
        commands = self._strike_or_forfeit(asked, breach, now_us, has_strike=player.clock.strike())
        return [Freeze(asked.seat), *commands] if player.stage is not Stage.FORFEITED else commands

    def _strike_or_forfeit(self, asked: Asked, breach: Breach, now_us: int, *, has_strike: bool) -> Commands:
        if not has_strike:
            return self._forfeit(asked.seat, breach, now_us)
        self._fault(asked.seat, breach, now_us, forfeits=False)
        player = self.players[asked.seat]
        player.owes_answer = True
        self._play(asked.seat, self.state.default_action(), Source.STRIKE, asked.number)
        return [Expire(asked.seat, asked.number), *self._advance(now_us)]

    def _close(self, asked: Asked, wall_us: int, cpu_us: int, given_back_us: int = 0, *, answered: bool = True) -> None:
        self.asked = None
        self.requests.append(Request(asked.seat, wall_us, cpu_us, asked.off_turn_us, answered, given_back_us))

    # -- faults and the end -----------------------------------------------------------------------------------

    def _fault(self, seat: Seat, breach: Breach, now_us: int, *, forfeits: bool) -> None:
        self.faults.append(
            Fault(
                seat=seat,
                verdict=breach.verdict,
                reason=clean(breach.reason, REASON_BYTES),
                advice=breach.advice,
                action_number=len(self.actions),
                at_ms=0 if self.phase is Phase.STARTING else to_ms(now_us - self._began_us),
                forfeits=forfeits,
                stderr_tail=breach.stderr_tail,
                exit_status=breach.exit_status,
            )
        )

    def _forfeit(self, seat: Seat, breach: Breach, now_us: int) -> Commands:
        self._fault(seat, breach, now_us, forfeits=True)
        player = self.players[seat]
        greeted = player.stage is not Stage.HELLO  # or the protocol has no `end` yet
        player.stage, player.deadline_us = Stage.FORFEITED, None
        self._live_seats -= 1
        player.queue.clear()
        told = EndFault(verdict=breach.verdict.value, reason=breach.reason, advice=breach.advice)
        end = End(places=(), scores=(), categories={}, termination="forfeit", fault=told)
        commands: list[Command] = [Send(seat, end), Drop(seat)] if greeted else [Drop(seat)]
        if self.phase is Phase.STARTING:
            return [*commands, *self._begin_if_all_started(now_us)]
        asked = self.asked
        if asked is not None:
            if asked.seat == seat:
                wall_us = now_us - asked.written_us if asked.written_us >= 0 else 0
                self._close(asked, wall_us, -1, answered=False)
            elif self._live_seats > 1:
                return commands  # the open request of another seat is not touched
            else:
                self.asked = None  # it never counted
        return [*commands, *self._advance(now_us)]

    def _end(self, termination: Termination) -> Commands:
        self.phase, self.termination = Phase.OVER, termination
        self._outcome = outcome = self.outcome()
        end = End(
            places=outcome.places,
            scores=outcome.scores,
            categories=outcome.categories,
            termination=termination.value,
        )
        return [Send(seat, end) for seat in self.live]

    def outcome(self) -> Outcome:
        """Return places and scores as they stand, forfeits counted: forfeiters share the last place."""
        standing = self.state.standing()
        if self._live_seats == len(self.players):
            return standing
        return standing.with_forfeits(
            [seat for seat, player in enumerate(self.players) if player.stage is Stage.FORFEITED]
        )

    def record(self, *, host: Host | None = None, facts: Callable[[Seat, BotFacts], BotFacts] | None = None) -> Record:
        """Return the record of a match that is over.

        Args:
            host: where it was played.
            facts: completes what the match knows of a seat's program with what the driver measured.
        """
        if self.termination is None:
            raise ValueError("the match is not over")
        void = self.termination is Termination.VOID
        outcome, fixture = self._outcome, self.fixture
        known = [
            BotFacts(
                entrant=player.entrant.name, name=player.name, version=player.version, startup_ms=player.startup_ms
            )
            for player in self.players
        ]
        return Record(
            match_id=fixture.match_id,
            game=self.game.name,
            game_options=self.settings.game_options,
            fingerprint=self.game.fingerprint(self.settings.game_options),
            line_up=fixture.line_up,
            deal=fixture.deal,
            block=fixture.block,
            rotation=fixture.rotation,
            key=fixture.key,
            actions=tuple(self.actions),
            requests=tuple(self.requests),
            faults=tuple(self.faults),
            notes=tuple(self.notes),
            termination=self.termination,
            places=outcome.places,
            scores=outcome.scores,
            categories=outcome.categories,
            digest="" if void else self.state.digest(),
            bots=tuple(known if facts is None else [facts(seat, fact) for seat, fact in enumerate(known)]),
            host=host or Host(),
        )


def _charged_us(asked: Asked, wall_us: int, cpu_us: int) -> int:
    """Return the time that a request took less what others took of it, but not less than its bot computed."""
    return max(wall_us - asked.stolen_us, min(wall_us, cpu_us), 0)
