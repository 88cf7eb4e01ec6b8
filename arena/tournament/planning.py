"""From a tournament file to its plan, once it is known who can be started."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from arena import __version__
from arena.errors import ConfigError, Problem
from arena.referee.settings import Entrant
from arena.tournament import formats
from arena.tournament.config import TournamentConfig, check_field
from arena.tournament.content import content_hash
from arena.tournament.entrants import EntrantConfig
from arena.tournament.formats.api import Field, Format
from arena.tournament.keys import new_secret, secret_of_seed
from arena.tournament.plan import Plan, Stage


def make_plan(
    config: TournamentConfig,
    *,
    excluded: Mapping[str, str] | None = None,
    stored: Plan | None = None,
    find_format: Callable[[str], Format] = formats.find,
) -> Plan:
    """Return the plan of a tournament; reads the bots' files to name their content.

    Args:
        config: the tournament.
        excluded: entrants that could not be started, with the reason; they don't play.
        stored: the plan of the begun run that this one is to carry on; whom it excluded stays excluded.
        find_format: finds a format by its name.

    Raises:
        ConfigError: without the excluded the format can't be played, or a bot's files can't be read.
    """
    missing = {**config.unusable, **(excluded or {}), **(stored.excluded if stored else {})}
    playing = [one for one in config.entrants if one.entrant.name not in missing]
    names = tuple(one.entrant.name for one in playing)
    bots = {name: bot for name, bot in config.bots().items() if name in names}
    if missing:
        _check_rest(config, find_format(config.format), names, bots)
    secret = new_secret() if config.seed is None else secret_of_seed(config.seed)
    return Plan(
        name=config.name,
        settings=config.settings,
        fingerprint=config.fingerprint,
        arena=__version__,
        entrants=tuple(_named_content(one) for one in playing),
        excluded=missing,
        format=config.format,
        stages=(Stage(entrants=names, settings=config.format_settings),),
        bots=bots,
        disable_after=config.disable_after,
        seed=config.seed,
        anchor=config.anchor,
        secret=secret.hex(),
    )


def _named_content(one: EntrantConfig) -> Entrant:
    """Return the entrant with its content hash; one that was built has that of its source already."""
    return attrs.evolve(one.entrant, content_hash=one.entrant.content_hash or content_hash(one.entrant, one.build))


def to_start(config: TournamentConfig, stored: Plan | None = None) -> list[EntrantConfig]:
    """Return the entrants to be started once before match 1: all but those that a begun run has excluded."""
    gone = stored.excluded if stored else {}
    return [one for one in config.entrants if one.entrant.name not in gone]


def _check_rest(config: TournamentConfig, format_: Format, names: tuple[str, ...], bots: Mapping[str, str]) -> None:
    """Raise `ConfigError` unless those who are left can play."""
    seats = config.settings.seats
    if len(names) < max(seats, 2):
        problem = f"{seats} seats need {max(seats, 2)} entrants, but only {len(names)} can be started"
        raise ConfigError([Problem("entrants", problem)], source=config.source)
    field = Field(entrants=names, seats=seats, settings=config.format_settings, bots=bots)
    problems = check_field(format_, field)
    for setting, value in config.format_settings.items():
        gone = [name for name in value if name not in names] if isinstance(value, tuple) else []
        problems += [Problem(f"format.{setting}", f"{name} can't be started") for name in gone]
    if problems:
        raise ConfigError(problems, source=config.source)
