"""Who gets what at a festival: prizes and size tokens, as pure functions of the towers built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from arena.games.castell.actions import Tower
from arena.games.castell.edition import Edition
from arena.games.castell.judge import count_of, festival_score

#: The towers of one festival as (seat, tower), in this festival's turn order.
Built: TypeAlias = Sequence[tuple[int, Tower]]


def prize_winners(edition: Edition, seats: int, scores: Sequence[int]) -> list[str | None]:
    """Return the kind of prize each builder has earned, or None, before any shortage.

    Args:
        edition: supplies the table of prizes and the rulings on ties.
        seats: players in the match.
        scores: the builders' tower scores in turn order.
    """
    if not scores:
        return []
    if edition.rulings.prizes_by == "players":
        row = edition.prizes[seats]
    else:
        fitting = [n for n in edition.prizes if n <= len(scores)]
        row = edition.prizes[max(fitting) if fitting else min(edition.prizes)]
    shared = edition.rulings.prize_ties == "share_and_skip"
    places = [
        sum(other > score for other in scores) + (0 if shared else scores[:i].count(score))
        for i, score in enumerate(scores)
    ]
    return [row[place] if place < len(row) else None for place in places]


def award_prizes(
    edition: Edition, seats: int, sizes: Sequence[int], built: Built, supply: Mapping[str, int]
) -> list[tuple[int, str]]:
    """Return (seat, kind) for each prize handed out; when a kind runs short, in turn order while it lasts."""
    kinds = prize_winners(edition, seats, [festival_score(tower, sizes) for _, tower in built])
    left = dict(supply)
    handed = []
    for (seat, _), kind in zip(built, kinds, strict=True):
        if kind is not None and left[kind]:
            left[kind] -= 1
            handed.append((seat, kind))
    return handed


def token_winner(edition: Edition, sizes: Sequence[int], size: int, built: Built) -> int | None:
    """Return the seat that gets the tokens of `size`, one of `sizes`, or None when they leave the game."""
    if not built:
        return None
    most = max(count_of(tower, size) for _, tower in built)
    if not most:
        return None
    tied = [(seat, tower) for seat, tower in built if count_of(tower, size) == most]
    ties = edition.rulings.size_token_ties
    if ties[0] == "tower_score":
        best = max(festival_score(tower, sizes) for _, tower in tied)
        tied = [(seat, tower) for seat, tower in tied if festival_score(tower, sizes) == best]
    return tied[0][0] if len(tied) == 1 or ties[0] == "turn_order" else None
