"""What a schedule makes of results: the share of the table that a seat left behind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from arena.tournament.formats.api import Played


def beaten_shares(played: Played) -> tuple[float, ...]:
    """Return by seat the share of the other seats it finished ahead of, a tie half; () without a result."""
    places = played.places
    others = len(places) - 1
    return tuple(
        (sum(mine < other for other in places) + (sum(mine == other for other in places) - 1) / 2) / others
        for mine in places
    )


class Tally:
    """Sums of `beaten_shares` and of points by entrant."""

    def __init__(self) -> None:
        self._shares: defaultdict[str, float] = defaultdict(float)
        self._matches: Counter[str] = Counter()
        self._points: defaultdict[str, int] = defaultdict(int)

    def add(self, played: Played) -> None:
        """Count a result; nothing happens without one."""
        for name, share, score in zip(played.pairing.line_up, beaten_shares(played), played.scores, strict=False):
            self._shares[name] += share
            self._matches[name] += 1
            self._points[name] += score

    @property
    def is_empty(self) -> bool:
        """Whether there is no result yet."""
        return not self._matches

    def mean(self, name: str) -> float:
        """Return the mean share of an entrant, 0.5 when it has no result."""
        return self._shares[name] / self._matches[name] if self._matches[name] else 0.5

    def points(self, name: str) -> float:
        """Return the mean points of an entrant, 0 when it has no result."""
        return self._points[name] / self._matches[name] if self._matches[name] else 0.0

    def ranked(self, names: Iterable[str]) -> list[str]:
        """Return the names by mean share, then mean points; equals keep their order."""
        return sorted(names, key=lambda name: (-self.mean(name), -self.points(name)))
