"""What can be worked out once for an edition, a side and a number of seats, so that play only looks it up.

Castellers of a region or a team are packed into one int, 8 bits a size, size 1 lowest: `packed.to_bytes(n, "little")`
gives the counts by size, adding is recruiting, and equal multisets are equal numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement

import attrs

from arena.games.castell.actions import Compete, Level, Move, Perform, Recruit, Special, Train
from arena.games.castell.builder import Builder, builder_for
from arena.games.castell.edition import EVERYWHERE, SKILLS, SPECIAL, Edition, Side

KINDS = (*SKILLS, SPECIAL)  #: kinds of wheel tiles; the index of a skill is its place in the ranks
SPECIAL_KIND = KINDS.index(SPECIAL)
_REMEMBERED = 1 << 15  #: entries of a cache; a full one is emptied
_EDITIONS = 64


@attrs.frozen(kw_only=True)
class Larder:
    """What can be recruited from one multiset of castellers."""

    sizes: Level  #: all of them, falling
    takes: dict[Level, int]  #: sizes, falling -> packed castellers
    recruits: tuple[Recruit, ...]  #: one casteller first, big ones first; then two
    free: tuple[Special, ...]
    paid: tuple[Special, ...]


class Tables:
    """Look-ups for one edition, side and number of seats; its caches are bounded and shared by all states."""

    def __init__(self, edition: Edition, side: Side, seats: int) -> None:
        self.edition, self.side, self.seats = edition, side, seats
        self.builder: Builder = builder_for(edition.tower_rules)
        self.sizes = len(edition.count_by_size)
        self.names = edition.regions
        self.index = {name: i for i, name in enumerate(edition.regions)}
        self.skill = {name: i for i, name in enumerate(SKILLS)}
        self.unit = (0, *(1 << 8 * i for i in range(self.sizes)))
        self.neighbours = self._neighbours()
        everywhere = tuple(range(len(self.names)))
        # By region; the last entry, index -1, serves a pawn that is off the board.
        self.moves = tuple(tuple(Move(self.names[i]) for i in to) for to in (*self.neighbours, everywhere))
        self.reach = tuple(frozenset(self.names[i] for i in to) for to in (*self.neighbours, everywhere))
        far = edition.rulings.special_move == "any"
        to_by_region = [[j for j in everywhere if j != i] if far else list(self.neighbours[i]) for i in everywhere]
        self.special_reach = tuple(frozenset(self.names[j] for j in to) for to in to_by_region)
        self.free_moves = tuple(tuple(Special(Move(self.names[j]), True) for j in to) for to in to_by_region)
        self.paid_moves = tuple(tuple(Special(Move(self.names[j]), False) for j in to) for to in to_by_region)
        self.trains = tuple(Train(skill) for skill in SKILLS)
        self.highest_rank = edition.highest_rank
        rulings = edition.rulings
        self.lay_before = rulings.token_laid == "before"  # noqa: S105 -- a token of the game
        self.one_per_player = rulings.token_spaces == "one_per_player"  # noqa: S105
        self.prize_kinds = tuple(edition.prize_points)
        self.orders = tuple(tuple((first + i) % seats for i in range(seats)) for first in range(seats))
        self._larders: dict[int, Larder] = {}
        self._performs: dict[tuple[int, int, tuple[int, ...]], tuple[Special, Special] | None] = {}
        self._competes: dict[tuple[int, tuple[int, ...], tuple[int, ...]], Compete | None] = {}

    def _neighbours(self) -> tuple[tuple[int, ...], ...]:
        pairs = [(self.index[a], self.index[b]) for a, b in self.edition.borders + self.edition.dotted]
        return tuple(
            tuple(sorted({b for pair in pairs for a, b in (pair, pair[::-1]) if a == i}))
            for i in range(len(self.names))
        )

    def counts(self, packed: int) -> bytes:
        """Return packed castellers as counts by size, entry `i` counts size `i + 1`."""
        return packed.to_bytes(self.sizes, "little")

    def pack(self, sizes: Iterable[int]) -> int:
        """Return sizes as packed castellers."""
        return sum(self.unit[size] for size in sizes)

    def pack_counts(self, counts: Sequence[int]) -> int:
        """Return counts by size as packed castellers."""
        return int.from_bytes(bytes(counts), "little")

    def falling(self, packed: int) -> list[int]:
        """Return packed castellers as sizes, falling."""
        counts = self.counts(packed)
        return [size for size in range(self.sizes, 0, -1) for _ in range(counts[size - 1])]

    def larder(self, packed: int) -> Larder:
        """Return what can be recruited from `packed` castellers."""
        larder = self._larders.get(packed)
        if larder is None:
            larder = self._fill_larder(packed)
            if len(self._larders) >= _REMEMBERED:
                self._larders.clear()
            self._larders[packed] = larder
        return larder

    def _fill_larder(self, packed: int) -> Larder:
        have = self.falling(packed)
        sizes = sorted(set(have), reverse=True)
        takes: list[Level] = [(size,) for size in sizes]
        pairs = combinations_with_replacement(sizes, 2)
        takes += [pair for pair in pairs if pair[0] != pair[1] or have.count(pair[0]) > 1]
        return Larder(
            sizes=tuple(have),
            takes={take: self.pack(take) for take in takes},
            recruits=tuple(Recruit(take) for take in takes),
            free=tuple(Special(Recruit((size,)), True) for size in sizes),
            paid=tuple(Special(Recruit((size,)), False) for size in sizes),
        )

    def perform(self, tile: int, team: int, ranks: tuple[int, ...]) -> tuple[Special, Special] | None:
        """Return the free and the paid performance of `#tile` with one good tower, or None when there is none."""
        key = (tile, team, ranks)
        try:
            return self._performs[key]
        except KeyError:
            pass
        tower = self.builder.tower_for(self.edition.tiles[tile - 1], self.counts(team), ranks)
        found = None
        if tower is not None:
            effect = Perform(tile, tower)
            found = (Special(effect, True), Special(effect, False))
        if len(self._performs) >= _REMEMBERED:
            self._performs.clear()
        self._performs[key] = found
        return found

    def compete(self, team: int, ranks: tuple[int, ...], sizes: tuple[int, ...]) -> Compete | None:
        """Return the best tower for a festival showing `sizes`, or None when there is none."""
        key = (team, ranks, sizes)
        try:
            return self._competes[key]
        except KeyError:
            pass
        tower = self.builder.best_festival_tower(self.counts(team), ranks, sizes)
        found = None if tower is None else Compete(tower)
        if len(self._competes) >= _REMEMBERED:
            self._competes.clear()
        self._competes[key] = found
        return found

    def offers(self, ring: Sequence[str], number: int) -> tuple[tuple[int, ...], ...]:
        """Return by region the kinds that can be trained there in round `number`, rising.

        Args:
            ring: the kinds of the wheel tiles, clockwise from the one that faces slot 0 in round 1.
            number: the round, from 1.
        """
        step = number - 1 if self.edition.rulings.wheel_turns == "clockwise" else 1 - number
        facing = {slot: KINDS.index(ring[(i + step) % len(ring)]) for i, slot in enumerate(self.edition.slots)}
        common = {facing[EVERYWHERE]} if self.side == "standard" else set()
        return tuple(tuple(sorted({facing[name]} | common)) for name in self.names)


_shared: dict[tuple[str, Side, int], Tables] = {}


def tables_for(edition: Edition, side: Side, seats: int) -> Tables:
    """Return the tables for an edition, a side and a number of seats, shared by all who ask for the same."""
    key = (edition.fingerprint, side, seats)
    if key not in _shared:
        if len(_shared) >= _EDITIONS:
            _shared.clear()
        _shared[key] = Tables(edition, side, seats)
    return _shared[key]
