"""`arena play`: one match or a few between bots, or against them, told while they are played."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import click

from arena.cli import ExitCode
from arena.cli.output import as_json, dim, print_json, strong, warn
from arena.cli.people import Browsers, People, TerminalPeople, serving_people
from arena.cli.person import Left, SeatedPerson
from arena.cli.preparing import built
from arena.cli.program_bot import ProgramBot
from arena.cli.runs import opened, record_of
from arena.cli.seating import HUMAN, complete_bots, game_for, game_options, line_up, runtime_option, unique
from arena.cli.tally import told_match, told_summary
from arena.cli.telling import LiveTelling, tell_fault, tell_result, told_options
from arena.errors import ArenaError, ConfigError
from arena.games.api import Game, OptionValue
from arena.options import check_seats, complete_options
from arena.referee import inprocess
from arena.referee.driver import Driver
from arena.referee.record import Record
from arena.referee.rung import Rung
from arena.referee.sandbox import choose_rung, warning
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import Clock, Entrant, Fixture, SandboxPolicy, Settings
from arena.referee.summary import summarise
from arena.sdk.bot import Bot
from arena.tournament.entrants import EntrantConfig
from arena.tournament.keys import bot_seed, deal_key, secret_of_seed

SEED_BITS = 32  #: of a seed that nobody gave; short enough to be typed again


@click.command("play")
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=complete_bots)
@click.option("--game", "game_name", help="What to play; else what the bots play.")
@click.option("--seats", type=click.IntRange(min=1), help="Seats at the table; bots are repeated to fill them.")
@click.option("--side", help="Castell: side of the wheel, standard or advanced.")
@click.option("--edition", help="Castell: a corrected edition file.")
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game; may be repeated.")
@click.option("--seed", type=click.IntRange(min=0), help="Play the deals of this number again.")
@click.option("--deal-of", nargs=2, metavar="RUN MATCH", help="Play the deal of a stored match, with its bot seeds.")
@click.option("--matches", type=click.IntRange(min=1), default=1, help="How many, each a new deal; seats rotate.")
@click.option("--limit", "limit_ms", type=click.IntRange(min=1), default=1000, help="Milliseconds a request.")
@click.option("--no-time-limit", is_flag=True, help="Play without any clock.")
@click.option("--no-sandbox", is_flag=True, help="Start the bots without a sandbox, to debug them.")
@click.option("--web", "in_browser", is_flag=True, help="People play in the browser; their links are printed.")
@click.option("--host", default="127.0.0.1", help="With --web: where to listen; 0.0.0.0 lets others in by their links.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="With --web: any free one if not given.")
@runtime_option
@click.option("--quiet", is_flag=True, help="Print one line a match.")
@as_json
def verb(bots: tuple[str, ...], as_json: bool, **options: Any) -> ExitCode:
    """Play a match between BOTs and tell it.

    A BOT is the name of an installed bot, a file or folder with one, a command line in quotes, or `human`: you. A
    folder whose `arena.toml` says how is built first, in the sandbox, as in a tournament.

    Exit codes: 0 played, whatever the bots did; 1 interrupted or left; 2 wrong usage; 3 a bot can't be built, or not
    started against a person.

    \b
    arena play greedy planner
    arena play human greedy --side advanced
    arena play ./mybot.py random --matches 10 --quiet
    """
    table = _Table.laid(bots, options)
    if options["in_browser"] and not table.has_person:
        raise ArenaError("--web seats people in the browser; name one of the bots `human`")
    records = []
    with _rung(table, no_sandbox=options["no_sandbox"]) as (rung, scratch), _browsers(options) as browsers:
        table = table.ready(rung, scratch)
        for number in range(options["matches"]):
            try:
                records.append(table.play(number, rung, scratch, quiet=options["quiet"] or as_json, browsers=browsers))
            except Left:
                click.echo(f"you left the match; {_again(table)}")
                return ExitCode.INTERRUPTED
            if options["quiet"] and not as_json:
                click.echo(told_match(number, records[-1]))
            elif not as_json:
                _tell_end(table.game, records[-1])
    if as_json:
        print_json(records)
        return ExitCode.COMPLETE
    if len(records) > 1:
        first = table.names()[0]
        click.echo(f"\n{told_summary([summarise(record) for record in records], seen_from=first)}")
    if options["deal_of"] is None:
        click.echo(dim(_again(table)))
    return ExitCode.COMPLETE


def _again(table: _Table) -> str:
    return f"the same deals again: --seed {table.seed}"


@attrs.frozen(kw_only=True)
class _Table:
    """What is played, by whom."""

    game: Game
    options: dict[str, OptionValue]
    clock: Clock
    seated: tuple[EntrantConfig | None, ...]  #: None: a person
    seed: int
    like: Record | None = None  #: the stored match whose deal is played
    secret: bytes = b""

    @classmethod
    def laid(cls, texts: Sequence[str], options: dict[str, Any]) -> _Table:
        """Return the table that a command line asks for; raise `ConfigError` with all that is wrong."""
        like, secret = _stored(options["deal_of"])
        game = game_for(like.game if like else options["game_name"], texts)
        given = dict(like.game_options) if like else game_options(game, options["pairs"])
        for name in ("side", "edition"):
            if options[name] is not None:
                given |= game_options(game, [f"{name}={options[name]}"])
        seats = len(like.line_up) if like else options["seats"] or _seats_for(game, len(texts))
        complete = complete_options(game, given)
        problems = check_seats(game, seats)
        if problems:
            raise ConfigError(problems)
        if len(texts) > seats:
            raise ArenaError(f"{len(texts)} bots don't fit at {seats} seats")
        seed = options["seed"] if options["seed"] is not None else secrets.randbits(SEED_BITS)
        return cls(
            game=game,
            options=complete,
            clock=Clock(per_action_ms=None if options["no_time_limit"] else options["limit_ms"]),
            seated=tuple(line_up(texts, seats, options["runtime"])),
            seed=seed,
            like=like,
            secret=secret or secret_of_seed(seed),
        )

    @property
    def has_person(self) -> bool:
        """Whether anybody at it is a person."""
        return None in self.seated

    def names(self) -> list[str]:
        """Return who plays, in the order in which they were given."""
        return unique(HUMAN if one is None else one.entrant.name for one in self.seated)

    def ready(self, rung: Rung, scratch: Path) -> _Table:
        """Return the table with its bots built; raise `CannotStart` when that fails."""
        ready = iter(built([one for one in self.seated if one is not None], rung, scratch))
        return attrs.evolve(self, seated=tuple(None if one is None else next(ready) for one in self.seated))

    def play(self, number: int, rung: Rung, scratch: Path, *, quiet: bool, browsers: Browsers | None = None) -> Record:
        """Play the match of this number, counted from 0; people sit at `browsers`, or else in the terminal."""
        turn = number % len(self.seated)
        entrants = [None if one is None else one.entrant for one in self.seated]
        seated = (*entrants[turn:], *entrants[:turn])
        fixture = self._fixture(number, seated)
        if not quiet:
            told = told_options(self.options)
            click.echo(strong(f"{self.game.name}{told}: {', '.join(fixture.line_up)}"))
        if self.has_person:
            people = self._browsers(seated, fixture, browsers) if browsers else self._terminal(seated, fixture)
            return self._play_with_people(people, seated, fixture, rung, scratch)
        return self._play_bots(seated, fixture, rung, scratch, quiet=quiet)

    def _fixture(self, number: int, seated: Sequence[Entrant | None]) -> Fixture:
        names = tuple(unique(HUMAN if one is None else one.name for one in seated))
        match_id = self.like.match_id if self.like else f"play-{number}"
        deal = self.like.deal if self.like else number
        key = self.like.key if self.like else deal_key(self.secret, number).hex()
        seeds = tuple(bot_seed(self.secret, match_id, seat) for seat in range(len(seated)))
        return Fixture(
            match_id=match_id, number=number, line_up=names, deal=deal, block=match_id, rotation=0, key=key,
            bot_seeds=seeds,
        )  # fmt: skip

    def _live(self, fixture: Fixture) -> LiveTelling:
        opening = self.game.deal(len(fixture.line_up), bytes.fromhex(fixture.key), self.options)
        return LiveTelling(self.game, opening, fixture.line_up)

    def _play_bots(
        self, seated: Sequence[Entrant | None], fixture: Fixture, rung: Rung, scratch: Path, *, quiet: bool
    ) -> Record:
        settings = Settings(game=self.game.name, game_options=self.options, seats=len(seated), clock=self.clock)
        entrants = {one.name: one for one in seated if one is not None}
        live = None if quiet else self._live(fixture)

        def look(_seat: int) -> None:
            if live is not None and driver.match is not None:
                live.hear(driver.match.actions[live.told :])

        driver = Driver(self.game, settings, entrants, rung, scratch, between=look)
        try:
            record, _ = driver.play(fixture)
        finally:
            driver.close()
        look(-1)
        return record

    def _terminal(self, seated: Sequence[Entrant | None], fixture: Fixture) -> People:
        return TerminalPeople(
            {
                seat: SeatedPerson(self.game, self._live(fixture), seat)
                for seat, entrant in enumerate(seated)
                if entrant is None
            }
        )

    def _browsers(self, seated: Sequence[Entrant | None], fixture: Fixture, browsers: Browsers) -> People:
        opening = self.game.deal(len(fixture.line_up), bytes.fromhex(fixture.key), self.options)
        seats = [seat for seat, entrant in enumerate(seated) if entrant is None]
        return browsers.seat(self.game, opening, fixture.line_up, seats)

    def _play_with_people(
        self, people: People, seated: Sequence[Entrant | None], fixture: Fixture, rung: Rung, scratch: Path
    ) -> Record:
        programs: dict[int, ProgramBot] = {}
        bots: list[Bot] = []
        folder = scratch / f"match-{fixture.number}"
        folder.mkdir(mode=0o711)
        try:
            for seat, entrant in enumerate(seated):
                if entrant is None:
                    bots.append(people.bots[seat])
                else:
                    programs[seat] = ProgramBot(entrant, self.game.name, self.clock, rung, folder, seat)
                    bots.append(programs[seat])
            record = inprocess.play(
                self.game,
                bots,
                key=bytes.fromhex(fixture.key),
                options=self.options,
                bot_options=[{} if entrant is None else entrant.options for entrant in seated],
                names=fixture.line_up,
                bot_seeds=fixture.bot_seeds,
                match_id=fixture.match_id,
            )
            faults = (
                programs[fault.seat].as_seen(fault) if fault.seat in programs else fault for fault in record.faults
            )
            record = attrs.evolve(record, faults=tuple(faults))
        finally:
            for program in programs.values():
                program.close()
        people.ended(record)
        return record


def _stored(deal_of: tuple[str, str] | None) -> tuple[Record | None, bytes]:
    """Return the record and the run's secret that `--deal-of` names."""
    if deal_of is None:
        return None, b""
    with opened(deal_of[0]) as reader:
        return record_of(reader, deal_of[1]), bytes.fromhex(reader.plan.secret)


def _seats_for(game: Game, bots: int) -> int:
    return next((seats for seats in game.seat_counts if seats >= bots), bots)


@contextmanager
def _rung(table: _Table, *, no_sandbox: bool) -> Iterator[tuple[Rung, Path]]:
    entrants = [one.entrant for one in table.seated if one is not None]
    rung = choose_rung(SandboxPolicy.OFF if no_sandbox else SandboxPolicy.AUTO, entrants)
    if entrants and not no_sandbox and warning(rung):
        warn(warning(rung))
    with scratch_root() as scratch:
        yield rung, scratch


@contextmanager
def _browsers(options: Mapping[str, Any]) -> Iterator[Browsers | None]:
    """Serve people's pages while the block runs, when that is asked for."""
    if not options["in_browser"]:
        yield None
        return
    with serving_people(options["host"], options["port"]) as browsers:
        yield browsers


def _tell_end(game: Game, record: Record) -> None:
    state = game.deal(len(record.line_up), bytes.fromhex(record.key), record.game_options)
    for played in record.actions:
        state.apply(game.parse(played.action))
    for fault in record.faults:
        tell_fault(record.line_up[fault.seat], fault)
    click.echo(f"\n{game.draw(state)}\n")
    tell_result(record)
