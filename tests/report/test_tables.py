"""Tables: what is counted, what is said about it, and how it fits a terminal."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import MatchRow
from arena.report.tables import Section, Tables, make_tables, render
from arena.report.text import Column, cells_wide, common_decimals, decimals, draw, number, shorten
from arena.report.values import StandingRow
from benchmarks.planted import Planted

NAMES = ("ada", "ben", "cleo", "dan")


def places_of(scores: Sequence[int], forfeited: Sequence[int] = ()) -> tuple[int, ...]:
    counted = [-1000 if seat in forfeited else score for seat, score in enumerate(scores)]
    return tuple(1 + sum(other > score for other in counted) for score in counted)


def row(
    line_up: tuple[str, ...],
    scores: tuple[int, ...],
    number: int = 0,
    *,
    deal: int | None = None,
    faults: dict[int, str] | None = None,
    mean_ms: tuple[float, ...] = (),
    requests: tuple[int, ...] = (),
    max_ms: tuple[float, ...] = (),
) -> MatchRow:
    faults = faults or {}
    return MatchRow(
        match_id=f"m{number}",
        line_up=line_up,
        places=places_of(scores, tuple(faults)),
        scores=scores,
        block=f"b{number // len(line_up)}",
        deal=number // len(line_up) if deal is None else deal,
        termination="finished",
        categories={"towers": tuple(score - 1 for score in scores), "tiles": (1,) * len(scores)},
        forfeited=tuple(sorted(faults)),
        verdicts=tuple(faults.get(seat, "") for seat in range(len(line_up))) if faults else (),
        requests=requests,
        mean_ms=mean_ms,
        max_ms=max_ms,
    )


def void(line_up: tuple[str, ...]) -> MatchRow:
    return MatchRow(
        match_id="v", line_up=line_up, places=(), scores=(), block="b", deal=0, termination="void",
    )  # fmt: skip


@st.composite
def runs(draw: st.DrawFn) -> list[MatchRow]:
    rows = []
    for place in range(draw(st.integers(1, 15))):
        seats = draw(st.integers(2, 4))
        line_up = tuple(draw(st.lists(st.sampled_from(NAMES), min_size=seats, max_size=seats)))
        scores = tuple(draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats)))
        faulty = draw(st.sets(st.integers(0, seats - 1), max_size=seats))
        rows.append(row(line_up, scores, place, faults=dict.fromkeys(sorted(faulty), "crash")))
    return rows


def planted_rows(seats: int = 4, deals: int = 8, names: Sequence[str] = ()) -> list[MatchRow]:
    planted = Planted(seats=seats, point=0.5)
    rows = []
    for place, result in enumerate(planted.play(deals, np.random.default_rng(3))):
        line_up = tuple(names[int(name[3:])] for name in result.line_up) if names else result.line_up
        scores = tuple(40 - place for place in result.places)
        rows.append(row(line_up, scores, place, deal=result.deal))
    return rows


def standing(tables: Tables, entrant: str) -> StandingRow:
    return next(row for row in tables.standings if row.entrant == entrant)


@settings(max_examples=60, deadline=None)
@given(runs())
def test_the_counts_add_up(rows: list[MatchRow]) -> None:
    tables = make_tables(rows)
    for entry in tables.standings:
        assert entry.wins + entry.ties + entry.losses == entry.matches
        assert entry.forfeits <= entry.losses
        assert sum(entry.faults.values()) == entry.forfeits
    assert sum(entry.matches for entry in tables.standings) == sum(len(row.line_up) for row in rows)
    assert sum(entry.wins for entry in tables.standings) <= len(rows)
    for seat in tables.seats:
        assert 0 <= seat.wins <= 1
    shares = {(pair.one, pair.other): pair for pair in tables.pairs}
    for (one, other), pair in shares.items():
        opposite = shares[other, one]
        assert pair.meetings == opposite.meetings
        if pair.share is not None and opposite.share is not None:
            assert pair.share + opposite.share == pytest.approx(1)


@settings(max_examples=30, deadline=None)
@given(runs(), st.randoms(use_true_random=False), st.sampled_from([40, 60, 80, 120]))
def test_text_never_depends_on_the_order_and_never_passes_the_width(
    rows: list[MatchRow], rng: random.Random, width: int
) -> None:
    text = render(make_tables(rows), width=width)
    assert max(map(cells_wide, text.splitlines())) <= width
    shuffled = list(rows)
    rng.shuffle(shuffled)
    assert render(make_tables(shuffled), width=width) == text


def test_a_run_without_matches_has_tables() -> None:
    tables = make_tables([], entrants=["ada", "ben"])
    assert [(entry.entrant, entry.rank, entry.elo, entry.matches) for entry in tables.standings] == [
        ("ada", None, None, 0), ("ben", None, None, 0),
    ]  # fmt: skip
    text = render(tables)
    assert "0 matches" in text
    assert "n/a" in text


def test_standings_count_what_happened() -> None:
    rows = [
        row(("ada", "ben"), (30, 20), 0, requests=(10, 5), mean_ms=(2.0, 1.0), max_ms=(9.0, 3.0)),
        row(("ben", "ada"), (30, 30), 1, requests=(10, 30), mean_ms=(2.0, 4.0), max_ms=(8.0, 5.0)),
        row(("ada", "ben"), (50, 0), 2, faults={0: "timeout"}),
        row(("ben", "ada"), (10, 40), 3, faults={0: "crash", 1: "illegal"}),
        void(("ada", "ben")),
    ]
    tables = make_tables(rows)
    ada, ben = standing(tables, "ada"), standing(tables, "ben")
    assert (ada.matches, ada.wins, ada.ties, ada.losses, ada.forfeits) == (4, 1, 1, 2, 2)
    assert (ben.matches, ben.wins, ben.ties, ben.losses, ben.forfeits) == (4, 1, 1, 2, 1)
    assert ada.faults == {"illegal": 1, "timeout": 1}
    assert ada.mean_score == 30  # only matches without any forfeit
    assert ben.mean_score == 25
    assert ada.mean_place == pytest.approx((1 + 1 + 2 + 1) / 4)
    assert ada.mean_ms == pytest.approx((10 * 2 + 30 * 4) / 40)
    assert (ada.max_ms, ben.max_ms) == (9, 8)
    assert (tables.matches, tables.void) == (4, 1)
    assert "1 void match left out." in render(tables)


def test_clean_tables_leave_forfeited_matches_out() -> None:
    rows = [row(("ada", "ben"), (30, 20), 0), row(("ben", "ada"), (1, 50), 1, faults={1: "timeout"})]
    both, clean = make_tables(rows), make_tables(rows, only_clean=True)
    assert standing(both, "ada").forfeits == 1
    assert standing(both, "ada").matches == 2
    assert standing(clean, "ada").matches == 1
    assert standing(clean, "ada").forfeits == 0
    assert "Only matches without a forfeit." in render(clean)


def test_intervals_are_against_the_anchor_when_there_is_one() -> None:
    rows = planted_rows()
    free, held = make_tables(rows), make_tables(rows, anchor="bot3", anchor_elo=1200)
    assert standing(held, "bot3").elo == 1200
    assert standing(held, "bot3").plus_minus is None
    assert standing(held, "bot0").plus_minus != standing(free, "bot0").plus_minus
    text = render(held)
    assert "against bot3" in text
    assert "anchor" in text
    assert "against the mean of the field" in render(free)
    assert standing(held, "bot0").clusters == 8
    assert "8 deals as samples" in text


def test_entrants_without_a_match_come_last() -> None:
    tables = make_tables([row(("ada", "ben"), (1, 0))], entrants=["zoe", "ben", "ada"])
    assert [entry.entrant for entry in tables.standings] == ["ada", "ben", "zoe"]
    assert standing(tables, "zoe").rank is None


def test_groups_are_shown_apart() -> None:
    rows = [row(pair, (2, 1), 2 * n) for n, pair in enumerate([("ada", "ben"), ("cleo", "dan")] * 3)]
    tables = make_tables(rows)
    assert tables.groups == 2
    text = render(tables)
    assert "group" in text
    assert "2 groups never met" in text
    likelihood = next(pair for pair in tables.pairs if (pair.one, pair.other) == ("ada", "dan"))
    assert likelihood.superiority is None
    assert likelihood.share is None


def test_seat_table_shows_who_sits_well() -> None:
    rows = [row(pair, (2, 1) if n % 5 else (1, 1), 2 * n, deal=n) for n, pair in enumerate([("ada", "ben")] * 25)]
    rows += [row(("ben", "ada"), match.scores, 99, deal=match.deal) for match in rows]
    first, second = make_tables(rows).seats
    assert (first.seat, first.matches) == (0, 50)
    assert first.wins == pytest.approx(0.9)
    assert second.wins == pytest.approx(0.1)
    assert 0 < (first.wins_plus_minus or 0) < 0.2
    assert (first.elo or 0) > 100
    assert first.elo == pytest.approx(-(second.elo or 0))
    lines = render(make_tables(rows), sections=[Section.SEATS]).splitlines()
    assert [line.split()[2] for line in lines[3:5]] == ["0", "1"]
    assert lines[5].startswith("Seats count from 0")


def test_crosstable_says_who_is_over_whom() -> None:
    scores = [{"ada": 3, "ben": 2, "cleo": 1}, {"ada": 3, "ben": 2, "cleo": 1}, {"ada": 2, "ben": 3, "cleo": 2}]
    rows = [
        row(seated, tuple(found[name] for name in seated), 3 * deal + turn)
        for deal, found in enumerate(scores)
        for turn, seated in enumerate([("ada", "ben", "cleo"), ("ben", "cleo", "ada"), ("cleo", "ada", "ben")])
    ]
    tables = make_tables(rows)
    pairs = {(pair.one, pair.other): pair for pair in tables.pairs}
    assert (pairs["ada", "ben"].meetings, pairs["ada", "ben"].share) == (9, 6 / 9)
    assert pairs["ben", "ada"].share == pytest.approx(3 / 9)
    assert pairs["ada", "cleo"].share == pytest.approx(7.5 / 9)
    assert (pairs["ada", "cleo"].superiority or 0) > 0.8
    text = render(tables, sections=[Section.CROSSTABLE])
    line = next(line for line in text.splitlines() if line.startswith("  1"))
    assert line.split() == ["1", "ada", "·", "67", "83"]
    assert "the row's entrant was before the column's" in text


def colluding_rows() -> list[MatchRow]:
    """Return matches of equals, but ada beats third seats whenever ben sits at the table."""
    rng = np.random.default_rng(1)
    rows: list[MatchRow] = []
    for deal in range(30):
        for line_up in combinations((*NAMES, "eve"), 3):
            for turn in range(3):
                seated = line_up[turn:] + line_up[:turn]
                scores = [int(score) for score in rng.integers(10, 40, 3)]
                if "ada" in seated and "ben" in seated:
                    scores[seated.index("ada")] += 15
                rows.append(row(seated, tuple(scores), len(rows), deal=deal))
    return rows


def test_a_pair_that_helps_each_other_is_found_and_honest_ones_are_not() -> None:
    tables = make_tables(colluding_rows())
    assert (tables.odd_pairs[0].entrant, tables.odd_pairs[0].partner) == ("ada", "ben")
    assert {(pair.entrant, pair.partner) for pair in tables.odd_pairs if pair.against == "others"} == {("ada", "ben")}
    assert tables.odd_pairs[0].observed > tables.odd_pairs[0].expected
    assert "ada" in render(tables, sections=[Section.PAIRS])
    honest = make_tables(planted_rows(deals=20))
    assert honest.odd_pairs == ()
    assert honest.pairs_looked_at == 60
    assert "No pair does better" in render(honest, sections=[Section.PAIRS])
    few = make_tables(planted_rows(deals=4))
    assert few.pairs_looked_at == 0
    assert render(few, sections=[Section.PAIRS]).splitlines() == [
        "Odd pairs",
        "No pair was looked at: none has sat at one table in 5 deals.",
    ]


def test_categories_are_means_of_clean_matches() -> None:
    rows = [row(("ada", "ben"), (30, 20), 0), row(("ben", "ada"), (90, 50), 1, faults={0: "crash"})]
    ada, ben = make_tables(rows).categories
    assert ada.means == {"towers": 29, "tiles": 1}
    assert (ada.total, ada.matches) == (30, 1)
    assert ben.means["towers"] == 19
    text = render(make_tables(rows), sections=[Section.CATEGORIES])
    assert "towers" in text
    plain = [msgspec.structs.replace(match, categories={}) for match in rows]
    assert render(make_tables(plain), sections=[Section.CATEGORIES]) == ""


def test_faults_have_a_column_for_each_verdict() -> None:
    rows = [row(("ada", "ben"), (1, 0), 0, faults={1: "timeout"}), row(("ada", "ben"), (1, 0), 1, faults={1: "crash"})]
    text = render(make_tables(rows), sections=[Section.FAULTS], width=None)
    assert text.splitlines()[1].split()[2:5] == ["forfeits", "crash", "timeout"]
    assert next(line for line in text.splitlines() if line.startswith("ben")).split()[2:5] == ["2", "1", "1"]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_no_table_passes_the_width(width: int) -> None:
    names = ["a rather long name of forty characters..", "漢字の名前", *(f"bot-{n}" for n in range(4))]
    tables = make_tables(planted_rows(names=names))
    text = render(tables, width=width)
    assert max(map(cells_wide, text.splitlines())) <= width
    for section in Section:
        assert render(tables, sections=[section], width=width)


def test_eighty_columns_keep_what_matters() -> None:
    head = render(make_tables(planted_rows()), sections=[Section.STANDINGS], width=80).splitlines()[1].split()
    assert head[:6] == ["#", "entrant", "Elo", "±", "matches", "place"]
    wide = render(make_tables(planted_rows()), sections=[Section.STANDINGS], width=None).splitlines()[1]
    assert wide.split()[-4:] == ["mean", "ms", "worst", "ms"]


def test_sections_that_were_not_made_are_refused() -> None:
    tables = make_tables([row(("ada", "ben"), (1, 0))], sections=[Section.STANDINGS])
    assert render(tables).startswith("Standings")
    with pytest.raises(ValueError, match="'seats' was not made, only standings"):
        render(tables, sections=[Section.SEATS])


def test_tables_are_json_as_they_are() -> None:
    tables = make_tables(planted_rows())
    back = msgspec.json.decode(msgspec.json.encode(tables), type=Tables)
    assert back == tables


@pytest.mark.parametrize(
    ("error", "expected"), [(None, 0), (float("nan"), 0), (0, 0), (250, 0), (12.3, 0), (5.2, 0), (3.41, 1), (1.0, 1),
                            (0.98, 1), (0.35, 2), (0.052, 2), (0.0129, 3)],
)  # fmt: skip
def test_decimals_follow_the_error(error: float | None, expected: int) -> None:
    assert decimals(error) == expected


def test_a_column_takes_the_decimals_of_its_median_error() -> None:
    assert common_decimals([12.0, 0.3, 15.0, None]) == 0
    assert common_decimals([None, None], otherwise=3) == 3


def test_numbers_are_never_minus_nothing() -> None:
    assert number(-0.04, 1) == "0.0"
    assert number(3.26, 1, signed=True) == "+3.3"
    assert number(None, 2) == "n/a"


def test_narrow_tables_drop_columns_then_cut_names() -> None:
    columns = [
        Column[str]("name", lambda name: name, 9, left=True),
        Column[str]("more", lambda name: "0123456789", 2),
        Column[str]("less", lambda name: "0123456789", 1),
    ]
    assert "less" in draw(["a" * 20], columns, None)
    assert draw(["a" * 20], columns, 34).splitlines()[0].split() == ["name", "more"]
    assert draw(["a" * 20], columns, 12).splitlines()[-1] == "a" * 11 + "…"
    assert shorten("abcdef", 4) == "abc…"
