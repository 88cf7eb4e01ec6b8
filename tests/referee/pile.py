"""A tiny game for tests: seats in turn take 1, 2 or 3 from a pile; who took most wins. `3` scores double."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.errors import IllegalAction, NotationError
from arena.games.api import Action, Game, Json, Option, OptionValue, Outcome, Seat, State


class PileState(State):
    """What is left, what everybody took."""

    def __init__(self, seats: int, left: int, taken: list[int], turn: int) -> None:
        self._seats, self.left, self.taken, self.turn = seats, left, taken, turn

    @property
    def seats(self) -> int:
        return self._seats

    @property
    def to_act(self) -> Seat | None:
        return self.turn % self._seats if self.left else None

    def legal_actions(self) -> Iterator[Action]:
        yield from range(1, min(3, self.left) + 1)

    def check(self, action: Action) -> None:
        if not isinstance(action, int) or action > self.left:
            raise IllegalAction(f"only {self.left} are left")

    def apply(self, action: Action) -> None:
        self.check(action)
        assert isinstance(action, int)
        self.taken[self.turn % self._seats] += action
        self.left -= action
        self.turn += 1

    def copy(self) -> PileState:
        return PileState(self._seats, self.left, list(self.taken), self.turn)

    def view(self, seat: Seat) -> Mapping[str, Json]:
        return {"left": self.left, "taken": list(self.taken)}

    def outcome(self) -> Outcome | None:
        return None if self.left else self.standing()

    def standing(self) -> Outcome:
        places = tuple(1 + sum(other > own for other in self.taken) for own in self.taken)
        return Outcome(places=places, scores=tuple(self.taken), categories={"taken": tuple(self.taken)})

    def truth(self) -> Json:
        return [self._seats, self.left, list(self.taken), self.turn]


class Pile(Game):
    """The rules."""

    name = "pile"
    version = "1"
    seat_counts = (2, 3, 4)
    options = (Option(name="size", default=10),)

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> PileState:
        return PileState(seats, int(options["size"]), [0] * seats, 0)

    def parse(self, text: str) -> Action:
        if text not in ("1", "2", "3"):
            raise NotationError(f"{text!r} is no action of this game")
        return int(text)
