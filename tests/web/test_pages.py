"""The values of every page, without HTML."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from arena.errors import ConfigError
from arena.referee.summary import MatchRow
from arena.report.tables import make_tables
from arena.tournament.store import RunReader
from arena.web import pages
from arena.web.pages import Filter
from arena.web.snapshot import Snapshot, take
from tests.web.making import EVIL, NAMES, make_plan


@pytest.fixture(scope="module")
def snapshot(four_run: Path) -> Snapshot:
    with RunReader(four_run) as reader:
        return take(reader)


def test_standings_place_every_interval_on_one_scale(snapshot: Snapshot) -> None:
    shown = pages.standings(snapshot)
    assert [line.row.entrant for line in shown.lines] == [row.entrant for row in snapshot.tables.standings]
    assert (shown.matches, shown.forfeits) == (12, 1)
    for line in shown.lines:
        assert line.interval is not None
        assert 0 <= line.interval.low <= line.interval.middle <= line.interval.high <= 1
    middles = [line.interval.middle for line in shown.lines if line.interval]
    assert middles == pytest.approx(sorted(middles, reverse=True))


@pytest.mark.parametrize("values", [[], [0.0], [-812.5, 733.0], [0.1, 0.2], [1e6, -1e6]])
def test_a_scale_holds_its_values_and_has_few_round_ticks(values: list[float]) -> None:
    axis = pages.scale(values)
    assert all(axis.low < value < axis.high for value in values)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
    assert 1 <= len(axis.ticks) <= 13


def test_the_crosstable_is_seen_from_its_rows(snapshot: Snapshot) -> None:
    shown = pages.crosstable(snapshot)
    assert set(shown.names) == set(NAMES)
    for i in range(3):
        assert shown.cells[i][i] is None
        for j in range(i):
            one, other = shown.cells[i][j], shown.cells[j][i]
            assert one is not None
            assert other is not None
            assert one.heat is not None
            assert other.heat is not None
            assert abs(one.heat + other.heat - 10) <= 1
            assert one.hint.startswith(shown.names[i])


def test_seats_show_their_share_beside_a_fair_one(snapshot: Snapshot) -> None:
    (table,) = pages.seat_effect(snapshot)
    assert table.size == 2
    assert sum(bar.row.wins for bar in table.bars) == pytest.approx(1)
    assert all(0 <= bar.low <= bar.bar <= bar.high <= 1 for bar in table.bars)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Filter(), 12),
        (Filter(entrant=EVIL), 8),
        (Filter(entrant="nobody"), 0),
        (Filter(deal=1), 6),
        (Filter(fault="any"), 1),
        (Filter(fault="crash", entrant="ann"), 1),
        (Filter(fault="timeout"), 0),
        (Filter(deal=0, entrant="ann"), 4),
    ],
)
def test_filters_choose_matches(snapshot: Snapshot, chosen: Filter, expected: int) -> None:
    verdicts = {row.match_id: row.verdicts for row in snapshot.rows if row.verdicts}
    if chosen.fault == "crash":  # whatever the maker of records writes
        chosen = attrs.evolve(chosen, fault=next(verdict for verdict in next(iter(verdicts.values())) if verdict))
    assert pages.match_list(snapshot, chosen).found == expected


def test_pages_of_matches_join_up(snapshot: Snapshot) -> None:
    whole = [line.match_id for line in pages.match_list(snapshot, Filter()).lines]
    joined = [
        line.match_id for page in (1, 2, 3) for line in pages.match_list(snapshot, Filter(page=page), size=5).lines
    ]
    assert joined == whole == [row.match_id for row in snapshot.rows]
    assert pages.match_list(snapshot, Filter(page=99), size=5).chosen.page == 3


def test_a_filter_survives_its_own_query() -> None:
    chosen = Filter(entrant="a&b=ü", deal=3, fault="time out", upset=True, page=7)
    assert Filter.read(chosen.query()) == chosen
    assert Filter.read({}) == Filter()


def test_every_wrong_part_of_a_query_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        Filter.read({"deal": "-1", "page": "0", "entrant": "x"})
    assert [problem.path for problem in caught.value.problems] == ["deal", "page"]


def test_an_entrant_page_adds_up(snapshot: Snapshot) -> None:
    page = pages.entrant_page(snapshot, EVIL)
    assert page is not None
    assert sum(count.count for count in page.places) == page.line.row.matches == 8
    assert sum(matches for _, matches, _ in page.by_seat) == 8
    assert sum(count.count for count in page.faults) == page.line.row.forfeits
    assert len(page.faulty) == page.line.row.forfeits
    assert {name for name, _ in page.opponents} == set(NAMES) - {EVIL}
    assert pages.entrant_page(snapshot, "nobody") is None


def test_points_of_castell_come_by_category(castell_run: Path) -> None:
    with RunReader(castell_run) as reader:
        page = pages.entrant_page(take(reader), "ann")
    assert page is not None
    assert page.total == pytest.approx(sum(category.mean for category in page.categories))
    assert [category.name for category in page.categories] == [
        "festival", "variety", "prizes", "size tokens", "performances",
    ]  # fmt: skip


def row(number: int, places: tuple[int, ...], forfeited: tuple[int, ...] = ()) -> MatchRow:
    return MatchRow(
        match_id=f"m{number}", line_up=("ann", "cy & co"), places=places, scores=(0, 0), block=f"b{number}",
        deal=number, termination="finished", forfeited=forfeited, verdicts=("", "crash") if forfeited else (),
    )  # fmt: skip


def test_an_upset_is_a_win_over_a_far_better_one_that_played_to_the_end() -> None:
    rows = [*(row(number, (1, 2)) for number in range(12)), row(12, (2, 1)), row(13, (1, 2), (1,))]
    snapshot = Snapshot(
        stored=14, plan=make_plan("connect-four", 2), rows=rows, tables=make_tables(rows), unscored=(), events=()
    )
    assert [one.match_id for one in rows if snapshot.is_upset(one)] == ["m12"]
    assert not snapshot.is_upset(void_row())


def void_row() -> MatchRow:
    return MatchRow(
        match_id="v", line_up=("ann", "cy & co"), places=(), scores=(), block="v", deal=0, termination="void"
    )


def test_an_empty_run_has_pages_too(tmp_path: Path) -> None:
    rows: list[MatchRow] = []
    plan = make_plan("connect-four", 2)
    empty = Snapshot(stored=0, plan=plan, rows=rows, tables=make_tables(rows, entrants=NAMES), unscored=(), events=())
    assert len(pages.standings(empty).lines) == 3
    assert pages.seat_effect(empty) == ()
    assert pages.match_list(empty, Filter()).pages == 1
    assert pages.entrant_page(empty, "ann") is not None
