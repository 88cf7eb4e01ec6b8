"""`arena bots`: the installed bots, and the plugins that were left out."""

from __future__ import annotations

import attrs
import click

from arena import plugins
from arena.cli.output import as_json, dim, print_json, print_table, warn
from arena.discovery import InstalledBot
from arena.wording import listed


@click.command("bots")
@click.option("--game", help="Only bots that play this game.")
@click.option("--seats", type=click.IntRange(min=1), help="Only bots that play at so many seats.")
@as_json
def verb(game: str | None, seats: int | None, as_json: bool) -> None:
    """List the installed bots.

    A bot comes with a distribution that has an entry point in the group `arena`; docs/bots.md shows how. A plugin
    that fails, prints or hangs while it is looked at is named, with its reason, and left out.
    """
    known = plugins.games() if game else {}
    if game and game not in known:
        plugins.game(game)
    chosen = [bot for bot in plugins.bots().values() if _fits(bot, game, seats)]
    left_out = plugins.left_out()
    if as_json:
        reasons = [{"plugin": facts.entry_point.title, "reason": facts.reason} for facts in left_out]
        print_json({"bots": [attrs.asdict(bot) for bot in chosen], "left_out": reasons})
        return
    if chosen:
        print_table(["bot", "plays", "seats", "version", "from", ""], [_row(bot) for bot in sorted(chosen, key=_key)])
    else:
        click.echo("no bot is installed that fits; docs/bots.md shows how to bring one")
    for facts in left_out:
        warn(f"plugin {facts.entry_point.title} is left out: it {facts.reason}")


def _fits(bot: InstalledBot, game: str | None, seats: int | None) -> bool:
    return (game is None or bot.plays(game, seats)) and (seats is None or not bot.seats or seats in bot.seats)


def _key(bot: InstalledBot) -> tuple[str, str]:
    return bot.distribution, bot.name


def _row(bot: InstalledBot) -> list[str]:
    seats = listed(map(str, bot.seats), last="or") if bot.seats else "any"
    return [bot.name, ", ".join(bot.games) or "any game", seats, bot.version, bot.distribution, dim(bot.summary)]
