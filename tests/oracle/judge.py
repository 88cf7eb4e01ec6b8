"""A slow judge of towers: rules 5 to 7, sentence by sentence.

A tower is a tuple of levels from the ground up, a level a tuple of sizes. Ranks are a mapping from skill to rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise

from tests.oracle.edition import SKILLS, Edition, Tile

Level = tuple[int, ...]
Tower = tuple[Level, ...]
Ranks = Mapping[str, int]


def uses_by_width(tower: Tower, ranks: Ranks, edition: Edition) -> list[dict[str, int]]:
    """Return, for every w that keeps all uses within the ranks, how often each skill is used; [] if none does.

    The entry of width is w itself, the number of uses made of it, even if no level needs them.
    """
    if not tower or any(not level for level in tower):
        return []
    mix = strength = balance = 0
    for level in tower:
        sizes = sorted(set(level))
        if len(sizes) > 2 or (len(sizes) == 2 and sizes[0] + 1 != sizes[1]):
            return []
        if len(sizes) == 2:
            mix += 1
    for below, above in pairwise(tower):
        if max(above) > min(below) or len(above) > len(below):
            return []
        if max(above) == min(below):
            strength += 1
        if len(above) == len(below):
            balance += 1
    found = []
    for w in range(ranks["width"] + 1):
        limit = edition.data["towers"]["width_limit"] + w
        too_wide = [number for number, level in enumerate(tower) if len(level) > limit]
        if edition.rulings["base_levels"] == "lowest_only" and any(number > 0 for number in too_wide):
            continue
        uses = {"mix": mix, "strength": strength, "balance": balance, "width": w, "base": len(too_wide)}
        if all(uses[skill] <= ranks[skill] for skill in SKILLS):
            found.append(uses)
    return found


def skills_by_width(tower: Tower, ranks: Ranks, edition: Edition) -> list[frozenset[str]]:
    """Return, for every w with which the tower stands, the set of skills that it uses with this w."""
    limit = edition.data["towers"]["width_limit"]
    found = []
    for uses in uses_by_width(tower, ranks, edition):
        used = {skill for skill in ("mix", "strength", "balance") if uses[skill] >= 1}
        if any(limit < len(level) <= limit + uses["width"] for level in tower):
            used.add("width")
        if any(len(level) > limit + uses["width"] for level in tower):
            used.add("base")
        found.append(frozenset(used))
    return found


def usable_lists(tower: Tower, ranks: Ranks, edition: Edition) -> set[frozenset[str]]:
    """Return every set of skills that the tower can be said to use; not even the empty one if it can't stand."""
    return {
        frozenset(listed)
        for used in skills_by_width(tower, ranks, edition)
        for number in range(len(used) + 1)
        for listed in combinations(sorted(used), number)
    }


def has_people(tower: Tower, team: Iterable[int]) -> bool:
    """Tell whether the team can fill the tower, every casteller standing once."""
    owned = Counter(team)
    return all(owned[size] >= needed for size, needed in Counter(size for level in tower for size in level).items())


def stands(tower: Tower, team: Iterable[int], ranks: Ranks, edition: Edition) -> bool:
    """Tell whether a player with this team and these ranks may build the tower at all."""
    return has_people(tower, team) and bool(uses_by_width(tower, ranks, edition))


def performs(tile: Tile, tower: Tower, team: Iterable[int], ranks: Ranks, edition: Edition) -> bool:
    """Tell whether the tower is a performance of the tile."""
    if not stands(tower, team, ranks, edition):
        return False
    if tile.shape is not None:
        return tuple(len(level) for level in tower) == tile.shape
    if edition.rulings["exhibition_levels"] == "at_least":
        right_height = len(tower) >= tile.points
    else:
        right_height = len(tower) == tile.points
    return right_height and any(tile.skills <= used for used in skills_by_width(tower, ranks, edition))


def may_compete(tower: Tower, shown: Iterable[int], team: Iterable[int], ranks: Ranks, edition: Edition) -> bool:
    """Tell whether the tower may enter a festival whose tokens show these sizes."""
    people = {size for level in tower for size in level}
    high_enough = len(tower) >= edition.data["towers"]["festival_least_levels"]
    return stands(tower, team, ranks, edition) and high_enough and set(shown) <= people


def festival_score(tower: Tower, shown: Iterable[int]) -> int:
    """Return the score of a tower at a festival whose tokens show these sizes."""
    wanted = set(shown)
    return len(tower) + sum(1 for level in tower for size in level if size in wanted)


def towers(team: Iterable[int], ranks: Ranks, edition: Edition) -> Iterator[Tower]:
    """Yield every distinct tower that a player may build, once; sizes fall within a level.

    Levels are put on top as long as the tower stands: what is left of a standing tower without its highest level
    stands as well, for it needs no more of any skill. Levels of three sizes are never tried.
    """
    yield from _higher((), Counter(team), ranks, edition)


def _higher(tower: Tower, left: Counter[int], ranks: Ranks, edition: Edition) -> Iterator[Tower]:
    for level in possible_levels(left):
        taller = (*tower, level)
        if uses_by_width(taller, ranks, edition):
            yield taller
            yield from _higher(taller, left - Counter(level), ranks, edition)


def possible_levels(left: Counter[int]) -> Iterator[Level]:
    """Yield every level of one or two sizes that these castellers can form."""
    sizes = [size for size in sorted(left, reverse=True) if left[size] > 0]
    for size in sizes:
        for number in range(1, left[size] + 1):
            yield (size,) * number
    for bigger, smaller in combinations(sizes, 2):
        for more in range(1, left[bigger] + 1):
            for less in range(1, left[smaller] + 1):
                yield (bigger,) * more + (smaller,) * less


def tower_text(tower: Tower) -> str:
    """Return the notation of a tower, for example `10 10 9/7 7/4`."""
    return "/".join(" ".join(str(size) for size in sorted(level, reverse=True)) for level in tower)


def read_tower(text: str) -> Tower:
    """Return the tower that a text in tower notation denotes."""
    return tuple(tuple(int(size) for size in level.split(" ")) for level in text.split("/"))
