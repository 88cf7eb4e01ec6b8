"""Counts of action sequences: one table, kept; the fast code and the oracle both say what stands in it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from arena.games.castell.actions import parse_action
from arena.games.castell.perft import perft
from arena.games.castell.state import State
from tests.oracle.bridge import deal, oracle_edition, position_of
from tests.oracle.counting import collapsed, complete
from tests.oracle.variants import changed

TABLE: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("perft_table.toml").read_text())["position"]
NAMES = [f"{row['seats']}-{row['side']}-{row['kind']}" for row in TABLE]
#: The oracle counts up to so many leaves in the normal tests.
CHEAP = 400


def reached(row: dict[str, Any]) -> State:
    """Return the position of a row, played to by the fast code."""
    state, _ = deal(row["seats"], row["side"], row["key"], changed({}))
    for text in row["actions"]:
        state.apply(parse_action(text))
    return state


def test_the_table_has_all_sorts() -> None:
    sorts = {(row["seats"], row["side"], row["kind"]) for row in TABLE}
    kinds = ("opening", "mid-game", "festival")
    assert sorts == {(seats, side, kind) for seats in (2, 3, 4) for side in ("standard", "advanced") for kind in kinds}
    counts = [entry for row in TABLE for entry in row["counts"]]
    assert len(counts) >= 24
    assert sum(entry["complete"] > entry["collapsed"] for entry in counts) >= 12


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_fast_code_agrees_with_the_table(row: dict[str, Any]) -> None:
    state = reached(row)
    before = state.digest()
    for entry in row["counts"]:
        counts = perft(state, entry["depth"])
        assert (counts.collapsed, counts.complete) == (entry["collapsed"], entry["complete"])
    assert state.digest() == before


def oracle_agrees(row: dict[str, Any], fewest: int, most: int) -> int:
    """Let the oracle count the entries with that many leaves, from its own way to the position; return how many."""
    position, entries = position_of(reached(row), oracle_edition(changed({}))), 0
    for entry in row["counts"]:
        if fewest <= entry["complete"] <= most:
            assert collapsed(position, entry["depth"]) == entry["collapsed"]
            assert complete(position, entry["depth"]) == entry["complete"]
            entries += 1
    return entries


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_oracle_agrees_with_the_cheap_rows(row: dict[str, Any]) -> None:
    assert oracle_agrees(row, 0, CHEAP) > 0


@pytest.mark.heavy
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("row", [row for row in TABLE if row["counts"][-1]["complete"] > CHEAP])
def test_oracle_agrees_with_the_rest(row: dict[str, Any]) -> None:
    assert oracle_agrees(row, CHEAP + 1, 10**9) > 0
