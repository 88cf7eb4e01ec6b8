"""The actions of Castell as immutable values, and their one-line notation: `str(action)` and `parse_action(text)`.

A tower is written ground first, levels joined by `/`, sizes falling inside a level: `10 10 9/7 7/4`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TypeAlias

import attrs

from arena.errors import NotationError

#: Sizes of one level, falling.
Level: TypeAlias = tuple[int, ...]
#: Levels from the ground up; at least one, none of them empty.
Tower: TypeAlias = tuple[Level, ...]

_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_REGION = re.compile(r"[a-z][a-z0-9_'-]*")
FORMS = (
    "move REGION, recruit SIZE [SIZE], train SKILL, special recruit SIZE, special move REGION, "
    "special perform #TILE TOWER, the same three after wheel, compete TOWER, decline, end"
)


@attrs.frozen(cache_hash=True)
class Move:
    """The pawn goes to a region; from off the board, to any region."""

    region: str

    def __str__(self) -> str:
        return f"move {self.region}"


@attrs.frozen(cache_hash=True)
class Recruit:
    """Take one or two castellers from the pawn's region."""

    sizes: Level  #: falling

    @cached_property
    def _text(self) -> str:
        return "recruit " + " ".join(map(str, self.sizes))

    def __str__(self) -> str:
        return self._text


@attrs.frozen(cache_hash=True)
class Train:
    """Raise one skill by one rank."""

    skill: str

    def __str__(self) -> str:
        return f"train {self.skill}"


@attrs.frozen(cache_hash=True)
class Perform:
    """A local performance of tile `#tile` with a tower; always inside a `Special`."""

    tile: int
    tower: Tower

    def __str__(self) -> str:
        return f"perform #{self.tile} {tower_text(self.tower)}"


@attrs.frozen(cache_hash=True)
class Special:
    """A special action: recruit one casteller, move, or perform."""

    effect: Move | Recruit | Perform
    free: bool  #: granted by training a special tile (`wheel`), not paid with a token (`special`)

    @cached_property
    def _text(self) -> str:
        return f"{'wheel' if self.free else 'special'} {self.effect}"

    def __str__(self) -> str:
        return self._text


@attrs.frozen(cache_hash=True)
class Compete:
    """Build a tower at the festival."""

    tower: Tower

    def __str__(self) -> str:
        return f"compete {tower_text(self.tower)}"


@attrs.frozen
class Decline:
    """Do not build at the festival."""

    def __str__(self) -> str:
        return "decline"


@attrs.frozen
class End:
    """End the turn."""

    def __str__(self) -> str:
        return "end"


CastellAction: TypeAlias = Move | Recruit | Train | Special | Compete | Decline | End
DECLINE = Decline()
END = End()


def tower_text(tower: Tower) -> str:
    """Return the notation of a tower, for example `6 6 5/4 4`."""
    return "/".join([" ".join(map(str, level)) for level in tower])


def parse_tower(text: str) -> Tower:
    """Return the tower that `text` denotes; sizes of a level may stand in any order.

    Raises:
        NotationError: a level is empty or holds something else than sizes.
    """
    return tuple(_sizes(level, f"level {i} of the tower") for i, level in enumerate(text.split("/"), 1))


def parse_action(text: str) -> CastellAction:
    """Return the action that `text` denotes; spaces may be doubled, `str` of the result is the canonical form.

    Raises:
        NotationError: the text is no action of Castell.
    """
    verb, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    if verb in ("special", "wheel"):
        word, _, argument = rest.partition(" ")
        return Special(_effect(word, argument.strip(), text), verb == "wheel")
    if verb == "compete":
        return Compete(parse_tower(rest))
    if verb == "train":
        return Train(_word(rest, "a skill"))
    if verb in ("move", "recruit"):
        action = _effect(verb, rest, text)
        assert not isinstance(action, Perform)
        return action
    if text.strip() in ("decline", "end"):
        return DECLINE if verb == "decline" else END
    raise NotationError(f"{_short(text)} is no action of Castell; the forms are: {FORMS}")


def _effect(verb: str, rest: str, text: str) -> Move | Recruit | Perform:
    if verb == "move":
        return Move(_word(rest, "a region"))
    if verb == "recruit":
        return Recruit(_sizes(rest, "recruit"))
    if verb == "perform":
        tile, _, tower = rest.partition(" ")
        if not tile.startswith("#") or not _NUMBER.fullmatch(tile[1:]):
            raise NotationError(f"{_short(tile)} is no tile; write its number as #12, then the tower")
        return Perform(int(tile[1:]), parse_tower(tower))
    raise NotationError(f"{_short(text)} is no special action; after special or wheel comes recruit, move or perform")


def _sizes(text: str, where: str) -> Level:
    words = text.split()
    for word in words:
        if not _NUMBER.fullmatch(word):
            raise NotationError(f"{where}: {_short(word)} is no size; sizes are whole numbers from 1")
    if not words:
        raise NotationError(f"{where}: there is no casteller; write sizes with spaces between them")
    return tuple(sorted(map(int, words), reverse=True))


def _word(text: str, what: str) -> str:
    if not _REGION.fullmatch(text):
        raise NotationError(f"{_short(text)} does not name {what}; write one lower-case word")
    return text


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
