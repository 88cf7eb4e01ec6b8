from __future__ import annotations

import attrs
import pytest

from arena.errors import ArchiveError
from arena.referee.settings import BotKind, Clock, Entrant
from arena.tournament.plan import PLAN_VERSION, Plan, Stage, decode, differences, encode, preview, resume
from tests.tournament.making import changed, make_plan


def _with_deals(plan: Plan, deals: int) -> Plan:
    (stage,) = plan.stages
    return attrs.evolve(plan, stages=(attrs.evolve(stage, settings={**stage.settings, "deals": deals}),))


def _with_entrant(plan: Plan, name: str) -> Plan:
    (stage,) = plan.stages
    new = Entrant(name=name, kind=BotKind.PLUGIN, target="x:Y", content_hash="new")
    return attrs.evolve(
        plan,
        entrants=(*plan.entrants, new),
        stages=(Stage(entrants=(*stage.entrants, name), settings=stage.settings),),
    )


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "swiss", "knockout", "sprt"])
def test_a_plan_comes_back_byte_for_byte(name: str) -> None:
    names = ("ada", "bob") if name == "sprt" else ("ada", "bob", "cyd")
    plan = make_plan(names, seats=2, format=name)
    assert decode(encode(plan)) == plan
    assert encode(decode(encode(plan))) == encode(plan)
    assert encode(make_plan(names, seats=2, format=name)) == encode(plan)


def test_a_plan_of_another_version_or_none_is_refused() -> None:
    newer = encode(attrs.evolve(make_plan(), version=PLAN_VERSION + 1))
    with pytest.raises(ArchiveError, match=f"version {PLAN_VERSION + 1}, this arena reads {PLAN_VERSION}"):
        decode(newer, file="x")
    for broken in (b"{", b"[]", b"\xff", b'{"version":1}'):
        with pytest.raises(ArchiveError, match="x: not the plan of a run"):
            decode(broken, file="x")


def test_the_listing_is_exact() -> None:
    assert preview(make_plan(settings={"deals": 2})).lines() == [
        "0  l000-d000-s0  deal 0  ada bob cyd",
        "1  l000-d000-s1  deal 0  bob cyd ada",
        "2  l000-d000-s2  deal 0  cyd ada bob",
        "3  l000-d001-s0  deal 1  ada cyd bob",
        "4  l000-d001-s1  deal 1  cyd bob ada",
        "5  l000-d001-s2  deal 1  bob ada cyd",
    ]


def test_the_listing_says_what_it_cannot_know() -> None:
    swiss = preview(make_plan(("a", "b", "c", "d"), seats=2, format="swiss"))
    assert len(swiss.pairings) == 4
    assert swiss.lines()[-1] == "what follows depends on the results"
    sprt = preview(make_plan(("a", "b"), seats=2, format="sprt", settings={"deals": 3}))
    assert len(sprt.pairings) == 6
    assert "stops by itself" in sprt.lines()[-1]


def test_what_changes_matches_is_a_difference() -> None:
    was = make_plan()
    now = changed(was, clock=Clock(per_action_ms=500, bank_ms=None), fresh=False)
    one, other, *rest = was.entrants
    now = attrs.evolve(
        now, entrants=(attrs.evolve(one, content_hash="x"), attrs.evolve(other, options={"a": 1}), *rest)
    )
    assert list(map(str, differences(was, now))) == [
        "clock.per_action_ms: was 1000, now 500",
        "entrants.ada: the bot's code has changed",
        'entrants.bob.options: was {}, now {"a":1}',
        "fresh: was true, now false",
    ]
    assert resume(was, now) is None


def test_where_things_stand_on_disk_is_no_difference() -> None:
    was = make_plan(secret="11" * 16)
    moved = tuple(
        attrs.evolve(one, folder="/elsewhere", runtime=("/opt/x",), argv=("/usr/bin/true", "x")) for one in was.entrants
    )
    now = changed(attrs.evolve(was, entrants=moved, secret="22" * 16), trace=True)
    assert differences(was, now) == []
    carried = resume(was, now)
    assert carried is not None
    assert carried.secret == was.secret  # deals stay what they were
    assert carried.entrants[0].folder == "/elsewhere"
    assert carried.settings.trace


def test_an_explicit_seed_can_neither_come_nor_go() -> None:
    was = make_plan()
    assert resume(was, attrs.evolve(was, seed=3)) is None
    assert resume(attrs.evolve(was, seed=3), was) is None


def test_more_deals_and_one_more_entrant_carry_on() -> None:
    was = make_plan(settings={"deals": 2})
    longer = resume(was, _with_deals(was, 3))
    assert longer is not None
    assert preview(longer).lines()[:6] == preview(was).lines()
    wider = resume(longer, _with_entrant(_with_deals(was, 3), "dan"))
    assert wider is not None
    assert len(wider.stages) == 3
    assert preview(wider).pairings[:9] == preview(longer).pairings
    assert len(preview(wider).pairings) == 4 * 3 * 3
    again = resume(wider, _with_entrant(_with_deals(was, 3), "dan"))
    assert again == wider


def test_less_than_was_planned_is_refused() -> None:
    was = make_plan(settings={"deals": 3})
    assert resume(was, _with_deals(was, 2)) is None
    wider = resume(was, _with_entrant(was, "dan"))
    assert wider is not None
    assert resume(wider, was) is None


def test_a_new_entrant_cannot_hide_another_change() -> None:
    was = make_plan()
    sly = _with_entrant(was, "dan")
    one, *rest = sly.entrants
    assert resume(was, attrs.evolve(sly, entrants=(attrs.evolve(one, content_hash="x"), *rest))) is None


def test_formats_that_look_at_results_take_nobody_in_late() -> None:
    was = make_plan(("a", "b", "c", "d"), seats=2, format="swiss")
    assert resume(was, was) == was
    assert resume(was, _with_entrant(was, "e")) is None


def test_a_fixture_names_no_secret_and_is_always_the_same() -> None:
    plan = make_plan()
    pairing = preview(plan).pairings[4]
    fixture = plan.fixture(4, pairing)
    assert fixture == decode(encode(plan)).fixture(4, pairing)
    assert plan.secret not in str(fixture)
    assert fixture.key != plan.fixture(0, preview(plan).pairings[0]).key
