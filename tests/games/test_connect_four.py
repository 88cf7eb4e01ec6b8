from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import IllegalAction, NotationError
from arena.games.api import Outcome
from arena.games.connect_four import HEIGHT, WIDTH, ConnectFour, ConnectFourState, has_four

GAME = ConnectFour()
KEY = bytes(16)


def played(columns: str) -> ConnectFourState:
    state = GAME.deal(2, KEY, {"opening": 0})
    for column in columns:
        state.apply(GAME.parse(column))
    return state


def count(state: ConnectFourState, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for action in state.legal_actions():
        after = state.copy()
        after.apply(action)
        total += count(after, depth - 1)
    return total


def test_counts_of_positions_by_depth() -> None:
    """The known numbers of move sequences from the empty board; from depth 7 on, finished games have no more moves."""
    assert [count(played(""), depth) for depth in range(7)] == [1, 7, 49, 343, 2401, 16807, 117649]


@pytest.mark.heavy
def test_counts_of_positions_deep_down() -> None:
    assert [count(played(""), depth) for depth in (7, 8)] == [823536, 5673234]


def four_by_looking(rows: list[str], mark: str) -> bool:
    """Say whether `mark` has four in a row, cell by cell: slow and plain."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [(x + n * dx, y + n * dy) for n in range(4)]
                if all(i < WIDTH and 0 <= j < HEIGHT and rows[j][i] == mark for i, j in line):
                    return True
    return False


@given(st.integers(0, 2**32))
def test_random_games_agree_with_a_plain_reading_of_the_board(seed: int) -> None:
    rng, state, rows = random.Random(seed), played(""), ["." * WIDTH] * HEIGHT
    while state.to_act is not None:
        assert state.rows() == rows
        assert not four_by_looking(rows, "x")
        assert not four_by_looking(rows, "o")
        assert list(state.legal_actions()) == [x + 1 for x in range(WIDTH) if rows[0][x] == "."]
        column, mark = rng.choice(state.options()), "xo"[state.to_act]
        assert isinstance(column, int)
        state.apply(column)
        row = max(y for y in range(HEIGHT) if rows[y][column - 1] == ".")
        rows[row] = rows[row][: column - 1] + mark + rows[row][column:]
    assert state.rows() == rows
    won = [four_by_looking(rows, mark) for mark in "xo"]
    if any(won):
        assert state.outcome() == Outcome(places=(1, 2) if won[0] else (2, 1), scores=(2, 0) if won[0] else (0, 2))
    else:
        assert "." not in "".join(rows)
        assert state.outcome() == Outcome(places=(1, 1), scores=(1, 1))


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ("1213141", 0),  # upright
        ("1122334", 0),  # level
        ("12233434464", 0),  # rising
        ("76655454424", 0),  # falling
        ("21213141", 1),
        ("7172737", 0),
    ],
)
def test_four_in_a_row_wins(columns: str, winner: int) -> None:
    before = played(columns[:-1])
    assert before.outcome() is None
    after = played(columns)
    assert after.to_act is None
    assert after.standing().places[winner] == 1
    with pytest.raises(IllegalAction, match="the match is over"):
        after.apply(1)


def test_a_line_does_not_run_over_the_edge() -> None:
    """Three at the top of one column and one at the bottom of the next are no four."""
    assert has_four(0b1111)
    assert not has_four(0b111 << 3 | 0b1 << 7)
    assert not has_four(0b11 << 4 | 0b11 << 7)


def test_a_full_board_is_a_draw() -> None:
    state = played("441365675334466335442232661515577771217122")
    assert state.to_act is None
    assert state.outcome() == Outcome(places=(1, 1), scores=(1, 1))


def test_a_full_column_is_closed() -> None:
    state = played("111111")
    with pytest.raises(IllegalAction, match="column 1 is full"):
        state.apply(1)
    assert list(state.legal_actions()) == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("column", [0, 8, -1, "x"])
def test_columns_that_are_not_there(column: object) -> None:
    with pytest.raises(IllegalAction, match=f"there is no column {column}"):
        played("").apply(column)


@pytest.mark.parametrize("text", ["", "0", "8", "44", " 4", "4\n", "four", "٣"])
def test_texts_that_are_no_actions(text: str) -> None:
    with pytest.raises(NotationError, match="no action: write the number of a column, 1 to 7"):
        GAME.parse(text)


def test_openings_come_from_the_key_alone() -> None:
    deals = [GAME.deal(2, bytes([n]) * 16, {"opening": 6}) for n in range(40)]
    again = [GAME.deal(2, bytes([n]) * 16, {"opening": 6}) for n in range(40)]
    assert [deal.digest() for deal in deals] == [deal.digest() for deal in again]
    assert len({deal.digest() for deal in deals}) > 35
    assert all(deal.to_act == 0 and sum(row.count("x") for row in deal.rows()) == 3 for deal in deals)


def test_an_opening_stays_what_it_is() -> None:
    assert GAME.deal(2, KEY, {"opening": 4}).rows()[-2:] == ["......o", "..xx..o"]


def test_the_board_is_drawn_and_told() -> None:
    state = played("44")
    assert GAME.draw(state).splitlines()[-3:] == [". . . o . . .", ". . . x . . .", "1 2 3 4 5 6 7"]
    assert GAME.tell(state, 3) == "drops a disc into column 3"
    assert state.view(1) == {"board": "......./......./......./......./...o.../...x...", "to_act": 0}


def test_order_of_moves_does_not_matter_to_the_digest() -> None:
    assert played("123").digest() == played("321").digest() != played("213").digest()
