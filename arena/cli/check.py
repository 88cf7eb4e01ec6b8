"""`arena check`: plays a bot exactly as a tournament would, and says for each rule whether it was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena import plugins
from arena.cli import ExitCode
from arena.cli.complaints import last_lines
from arena.cli.header import told_clock
from arena.cli.output import as_json, dim, print_json, strong, warn
from arena.cli.preparing import built
from arena.cli.progress import checking
from arena.cli.seating import complete_bots, entrant_of, game_options, runtime_option
from arena.cli.telling import told_options
from arena.errors import ConfigError
from arena.games.api import Game
from arena.options import check_seats, complete_options
from arena.referee.sandbox import choose_rung, warning
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import Clock, Settings
from arena.testing.check import CheckReport, Result, RuleResult, check, not_started
from arena.tournament.config import load
from arena.tournament.keys import secret_of_seed
from arena.tournament.prepare import CannotStart

STDERR_LINES = 10  #: that are shown of a broken rule: compilers need some
COLOURS = {Result.PASS: "green", Result.FAIL: "red", Result.UNTRIED: "yellow"}


@click.command("check")
@click.argument("bot", shell_complete=complete_bots)
@click.option(
    "--as-in", "file", type=click.Path(path_type=Path), help="Take game, clock, limits, sandbox of this file."
)
@click.option("--game", "game_name", help="Else the game that the bot names first, else Castell.")
@click.option("--seats", type=click.IntRange(min=1), help="Seats at the table; the fewest unless given.")
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game; may be repeated.")
@click.option("--limit", "limit_ms", type=click.IntRange(min=1), default=1000, help="Milliseconds a request.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Which deals are played.")
@runtime_option
@as_json
def verb(bot: str, as_json: bool, **options: Any) -> ExitCode:
    """Play BOT on every seat as a tournament would, against bots that play at random, and judge it rule by rule.

    BOT is the name of an installed bot, a file, a folder or a command line in quotes; a folder whose `arena.toml`
    says how is built first. Exit code 1 when a rule is broken, or when it can't be built or started.
    """
    config = entrant_of(bot, runtime=options["runtime"])
    settings, game = _settings(bot, options)
    rung = choose_rung(settings.sandbox, [config.entrant])
    if warning(rung):
        warn(warning(rung))
    if not as_json:
        told = told_options(settings.game_options)
        click.echo(strong(f"checking {config.entrant.name}: {game.name}{told}, {settings.seats} seats"))
        click.echo(dim(f"  {told_clock(settings.clock)}; sandbox {rung.name}"))
    try:
        with scratch_root() as scratch, checking(config.entrant.name) as progress:
            (config,) = built([config], rung, scratch)
            secret = secret_of_seed(options["seed"])
            found, _ = check(config.entrant, game, settings, rung, scratch, secret=secret, progress=progress)
    except CannotStart as error:
        found = not_started(error.failures[0])
    if as_json:
        print_json({"passed": found.passed, "report": found})
    else:
        _tell(found)
    return ExitCode.COMPLETE if found.passed else ExitCode.FAILED


def _settings(bot: str, options: dict[str, Any]) -> tuple[Settings, Game]:
    if options["file"] is not None:
        settings = load(options["file"], plugins.games(), plugins.bots()).settings
        return settings, plugins.game(settings.game)
    installed = plugins.bots().get(bot)
    first = installed.games[0] if installed is not None and installed.games else "castell"
    game = plugins.game(options["game_name"] or first)
    fitting = installed.seats if installed is not None else ()
    seats = options["seats"] or min(set(fitting) & set(game.seat_counts) or game.seat_counts)
    problems = check_seats(game, seats)
    if problems:
        raise ConfigError(problems)
    complete = complete_options(game, game_options(game, options["pairs"]))
    clock = Clock(per_action_ms=options["limit_ms"])
    return Settings(game=game.name, game_options=complete, seats=seats, clock=clock), game


def _tell(found: CheckReport) -> None:
    for seat in found.seats:
        result = "no result" if seat.place is None else f"place {seat.place}, score {seat.score}"
        click.echo(f"  seat {seat.seat}: {seat.termination}, {result}, {seat.actions} actions")
    for rule in found.rules:
        _tell_rule(rule)
    if found.requests:
        limit = f" of {found.limit_ms:,} ms allowed" if found.limit_ms is not None else ""
        click.echo(
            f"time: median {found.median_ms:.1f} ms, worst {found.worst_ms:.1f} ms{limit}, {found.requests:,} requests"
        )
        click.echo(f"start: {found.startup_ms:,} ms; memory: at most {found.peak_memory_mb:.0f} MB")
    broken = sum(rule.result is Result.FAIL for rule in found.rules)
    verdict = (
        click.style("passes", fg="green")
        if found.passed
        else click.style(f"fails {broken} of {len(found.rules)} rules", fg="red")
    )
    click.echo(f"{strong(found.bot)} {verdict}")


def _tell_rule(rule: RuleResult) -> None:
    label = click.style(f"{rule.result.value:9}", fg=COLOURS[rule.result])
    if rule.result is not Result.FAIL:
        click.echo(f"  {label}  {rule.text}")
        return
    where = f" ({rule.match_id})" if rule.match_id else ""
    click.echo(f"  {label}  {strong(rule.rule)}: {rule.text}{where}")
    if rule.advice:
        click.echo(f"  {'':9}    advice: {rule.advice}")
    for line in last_lines(rule.stderr_tail, STDERR_LINES):
        click.echo(dim(f"  {'':9}    stderr: {line}"))
