"""The deal: everything that chance decides, drawn from a key before the first action.

Each shuffle has a generator of its own, seeded by a hash of the key and the shuffle's name. Shuffles use nothing of
`random.Random` but `random()`, which stays the same across versions of Python, and take its 53 bits whole: a draw
below `n` rejects the few topmost of the 2**53 values that would favour small results, so it is uniform if the bits are.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

from arena.games.castell.edition import Edition, Side
from arena.games.castell.state import Deal, Festival, State, opening
from arena.games.castell.tables import Tables, tables_for

T = TypeVar("T")
_ALL = 1 << 53


def below(rng: random.Random, n: int) -> int:
    """Return a uniform whole number from 0 to `n - 1`."""
    fair = _ALL - _ALL % n
    while True:
        draw = int(rng.random() * _ALL)
        if draw < fair:
            return draw % n


def shuffled(rng: random.Random, items: Sequence[T]) -> list[T]:
    """Return the items in a uniformly random order."""
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        j = below(rng, i + 1)
        result[i], result[j] = result[j], result[i]
    return result


def _generator(key: bytes, shuffle: str) -> random.Random:
    digest = hashlib.blake2b(key, digest_size=64, person=shuffle.encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))


def deal(edition: Edition, side: Side, seats: int, key: bytes) -> State:
    """Return the opening state of the deal that `key` (any bytes) names."""
    tables = tables_for(edition, side, seats)
    castellers = [size for size, count in enumerate(edition.count_by_size, 1) for _ in range(count)]
    bag = shuffled(_generator(key, "bag"), castellers)
    ring = shuffled(_generator(key, "wheel"), edition.wheel_tiles)
    festivals, spare = _festivals(tables, key)
    tiles = shuffled(_generator(key, "tiles"), [tile.number for tile in edition.tiles])
    at, per_region = 0, edition.castellers_per_region[seats]
    regions = []
    for _ in edition.regions:
        regions.append(tables.pack(bag[at : at + per_region]))
        at += per_region
    teams = []
    for _ in range(seats):
        teams.append(tables.pack(bag[at : at + edition.starting_team]))
        at += edition.starting_team
    each = edition.performances_per_region
    rows = [tuple(sorted(tiles[i * each : (i + 1) * each])) for i in range(len(edition.regions))]
    facts = Deal(tables=tables, bag=tuple(bag[at:]), ring=tuple(ring), festivals=festivals, spare=spare)
    return opening(facts, regions, teams, rows)


def _festivals(tables: Tables, key: bytes) -> tuple[tuple[Festival, ...], tuple[int, ...]]:
    """Return the festivals in calendar order, and the size tokens left over, rising."""
    edition = tables.edition
    everywhere = range(len(edition.regions))
    places = {kind: shuffled(_generator(key, f"festivals {kind}"), everywhere) for kind in ("I", "II")}
    numbered = [size for size, count in enumerate(edition.size_tokens, 1) for _ in range(count)]
    tokens = shuffled(_generator(key, "size tokens"), numbered)
    each = edition.tokens_per_festival
    festivals = []
    for number in sorted(edition.calendar):
        for kind in edition.calendar[number]:
            sizes, tokens = tokens[:each], tokens[each:]
            festivals.append(Festival(round=number, region=places[kind].pop(0), sizes=tuple(sorted(sizes))))
    return tuple(festivals), tuple(sorted(tokens))
