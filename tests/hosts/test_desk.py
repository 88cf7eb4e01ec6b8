"""The desk against hosts and matches that die at random: nothing is lost, played twice or wrongly blamed."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.hosts.desk import Batch, Desk, Lost, Outcome, Played, SetAside
from arena.hosts.wire import LostReferee, Result
from arena.referee.record import Fault
from arena.referee.settings import Fixture
from arena.referee.summary import MatchRow
from arena.referee.wire import MatchPlayed

FAULTS: tuple[Fault, ...] = ()


def fixture(number: int, block: int) -> Fixture:
    return Fixture(
        match_id=f"m{number}",
        number=number,
        line_up=("a", "b"),
        deal=block,
        block=f"b{block}",
        rotation=0,
        key="",
        bot_seeds=(),
    )


def played(one: Fixture) -> MatchPlayed:
    row = MatchRow(
        match_id=one.match_id, line_up=one.line_up, places=(1, 2), scores=(1, 0), block=one.block, deal=one.deal,
        termination="finished",
    )  # fmt: skip
    return MatchPlayed(row, FAULTS, msgspec.Raw(b"{}"))


class Fixtures:
    """A source of blocks of two; with `waits` each block comes only when the one before has ended."""

    def __init__(self, blocks: int, *, waits: bool = False) -> None:
        self.left = [fixture(number, number // 2) for number in range(2 * blocks)]
        self.waits = waits
        self.out = self.ended = 0

    def next_fixture(self) -> Fixture | None:
        if not self.left or (self.waits and self.out > self.ended and self.out % 2 == 0):
            return None
        self.out += 1
        return self.left.pop(0)

    @property
    def done(self) -> bool:
        return not self.left


class World:
    """Hosts that play batches in any order, under matches that kill their referee or their host."""

    def __init__(
        self, source: Fixtures, rng: random.Random, *, referee_killers: set[int], host_killers: set[int]
    ) -> None:
        self.desk = Desk(source)
        self.source = source
        self.rng = rng
        self.referee_killers = {f"m{number}" for number in referee_killers}
        self.host_killers = {f"m{number}" for number in host_killers}
        self.hosts: dict[str, list[Batch]] = {}
        self.started = 0
        self.accidents = 1  #: hosts that may die by chance: with more of them an innocent match could be set aside
        self.outcomes: list[Outcome] = []
        self.where: dict[str, list[str]] = {}

    def add_host(self) -> None:
        self.started += 1
        key = f"h{self.started}"
        self.hosts[key] = []
        self.desk.join(key, self.rng.randint(1, 3))

    def take(self, outcomes: list[Outcome]) -> None:
        self.outcomes += outcomes
        self.source.ended += sum(not isinstance(one, Lost) for one in outcomes)

    def die(self, key: str) -> None:
        del self.hosts[key]
        self.take(self.desk.leave(key, "it was lost"))

    def step(self) -> None:
        for batch in self.desk.deal():
            assert not (batch.alone and self.hosts[batch.host]), "a suspect is played in company"
            self.hosts[batch.host].append(batch)
        key, batches = self.rng.choice(list(self.hosts.items()))
        if self.accidents and self.rng.random() < 0.03:
            self.accidents -= 1
            self.die(key)
        elif batches:
            self.play(key, batches.pop(self.rng.randrange(len(batches))))
        if not self.hosts:
            self.add_host()

    def play(self, key: str, batch: Batch) -> None:
        results: list[MatchPlayed] = []
        for one in batch.fixtures:
            if one.match_id in self.host_killers:
                self.hosts[key].append(batch)
                self.die(key)
                return
            if one.match_id in self.referee_killers:
                lost = LostReferee("it died", 1)
                self.take(self.desk.done(batch, Result(played=tuple(results), seconds=0.01, lost=lost)))
                return
            self.where.setdefault(one.block, []).append(key)
            results.append(played(one))
        self.take(self.desk.done(batch, Result(played=tuple(results), seconds=0.01)))


numbers = st.sets(st.integers(0, 59), max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32), blocks=st.integers(1, 30), referees=numbers, hosts=numbers,
    waits=st.booleans(), at_first=st.integers(1, 4),
)  # fmt: skip
def test_every_fixture_ends_once_whatever_dies(
    seed: int, blocks: int, referees: set[int], hosts: set[int], waits: bool, at_first: int
) -> None:
    world = World(
        Fixtures(blocks, waits=waits), random.Random(seed), referee_killers=referees, host_killers=hosts - referees
    )
    for _ in range(at_first):
        world.add_host()
    for _ in range(20_000):
        if world.desk.finished:
            break
        world.step()
    assert world.desk.finished
    ids = {f"m{number}" for number in range(2 * blocks)}
    ended = Counter(one.fixture.match_id for one in world.outcomes if isinstance(one, Played))
    aside = {one.loss.fixture.match_id: one.loss for one in world.outcomes if isinstance(one, SetAside)}
    ended.update(aside.keys())
    assert ended == Counter(ids)
    assert aside.keys() == (world.referee_killers | world.host_killers) & ids
    assert all(loss.times >= 3 for loss in aside.values())
    if world.accidents:
        assert all(loss.last_seat == 1 for match_id, loss in aside.items() if match_id in world.referee_killers)


def test_blocks_stay_on_one_host_while_nothing_dies() -> None:
    desk = Desk(Fixtures(40))
    for number in range(3):
        desk.join(f"h{number}", 2)
    homes: dict[str, set[str]] = {}
    batches: list[Batch] = []
    rng = random.Random(1)
    while not desk.finished:
        batches += desk.deal()
        batch = batches.pop(rng.randrange(len(batches)))
        for one in batch.fixtures:
            homes.setdefault(one.block, set()).add(batch.host)
        desk.done(batch, Result(played=tuple(map(played, batch.fixtures)), seconds=0.4 * len(batch.fixtures)))
    assert len(homes) == 40
    assert all(len(hosts) == 1 for hosts in homes.values())
    assert len(set.union(*homes.values())) == 3


def test_short_matches_go_out_together_and_long_ones_singly() -> None:
    for seconds, size in ((0.1, 20), (10.0, 1)):
        desk = Desk(Fixtures(200))
        desk.join("h", 1)
        (first,) = desk.deal()
        assert len(first.fixtures) == 1
        desk.done(first, Result(played=(played(first.fixtures[0]),), seconds=seconds))
        dealt = desk.deal()
        assert len(dealt[0].fixtures) == size
        assert len(dealt) == (2 if size > 1 else 1), "only short matches wait at a host"


def test_a_late_result_of_a_lost_host_changes_nothing() -> None:
    desk = Desk(Fixtures(1))
    desk.join("h", 2)
    first, second = desk.deal()
    desk.leave("h", "it was lost")
    assert desk.done(first, Result(played=(played(first.fixtures[0]),), seconds=1.0)) == []
    desk.join("i", 2)
    again = desk.deal()
    assert {one.match_id for batch in again for one in batch.fixtures} == {"m0", "m1"}
    assert not desk.finished
    del second


@pytest.mark.parametrize("slots", [1, 3])
def test_a_host_that_retires_blames_nobody(slots: int) -> None:
    desk = Desk(Fixtures(3))
    desk.join("h", slots)
    desk.deal()
    desk.retire("h")
    desk.join("i", 6)
    assert sum(len(batch.fixtures) for batch in desk.deal()) == 6
