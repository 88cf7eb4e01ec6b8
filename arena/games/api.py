"""What a game is to the arena: a `Game` deals a `State`, and a state is played by `Action` values.

This file knows no game and no I/O. A game plugin implements `Game` and `State`; `arena.games.connect_four`
is the template to copy. Chance is drawn at the deal and never later, so a deal and its actions replay.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import TypeAlias

import attrs
import msgspec

from arena.errors import Problem

Seat: TypeAlias = int  #: 0-based, below the number of seats
Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
OptionValue: TypeAlias = "bool | int | str"
#: One choice of one seat: an immutable value whose `str()` is its one-line text notation, the form that goes
#: over the wire and into records. Two actions are equal exactly when their notation is.
Action: TypeAlias = Hashable


@attrs.frozen(kw_only=True)
class Option:
    """One setting of a game, for example which side of a board is used."""

    name: str
    default: OptionValue  #: its type is the type of the option
    choices: tuple[OptionValue, ...] = ()  #: every allowed value; empty: any value of the type
    help: str = ""
    is_file: bool = False  #: the value is a path; readers of configurations resolve it against their own folder


@attrs.frozen(kw_only=True)
class Outcome:
    """How a finished match ended, by seat."""

    places: tuple[int, ...]  #: 1 is best; ties share a place and the places after it are skipped (1, 1, 3)
    scores: tuple[int, ...]  #: points as the game counts them; more is better
    categories: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict)  #: points by category, each by seat

    def with_forfeits(self, forfeited: Collection[Seat]) -> Outcome:
        """Return the outcome when these seats have forfeited: they share the place behind everybody else."""
        behind = len(self.places) + 1
        ranks = [behind if seat in forfeited else place for seat, place in enumerate(self.places)]
        return attrs.evolve(self, places=tuple(1 + sum(other < rank for other in ranks) for rank in ranks))


class State(ABC):
    """The full truth of one match in progress; mutable, and owned by whoever holds it.

    Everything here is deterministic. `check`, `options`, `legal_actions`, `view`, `outcome` and `digest`
    change nothing that can be seen.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def seats(self) -> int:
        """The number of seats."""

    @property
    @abstractmethod
    def to_act(self) -> Seat | None:
        """The seat that acts next; None exactly when the match is over."""

    @abstractmethod
    def legal_actions(self) -> Iterator[Action]:
        """Yield every legal action of `to_act` once, lazily, in an order the game states; nothing when over."""

    def options(self) -> Sequence[Action]:
        """Return a short list of sensible legal actions for beginners; empty only when the match is over.

        It has one element exactly when one action is legal, which the arena then plays without asking. A game with
        few legal actions keeps this default, all of them. A game with very many returns every simple action and one
        good representative of each group of complicated ones.
        """
        return list(self.legal_actions())

    @abstractmethod
    def check(self, action: Action) -> None:
        """Raise `IllegalAction`, naming the rule, unless `action` is legal for `to_act` now."""

    @abstractmethod
    def apply(self, action: Action) -> None:
        """Play `action` for `to_act`; raise `IllegalAction` like `check` and leave the state unchanged."""

    @abstractmethod
    def copy(self) -> State:
        """Return an independent state equal to this one; cheap enough to search with."""

    @abstractmethod
    def view(self, seat: Seat) -> Mapping[str, Json]:
        """Return what `seat` may see, as JSON values with short keys and little nesting.

        Two states that differ only in what is hidden from `seat` have equal views, key order included.
        """

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return places and scores once `to_act` is None, before that None."""

    @abstractmethod
    def standing(self) -> Outcome:
        """Return places and scores as if the match ended now; equal to `outcome()` when it is over."""

    @abstractmethod
    def truth(self) -> Json:
        """Return the whole state, hidden facts included, as JSON values: equal exactly for equal states."""

    def digest(self) -> str:
        """Return 32 hex digits that are equal for equal states; stable across processes and versions of Python."""
        return hashlib.blake2b(msgspec.json.encode(self.truth(), order="sorted"), digest_size=16).hexdigest()

    def default_action(self) -> Action:
        """Return the action played for a seat that forfeited or spends a strike: the first legal one."""
        return next(self.legal_actions())


class Game(ABC):
    """The rules of a game; has no state of its own and may be shared freely."""

    name: str  #: as typed in files and on the command line: lower case, words joined by dashes
    version: str  #: changes whenever the same deal and actions could end differently
    seat_counts: tuple[int, ...]  #: rising
    options: tuple[Option, ...] = ()
    summary: str = ""  #: one line for `arena games`

    @abstractmethod
    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> State:
        """Return the opening state of one deal.

        Args:
            seats: one of `seat_counts`.
            key: at least 16 bytes; equal keys (and options) give equal deals, and nothing else does.
            options: every option of this game by name, already checked by `check_options`.
        """

    @abstractmethod
    def parse(self, text: str) -> Action:
        """Return the action that `text` denotes; `parse(str(action)) == action`. Raise `NotationError` otherwise."""

    def check_options(self, options: Mapping[str, OptionValue]) -> list[Problem]:
        """Return what is wrong with complete options beyond type and choices, for example an unreadable file."""
        del options
        return []

    def fingerprint(self, options: Mapping[str, OptionValue]) -> str:
        """Return a short text that names the exact rules and data in force; it goes into every record."""
        del options
        return f"{self.name} {self.version}"

    def draw(self, state: State) -> str:
        """Return the state as readable text, several lines, for `arena show` and for people at a seat."""
        return msgspec.json.format(msgspec.json.encode(state.truth())).decode()

    def tell(self, state: State, action: Action) -> str:
        """Return what `action`, about to be played in `state`, does, as a short sentence without a subject."""
        del state
        return f"plays {action}"

    def picture(self, action: Action) -> str:
        """Return what `action` builds as a drawing of several lines, or nothing; shown below what `tell` says."""
        del action
        return ""

    def drawing(self) -> str:
        """Return the JavaScript that draws scenes in a browser (docs/web.md), or nothing: `draw` is shown then."""
        return ""

    def scene(self, state: State, seat: Seat | None = None) -> Mapping[str, Json]:
        """Return what that script draws: JSON values that keep their keys and stay equal where nothing changed.

        Args:
            state: to be drawn.
            seat: who looks; nothing that is hidden from it may be there. None: somebody who looks at a replay.

        A key `round`, where there is one, tells the viewer when a round begins.
        """
        return state.view(0 if seat is None else seat)
