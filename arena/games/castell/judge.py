"""Judges towers: what they need, whether they stand, which skills they use; all refusals are sentences.

Counts of castellers (`team`) are sequences whose entry `i` counts the castellers of size `i + 1`; ranks stand in
the order of `edition.SKILLS`: balance, base, mix, strength, width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import attrs

from arena.games.castell.actions import Tower
from arena.games.castell.edition import BALANCE, BASE, MIX, SKILLS, STRENGTH, WIDTH, Tile, TowerRules

STANDARD = TowerRules()


@attrs.frozen(kw_only=True)
class Needs:
    """The uses of skills that are facts of a tower; width and base are chosen, see `splits`."""

    mix: int
    strength: int
    balance: int


def structure_problem(tower: Tower) -> str | None:
    """Return the sentence naming the rule that no rank can mend, or None for a tower that some ranks let stand."""
    if not tower or not all(tower):
        return "a tower has at least one level, and a level at least one casteller"
    for i, level in enumerate(tower, 1):
        if list(level) != sorted(level, reverse=True):
            return f"the sizes of level {i} do not fall; write {' '.join(map(str, sorted(level, reverse=True)))}"
        if level[0] - level[-1] > 1:
            return f"level {i} holds sizes {level[-1]} and {level[0]}; a level holds one size, or by mix k and k+1"
    for i, (below, above) in enumerate(pairwise(tower), 2):
        if above[0] > below[-1]:
            return (
                f"level {i} holds a {above[0]} above a {below[-1]} of level {i - 1}; "
                "sizes get smaller upwards, or by strength stay equal"
            )
        if len(above) > len(below):
            return (
                f"level {i} has {len(above)} castellers above {len(below)}; "
                "counts get smaller upwards, or by balance stay equal"
            )
    return None


def needs(tower: Tower) -> Needs:
    """Return the uses of mix, strength and balance of a tower without `structure_problem`."""
    pairs = list(pairwise(tower))
    return Needs(
        mix=sum(level[0] != level[-1] for level in tower),
        strength=sum(above[0] == below[-1] for below, above in pairs),
        balance=sum(len(above) == len(below) for below, above in pairs),
    )


def base_uses(tower: Tower, width: int, rules: TowerRules = STANDARD) -> int:
    """Return the uses of base that the tower needs when width is used `width` times."""
    return sum(len(level) > rules.width_limit + width for level in tower)


def base_allowed(ranks: Sequence[int], rules: TowerRules = STANDARD) -> int:
    """Return how many levels base may free."""
    return ranks[BASE] if rules.base_levels == "each_use" else min(ranks[BASE], 1)


def splits(tower: Tower, ranks: Sequence[int], rules: TowerRules = STANDARD) -> tuple[int, ...]:
    """Return every number of uses of width with which width and base stay within the ranks, rising."""
    allowed = base_allowed(ranks, rules)
    return tuple(w for w in range(ranks[WIDTH] + 1) if base_uses(tower, w, rules) <= allowed)


def tower_problem(tower: Tower, team: Sequence[int], ranks: Sequence[int], rules: TowerRules = STANDARD) -> str | None:
    """Return the sentence naming the first broken rule, or None when this team may build the tower."""
    problem = _casteller_problem(tower, team) or structure_problem(tower)
    if problem:
        return problem
    need = needs(tower)
    for uses, skill in ((need.mix, MIX), (need.strength, STRENGTH), (need.balance, BALANCE)):
        if uses > ranks[skill]:
            return f"the tower needs {_times(uses)} {SKILLS[skill]}, but your rank is {ranks[skill]}"
    if base_uses(tower, ranks[WIDTH], rules) > base_allowed(ranks, rules):
        limit = rules.width_limit + ranks[WIDTH]
        return (
            f"no level may have more than {limit} castellers (width {ranks[WIDTH]}), "
            f"but for {base_allowed(ranks, rules)} freed by base (rank {ranks[BASE]}); "
            f"the counts are {_shape(tower)}"
        )
    return None


def _casteller_problem(tower: Tower, team: Sequence[int]) -> str | None:
    used: dict[int, int] = {}
    for level in tower:
        for size in level:
            used[size] = used.get(size, 0) + 1
    for size in sorted(used):
        have = team[size - 1] if 1 <= size <= len(team) else 0
        if used[size] > have:
            return f"the tower uses {used[size]} castellers of size {size}, but your team has {have}"
    return None


def _shape(tower: Tower) -> str:
    """Return the counts of the levels as text, cut short for absurd towers."""
    counts = "-".join([str(len(level)) for level in tower[:20]])
    return counts if len(tower) <= 20 else f"{counts}-..."


def _times(uses: int) -> str:
    return "one use of" if uses == 1 else f"{uses} uses of"


def used_skills(tower: Tower, width: int, rules: TowerRules = STANDARD) -> frozenset[str]:
    """Return the skills that a standing tower uses when width is used `width` times."""
    need = needs(tower)
    counts = [len(level) for level in tower]
    limit = rules.width_limit
    used = {
        "mix": need.mix > 0,
        "strength": need.strength > 0,
        "balance": need.balance > 0,
        "width": any(limit < count <= limit + width for count in counts),
        "base": any(count > limit + width for count in counts),
    }
    return frozenset(skill for skill in SKILLS if used[skill])


def uses_all(skills: Iterable[str], tower: Tower, ranks: Sequence[int], rules: TowerRules = STANDARD) -> bool:
    """Return whether one number of uses of width lets the tower use all `skills`; it must stand."""
    wanted = frozenset(skills)
    return any(wanted <= used_skills(tower, width, rules) for width in splits(tower, ranks, rules))


def tile_problem(
    tile: Tile, tower: Tower, team: Sequence[int], ranks: Sequence[int], rules: TowerRules = STANDARD
) -> str | None:
    """Return the sentence naming the first rule that this performance of `tile` breaks, or None."""
    counts = tuple(len(level) for level in tower)
    if tile.shape and counts != tile.shape:
        return f"tile #{tile.number} asks for the shape {tile}, but the tower's is {_shape(tower)}"
    if tile.skills:
        enough = len(counts) >= tile.points
        if not enough or (len(counts) > tile.points and rules.exhibition_levels == "exactly"):
            asks = f"{tile.points} levels" + ("" if rules.exhibition_levels == "exactly" else " or more")
            return f"tile #{tile.number} asks for {asks}, but the tower has {len(counts)}"
    problem = tower_problem(tower, team, ranks, rules)
    if problem is None and tile.skills and not uses_all(tile.skills, tower, ranks, rules):
        return f"tile #{tile.number} asks for a tower that uses {' and '.join(tile.skills)}; this one does not"
    return problem


def festival_problem(
    tower: Tower, sizes: Iterable[int], team: Sequence[int], ranks: Sequence[int], rules: TowerRules = STANDARD
) -> str | None:
    """Return the sentence naming the first rule that bars this tower from a festival showing `sizes`, or None."""
    if len(tower) < rules.festival_least_levels:
        return f"a festival tower has at least {rules.festival_least_levels} levels, but this one has {len(tower)}"
    for size in sizes:
        if not any(size in level for level in tower):
            return f"the festival shows size {size}, and the tower has no casteller of it"
    return tower_problem(tower, team, ranks, rules)


def festival_score(tower: Tower, sizes: Iterable[int]) -> int:
    """Return the festival score: levels, plus one for each casteller whose size is shown."""
    shown = frozenset(sizes)
    return len(tower) + sum(size in shown for level in tower for size in level)


def count_of(tower: Tower, size: int) -> int:
    """Return how many castellers of `size` stand in the tower."""
    return sum(level.count(size) for level in tower)
