"""What never gets lost in Castell, counted in a whole state."""

from __future__ import annotations

from collections import Counter

from arena.games.castell.state import State


def castellers(state: State) -> Counter[int]:
    """Return all castellers there are, by size."""
    tables, total = state.deal.tables, Counter(state.deal.bag[state.bag_at :])
    for packed in (*state.regions, *state.teams):
        total.update(tables.falling(packed))
    return total


def size_tokens(state: State) -> Counter[int]:
    """Return all size tokens, by size: not laid out, waiting on the calendar, won, gone."""
    total = Counter(state.deal.spare) + Counter(state.gone)
    total.update(size for row in state.size_tokens for size, _ in row)
    for index, festival in enumerate(state.deal.festivals):
        held_now = festival.round == state.round and (state.in_turn or 0 <= state.festival <= index)
        if state.seat is not None and (festival.round > state.round or held_now):
            total.update(festival.sizes)
    return total


def action_tokens(state: State) -> int:
    laid = sum(sum(packed.to_bytes(state.seats, "little")) for packed in state.laid)
    return sum(state.tokens) + laid + sum(map(sum, state.collected))


def check_conserved(state: State) -> None:
    """Account for all castellers, tokens, tiles and prizes of the shipped edition."""
    assert castellers(state) == dict.fromkeys(range(1, 11), 15)
    assert size_tokens(state) == dict.fromkeys(range(1, 11), 3)
    assert action_tokens(state) == 7 * state.seats
    tiles = [tile for row in state.rows for tile in row] + [tile for row in state.won for tile, _ in row]
    assert len(tiles) == len(set(tiles)) == 14
    won = Counter(kind for row in state.prizes for kind, _ in row)
    left = dict(zip(state.deal.tables.prize_kinds, state.prize_left, strict=True))
    assert {kind: won[kind] + n for kind, n in left.items()} == {"trophy": 14, "medal": 14, "ribbon": 12}
