from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.referee.settings import Fixture
from arena.referee.summary import MatchRow
from arena.tournament.director import Director, Status, Unscored
from arena.tournament.plan import Plan
from tests.tournament.making import make_plan, make_row


class Play:
    """Plays a plan with some slots; matches end in a random order, and a kill may come at any time."""

    def __init__(self, plan: Plan, *, slots: int = 1, seed: int = 0, kills: Mapping[str, str] | None = None) -> None:
        self.plan = plan
        self.slots = slots
        self.dice = random.Random(seed)
        self.kills = kills or {}  #: match id to the entrant that kills its referee there
        self.rows: dict[str, MatchRow] = {}
        self.unscored: dict[str, Unscored] = {}
        self.order: list[str] = []

    def run(self, *, stop_after: int | None = None) -> Director:
        """Play on behind what is stored; what a store would lose in a kill is lost."""
        director = Director(self.plan, self.rows, self.unscored)
        flying: list[Fixture] = []
        ended = 0
        while stop_after is None or ended < stop_after:
            while len(flying) < self.slots and (fixture := director.next_fixture()) is not None:
                flying.append(fixture)
            if not flying:
                break
            fixture = flying.pop(self.dice.randrange(len(flying)))
            self._end(director, fixture)
            ended += 1
        self._store(director)
        return director

    def _end(self, director: Director, fixture: Fixture) -> None:
        self.order.append(fixture.match_id)
        if fixture.match_id in self.kills:
            director.set_aside(fixture.match_id, "its referee died", self.kills[fixture.match_id])
        else:
            row = make_row(fixture, faulty=[name for name in fixture.line_up if _fails(name, fixture)])
            self.rows[fixture.match_id] = row
            director.finished(row)
        self._store(director)

    def _store(self, director: Director) -> None:
        for one in director.decisions():
            assert one.match_id not in self.unscored  # decided once
            self.unscored[one.match_id] = one

    def table(self) -> list[MatchRow]:
        return sorted((row for key, row in self.rows.items() if key not in self.unscored), key=lambda row: row.match_id)


def _fails(name: str, fixture: Fixture) -> bool:
    """The one called bad fails in a third of its matches."""
    return name == "bad" and random.Random(fixture.match_id).random() < 1 / 3


PLANS = {
    "round-robin": make_plan(("ada", "bad", "cyd", "dan"), settings={"deals": 4}, disable_after=3),
    "gauntlet": make_plan(("ada", "bad", "cyd", "dan"), format="gauntlet", disable_after=2),
    "swiss": make_plan(
        ("ada", "bad", "cyd", "dan", "eve", "fay"), seats=2, format="swiss", settings={"rounds": 4}, disable_after=2
    ),
    "knockout": make_plan(
        ("ada", "bad", "cyd", "dan", "eve", "fay"), seats=2, format="knockout", settings={"deals": 2}, disable_after=2
    ),
    "sprt": make_plan(("ada", "bad"), seats=2, format="sprt", settings={"deals": 60, "elo1": 300.0}, disable_after=9),
}


@pytest.mark.parametrize("name", list(PLANS))
@settings(max_examples=12, deadline=None)
@given(slots=st.integers(1, 12), seed=st.integers(0, 999), stops=st.lists(st.integers(0, 30), max_size=4))
def test_the_table_is_the_same_with_any_slots_and_after_any_stops(
    name: str, slots: int, seed: int, stops: list[int]
) -> None:
    plain = Play(PLANS[name])
    assert plain.run().complete
    wild = Play(PLANS[name], slots=slots, seed=seed)
    for stop in stops:
        wild.run(stop_after=stop)
    director = wild.run()
    assert director.complete
    assert wild.table() == plain.table()
    # More slots may play, and then not count, what one slot never began; all that one slot decided is decided alike.
    assert {key: one for key, one in wild.unscored.items() if key in plain.unscored} == plain.unscored
    assert len(set(wild.order)) == len(wild.order)  # nothing twice
    assert director.scored == len(plain.table())


def test_all_of_a_plan_is_played_once_in_its_order() -> None:
    play = Play(make_plan(settings={"deals": 2}))
    director = play.run()
    assert director.total == director.settled == director.scored == len(play.order) == 6
    assert play.order[:3] == ["l000-d000-s0", "l000-d000-s1", "l000-d000-s2"]
    assert play.unscored == {}


def test_an_entrant_with_too_many_faults_plays_no_more() -> None:
    play = Play(PLANS["round-robin"])
    director = play.run()
    assert director.disabled == {"bad": "bad lost 3 matches by its own faults"}
    lost = sorted((row for row in play.table() if row.forfeited), key=lambda row: play.order.index(row.match_id))
    assert len(lost) == 3
    last = play.order.index(lost[-1].match_id)
    assert not any("bad" in play.rows[match_id].line_up for match_id in play.order[last + 1 :])
    for one in play.unscored.values():
        assert one.status is Status.NOT_PLAYED
        assert one.reason == "disabled: bad lost 3 matches by its own faults"
        assert "bad" in one.line_up
    assert len(play.unscored) + len(play.rows) == director.total


def test_a_result_that_was_there_already_is_set_aside() -> None:
    play = Play(PLANS["round-robin"], slots=48)
    play.run()
    assert any(match_id in play.unscored for match_id in play.rows)


def test_without_a_limit_nobody_is_disabled() -> None:
    play = Play(make_plan(("ada", "bad", "cyd"), settings={"deals": 8}))
    director = play.run()
    assert director.disabled == {}
    assert sum(1 for row in play.table() if row.forfeited) > 3


def test_two_matches_that_killed_their_referees_disable_who_spoke_last() -> None:
    kills = {"l000-d000-s1": "bob", "l000-d001-s2": "bob"}
    play = Play(make_plan(settings={"deals": 3}), kills=kills)
    director = play.run()
    assert "bob had the last word in 2 matches" in director.disabled["bob"]
    assert {key for key, one in play.unscored.items() if one.status is Status.SET_ASIDE} == set(kills)
    assert play.unscored["l000-d001-s2"].blamed == "bob"
    assert play.unscored["l000-d002-s0"].reason.startswith("disabled: bob")
    assert director.complete


def test_winding_down_completes_the_block_and_no_more() -> None:
    director = Director(make_plan(settings={"deals": 4}))
    first = director.next_fixture()
    assert first is not None
    director.wind_down()
    blocks = [first.block]
    while (fixture := director.next_fixture()) is not None:
        blocks.append(fixture.block)
        director.finished(make_row(fixture))
    director.finished(make_row(first))
    assert blocks == ["l000-d000"] * 3
    assert director.done
    assert not director.complete
    assert director.settled == 3


@pytest.mark.parametrize(("allowed", "played"), [(0, 0), (2, 0), (3, 3), (5, 3), (6, 6), (100, 12)])
def test_a_budget_buys_whole_blocks(allowed: int, played: int) -> None:
    director = Director(make_plan(settings={"deals": 4}))
    director.allow(allowed)
    handed_out = 0
    while (fixture := director.next_fixture()) is not None:
        handed_out += 1
        director.finished(make_row(fixture))
    assert handed_out == played
    assert director.done
    assert director.complete == (played == 12)


def test_rounds_wait_for_results() -> None:
    director = Director(make_plan(("a", "b", "c", "d"), seats=2, format="swiss", settings={"rounds": 2}))
    first = [director.next_fixture() for _ in range(4)]
    assert director.next_fixture() is None
    assert not director.done
    for fixture in first:
        assert fixture is not None
        director.finished(make_row(fixture))
    assert director.next_fixture() is not None


def test_what_a_decided_test_no_longer_needs_is_said() -> None:
    plan = make_plan(("ada", "bob"), seats=2, format="sprt", settings={"deals": 500, "elo1": 400.0, "elo0": -400.0})
    play = Play(plan, slots=30)
    director = play.run()
    assert director.complete
    assert director.total == director.scored
    assert director.total is not None
    assert director.total < 1000
    assert all("not needed" in one.reason for one in play.unscored.values())


def test_a_result_that_comes_twice_counts_once() -> None:
    director = Director(make_plan(settings={"deals": 1}))
    fixture = director.next_fixture()
    assert fixture is not None
    row = make_row(fixture)
    director.finished(row)
    director.finished(row)
    director.set_aside(fixture.match_id, "too late", "ada")
    assert (director.settled, director.scored) == (1, 1)


def test_fixtures_carry_one_deal_key_for_all_line_ups_and_seeds_of_their_own() -> None:
    director = Director(make_plan(("a", "b", "c", "d"), settings={"deals": 2}))
    fixtures = []
    while (fixture := director.next_fixture()) is not None:
        fixtures.append(fixture)
    assert len({(one.deal, one.key) for one in fixtures}) == 2
    seeds = [seed for one in fixtures for seed in one.bot_seeds]
    assert len(set(seeds)) == len(seeds)
    assert [one.number for one in fixtures] == list(range(len(fixtures)))
