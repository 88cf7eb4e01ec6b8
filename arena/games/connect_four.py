"""Connect Four: the whole game in one small file, and the template for authors of other games.

Two seats drop discs into seven columns of six; four in a row, in any direction, win. An action is the number of
a column, 1 to 7 from the left. See docs/games.md for a walk through this file.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from arena.errors import IllegalAction, NotationError
from arena.games.api import Action, Game, Json, Option, OptionValue, Outcome, Seat, State

WIDTH, HEIGHT = 7, 6
COLUMNS = tuple(range(1, WIDTH + 1))
# A set of cells is an int. A column takes 7 bits, lowest cell first; its seventh stays empty, so that no line
# of four runs from the top of one column into the bottom of the next.
BOTTOM = {column: 1 << 7 * (column - 1) for column in COLUMNS}
CELLS = {column: 0b111111 << 7 * (column - 1) for column in COLUMNS}
TOP = sum(BOTTOM.values()) << HEIGHT - 1


def has_four(discs: int) -> bool:
    """Return whether four of the cells in `discs` stand in a row."""
    upright = discs & discs >> 1
    level = discs & discs >> 7
    falling = discs & discs >> 6
    rising = discs & discs >> 8
    return bool(upright & upright >> 2 | level & level >> 14 | falling & falling >> 12 | rising & rising >> 16)


class ConnectFourState(State):
    """A position. Seat 0 begins."""

    __slots__ = ("_mine", "_open", "_taken", "_winner", "to_act")

    def __init__(self) -> None:
        self.to_act: Seat | None = 0  #: drops a disc next; None when the match is over
        self._taken = 0  # all discs
        self._mine = 0  # those of the seat to act; once the match is over, of the seat that did not move last
        self._open: tuple[int, ...] = COLUMNS  # what may be played, rising
        self._winner: Seat | None = None

    @property
    def seats(self) -> int:
        """Two."""
        return 2

    def legal_actions(self) -> Iterator[Action]:
        """Yield the columns that are not full, from the left."""
        return iter(self._open)

    def options(self) -> Sequence[Action]:
        """Return every legal action, like `legal_actions`."""
        return self._open

    def check(self, action: Action) -> None:
        """Raise `IllegalAction` unless the column exists and is not full."""
        if self.to_act is None:
            raise IllegalAction("the match is over")
        if action not in CELLS:
            raise IllegalAction(f"there is no column {action}: they are 1 to {WIDTH}")
        if action not in self._open:
            raise IllegalAction(f"column {action} is full")

    def apply(self, action: Action) -> None:
        """Drop a disc for `to_act`."""
        if action not in self._open:
            self.check(action)  # raises
        assert isinstance(action, int)
        disc = self._taken + BOTTOM[action] & CELLS[action]
        moved = self._mine | disc
        self._mine = self._taken ^ self._mine
        self._taken |= disc
        if has_four(moved):
            self._winner, self.to_act, self._open = self.to_act, None, ()
            return
        self.to_act = 0 if self.to_act else 1
        if disc & TOP:
            self._open = tuple([column for column in self._open if column != action])
            if not self._open:
                self.to_act = None

    def copy(self) -> ConnectFourState:
        """Return an independent equal state."""
        twin = ConnectFourState.__new__(ConnectFourState)
        twin.to_act, twin._taken, twin._mine = self.to_act, self._taken, self._mine
        twin._open, twin._winner = self._open, self._winner
        return twin

    def rows(self) -> list[str]:
        """Return the board from the top row down: `x` for seat 0, `o` for seat 1, `.` for an empty cell."""
        first = self._mine if self._taken.bit_count() % 2 == 0 else self._taken ^ self._mine
        marks = {(True, True): "x", (True, False): "o", (False, False): "."}
        return [
            "".join(marks[bool(self._taken & cell), bool(first & cell)] for cell in (b << row for b in BOTTOM.values()))
            for row in reversed(range(HEIGHT))
        ]

    def view(self, seat: Seat) -> Mapping[str, Json]:
        """Return the board, rows joined by `/` from the top, `x` for seat 0; nothing is hidden from anybody."""
        del seat
        return {"board": "/".join(self.rows()), "to_act": self.to_act}

    def outcome(self) -> Outcome | None:
        """Return places and scores once four stand in a row or the board is full."""
        return self.standing() if self.to_act is None else None

    def standing(self) -> Outcome:
        """Return 2 points for the win, 1 for each in a draw and while nothing is decided."""
        if self._winner is None:
            return Outcome(places=(1, 1), scores=(1, 1))
        return Outcome(places=(1, 2), scores=(2, 0)) if self._winner == 0 else Outcome(places=(2, 1), scores=(0, 2))

    def truth(self) -> Json:
        """Return the two bitboards: the discs of the seat to act, and all discs."""
        return {"mine": self._mine, "taken": self._taken, "to_act": self.to_act}


class ConnectFour(Game):
    """The rules. With `opening` moves a deal starts from a random position, so that deals differ."""

    name = "connect-four"
    version = "1"
    seat_counts = (2,)
    options = (Option(name="opening", default=0, choices=(0, 2, 4, 6), help="random moves made before the match"),)
    summary = "Drop discs into seven columns; four in a row win."

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> ConnectFourState:
        """Return the empty board, or one after `opening` random moves: too few to end the match."""
        assert seats in self.seat_counts
        state, opening = ConnectFourState(), int(options["opening"])
        if not opening:
            return state
        # Only Random.random() is promised to give the same numbers in every version of Python.
        draw = random.Random(key).random
        for _ in range(opening):
            choices = state.options()
            state.apply(choices[int(draw() * len(choices))])
        return state

    def parse(self, text: str) -> Action:
        """Return the column that `text` numbers."""
        if len(text) == 1 and text in "1234567":
            return int(text)
        raise NotationError(f"{text[:40]!r} is no action: write the number of a column, 1 to {WIDTH}")

    def draw(self, state: State) -> str:
        """Return the board above the numbers of the columns."""
        assert isinstance(state, ConnectFourState)
        return "\n".join(" ".join(row) for row in [*state.rows(), "1234567"])

    def tell(self, state: State, action: Action) -> str:
        """Return where the disc goes."""
        del state
        return f"drops a disc into column {action}"

    def drawing(self) -> str:
        """Return a few lines of script that draw the board; a column is clicked where a person plays."""
        return _DRAWING


_DRAWING = """
arena.drawing("connect-four", (place, scene, table) => {
  const board = arena.svg("svg", { viewBox: "0 0 70 60", class: "board", role: "img", "aria-label": scene.board });
  arena.svg("rect", { width: 70, height: 60, rx: 4, fill: "var(--stone)" }, board);
  scene.board.split("/").forEach((row, y) => [...row].forEach((mark, x) => {
    const fill = mark === "x" ? "var(--seat0)" : mark === "o" ? "var(--seat1)" : "var(--card)";
    const cell = arena.svg("circle", { cx: x * 10 + 5, cy: y * 10 + 5, r: 4.2, fill }, board);
    table.offer(cell, String(x + 1), `column ${x + 1}`);
  }));
  place.replaceChildren(board);
});
"""
