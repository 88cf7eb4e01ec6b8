"""A slow perft: how many sequences of actions lead from a position to a depth, in the units of rule 9.

Training a special tile and what is done with it are one action, recruits are multisets, `end` and `decline` are
actions. In the complete column every distinct tower counts. In the collapsed column a performance counts once for
each tile (and each way to pay for it), a festival once for each (score, number of castellers of each shown size).
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.oracle import judge
from tests.oracle.model import Position, legal_actions, simple_actions, tower_actions
from tests.oracle.playing import play

Target = tuple[int, ...] | tuple[str, ...]


def complete(position: Position, depth: int) -> int:
    """Count every sequence by playing every one."""
    if depth == 0:
        return 1
    actions = legal_actions(position)
    if depth == 1:
        return len(actions)
    return sum(complete(play(position, action), depth - 1) for action in actions)


def collapsed(position: Position, depth: int) -> int:
    """Count with all towers for one target as one action."""
    if depth == 0:
        return 1
    actions = [*simple_actions(position), *one_for_each_target(position, tower_actions(position)).values()]
    if depth == 1:
        return len(actions)
    return sum(collapsed(play(position, action), depth - 1) for action in actions)


def one_for_each_target(position: Position, actions: Iterable[str]) -> dict[Target, str]:
    """Return one of these actions for each target."""
    found: dict[Target, str] = {}
    for action in actions:
        found.setdefault(target(position, action), action)
    return found


def target(position: Position, action: str) -> Target:
    """Return what an action that shows a tower is shown for."""
    words = action.split(" ")
    if words[0] != "compete":
        return tuple(words[:3])
    shown = position.held[position.festival].shown
    tower = judge.read_tower(action.removeprefix("compete "))
    people = [size for level in tower for size in level]
    return (judge.festival_score(tower, shown), *(people.count(size) for size in sorted(set(shown))))
