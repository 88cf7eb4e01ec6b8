from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.testing.formats import Course, made_up, make_field, simulate
from arena.tournament import formats
from arena.tournament.formats.api import DONE, Pairing
from arena.tournament.formats.grouping import free_tables, least_tables
from arena.tournament.formats.knockout import knocked_out
from arena.tournament.formats.swiss import rounds_of


def _play(name: str, entrants: int, seats: int, **options: int) -> Course:
    format_ = formats.find(name)
    field = make_field(format_, entrants, seats, options)
    assert format_.check(field) == []
    strengths = {one: 8.0 * number for number, one in enumerate(field.entrants)}
    return simulate(format_.schedule(field), strengths=strengths, ahead=3)


def _tables(course: Course) -> dict[str, list[Pairing]]:
    """Return the pairings with rotation 0, one for each block, by round."""
    by_round: defaultdict[str, list[Pairing]] = defaultdict(list)
    for pairing in course.pairings:
        if pairing.rotation == 0:
            by_round[pairing.block.split("-")[0]].append(pairing)
    return by_round


def _meetings(course: Course) -> Counter[tuple[str, ...]]:
    return Counter(
        pair
        for tables in _tables(course).values()
        for table in tables
        for pair in combinations(sorted(table.line_up), 2)
    )


@pytest.mark.parametrize(("entrants", "seats"), [(8, 2), (9, 2), (64, 2), (20, 4), (40, 4), (41, 3)])
def test_swiss_pairs_nobody_twice_where_that_is_easy_to_avoid(entrants: int, seats: int) -> None:
    course = _play("swiss", entrants, seats, rounds=4)
    assert set(_meetings(course).values()) == {1}


def test_swiss_over_all_rounds_is_a_round_robin() -> None:
    meetings = _meetings(_play("swiss", 4, 2, rounds=3))
    assert len(meetings) == 6
    assert set(meetings.values()) == {1}


@pytest.mark.parametrize(("entrants", "seats"), [(9, 2), (11, 3), (10, 4), (7, 4)])
def test_swiss_spreads_byes_and_seats(entrants: int, seats: int) -> None:
    course = _play("swiss", entrants, seats, rounds=5)
    names = {f"e{number:02d}" for number in range(entrants)}
    byes: Counter[str] = Counter()
    for tables in _tables(course).values():
        byes.update(names - {name for table in tables for name in table.line_up})
    assert sum(byes.values()) == 5 * (entrants % seats)
    counts = [byes[name] for name in names]
    assert max(counts) - min(counts) <= 1
    for name in names:
        seats_of = Counter(one.line_up.index(name) for one in course.pairings if name in one.line_up)
        assert len(set(seats_of.values())) == 1


def test_swiss_finds_the_strongest() -> None:
    course = _play("swiss", 32, 2, rounds=6, deals=2)
    format_ = formats.find("swiss")
    schedule = format_.schedule(make_field(format_, 32, 2, {"rounds": 6, "deals": 2}))
    simulate(schedule, strengths={f"e{number:02d}": 8.0 * number for number in range(32)})
    assert schedule.state() in ("e31 won after 6 rounds", "e30 won after 6 rounds")
    last = list(_tables(course).values())[-1]
    top = max(last, key=lambda table: sum(int(name[1:]) for name in table.line_up))
    assert min(int(name[1:]) for name in top.line_up) > 20  # the strong meet in the end


def test_swiss_keeps_entrants_of_one_bot_apart() -> None:
    format_ = formats.find("swiss")
    bots = {f"e{number:02d}": "e00" if number < 3 else f"e{number:02d}" for number in range(9)}
    field = make_field(format_, 9, 3, {"rounds": 3}, bots)
    course = simulate(format_.schedule(field))
    assert all(len({bots[name] for name in one.line_up}) == 3 for one in course.pairings)
    assert format_.check(make_field(format_, 9, 3, {}, dict.fromkeys(list(bots)[:4], "e00")))


def test_swiss_chooses_its_rounds() -> None:
    format_ = formats.find("swiss")
    assert rounds_of(make_field(format_, 64, 2)) == 7
    assert rounds_of(make_field(format_, 5, 2, {"rounds": 2})) == 2


def _partitions(ranks: tuple[int, ...], size: int) -> Iterator[list[tuple[int, ...]]]:
    if not ranks:
        yield []
        return
    for others in combinations(ranks[1:], size - 1):
        table = (ranks[0], *others)
        rest = tuple(rank for rank in ranks if rank not in table)
        for tables in _partitions(rest, size):
            yield [table, *tables]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([(4, 2), (6, 2), (8, 2), (6, 3), (9, 3), (8, 4)]), st.data())
def test_tables_without_cost_are_found_exactly_when_there_are_some(shape: tuple[int, int], data: st.DataObject) -> None:
    number, size = shape
    pairs = list(combinations(range(number), 2))
    bad = data.draw(st.sets(st.sampled_from(pairs)))
    free = any(
        not any(pair in bad for table in tables for pair in combinations(table, 2))
        for tables in _partitions(tuple(range(number)), size)
    )
    found = free_tables(number, size, lambda one, other: int((one, other) in bad))
    assert (found is not None) == free
    if found is not None:
        assert sorted(rank for table in found for rank in table) == list(range(number))
        assert not any(pair in bad for table in found for pair in combinations(table, 2))


def test_tables_of_little_cost_are_near_the_best() -> None:
    bad = {(one, other) for one, other in combinations(range(8), 2) if (one + other) % 3 != 0}
    costs = [
        sum(pair in bad for table in tables for pair in combinations(table, 2))
        for tables in _partitions(tuple(range(8)), 2)
    ]
    found = least_tables(8, 2, lambda one, other: int((one, other) in bad))
    assert found is not None
    assert sum(pair in bad for pair in found) == min(costs)


@given(st.integers(2, 6), st.integers(1, 5), st.integers(2, 300))
def test_every_knockout_comes_down_to_a_full_final(seats: int, advance: int, left: int) -> None:
    if advance >= seats or left < seats:
        return
    rounds = 0
    while left > seats:
        tables, out = knocked_out(left, seats, advance)
        assert 1 <= tables <= left // seats
        assert 1 <= out <= tables * (seats - advance)
        left -= out
        rounds += 1
        assert rounds <= 300
    assert left == seats


@pytest.mark.parametrize("entrants", [2, 3, 5, 8, 13, 16])
def test_a_knockout_for_two_has_byes_in_its_first_round_only(entrants: int) -> None:
    left, tables = entrants, []
    while left > 2:
        played, out = knocked_out(left, 2, 1)
        tables.append((left, played))
        left -= out
    assert all(2 * played == there for there, played in tables[1:])


@pytest.mark.parametrize(("entrants", "seats"), [(8, 2), (11, 2), (16, 4), (9, 3), (5, 4), (3, 3)])
def test_a_knockout_ends_in_a_final_of_the_strong(entrants: int, seats: int) -> None:
    format_ = formats.find("knockout")
    schedule = format_.schedule(make_field(format_, entrants, seats, {"deals": 4}))
    course = simulate(schedule, strengths={f"e{number:02d}": 15.0 * number for number in range(entrants)})
    *_, final = _tables(course).values()
    assert len({frozenset(table.line_up) for table in final}) == 1
    assert f"e{entrants - 1:02d}" in final[0].line_up
    assert schedule.state() == f"e{entrants - 1:02d} won the final"


@pytest.mark.parametrize(("name", "before"), [("knockout", "the final: e00 and e01"), ("swiss", "round 1 of 1")])
def test_nobody_leads_before_a_result_and_nobody_has_won_before_the_last(name: str, before: str) -> None:
    format_ = formats.find(name)
    schedule = format_.schedule(make_field(format_, 2, 2, {"deals": 2} | ({"rounds": 1} if name == "swiss" else {})))
    pairings = [schedule.next() for _ in range(4)]
    assert schedule.state() == before
    for pairing in pairings:
        assert isinstance(pairing, Pairing)
        assert " won " not in schedule.state()
        schedule.result(made_up(pairing, strengths={"e01": 100.0}))
        assert schedule.state().split(", ")[-1] in ("e01 leads", "e01 won the final", "e01 won after 1 round")
    assert schedule.next() is DONE
    assert " won " in schedule.state()


@pytest.mark.parametrize(("name", "settings"), [("knockout", {"deals": 2}), ("swiss", {"deals": 2, "rounds": 1})])
def test_who_was_disabled_neither_leads_nor_wins(name: str, settings: dict[str, int]) -> None:
    format_ = formats.find(name)
    schedule = format_.schedule(make_field(format_, 2, 2, settings))
    simulate(schedule, strengths={"e01": 100.0}, disable={2: "e01"})
    assert schedule.state().startswith("e00 won ")


def test_a_tournament_that_ran_out_of_entrants_says_so() -> None:
    knockout, swiss = formats.find("knockout"), formats.find("swiss")
    gone = {2: "e00", 3: "e01", 4: "e02"}
    schedule = knockout.schedule(make_field(knockout, 4, 2, {"deals": 1}))
    simulate(schedule, disable=gone)
    assert schedule.state() == "over without a final: 1 entrant left"
    schedule = swiss.schedule(make_field(swiss, 4, 2, {"deals": 1, "rounds": 3}))
    simulate(schedule, disable=gone)
    assert schedule.state() == "e03 won after 1 round"


def test_a_knockout_where_nobody_can_be_knocked_out_is_refused() -> None:
    format_ = formats.find("knockout")
    assert "nobody is ever knocked out" in str(format_.check(make_field(format_, 8, 3, {"advance": 3}))[0])


def test_who_is_disabled_does_not_come_back() -> None:
    for name in ("swiss", "knockout"):
        format_ = formats.find(name)
        field = make_field(format_, 8, 2, {"deals": 1})
        course = simulate(format_.schedule(field), disable={8: "e00"})
        later = [one for one in course.pairings if one.block >= "r2"]
        assert later
        assert all("e00" not in one.line_up for one in later)
