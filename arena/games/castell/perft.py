"""Counts of action sequences by depth, what chess programmers call perft: a fingerprint of the rules in force.

A sequence is one of exactly `depth` actions; one that the end of the match cuts short is not counted. Training a
special tile and what is done with it are one action; recruits are multisets; `end` and `decline` are actions. The
*collapsed* count takes all performances of one tile as one action, and all festival towers with the same score and the
same number of castellers of each shown size; the *complete* count takes every distinct tower as an action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

import attrs

from arena.games.api import Action
from arena.games.castell.actions import Compete, Perform, Special
from arena.games.castell.judge import count_of, festival_score
from arena.games.castell.state import State


@attrs.frozen
class Counts:
    """The two counts of one depth."""

    collapsed: int
    complete: int


def perft(state: State, depth: int) -> Counts:
    """Return the counts of sequences of `depth` actions (0 or more) from `state`, which is left as it was."""
    if depth == 0:
        return Counts(1, 1)
    collapsed = complete = 0
    for action, towers in _groups(state):
        if depth == 1:
            counts = Counts(1, 1)
        else:
            after = state.copy()
            after.apply(action)
            counts = perft(after, depth - 1)
        collapsed += counts.collapsed
        complete += towers * counts.complete
    return Counts(collapsed, complete)


def divide(state: State, depth: int) -> dict[str, Counts]:
    """Return the counts of `perft` below each first action, by its notation; a group goes by its first tower."""
    result = {}
    for action, towers in _groups(state):
        after = state.copy()
        after.apply(action)
        counts = perft(after, depth - 1)
        result[str(action)] = Counts(counts.collapsed, towers * counts.complete)
    return result


def _groups(state: State) -> Iterator[tuple[Action, int]]:
    """Yield one legal action of each group, and how many are in it; all of a group lead to the same play."""
    firsts: dict[Hashable, Action] = {}
    numbers: Counter[Hashable] = Counter()
    for action in state.legal_actions():
        group = _group(state, action)
        firsts.setdefault(group, action)
        numbers[group] += 1
    for group, action in firsts.items():
        yield action, numbers[group]


def _group(state: State, action: Action) -> Hashable:
    if isinstance(action, Compete):
        sizes = state.deal.festivals[state.festival].sizes
        return (festival_score(action.tower, sizes), tuple(count_of(action.tower, size) for size in sizes))
    if isinstance(action, Special) and isinstance(action.effect, Perform):
        return ("perform", action.free, action.effect.tile)
    return action
