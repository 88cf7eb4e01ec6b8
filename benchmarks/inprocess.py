"""What a match with bots in this process costs beside the bare loop that plays the same actions, in one run.

The bare loop deals, asks for `options`, takes the choice and calls `apply`; the match adds clock, verdicts, record and
the final digest. The best of several rounds counts for both, since the machine may be shared:

    python -m benchmarks.inprocess [ROUNDS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from arena import plugins
from arena.games.api import Game
from arena.options import complete_options
from arena.referee.inprocess import play
from arena.sdk import Bot, Turn

DEALS = [number.to_bytes(16, "big") for number in range(20)]


class Told(Bot):
    """Plays the choices it was given."""

    def __init__(self, choices: list[int]) -> None:
        """Take choices from the end of the list, which both seats share."""
        self.choices = choices

    def choose(self, turn: Turn) -> int:
        """Return the next choice."""
        del turn
        return self.choices.pop()


class Draws(Bot):
    """Draws a choice and writes it down."""

    def __init__(self, choices: list[int]) -> None:
        """Add choices to the list."""
        self.choices = choices

    def choose(self, turn: Turn) -> int:
        """Return any option."""
        self.choices.append(self.rng.randrange(turn.count or 1))
        return self.choices[-1]


def choices_of(game: Game, seats: int, key: bytes) -> tuple[list[int], list[int]]:
    """Return the choices at the requests of a random match, and the indices of all its actions among the options."""
    chosen: list[int] = []
    record = play(game, [Draws(chosen) for _ in range(seats)], key=key)
    state, indices = game.deal(seats, key, complete_options(game, {})), []
    for played in record.actions:
        indices.append([str(option) for option in state.options()].index(played.action))
        state.apply(state.options()[indices[-1]])
    return chosen, indices


def bare_s(game: Game, seats: int, indices: Sequence[Sequence[int]]) -> float:
    """Return how long the bare loop takes for all deals."""
    options = complete_options(game, {})
    began = time.perf_counter()
    for key, own in zip(DEALS, indices, strict=True):
        state = game.deal(seats, key, options)
        for index in own:
            state.apply(state.options()[index])
    return time.perf_counter() - began


def refereed_s(game: Game, seats: int, choices: Sequence[Sequence[int]]) -> float:
    """Return how long the matches take."""
    stacks = [list(reversed(own)) for own in choices]
    began = time.perf_counter()
    for key, stack in zip(DEALS, stacks, strict=True):
        play(game, [Told(stack) for _ in range(seats)], key=key)
    return time.perf_counter() - began


def main(rounds: int = 30) -> None:
    """Print both costs of an action and their ratio."""
    for name, seats in (("castell", 3), ("connect-four", 2)):
        game = plugins.game(name)
        pairs = [choices_of(game, seats, key) for key in DEALS]
        actions = sum(len(indices) for _, indices in pairs)
        bare = min(bare_s(game, seats, [indices for _, indices in pairs]) for _ in range(rounds)) / actions * 1e6
        whole = min(refereed_s(game, seats, [chosen for chosen, _ in pairs]) for _ in range(rounds)) / actions * 1e6
        print(f"{name:13} bare {bare:5.2f} us   match {whole:5.2f} us an action   {whole / bare:.2f} times")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
