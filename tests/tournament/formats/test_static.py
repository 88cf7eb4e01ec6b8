from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, islice
from math import comb

import pytest

from arena.testing.formats import make_field
from arena.tournament import formats
from arena.tournament.formats.api import DONE, Field, Pairing, Schedule, SettingValue, StaticFormat


def _static(name: str) -> StaticFormat:
    found = formats.find(name)
    assert isinstance(found, StaticFormat)
    return found


def _all(schedule: Schedule | None) -> list[Pairing]:
    assert schedule is not None
    found = []
    while isinstance(answer := schedule.next(), Pairing):
        found.append(answer)
    assert answer is DONE
    return found


def _field(entrants: int, seats: int, **settings: SettingValue) -> Field:
    return make_field(_static("round-robin"), entrants, seats, settings)


@pytest.mark.parametrize(("entrants", "seats"), [(4, 2), (5, 3), (6, 4)])
def test_every_line_up_plays_the_same_deals_in_the_same_orders(entrants: int, seats: int) -> None:
    found = list(_static("round-robin").pairings(_field(entrants, seats, deals=6)))
    assert len(found) == comb(entrants, seats) * 6 * seats
    deals: defaultdict[frozenset[str], list[int]] = defaultdict(list)
    for pairing in found:
        deals[frozenset(pairing.line_up)].append(pairing.deal)
    assert len(deals) == comb(entrants, seats)
    assert all(sorted(each) == sorted(list(range(6)) * seats) for each in deals.values())


def test_a_run_that_is_cut_short_has_played_whole_deals() -> None:
    found = list(_static("round-robin").pairings(_field(5, 3, deals=3)))
    assert [pairing.deal for pairing in found] == sorted(pairing.deal for pairing in found)


def test_pairings_are_made_lazily() -> None:
    huge = _static("round-robin").pairings(_field(200, 4, deals=1000))
    assert len(list(islice(huge, 10))) == 10


@pytest.mark.parametrize(("entrants", "seats"), [(6, 3), (12, 4)])
def test_a_budget_is_kept_and_balanced(entrants: int, seats: int) -> None:
    format_ = _static("round-robin")
    field = _field(entrants, seats, deals=2, max_matches=100)
    found = list(format_.pairings(field))
    assert 80 < len(found) <= 100
    assert len(found) == format_.count(field)
    met = Counter(pair for one in found for pair in combinations(sorted(one.line_up), 2))
    line_ups = 2 * seats  # matches of one line-up
    assert max(met.values()) - min(met.values()) <= line_ups
    for seat in range(seats):
        sat = Counter(one.line_up[seat] for one in found)
        assert max(sat.values()) - min(sat.values()) <= 2
    assert "budget of 100" in format_.notes(field)[0]


def test_a_budget_below_one_line_up_is_refused() -> None:
    (problem,) = _static("round-robin").check(_field(5, 3, deals=4, max_matches=11))
    assert "11 is less than the 12 matches of one line-up" in str(problem)


def test_a_budget_for_everybody_changes_nothing() -> None:
    format_ = _static("round-robin")
    free, paid = _field(5, 3, deals=2), _field(5, 3, deals=2, max_matches=60)
    assert list(format_.pairings(free)) == list(format_.pairings(paid))
    assert format_.notes(paid) == []


def test_entrants_of_one_bot_are_kept_apart_and_counted_out() -> None:
    format_ = _static("round-robin")
    bots = {f"e{number:02d}": f"e{number // 2:02d}" for number in range(6)}
    field = make_field(format_, 6, 3, {"deals": 1}, bots)
    found = list(format_.pairings(field))
    assert len(found) == format_.count(field) == 8 * 3
    assert all(len({bots[name] for name in one.line_up}) == 3 for one in found)
    assert "3 seats need 3 different bots" in str(format_.check(make_field(format_, 4, 3, {}, bots))[0])


@pytest.mark.parametrize("name", ["round-robin", "gauntlet"])
def test_more_deals_and_one_more_entrant_are_appended(name: str) -> None:
    format_ = _static(name)
    stages = [make_field(format_, 4, 3, {"deals": 2}), make_field(format_, 4, 3, {"deals": 3})]
    stages.append(make_field(format_, 5, 3, {"deals": 3}))
    begun = _all(format_.continued(stages[:1]))
    longer = _all(format_.continued(stages[:2]))
    wider = _all(format_.continued(stages))
    assert longer[: len(begun)] == begun
    assert wider[: len(longer)] == longer
    assert {one.match_id: one for one in wider} == {one.match_id: one for one in format_.pairings(stages[2])}


def test_what_changes_or_drops_a_match_is_no_continuation() -> None:
    format_ = _static("round-robin")
    begun = make_field(format_, 5, 3, {"deals": 2})
    assert format_.continued([begun, make_field(format_, 5, 3, {"deals": 1})]) is None
    assert format_.continued([begun, make_field(format_, 4, 3, {"deals": 2})]) is None
    turned = Field(entrants=begun.entrants[::-1], seats=3, settings=begun.settings)
    assert format_.continued([begun, turned]) is None


@pytest.mark.parametrize(("entrants", "seats", "challengers"), [(5, 2, ()), (5, 3, ("e03",)), (6, 4, ("e00", "e05"))])
def test_in_a_gauntlet_exactly_one_challenger_is_at_each_table(
    entrants: int, seats: int, challengers: tuple[str, ...]
) -> None:
    format_ = _static("gauntlet")
    field = make_field(format_, entrants, seats, {"deals": 2, "challengers": challengers})
    running = set(challengers or ("e00",))
    found = list(format_.pairings(field))
    assert all(len(running & set(one.line_up)) == 1 for one in found)
    opponents = entrants - len(running)
    assert len(found) == len(running) * comb(opponents, seats - 1) * 2 * seats


def test_a_gauntlet_refuses_what_it_cannot_play() -> None:
    format_ = _static("gauntlet")

    def said(entrants: int, seats: int, **settings: SettingValue) -> str:
        return " ".join(map(str, format_.check(make_field(format_, entrants, seats, settings))))

    assert "need 2 opponents, not 1" in said(3, 3, challengers=("e00", "e01"))
    assert "twice" in said(4, 3, challengers=("e00", "e00"))
    assert "does not pay" in said(6, 3, max_matches=3)
    assert "meet every opponent in 40 matches" in said(6, 2, max_matches=30)
    assert said(6, 3, max_matches=48) == ""
