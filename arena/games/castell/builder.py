"""Builds towers: exact answers for bots, without enumerating towers unless asked to.

A team is a sequence of counts (entry `i` counts size `i + 1`), ranks stand in the order of `edition.SKILLS`. Every
answer is remembered by team, ranks and target, in caches of bounded size, and has passed the judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from arena.games.castell.actions import Tower
from arena.games.castell.edition import Tile, TowerRules
from arena.games.castell.enumeration import all_towers
from arena.games.castell.festival_search import best_tower
from arena.games.castell.judge import STANDARD, festival_problem, festival_score, tile_problem
from arena.games.castell.tile_search import exhibition_tower, shape_tower

_REMEMBERED = 1 << 16  #: entries of a cache; a full one is emptied


class Builder:
    """The builder for one set of tower rules, with its caches."""

    def __init__(self, rules: TowerRules = STANDARD) -> None:
        self.rules = rules
        self._tiles: dict[tuple[Tile, bytes, tuple[int, ...]], Tower | None] = {}
        self._festivals: dict[tuple[bytes, tuple[int, ...], tuple[int, ...]], Tower | None] = {}

    def tower_for(self, tile: Tile, team: Sequence[int], ranks: Sequence[int]) -> Tower | None:
        """Return a tower that performs `tile`, the same for the same arguments; None exactly when there is none."""
        key = (tile, bytes(team), tuple(ranks))
        try:
            return self._tiles[key]
        except KeyError:
            pass
        if tile.shape:
            tower = shape_tower(tile.shape, key[1], key[2], self.rules)
        else:
            tower = exhibition_tower(tile, key[1], key[2], self.rules)
        if tower is not None:
            problem = tile_problem(tile, tower, key[1], key[2], self.rules)
            assert problem is None, problem
        if len(self._tiles) >= _REMEMBERED:
            self._tiles.clear()
        self._tiles[key] = tower
        return tower

    def best_festival_tower(self, team: Sequence[int], ranks: Sequence[int], sizes: Iterable[int]) -> Tower | None:
        """Return a tower of the highest score that may enter a festival showing `sizes`, or None.

        Among towers of that score it has the most castellers of shown sizes (so the fewest levels); among those it
        is the same for the same arguments.
        """
        key = (bytes(team), tuple(ranks), tuple(sizes))
        try:
            return self._festivals[key]
        except KeyError:
            pass
        shown = tuple(sorted(set(key[2])))
        tower = best_tower(key[0], key[1], shown, self.rules)
        if tower is not None:
            problem = festival_problem(tower, shown, key[0], key[1], self.rules)
            assert problem is None, problem
        if len(self._festivals) >= _REMEMBERED:
            self._festivals.clear()
        self._festivals[key] = tower
        return tower

    def towers(self, team: Sequence[int], ranks: Sequence[int]) -> Iterator[Tower]:
        """Yield every distinct tower once, lazily, in the order of `enumeration.all_towers`."""
        return all_towers(team, ranks, self.rules)

    def tile_towers(self, tile: Tile, team: Sequence[int], ranks: Sequence[int]) -> Iterator[Tower]:
        """Yield every tower that performs `tile`, in the order of `towers`."""
        if tile.shape:
            towers = all_towers(team, ranks, self.rules, shape=tile.shape)
        else:
            most = tile.points if self.rules.exhibition_levels == "exactly" else None
            towers = all_towers(team, ranks, self.rules, most_levels=most)
        return (tower for tower in towers if tile_problem(tile, tower, team, ranks, self.rules) is None)

    def festival_towers(self, team: Sequence[int], ranks: Sequence[int], sizes: Iterable[int]) -> Iterator[Tower]:
        """Yield every tower that may enter a festival showing `sizes`, in the order of `towers`."""
        shown = tuple(sizes)
        for tower in all_towers(team, ranks, self.rules):
            if festival_problem(tower, shown, team, ranks, self.rules) is None:
                yield tower


@lru_cache(maxsize=16)
def builder_for(rules: TowerRules = STANDARD) -> Builder:
    """Return the shared builder for `rules`."""
    return Builder(rules)


def towers(team: Sequence[int], ranks: Sequence[int], rules: TowerRules = STANDARD) -> Iterator[Tower]:
    """Yield every distinct tower once, lazily: ground first, wide before narrow, big sizes before small."""
    return all_towers(team, ranks, rules)


def best_festival_tower(
    team: Sequence[int], ranks: Sequence[int], sizes: Iterable[int], rules: TowerRules = STANDARD
) -> Tower | None:
    """See `Builder.best_festival_tower`."""
    return builder_for(rules).best_festival_tower(team, ranks, sizes)


def tower_for(tile: Tile, team: Sequence[int], ranks: Sequence[int], rules: TowerRules = STANDARD) -> Tower | None:
    """See `Builder.tower_for`."""
    return builder_for(rules).tower_for(tile, team, ranks)


__all__ = ["Builder", "best_festival_tower", "builder_for", "festival_score", "tower_for", "towers"]
