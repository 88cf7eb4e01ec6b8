"""`arena schema`: the JSON Schema of the protocol."""

from __future__ import annotations

import click

from arena.protocol.schema import schema_text


@click.command("schema")
def verb() -> None:
    """Print the JSON Schema of the protocol between the arena and a bot.

    It holds for any one line of the conversation; `#/$defs/from-bot` holds for what a bot writes.
    """
    click.echo(schema_text(), nl=False)
