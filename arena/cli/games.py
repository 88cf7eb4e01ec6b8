"""`arena games`: the installed games and their options."""

from __future__ import annotations

from collections.abc import Sequence

import click

from arena import plugins
from arena.cli.output import as_json, dim, print_json, strong, warn
from arena.games.api import Game, Option
from arena.wording import listed


@click.command("games")
@click.argument("name", required=False)
@as_json
def verb(name: str | None, as_json: bool) -> None:
    """List the installed games and their options, or only the game NAME.

    An option is set in a tournament file under `[game_options]`, or with `--option NAME=VALUE` on the command line.
    """
    games = [plugins.game(name)] if name else list(plugins.games().values())
    if as_json:
        print_json([_facts(game) for game in games])
        return
    for game in games:
        _describe(game)
    for facts in plugins.left_out():
        warn(f"plugin {facts.entry_point.title} is left out: it {facts.reason}")


def _facts(game: Game) -> dict[str, object]:
    return {
        "name": game.name,
        "version": game.version,
        "summary": game.summary,
        "seats": game.seat_counts,
        "options": [
            {"name": option.name, "default": option.default, "choices": option.choices, "help": option.help}
            for option in game.options
        ],
    }


def _describe(game: Game) -> None:
    seats = listed(map(str, game.seat_counts), last="or")
    click.echo(f"{strong(game.name)}  {game.version}  for {seats} seats  {dim(game.summary)}".rstrip())
    width = max((len(option.name) for option in game.options), default=0)
    for option in game.options:
        click.echo(f"    {option.name:{width}}  {_values(option)}  {dim(option.help)}".rstrip())


def _values(option: Option) -> str:
    if option.choices:
        return " | ".join(map(_text, _default_first(option)))
    kind = {bool: "true or false", int: "a number", str: "a file" if option.is_file else "a text"}[type(option.default)]
    return f"{kind}, {_text(option.default)} unless given" if option.default != "" else kind


def _default_first(option: Option) -> Sequence[object]:
    return [option.default, *(choice for choice in option.choices if choice != option.default)]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
