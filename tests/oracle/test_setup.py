"""Deals of the fast code against rule 2: every piece is there once, and lies where the rules put it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.bridge import SIDES, deal
from tests.oracle.model import set_up
from tests.oracle.variants import EASY, ELSEWHERE, changed


@pytest.mark.parametrize("values", [{}, EASY, ELSEWHERE], ids=["shipped", "easy", "elsewhere"])
@settings(max_examples=15, deadline=None)
@given(st.sampled_from([2, 3, 4]), st.sampled_from(SIDES), st.integers(0, 999_999))
def test_deals_follow_the_rules(values: dict[str, str], seats: int, side: str, key: int) -> None:
    state, position = deal(seats, side, key, changed(values))
    facts: Any = state.truth()
    edition = position.edition
    castellers = [size for _, region in position.board for size in region.castellers]
    castellers += [size for player in position.players for size in player.team]
    castellers += position.bag
    tokens = [size for festival in position.calendar for size in festival.shown]
    tiles = [number for _, region in position.board for number in region.row]
    locations = [festival.region for festival in position.calendar]

    assert position == set_up(
        edition,
        side,
        seats,
        castellers=castellers,
        ring=position.ring,
        locations=locations,
        size_tokens=tokens,
        tiles=tiles,
    )
    in_the_box = {size: number for size, number in enumerate(edition.data["castellers"]["count_by_size"], 1) if number}
    assert Counter(castellers) == in_the_box
    assert Counter(position.ring) == Counter(edition.data["wheel"]["tiles"])
    assert Counter([*tokens, *facts["spare"]]) == dict(enumerate(edition.data["festivals"]["size_tokens"], 1))
    assert len(set(tiles)) == len(tiles)
    assert set(tiles) <= set(edition.tiles)
    spaces = sorted((int(number), kinds) for number, kinds in edition.data["festivals"]["calendar"].items())
    kinds = [kind for _, of_round in spaces for kind in of_round]
    for wanted in ("I", "II"):
        places = [region for region, kind in zip(locations, kinds, strict=True) if kind == wanted]
        assert sorted(places) == sorted(edition.regions)
