"""Random teams, ranks and towers: legal ones, nearly legal ones, absurd ones."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from tests.oracle import judge
from tests.oracle.edition import SKILLS, Edition


@dataclass(frozen=True)
class Case:
    """A question to a judge of towers; sizes of the team rise."""

    team: tuple[int, ...]
    ranks: dict[str, int]
    tower: judge.Tower


def random_team(rng: random.Random, most: int) -> tuple[int, ...]:
    """Return a team of up to `most` castellers; some teams have few sizes and so high walls of one size."""
    sizes = rng.sample(range(1, 11), rng.randint(1, 10))
    return tuple(sorted(rng.choice(sizes) for _ in range(rng.randint(1, most))))


def random_ranks(rng: random.Random, highest: int = 5) -> dict[str, int]:
    """Return ranks from 0 to `highest`, evenly."""
    return {skill: rng.randint(0, highest) for skill in SKILLS}


def grown_tower(rng: random.Random, team: tuple[int, ...], slack: float) -> judge.Tower:
    """Return a tower put up level by level; a level that can't be right goes in with the chance `slack`."""
    left, tower = Counter(team), list[judge.Level]()
    while levels := list(judge.possible_levels(left)):
        if rng.random() >= slack:
            levels = [level for level in levels if _may_lie_on(level, tower[-1] if tower else None)]
            if not levels:
                break
        level = rng.choice(levels)
        for _ in range(2):  # big castellers, so that there is room above
            level = max(level, rng.choice(levels), key=min)
        tower.append(level)
        left -= Counter(level)
        if rng.random() < 0.08:
            break
    return tuple(tower)


def _may_lie_on(level: judge.Level, below: judge.Level | None) -> bool:
    """Tell whether ranks could be so high that the level may lie there."""
    if max(level) - min(level) > 1:
        return False
    return below is None or (max(level) <= min(below) and len(level) <= len(below))


def nearly_enough(rng: random.Random, tower: judge.Tower, edition: Edition) -> dict[str, int]:
    """Return ranks that are just what one width of the limit needs, often with one of them one off."""
    ways = judge.uses_by_width(tower, dict.fromkeys(SKILLS, 5), edition)
    ranks = dict(rng.choice(ways)) if ways else random_ranks(rng)
    for skill in rng.sample(SKILLS, rng.choice([0, 0, 0, 1, 2])):
        ranks[skill] = min(5, max(0, ranks[skill] + rng.choice([-1, 1])))
    return ranks


def altered(rng: random.Random, tower: judge.Tower) -> judge.Tower:
    """Return the tower with one thing changed at random."""
    levels = [list(level) for level in tower]
    level = rng.choice(levels)
    match rng.randrange(6):
        case 0:
            level[rng.randrange(len(level))] += rng.choice([-1, 1])
        case 1:
            level.append(rng.choice(level))
        case 2:
            level.pop()
        case 3:
            levels.insert(rng.randrange(len(levels) + 1), list(rng.choice(levels)))
        case 4:
            rng.shuffle(levels)
        case _:
            level.append(rng.randint(1, 10))
    return tuple(
        tuple(sorted((min(10, max(1, size)) for size in level), reverse=True)) for level in levels if level
    ) or ((1,),)


def absurd_tower(rng: random.Random) -> judge.Tower:
    """Return levels at random."""
    return tuple(
        tuple(sorted((rng.randint(1, 10) for _ in range(rng.randint(1, 6))), reverse=True))
        for _ in range(rng.randint(1, 7))
    )


def random_case(rng: random.Random, edition: Edition) -> Case:
    """Return a legal, nearly legal or absurd question; the three kinds are about equally frequent."""
    team = random_team(rng, 30)
    if rng.random() < 0.1:
        return Case(team, random_ranks(rng), absurd_tower(rng))
    tower = grown_tower(rng, team, rng.choice([0, 0, 0, 0.15]))
    ranks = nearly_enough(rng, tower, edition)
    if rng.random() < 0.3:
        tower = altered(rng, tower)
    if rng.random() < 0.2:
        team = tuple(sorted([*team, *(size for level in tower for size in level)]))[: rng.choice([12, 40])]
    return Case(team, ranks, tower)


def fitting_tiles(rng: random.Random, tower: judge.Tower, edition: Edition) -> list[int]:
    """Return tiles worth asking about: those the tower may well perform, and one at random."""
    counts = tuple(len(level) for level in tower)
    close = [
        number
        for number, tile in edition.tiles.items()
        if tile.shape == counts or tile.points in {len(tower), len(tower) + 1}
    ]
    return [*close, rng.choice(list(edition.tiles))]
