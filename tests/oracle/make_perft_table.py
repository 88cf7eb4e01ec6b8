"""Makes `perft_table.toml`: counts of action sequences, by the oracle, from fixed deals and actions played in them.

Run `python -m tests.oracle.make_perft_table` in the checkout after a change of the shuffles or of the shipped edition.
It takes some minutes. The counts come from the oracle alone; that the fast code agrees is for the tests to say.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.oracle.bridge import SIDES, deal
from tests.oracle.counting import collapsed, complete, one_for_each_target
from tests.oracle.model import Position, simple_actions, tower_actions
from tests.oracle.playing import play
from tests.oracle.seeking import tower_seeking_play
from tests.oracle.variants import changed

TABLE = Path(__file__).with_name("perft_table.toml")
#: No row has more leaves than this; the oracle counts some thousands a second.
MOST_LEAVES = 40_000


@dataclass(frozen=True)
class Start:
    """A position to count from, by the way to it."""

    kind: str  #: "opening", "mid-game" or "festival"
    seats: int
    side: str
    key: int  #: of the deal, see `bridge.deal`
    actions: tuple[str, ...]


def played(start: Start) -> Position:
    """Return the position to count from."""
    _, position = deal(start.seats, start.side, start.key, changed({}))
    for action in start.actions:
        position = play(position, action)
    return position


def matches(seats: int, side: str, first_key: int) -> Iterator[tuple[Start, Position]]:
    """Yield the positions of matches that aim at towers with small teams."""
    for key in count(first_key):
        rng = random.Random(key)
        _, position = deal(seats, side, key, changed({}))
        actions: list[str] = []
        while not position.over and max(len(player.team) for player in position.players) <= 15:
            yield Start("", seats, side, key, tuple(actions)), position
            towers = one_for_each_target(position, tower_actions(position))
            choice = tower_seeking_play(rng, position, sorted(simple_actions(position) | set(towers.values())), 0.05)
            actions.append(choice)
            position = play(position, choice)


def is_mid_game(position: Position) -> bool:
    """Tell whether a turn begins in which a tower can be performed."""
    if position.round < 4 or position.turn is None or position.done:
        return False
    return any(True for _ in tower_actions(position))


def is_before_festival(position: Position) -> bool:
    """Tell whether the last turn of a round is nearly over, and a tower may soon be built at a festival."""
    if position.turn != position.seats - 1 or len(position.done) < 2 or not position.held:
        return False
    soon = play(position, "end")
    return soon.turn is None and not soon.over and 2 <= sum(1 for _ in tower_actions(soon)) <= 200


def starts() -> Iterator[Start]:
    """Yield the positions of the table."""
    for number, (seats, side) in enumerate((seats, side) for seats in (2, 3, 4) for side in SIDES):
        yield Start("opening", seats, side, 500 + number, ())
        for kind, fits in (("mid-game", is_mid_game), ("festival", is_before_festival)):
            found = next(start for start, position in matches(seats, side, 600 + 100 * number) if fits(position))
            yield Start(kind, seats, side, found.key, found.actions)


def rows(start: Start) -> Iterator[str]:
    """Yield the rows of one position as TOML, deeper and deeper."""
    position, previous = played(start), 1
    for depth in count(1):
        before = time.perf_counter()
        few, many = collapsed(position, depth), complete(position, depth)
        print(
            start.kind, start.seats, start.side, depth, few, many, f"{time.perf_counter() - before:.1f} s", flush=True
        )
        yield f"  {{ depth = {depth}, collapsed = {few}, complete = {many} }},"
        if many == 0 or (depth > 1 and many * max(6, many // previous) > MOST_LEAVES):
            return
        previous = many


def main() -> None:
    """Write the table."""
    lines = [
        "# Made by make_perft_table.py; the units are those of rule 9. Actions lead from the deal to the position."
    ]
    for start in starts():
        lines += ["", "[[position]]", f'kind = "{start.kind}"', f"seats = {start.seats}", f'side = "{start.side}"']
        lines += [f"key = {start.key}", "actions = [", *(f'  "{action}",' for action in start.actions), "]"]
        lines += ["counts = [", *rows(start), "]"]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
