"""`arena new`: makes the folder of a first bot."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from arena import kits
from arena.cli.output import strong, warn
from arena.tournament.build import home_outside
from arena.wording import listed


@click.command("new")
@click.argument("name")
@click.option("--language", "-l", metavar="LANGUAGE", help=f"Has to be given: {listed(kits.LANGUAGES, last='or')}.")
@click.option(
    "--in", "parent", type=click.Path(path_type=Path, exists=True, file_okay=False), default=".", help="Make it there."
)
def verb(name: str, language: str | None, parent: Path) -> None:
    """Make the folder NAME with a bot that plays at once, and better than at random.

    `python` makes a distribution that is installed and then known by its name; `python-file` and all others make a
    program that speaks the protocol by itself and needs nothing but its language.
    """
    if language is None:
        raise click.UsageError(f"say in which language, by --language {listed(kits.LANGUAGES, last='or')}")
    kit = kits.make(name, language)
    folder = parent / name
    if folder.exists():
        raise click.ClickException(f"{folder} is there already; nothing was written. Choose another name")
    for path, text in kit.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    click.echo(f"made {strong(str(folder))}: {', '.join(kit.files)}")
    missing = [program for program in kit.programs if shutil.which(program) is None]
    if missing:
        warn(f"{listed(missing, last='and')} can't be found here; install what this language needs first")
    homes = dict.fromkeys(filter(None, map(home_outside, kit.programs)))
    runtime = "".join(f" --runtime {home}" for home in homes)
    click.echo("type next:" if str(parent) == "." else f"type next, in {parent}:")
    for step in kit.steps:
        click.echo(f"    {step}{runtime}")
