"""What the arena itself brings: its games and formats, through the same hooks as anybody's plugin."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.api import Game
from arena.games.castell.game import Castell
from arena.games.connect_four import ConnectFour
from arena.hookspecs import FormatPlugin, hookimpl


@hookimpl
def arena_games() -> Sequence[Game]:
    """Castell and Connect Four."""
    return [Castell(), ConnectFour()]


@hookimpl
def arena_formats() -> Sequence[FormatPlugin]:
    """The ways to pair entrants that ship with the arena."""
    return [
        FormatPlugin(
            name="round-robin",
            target="arena.tournament.formats.round_robin:RoundRobin",
            summary="everybody meets everybody over the same deals: the fairest comparison of a few entrants",
        ),
        FormatPlugin(
            name="gauntlet",
            target="arena.tournament.formats.gauntlet:Gauntlet",
            summary="a challenger against all others: how good is the new one",
        ),
        FormatPlugin(
            name="swiss",
            target="arena.tournament.formats.swiss:Swiss",
            summary="a few rounds in which those with like results meet: a ranking of many entrants",
        ),
        FormatPlugin(
            name="knockout",
            target="arena.tournament.formats.knockout:Knockout",
            summary="the best of each table go on until one is left: a show with a winner",
        ),
        FormatPlugin(
            name="sprt",
            target="arena.tournament.formats.sprt:Sprt",
            summary="two entrants until the results say who is stronger: stops by itself",
        ),
    ]
