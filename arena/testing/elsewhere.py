"""Checks that a game is the same in every process: no order of a set, no memory address, no clock may show.

`check_elsewhere` plays one match in two child processes whose texts hash differently, and compares every option,
view and digest. (Python orders sets of texts by their hash, which is drawn anew for each process.)
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec

from arena.child import child
from arena.games.api import Game, OptionValue
from arena.options import complete_options

CHILD_DEADLINE_S = 300
LEGAL_ACTIONS = 50  #: how many are compared in each state


def check_elsewhere(
    game_class: type[Game], *, seats: int, options: Mapping[str, OptionValue] | None = None, seed: int = 0
) -> None:
    """Raise `AssertionError` when two processes differ about one random match of the game.

    Args:
        game_class: a class at the top of a module that can be imported; made without arguments.
        seats: one of its seat counts.
        options: of the game; its defaults unless given.
        seed: of the deal and of the random play.
    """
    values = complete_options(game_class(), options or {})
    order = msgspec.json.encode([game_class.__module__, game_class.__qualname__, seats, values, seed])
    one, other = (_play_with(order, hash_seed) for hash_seed in ("1", "2"))
    for number, (here, there) in enumerate(zip(one, other, strict=False)):
        assert here == there, f"two processes differ after {number} actions:\n  {here[:500]}\n  {there[:500]}"
    assert len(one) == len(other), f"a match takes {len(one)} actions in one process, {len(other)} in another"


def transcript(game: Game, seats: int, options: Mapping[str, OptionValue], seed: int) -> Iterator[str]:
    """Yield all that can be seen of each state of one random match, as a line of JSON."""
    rng = random.Random(seed)
    state = game.deal(seats, rng.randbytes(32), options)
    while True:
        actions = list(state.options())
        legal = islice(state.legal_actions(), LEGAL_ACTIONS)
        views = [state.view(seat) for seat in range(seats)]
        facts = [state.to_act, state.digest(), [str(action) for action in actions], [str(a) for a in legal], views]
        yield msgspec.json.encode(facts).decode()
        if not actions:
            return
        state.apply(actions[int(rng.random() * len(actions))])


def _play_with(order: bytes, hash_seed: str) -> list[str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with child([sys.executable, "-m", "arena.testing.elsewhere"], stderr=subprocess.PIPE, env=environment) as process:
        told, errors = process.communicate(order, timeout=CHILD_DEADLINE_S)
    assert process.returncode == 0, f"the game fails in another process:\n{errors.decode(errors='replace')}"
    return told.decode().splitlines()


def _main() -> None:
    module, name, seats, options, seed = msgspec.json.decode(sys.stdin.buffer.read())
    __import__(module)
    game: Game = getattr(sys.modules[module], name)()
    for line in transcript(game, seats, options, seed):
        print(line)


if __name__ == "__main__":
    _main()
