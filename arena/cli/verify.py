"""`arena verify`: re-referees every stored match from its actions."""

from __future__ import annotations

import sys

import attrs
import click

from arena.cli import ExitCode
from arena.cli.output import as_json, print_json
from arena.cli.runs import game_of, opened, run_argument
from arena.tournament.audit import Audited, audit
from arena.wording import counted


@click.command("verify")
@run_argument
@as_json
def verb(run: str, as_json: bool) -> ExitCode:
    """Re-referee every stored match of RUN from its actions, without any bot.

    Compared are who acted and why, every action's legality, how the match ended, places, scores, the digest of the
    final state, the deal's key and the summary that the tables are made of. Exit code 1 when anything differs.
    """
    wrong: list[Audited] = []
    checked = 0
    with opened(run) as reader:
        total, game = reader.count(), game_of(reader)
        with click.progressbar(
            audit(reader, game), length=total, label="verifying", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as matches:
            for match in matches:
                checked += 1
                if match.differences:
                    wrong.append(match)
    if as_json:
        print_json({"checked": checked, "wrong": [attrs.asdict(match) for match in wrong]})
    else:
        _report(checked, wrong)
    return ExitCode.FAILED if wrong else ExitCode.COMPLETE


def _report(checked: int, wrong: list[Audited]) -> None:
    for match in wrong:
        click.echo(f"{click.style(match.match_id, fg='red')}:")
        for difference in match.differences:
            click.echo(f"  {difference}")
    matches = counted(checked, "match", "matches")
    click.echo(f"{matches} replayed, {len(wrong)} differ" if wrong else f"{matches} replayed, every one equal")
