"""Drives matches with real processes: one loop that waits for bots, clocks, the scheduler and signals at once.

A match is one conversation at a time, so the loop is a plain wait on descriptors and not a scheduler of tasks:
that is what keeps a refereed action within a few times a bare pipe round trip (docs/decisions/0002). Every wait
has an end: the match's deadline, the write deadline, or the next look at memory, whichever is first.
"""

from __future__ import annotations

import functools
import itertools
import select
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs
from msgspec.structs import replace

from arena import __version__
from arena.errors import RemoteProtocolError
from arena.games.api import Game, Seat
from arena.protocol.messages import ActionMessage, Quit, Ready
from arena.referee.bot import EVIDENCE_BYTES, Bot
from arena.referee.match import Ask, Breach, Commands, Drop, Expire, Freeze, Match, Phase, Send
from arena.referee.process import WATCH_EVERY_MS, kill_all, spawn
from arena.referee.record import BotFacts, Fault, Host, Record, Verdict
from arena.referee.rung import Rung, StartError
from arena.referee.settings import Entrant, Fixture, Settings
from arena.referee.trace import Trace
from arena.referee.users import BOTS_WITH_OWN_USERS

NOBODY: Seat = -1
WATCH_EVERY_US = WATCH_EVERY_MS * 1000
WAIT_EVERY_US = 5_000  #: bots that answer at once don't keep us longer from hearing others, signals among them
HELD_UP_US = 250_000  #: waits are far shorter: whatever kept us for so long, no bot pays for it
WRITE_WITHIN_US = 500_000  #: a bot that does not read its request for so long is late whatever its clock says
GOODBYE_US = 250_000  #: between `quit` and the end of a bot that does not end by itself


class Driver:
    """Plays fixtures one after the other; holds the bots that live on between matches."""

    def __init__(
        self,
        game: Game,
        settings: Settings,
        entrants: Mapping[str, Entrant],
        rung: Rung,
        scratch: Path,
        *,
        slot: int = 0,
        host: Host | None = None,
        between: Callable[[Seat], None] | None = None,
        watched: Mapping[int, Callable[[], None]] | None = None,
    ) -> None:
        """Make a driver.

        Args:
            game: the rules.
            settings: how every match is played.
            entrants: by name.
            rung: of the sandbox.
            scratch: an existing folder of this slot's own.
            slot: its number, for users and records.
            host: what is known of this machine.
            between: called at least every `WATCH_EVERY_US` during a match, with the seat last heard of or -1.
            watched: descriptors to wait for besides the bots', and what to do when one is readable.
        """
        self.game = game
        self.settings = settings
        self.entrants = entrants
        self.rung = rung
        self.scratch = scratch
        self.slot = slot
        self.host = host or Host()
        self.between = between
        self.watched = watched or {}
        self.match: Match | None = None  #: that is being played, or was last; `between` may look at it
        self.epoll = select.epoll()
        self._kept: list[Bot] = []  # they live on away from the table, the longest first
        self._resisting: list[Bot] = []  # killed, and not gone yet
        self._numbers: set[int] = set()  # of the bots that live
        self._registered: set[int] = set()  # descriptors of bots that the epoll object tells of
        for descriptor in self.watched:
            self.epoll.register(descriptor, select.EPOLLIN)

    def wait(self, at_most_s: float | None = None) -> bool:
        """Wait for what is watched besides the bots, and react to it; return whether it came in time."""
        events = self.epoll.poll(at_most_s)
        for descriptor, _ in events:
            handler = self.watched.get(descriptor)
            if handler is None:
                self.unwatch(descriptor)  # of a bot that lives on
            else:
                handler()
        return bool(events)

    def watch(self, descriptor: int, mask: int = select.EPOLLIN) -> None:
        """Hear of this descriptor of a bot from now on."""
        if descriptor not in self._registered:
            self._registered.add(descriptor)
            self.epoll.register(descriptor, mask)

    def unwatch(self, descriptor: int) -> None:
        """Hear of it no more."""
        if descriptor in self._registered:
            self._registered.remove(descriptor)
            self.epoll.unregister(descriptor)

    def play(self, fixture: Fixture) -> tuple[Record, dict[Seat, Trace]]:
        """Play one match to its end; return its record and, when the settings ask for them, its traces.

        All bots but those that live on are gone then. What the game raises makes the record void.

        What `watched` raises passes through.
        """
        table = _Table(self, fixture)
        self.match = table.match
        try:
            try:
                table.start()
                table.run()
            except Exception as error:  # noqa: BLE001 - a bug of the game or of ours must not end the referee unheard
                table.void(error)
            record, traces = table.record(), table.traces()
            self.keep(table.part())
        finally:
            table.clear()
        return record, traces

    def close(self) -> None:
        """End the bots that live on; the driver can't be used any more."""
        self.end(self._kept)
        self._kept.clear()
        self.epoll.close()

    def take(self, line_up: Sequence[str]) -> list[Bot | None]:
        """Return for every seat a bot that lives on from an earlier match, where there is one; make room for others.

        Bots that live on away from the table are stopped meanwhile.
        """
        taken: list[Bot | None] = []
        for name in line_up:
            bot = next((bot for bot in self._kept if bot.entrant.name == name), None)
            if bot is not None:
                self._kept.remove(bot)
                if not bot.begin_match():
                    self.end([bot])
                    bot = None
            taken.append(bot)
        while len(self._kept) > max(0, BOTS_WITH_OWN_USERS - len(line_up)):
            self.end([self._kept.pop(0)])
        self.freeze_kept()
        return taken

    def start(self, entrant: Entrant) -> Bot:
        """Start a bot; raise `StartError` when it has no program."""
        number = next(number for number in itertools.count() if number not in self._numbers)
        scratch = self.scratch / f"bot-{number}"
        process = spawn(entrant, self.rung, self.settings.limits, scratch, slot=self.slot, number=number)
        self._numbers.add(number)
        bot = Bot(process, self.settings.limits, number=number)
        if self.settings.trace:
            bot.trace = []
        return bot

    def keep(self, bots: Sequence[Bot]) -> None:
        """Let these bots live on."""
        self._kept += bots

    def freeze_kept(self) -> None:
        """Stop the bots that live on: nobody watches what they use."""
        for bot in self._kept:
            bot.freeze()

    def end(self, bots: Sequence[Bot]) -> None:
        """End these bots; what resists is tried again the next time."""
        if not bots and not self._resisting:
            return
        for bot in bots:
            for descriptor in bot.process.descriptors:
                self.unwatch(descriptor)
        self._resisting += bots
        if kill_all([bot.process for bot in self._resisting]):
            gone, self._resisting = self._resisting, []
        else:
            gone = [bot for bot in self._resisting if bot.process.is_gone]
            self._resisting = [bot for bot in self._resisting if bot not in gone]
        for bot in gone:
            bot.process.close()
            self._numbers.discard(bot.number)


class _Table:
    """One match in progress."""

    def __init__(self, driver: Driver, fixture: Fixture) -> None:
        self.driver = driver
        self.settings = driver.settings
        entrants = [driver.entrants[name] for name in fixture.line_up]
        self.match = Match(driver.game, driver.settings, entrants, fixture, arena=__version__)
        self.bots: list[Bot | None] = [None] * driver.settings.seats
        self._epoll = driver.epoll
        self._handlers: dict[int, tuple[Seat, Callable[[], None]]] = {
            descriptor: (NOBODY, handler) for descriptor, handler in driver.watched.items()
        }
        self._write_deadline_us: int | None = None
        self._last_seat: Seat = -1
        self._began_us = _now_us()
        self._just_asked: list[tuple[Seat, Bot]] = []  # who may have answered already
        self._asked_us = 0  # when that was
        self._wait_by_us = self._began_us  # from when on everything is waited for again
        self._watch_at_us = self._began_us + WATCH_EVERY_US
        self._dropped: set[Seat] = set()

    # -- the course of a match --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start every bot, or greet again the one that lives on."""
        for seat, bot in enumerate(self.driver.take(self.match.fixture.line_up)):
            if bot is not None:
                assert bot.greeting is not None, "only who was greeted is kept"
                self._seat(seat, bot)
                self._do(self.match.kept(seat, bot.greeting, _now_us()))
                self._just_asked.append((seat, bot))
                continue
            try:
                self._seat(seat, self.driver.start(self.match.players[seat].entrant))
            except StartError as error:
                advice = "check that the program exists, is executable and stands in the entrant's folder"
                self._do(self.match.failed(seat, Breach(Verdict.FAILED_TO_START, str(error), advice), _now_us()))
            else:
                self._do(self.match.spawned(seat, _now_us()))

    def run(self) -> None:
        """Wait and react until the match is over.

        A bot that shares our core often runs as soon as it is asked, and has answered when we come back: so its
        answer is looked for before anything is waited for. Everything else is looked after every `WAIT_EVERY_US`.
        """
        match, over = self.match, Phase.OVER  # looked up once: that is slow in Python 3.11
        while match.phase is not over:
            if self._just_asked and self._asked_us < self._wait_by_us:
                self._read(*self._just_asked.pop())
            else:
                self._wait()

    def void(self, error: Exception) -> None:
        """End the match without a result."""
        told = "".join(traceback.format_exception(error))
        breach = Breach(Verdict.REFEREE_ERROR, f"{type(error).__name__}: {error}", stderr_tail=told[-EVIDENCE_BYTES:])
        self.match.void(breach, _now_us())

    def record(self) -> Record:
        """Return the record."""
        host = replace(self.driver.host, wall_ms=(_now_us() - self._began_us) // 1000)
        record = self.match.record(host=host, facts=self._facts)
        if not record.faults:
            return record
        return attrs.evolve(record, faults=tuple(map(self._with_evidence, record.faults)))

    def traces(self) -> dict[Seat, Trace]:
        """Return what was traced."""
        return {seat: bot.trace for seat, bot in enumerate(self.bots) if bot is not None and bot.trace is not None}

    def part(self) -> list[Bot]:
        """Say goodbye to the bots; return those that live on, which are not waited for any more."""
        if self.settings.fresh:
            self._quit()
            return []
        kept: list[Bot] = []
        for seat in self.match.live:
            bot = self.bots[seat]
            if bot is not None and bot.greeting is not None and bot.has_all():
                self.bots[seat] = None
                kept.append(bot)
        return kept

    def clear(self) -> None:
        """End every bot that still sits here, whatever happened."""
        self.driver.end([bot for bot in self.bots if bot is not None])
        self._handlers.clear()
        self.bots = [None] * len(self.bots)

    # -- waiting ----------------------------------------------------------------------------------------------

    def _wait(self) -> None:
        """Wait for whatever happens next, and react to it."""
        now_us, until_us = _now_us(), self._watch_at_us
        if now_us - self._wait_by_us > HELD_UP_US:
            self._held_up(now_us)
        for deadline_us in (self.match.deadline_us, self._write_deadline_us):
            if deadline_us is not None and deadline_us < until_us:
                until_us = deadline_us
        if now_us >= until_us:
            self._look(now_us)
        self._just_asked.clear()
        events = self._epoll.poll(max(0.0, (until_us - now_us) / 1e6))
        now_us = _now_us()
        if now_us - self._wait_by_us > HELD_UP_US:
            self._held_up(now_us)
        self._wait_by_us = now_us + WAIT_EVERY_US
        if len(events) > 1:  # who is asked comes first
            events.sort(key=lambda event: not self._is_of_asked(event[0]))
        for descriptor, _ in events:
            found = self._handlers.get(descriptor)
            if found is None:  # its bot was ended by an event of this very round, or lives on elsewhere
                self.driver.unwatch(descriptor)
            else:
                self._serve(*found)

    def _is_of_asked(self, descriptor: int) -> bool:
        asked, found = self.match.asked, self._handlers.get(descriptor)
        return asked is not None and found is not None and found[0] == asked.seat

    def _serve(self, seat: Seat, step: Callable[[], None]) -> None:
        """Do something for a seat or for `NOBODY`; the time it takes is given back to anybody else who is asked."""
        asked = self.match.asked
        if asked is None or asked.seat == seat:
            step()
            return
        began_us = _now_us()
        step()
        if self.match.asked is asked:
            took_us = _now_us() - began_us
            self.match.held_up(took_us)
            self._wait_by_us += took_us

    def _held_up(self, now_us: int) -> None:
        """Give back the time since we last waited, when it was not a game that took it before anybody was asked."""
        asked = self.match.asked
        held_us = now_us - (self._wait_by_us if asked is None else max(self._wait_by_us, asked.written_us))
        self._wait_by_us = now_us
        if held_us > HELD_UP_US:
            self.match.held_up(held_us)
            if self._write_deadline_us is not None:
                self._write_deadline_us += held_us

    def _look(self, now_us: int) -> None:
        """Do what is due."""
        deadline_us = self.match.deadline_us
        if deadline_us is not None and now_us >= deadline_us:
            self._time_passed(now_us)
        if self._write_deadline_us is not None and now_us >= self._write_deadline_us:
            self._not_read()
        if now_us >= self._watch_at_us:
            self._watch()

    def _seat(self, seat: Seat, bot: Bot) -> None:
        self.bots[seat] = bot
        process = bot.process
        self._wait_for(process.stdout, seat, lambda: self._read(seat, bot))
        self._wait_for(process.stderr, seat, lambda: self._read_stderr(seat, bot))
        self._wait_for(process.pidfd, seat, lambda: self._ended(seat, bot))

    def _wait_for(self, descriptor: int, seat: Seat, handler: Callable[[], None], mask: int = select.EPOLLIN) -> None:
        self._handlers[descriptor] = seat, handler
        self.driver.watch(descriptor, mask)

    def _stop_waiting(self, descriptor: int) -> None:
        if self._handlers.pop(descriptor, None) is not None:
            self.driver.unwatch(descriptor)

    def _unregister(self, bot: Bot) -> None:
        for descriptor in bot.process.descriptors:
            self._stop_waiting(descriptor)

    # -- events -----------------------------------------------------------------------------------------------

    def _read(self, seat: Seat, bot: Bot) -> None:
        data, now_us = bot.read_stdout(), time.monotonic_ns() // 1000
        if now_us - self._asked_us > WAIT_EVERY_US:
            self._waited_long(now_us)
        if data:
            choice = bot.connection.receive_choice(data)
            if choice is not None:  # the common case, short of everything that can go wrong
                self._last_seat = seat
                commands = self.match.chosen(choice, now_us, bot.process.cpu_us())
                if bot.freezes:
                    self._freeze_again(seat, bot)
                self._do(commands)
                return
        if not self._hear(seat, bot, now_us) and data == b"" and seat not in self._dropped:
            self._ended(seat, bot)

    def _hear(self, seat: Seat, bot: Bot, now_us: int) -> bool:
        """React to what it said; return whether that broke the protocol."""
        try:
            for message in bot.messages():
                self._last_seat = seat
                self._do(self._said(seat, bot, message, now_us))
        except RemoteProtocolError as error:
            self._fail(seat, bot, breach_of(error))
            return True
        return False

    def _said(self, seat: Seat, bot: Bot, message: object, now_us: int) -> Commands:
        match = self.match
        if type(message) is ActionMessage:
            commands = match.answered(seat, message, now_us, bot.process.cpu_us())
            if bot.freezes:
                self._freeze_again(seat, bot)
            return commands
        if isinstance(message, Ready):
            return match.ready(seat, message, now_us, bot.process.cpu_us())
        return match.noted(seat, message)  # type: ignore[arg-type] # only notes are left

    def _freeze_again(self, seat: Seat, bot: Bot) -> None:
        asked = self.match.asked
        if seat not in self._dropped and (asked is None or asked.seat != seat):
            bot.freeze()

    def _waited_long(self, now_us: int) -> None:
        """See who computed meanwhile and whether we were kept from listening."""
        if now_us - self._wait_by_us > HELD_UP_US:
            self._held_up(now_us)
        if self.match.asked is not None:
            self._account(now_us)

    def _read_stderr(self, seat: Seat, bot: Bot) -> None:
        if not bot.read_stderr():
            self._stop_waiting(bot.process.stderr)
        limit = self.settings.limits.stderr_bytes
        if bot.stderr_bytes > limit:
            reason = f"wrote more than {limit} bytes to stderr in one match"
            self._fail(seat, bot, Breach(Verdict.OUTPUT_LIMIT, reason, "log less"))

    def _account(self, now_us: int) -> None:
        """See who computed meanwhile, exactly when somebody may be late."""
        deadline_us = self.match.deadline_us
        exactly = deadline_us is not None and now_us >= deadline_us
        self._do(self.match.looked(now_us, self._cpu_by_seat(exactly=exactly)))

    def _write_on(self, seat: Seat, bot: Bot) -> None:
        try:
            done = bot.flush()
        except BrokenPipeError:
            self._stop_waiting(bot.process.stdin)
            return  # the end of its process or of its stdout tells the reason
        if done:
            self._stop_waiting(bot.process.stdin)
            asked = self.match.asked
            if asked is not None and asked.seat == seat:
                self._write_deadline_us = None

    def _ended(self, seat: Seat, bot: Bot) -> None:
        """React to the end of a bot's process or of its stdout, after everything it said."""
        while seat not in self._dropped and self._drain(seat, bot):
            pass
        if seat in self._dropped:
            return
        # Its stdout often ends before the traceback is written: wait for the process first, then read stderr.
        reason, status = bot.how_it_ended()
        while bot.process.stderr in self._handlers and (size := bot.stderr_bytes) >= 0:
            self._read_stderr(seat, bot)
            if seat in self._dropped or bot.stderr_bytes == size:
                break
        if seat in self._dropped:
            return
        advice = "its stderr tells more" if bot.stderr_bytes else ""
        self._fail(seat, bot, Breach(Verdict.CRASH, reason, advice, exit_status=status))

    def _drain(self, seat: Seat, bot: Bot) -> bool:
        """Take what is still in its stdout; return whether there was something."""
        poll = select.poll()
        poll.register(bot.process.stdout, select.POLLIN)
        if not any(mask & select.POLLIN for _, mask in poll.poll(0)):
            return False
        alive = bot.receive()
        self._hear(seat, bot, _now_us())
        return alive

    def _time_passed(self, now_us: int) -> None:
        hints = [None if bot is None else bot.hint for bot in self.bots]
        self._serve(NOBODY, lambda: self._account(now_us))
        self._do(self.match.time_passed(_now_us(), self._cpu_by_seat(), hints=hints))

    def _not_read(self) -> None:
        self._write_deadline_us = None
        asked = self.match.asked
        bot = None if asked is None else self.bots[asked.seat]
        if asked is None or bot is None or not bot.outbox:
            return
        reason = f"did not read request {asked.number} within {WRITE_WITHIN_US // 1000} ms; it stands in a full pipe"
        advice = "read stdin line by line, also while you think"
        self._fail(asked.seat, bot, Breach(Verdict.TIMEOUT, reason, advice))

    def _watch(self) -> None:
        between = self.driver.between
        if between is not None:
            self._serve(NOBODY, lambda: between(self._last_seat))
        for seat in self.match.live:
            bot = self.bots[seat]
            if bot is not None and seat not in self._dropped:
                self._serve(seat, functools.partial(self._watch_one, seat, bot))
        self._serve(NOBODY, lambda: self._account(_now_us()))  # after the processes that are new have been found
        self._watch_at_us = _now_us() + WATCH_EVERY_US

    def _watch_one(self, seat: Seat, bot: Bot) -> None:
        overuse = bot.process.overuse()
        if overuse is not None:
            self._fail(seat, bot, Breach(overuse.verdict, overuse.reason, overuse.advice))

    def _fail(self, seat: Seat, bot: Bot, breach: Breach) -> None:
        evident = attrs.evolve(breach, stderr_tail=bot.stderr_tail(EVIDENCE_BYTES))
        self._do(self.match.failed(seat, evident, _now_us()))
        if seat not in self._dropped:  # the match is over already, or it had forfeited: nothing is heard any more
            self._drop(seat, bot)

    # -- commands ---------------------------------------------------------------------------------------------

    def _do(self, commands: Commands) -> None:
        """Carry out commands, and those that carrying them out brings."""
        for command in commands:
            seat = command.seat
            bot = self.bots[seat]
            if bot is None or seat in self._dropped:
                continue
            if type(command) is Ask:
                more = self._ask(seat, bot)
                if more:
                    self._do(more)
            elif type(command) is Send:
                if not bot.write(bot.connection.send(command.message)):
                    self._wait_to_write(seat, bot)
            elif type(command) is Drop:
                self._drop(seat, bot)
            elif type(command) is Freeze:
                bot.freezes = True
                bot.freeze()
            elif type(command) is Expire:
                bot.connection.expire(command.request)

    def _ask(self, seat: Seat, bot: Bot) -> Commands:
        if bot.frozen:
            bot.thaw()
        line = bot.connection.ask(self.match.request())
        # Looked at before the write, since a bot on our core can have done all its thinking when that returns, and one
        # that does not read can think as long as it likes.
        self._asked_us = now_us = time.monotonic_ns() // 1000
        cpu_us = bot.process.cpu_us()
        if bot.write(line):
            self._just_asked.append((seat, bot))
            self._write_deadline_us = None
        else:
            self._wait_to_write(seat, bot)
            self._write_deadline_us = now_us + WRITE_WITHIN_US
        return self.match.written(now_us, cpu_us)

    def _wait_to_write(self, seat: Seat, bot: Bot) -> None:
        if bot.process.stdin not in self._handlers:
            self._wait_for(bot.process.stdin, seat, lambda: self._write_on(seat, bot), select.EPOLLOUT)

    def _drop(self, seat: Seat, bot: Bot) -> None:
        self._dropped.add(seat)
        self._just_asked.clear()
        self._unregister(bot)
        bot.process.begin_kill()  # its end can take half a second, and somebody else may be on turn

    def _cpu_by_seat(self, *, exactly: bool = False) -> list[int]:
        processes = [None if bot is None else bot.process for bot in self.bots]
        if exactly:
            return [-1 if process is None else process.cpu_now_us() for process in processes]
        return [-1 if process is None else process.cpu_us() for process in processes]

    def _quit(self) -> None:
        """Let the bots that are left end by themselves, for a short while."""
        waiting = [(seat, bot) for seat, bot in enumerate(self.bots) if bot is not None and seat not in self._dropped]
        for seat, _ in waiting:
            self._do([Send(seat, Quit())])
        gone: set[Seat] = set()
        for seat, bot in waiting:
            self._see_off(seat, bot, gone)
        until_us = _now_us() + GOODBYE_US
        while len(gone) < len(waiting) and (now_us := _now_us()) < until_us:
            for descriptor, _ in self._epoll.poll((until_us - now_us) / 1e6):
                found = self._handlers.get(descriptor)
                if found is not None:
                    self._serve(*found)
        for _, bot in waiting:
            self._unregister(bot)

    def _see_off(self, seat: Seat, bot: Bot, gone: set[Seat]) -> None:
        """Let a bot that is about to end write and read on; what it says counts no more."""
        process, limit = bot.process, self.settings.limits.stderr_bytes

        def end() -> None:
            gone.add(seat)
            self._stop_waiting(process.pidfd)

        def unless(descriptor: int, step: Callable[[], bool]) -> Callable[[], None]:
            def handler() -> None:
                try:
                    more = step()
                except OSError:
                    more = False
                if not more or bot.stderr_bytes > limit:
                    self._stop_waiting(descriptor)

            return handler

        steps: dict[int, Callable[[], None]] = {
            process.pidfd: end,
            process.stdout: unless(process.stdout, bot.receive),
            process.stderr: unless(process.stderr, bot.read_stderr),
            process.stdin: unless(process.stdin, lambda: not bot.flush()),
        }
        for descriptor, step in steps.items():
            if descriptor in self._handlers:
                self._handlers[descriptor] = seat, step

    # -- facts ------------------------------------------------------------------------------------------------

    def _facts(self, seat: Seat, facts: BotFacts) -> BotFacts:
        bot = self.bots[seat]
        if bot is None:
            return facts
        return replace(
            facts,
            peak_memory_mb=round(bot.process.peak_memory_mb, 1) or -1.0,
            stderr_bytes=bot.stderr_bytes,
            stderr_tail=bot.stderr_tail(),
        )

    def _with_evidence(self, fault: Fault) -> Fault:
        bot = self.bots[fault.seat]
        if fault.stderr_tail or bot is None:
            return fault
        return attrs.evolve(fault, stderr_tail=bot.stderr_tail(EVIDENCE_BYTES))


def breach_of(error: RemoteProtocolError) -> Breach:
    """Return what a breach of the protocol deserves."""
    return Breach(Verdict(error.verdict), str(error), error.advice)


def _now_us() -> int:
    return time.monotonic_ns() // 1000
