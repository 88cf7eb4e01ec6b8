"""What verbs print: tables for people, JSON for programs, colour only on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click
import msgspec
from tabulate import tabulate

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of text for people.")


def print_json(value: Any) -> None:
    """Print anything msgspec can encode as indented JSON."""
    click.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode())


def print_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table of texts, columns aligned at the left."""
    text = tabulate(list(rows), headers=headers, tablefmt="plain", disable_numparse=True)
    head, *body = text.splitlines()
    click.echo(click.style(head, bold=True))
    for line in body:
        click.echo(line.rstrip())


def warn(sentence: str) -> None:
    """Print a warning to stderr."""
    click.echo(f"{click.style('warning:', fg='yellow', bold=True)} {sentence}", err=True)


def dim(text: str) -> str:
    """Return less important text, less bright on a terminal."""
    return click.style(text, dim=True) if text else ""


def strong(text: str) -> str:
    """Return important text, bold on a terminal."""
    return click.style(text, bold=True)
