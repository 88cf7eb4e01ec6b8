"""The doors of the arena: what a plugin may bring, as pluggy hooks.

A plugin is any module (or object) named by an entry point of the group `arena`::

    [project.entry-points.arena]
    my-bots = "my_bots"

    # my_bots/__init__.py
    from arena.hookspecs import BotPlugin, hookimpl

    @hookimpl
    def arena_bots():
        return [BotPlugin(name="mine", target="my_bots.mine:Mine", games=("castell",))]

That module is imported for the facts alone, so it should import little: a bot's code belongs into the
module its `target` names. An implementation takes only the arguments it wants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import pluggy

from arena.games.api import Game, Json

PROJECT = "arena"  #: pluggy's project name and the entry-point group

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@attrs.frozen(kw_only=True)
class BotPlugin:
    """A bot that a plugin brings."""

    name: str  #: as typed in files and on the command line: lower case, words joined by dashes
    target: str  #: `module:attr`, a subclass of `arena.sdk.Bot`; imported in the bot's own process only
    games: tuple[str, ...] = ()  #: names of the games it plays; empty: any game
    seats: tuple[int, ...] = ()  #: seat counts it plays; empty: any
    version: str = ""
    summary: str = ""  #: one line for `arena bots`

    def plays(self, game: str, seats: int | None = None) -> bool:
        """Whether it says that it plays `game`, with `seats` at the table if given."""
        return (not self.games or game in self.games) and (seats is None or not self.seats or seats in self.seats)


@attrs.frozen(kw_only=True)
class FormatPlugin:
    """A tournament format that a plugin brings."""

    name: str  #: as typed in tournament files: lower case, words joined by dashes
    target: str  #: `module:attr`, imported when a tournament uses it; see `arena.tournament.formats`
    summary: str = ""  #: one line for people


@hookspec
def arena_games() -> Sequence[Game]:
    """Return the games this plugin brings."""
    raise NotImplementedError


@hookspec
def arena_bots() -> Sequence[BotPlugin]:
    """Return facts of the bots this plugin brings; must not import their code."""
    raise NotImplementedError


@hookspec
def arena_formats() -> Sequence[FormatPlugin]:
    """Return facts of the tournament formats this plugin brings."""
    raise NotImplementedError


@hookspec
def arena_match_finished(run: str, summary: Mapping[str, Json]) -> None:
    """Hear of a match that has just been stored in the run folder `run`.

    Called in the scheduler process, one match at a time, in the order of storing; what it raises is
    reported once and changes nothing.
    """


@hookspec
def arena_tournament_finished(run: str, complete: bool) -> None:
    """Hear that the run in the folder `run` has stopped; `complete` says whether every match was played."""
