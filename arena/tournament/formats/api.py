"""What a tournament format is: a `Format` checks its settings and makes a `Schedule`; that answers one question.

`Schedule.next()` returns the next `Pairing`, `WAIT` (not before more results are in) or `DONE`. The
director (`arena.tournament.director`) numbers the pairings in the order they come, plays several at a
time, and hands the results back *in that order*, whatever the order in which matches end. So a schedule sees
the same calls of `result` with any number of slots and after any resume, and it must keep one promise:

    how many pairings it has handed out already changes nothing about which pairings come, and in which order.

`arena.testing.formats` checks that, and everything else that is asked here, for any format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

import attrs

from arena.errors import Problem

SettingValue: TypeAlias = "bool | int | float | str | tuple[str, ...]"


@attrs.frozen(kw_only=True)
class Setting:
    """One key of a format in the `[format]` table of a tournament file."""

    name: str
    default: SettingValue  #: its type is the type of the setting; a tuple stands for a list of entrants' names
    minimum: float | None = None  #: of a number
    maximum: float | None = None  #: of a number
    help: str = ""


@attrs.frozen(kw_only=True)
class Field:
    """Who takes part in what: everything a format may know."""

    entrants: tuple[str, ...]  #: names, in the order of the file
    seats: int
    settings: Mapping[str, SettingValue] = attrs.field(factory=dict)  #: every setting of the format, checked
    bots: Mapping[str, str] = attrs.field(factory=dict)  #: entrant to bot; entrants of one bot must not share a table

    def may_meet(self, one: str, other: str) -> bool:
        """Whether the two may sit at one table."""
        return one != other and (one not in self.bots or self.bots[one] != self.bots.get(other))


@attrs.frozen(kw_only=True)
class Pairing:
    """One match that a schedule wants played."""

    match_id: str  #: unique in the tournament, the same in every run of the same plan; letters, digits and dashes
    line_up: tuple[str, ...]  #: names by seat
    deal: int  #: pairings with equal numbers play the same deal
    block: str  #: pairings of one line-up and one deal share it, and come one after the other
    rotation: int = 0  #: which seat rotation of its block this is


@attrs.frozen(kw_only=True)
class Played:
    """The result of a pairing, handed back in the order in which pairings came."""

    pairing: Pairing
    places: tuple[int, ...] = ()  #: by seat, 1 is best. Empty: it has no result
    scores: tuple[int, ...] = ()  #: by seat. Empty: it has no result
    forfeited: tuple[int, ...] = ()  #: seats

    @property
    def has_result(self) -> bool:
        """Whether it was played and counts."""
        return bool(self.places)


class Signal(Enum):
    """What a schedule answers when it has no pairing."""

    WAIT = "wait"
    DONE = "done"


WAIT: Final = Signal.WAIT  #: more pairings may come once more results are in
DONE: Final = Signal.DONE  #: no more pairings come
Answer: TypeAlias = "Pairing | Literal[Signal.WAIT, Signal.DONE]"


class Schedule(ABC):
    """The course of one tournament; pure, and owned by its director."""

    #: How many of the pairings count, once that is known to be fewer than were handed out: a test that stops
    #: early has handed out pairings that nobody needs. None: all of them.
    counted: int | None = None
    #: How many pairings there will be, or at most, where that is known.
    total: int | None = None

    @abstractmethod
    def next(self) -> Answer:
        """Return the next pairing, `WAIT` or `DONE`; after `DONE` always `DONE`."""

    def result(self, played: Played) -> None:
        """Hear of the next result in the order of the pairings; also of pairings that were not played."""
        del played

    def disabled(self, entrant: str) -> None:
        """Hear that an entrant plays no more: no pairing with it is played any more.

        Comes after the result that disabled it, and before the next one.
        """
        del entrant

    def state(self) -> str:
        """Return where the tournament stands, as one short line for people, or nothing."""
        return ""


class Format(ABC):
    """A way to pair entrants; has no state of its own."""

    name: str  #: as typed in tournament files
    summary: str = ""  #: one line: when to use it
    settings: tuple[Setting, ...] = ()

    def check(self, field: Field) -> list[Problem]:
        """Return what is wrong with a field beyond the types and ranges of single settings.

        Paths are relative to the `[format]` table. There are always at least as many entrants as seats.
        """
        del field
        return []

    @abstractmethod
    def schedule(self, field: Field) -> Schedule:
        """Return the schedule of a field that `check` had nothing against."""

    def continued(self, fields: Sequence[Field]) -> Schedule | None:
        """Return the schedule of a tournament that was begun with the first field and then changed, or None.

        `fields` are all fields in the order they came. The schedule begins with exactly the pairings of all but
        the last field, in their order. None: this change can't be made under a begun tournament.
        """
        return self.schedule(fields[0]) if len(fields) == 1 else None

    def notes(self, field: Field) -> list[str]:
        """Return sentences that the header of a run says about this format, for example what a budget left out."""
        del field
        return []


class StaticSchedule(Schedule):
    """Pairings that depend on no result."""

    def __init__(self, pairings: Iterator[Pairing], total: int) -> None:
        self._pairings = pairings
        self.total = total

    def next(self) -> Answer:
        """Return the next pairing or `DONE`."""
        return next(self._pairings, DONE)


class StaticFormat(Format):
    """A format whose pairings are all known before the first match."""

    @abstractmethod
    def pairings(self, field: Field) -> Iterator[Pairing]:
        """Yield all pairings, lazily, block by block."""

    def count(self, field: Field) -> int:
        """Return how many pairings there are; to be overridden where that is quick to say."""
        return sum(1 for _ in self.pairings(field))

    def schedule(self, field: Field) -> Schedule:
        """Return the schedule that plays `pairings`."""
        return StaticSchedule(self.pairings(field), self.count(field))

    def continued(self, fields: Sequence[Field]) -> Schedule | None:
        """Append what a later field adds; None when it lacks or changes a pairing of an earlier one."""
        if len(fields) == 1:
            return self.schedule(fields[0])
        known: dict[str, Pairing] = {}
        for field in fields:
            wanted = {pairing.match_id: pairing for pairing in self.pairings(field)}
            if any(wanted.get(match_id) != pairing for match_id, pairing in known.items()):
                return None
            known |= wanted  # keeps the place of what was there
        return StaticSchedule(iter(known.values()), len(known))
