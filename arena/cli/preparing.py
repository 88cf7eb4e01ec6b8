"""Makes bots named on the command line ready as a tournament does: built in the sandbox when they say how."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import attrs
import click

from arena.cli.output import dim
from arena.referee.preflight import Unstartable
from arena.referee.rung import Rung
from arena.tournament.build import build_all
from arena.tournament.entrants import EntrantConfig
from arena.tournament.prepare import CannotStart


def built(bots: Sequence[EntrantConfig], rung: Rung, scratch: Path) -> list[EntrantConfig]:
    """Return the bots with the folders they were built into, below `scratch`; those of one program share it.

    Raises:
        CannotStart: builds failed, with the last lines of their compilers.
    """
    first = {(one.bot, one.build): one for one in reversed(bots)}
    made, failures = build_all(tuple(reversed(first.values())), scratch / "run", rung, scratch, slow=told_slow)
    if failures:
        commands = {one.entrant.name: one for one in first.values()}
        raise CannotStart(
            [
                _by_hand(failure, commands[failure.entrant]) if str(scratch) in failure.advice else failure
                for failure in failures
            ]
        )
    places = {one.entrant.name: one.entrant for one in made}
    found = []
    for one in bots:
        place = places[first[one.bot, one.build].entrant.name]
        entrant = attrs.evolve(one.entrant, folder=place.folder, content_hash=place.content_hash)
        found.append(attrs.evolve(one, entrant=entrant))
    return found


def _by_hand(failure: Unstartable, bot: EntrantConfig) -> Unstartable:
    """Return a failure with advice that still holds when the build's log is gone."""
    command = f"(cd {shlex.quote(bot.entrant.folder)} && {shlex.join(bot.build)})"
    return attrs.evolve(failure, advice=f"by hand it is {command}")


def told_slow(bot: EntrantConfig) -> None:
    """Say that a build takes its time."""
    click.echo(dim(f"building {bot.entrant.name}: {shlex.join(bot.build)}"), err=True)
