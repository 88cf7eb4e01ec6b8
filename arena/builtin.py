"""What the arena itself brings: its games and formats, through the same hooks as anybody's plugin."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.api import Game
from arena.games.connect_four import ConnectFour
from arena.hookspecs import FormatPlugin, hookimpl


@hookimpl
def arena_games() -> Sequence[Game]:
    """Castell and Connect Four."""
    return [ConnectFour()]


@hookimpl
def arena_formats() -> Sequence[FormatPlugin]:
    """The ways to pair entrants that ship with the arena."""
    return [
        FormatPlugin(
            name="round-robin",
            target="arena.tournament.formats.round_robin:RoundRobin",
            summary="everybody meets everybody over the same deals: the fairest comparison of a few entrants",
        ),
    ]
