"""`arena table`: the standings of a run, and every other table that is derived from its matches."""

from __future__ import annotations

import shutil
import sys

import click

from arena.cli.output import as_json, dim, print_json
from arena.cli.runs import opened, run_argument
from arena.errors import ArenaError
from arena.report.tables import Section, make_tables, render
from arena.tournament.store import RunReader
from arena.wording import counted, unknown


@click.command("table")
@run_argument
@click.option("--full", is_flag=True, help="Every table: pairs, superiority, seats, odd pairs, scoring categories.")
@click.option("--clean", is_flag=True, help="Leave out matches in which a bot forfeited.")
@click.option("--anchor", metavar="ENTRANT", help="Give differences from this entrant, put at 0 Elo.")
@as_json
def verb(run: str, full: bool, clean: bool, anchor: str | None, as_json: bool) -> None:
    """Show the standings of RUN: ratings on the Elo scale with 95 % intervals, counts, faults and times.

    Everything is counted anew from the stored matches, also while the run is played.
    """
    with opened(run) as reader:
        rows = reader.rows()
        entrants = [entrant.name for entrant in reader.plan.entrants]
        if anchor is not None and anchor not in entrants:
            raise ArenaError(unknown("entrant", anchor, entrants))
        if anchor is not None and not any(anchor in row.line_up for row in rows):
            raise ArenaError(f"{anchor} has not played yet, so nobody can be compared with it")
        if anchor is None and any(reader.plan.anchor in row.line_up for row in rows):
            anchor = reader.plan.anchor
        faulty = any(row.forfeited or row.strikes for row in rows)
        sections = list(Section) if full or as_json else [Section.STANDINGS, *([Section.FAULTS] if faulty else [])]
        tables = make_tables(rows, anchor=anchor, only_clean=clean, entrants=entrants, sections=sections)
        if as_json:
            print_json(tables)
            return
        click.echo(render(tables, sections=sections, width=width()))
        for line in _beneath(reader):
            click.echo(dim(line))


def width() -> int | None:
    """Return how wide a table may be: the terminal's width, anything when piped."""
    return max(60, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def _beneath(reader: RunReader) -> list[str]:
    plan = reader.plan
    lines = [f"excluded before match 1: {name}: {reason}" for name, reason in plan.excluded.items()]
    unscored = reader.unscored()
    reasons = {one.reason: one.status.value for one in unscored}
    for reason, status in reasons.items():
        number = counted(sum(one.reason == reason for one in unscored), "match", "matches")
        lines.append(f"{number} {status}: {reason}")
    return [*lines, *_standing(reader)]


def _standing(reader: RunReader) -> list[str]:
    """Return how the tournament stands in the words of its format; a run outlives the plugin of its format."""
    try:
        state = reader.director().state
    except ArenaError as error:
        return [f"how the tournament stands can't be told: {error}"]
    return [state] if state else []
