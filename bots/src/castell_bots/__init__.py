"""Bots that play Castell, and one that plays any game; registered through the entry point `arena`.

From the weakest to the strongest: `random`, `greedy`, `planner`, `searcher`, `champion`.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.hookspecs import BotPlugin, hookimpl

VERSION = "1"


@hookimpl
def arena_bots() -> Sequence[BotPlugin]:
    """Facts of the bots; their code is imported in their own processes only."""
    return [
        BotPlugin(
            name="random",
            target="castell_bots.random_bot:Random",
            version=VERSION,
            summary="a random option, from its bot_seed",
        ),
        _castell("greedy", "Greedy", "looks one action ahead"),
        _castell("planner", "Planner", "aims at coming festivals and plans whole turns; deterministic"),
        _castell("searcher", "Searcher", "tries turns out with the unseen bag drawn anew; uses all its time"),
        _castell("champion", "Champion", "plans two turns ahead against the others; uses all its time"),
    ]


def _castell(name: str, attr: str, summary: str) -> BotPlugin:
    target = f"castell_bots.{name}:{attr}"
    return BotPlugin(name=name, target=target, games=("castell",), seats=(2, 3, 4), version=VERSION, summary=summary)
