"""Whole turns: a beam over the actions of one seat's turn."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from arena.games.api import Action
from arena.games.castell.actions import END
from arena.games.castell.state import State


@attrs.frozen(kw_only=True)
class Line:
    """A way to play a turn, without its `end`."""

    state: State  #: after the actions, before `end`
    actions: tuple[Action, ...]
    value: float


def best_lines(state: State, width: int, value: Callable[[State], float]) -> list[Line]:
    """Return ways to play the turn that `state` is in, the best first; states that are equal appear once.

    At each step the `width` best ways to go on are followed; every one met counts as a way to play the turn.
    """
    root = Line(state=state, actions=(), value=value(state))
    lines, front = [root], [root]
    seen = {turn_key(state)}
    while front:
        grown = []
        for line in front:
            for option in line.state.options():
                if option is END:
                    continue
                after = line.state.copy()
                after.apply(option)
                key = turn_key(after)
                if key not in seen:
                    seen.add(key)
                    grown.append(Line(state=after, actions=(*line.actions, option), value=value(after)))
        grown.sort(key=lambda line: -line.value)
        front = grown[:width]
        lines += front
    lines.sort(key=lambda line: -line.value)
    return lines


def turn_key(state: State) -> tuple[object, ...]:
    """Return what tells apart the states within one turn."""
    seat = state.acting
    return (
        state.done, state.pawns[seat], state.teams[seat], state.ranks[seat], state.tokens[seat], state.won[seat],
    )  # fmt: skip
