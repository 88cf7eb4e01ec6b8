"""Whole matches, the fast code and the oracle side by side: legal sets, what actions do, scores, places."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import IllegalAction
from arena.games.castell.actions import parse_action
from arena.games.castell.state import State
from tests.oracle import judge, making
from tests.oracle.bridge import SIDES, deal, oracle_edition, position_of
from tests.oracle.counting import target
from tests.oracle.model import Position, legal_actions, simple_actions, special_prefixes, tower_is_legal
from tests.oracle.playing import final_places, play, points
from tests.oracle.seeking import tower_seeking_play
from tests.oracle.variants import EASY, ELSEWHERE, OTHER_RULINGS, changed


@dataclass
class Tally:
    """What was compared."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, what: str, number: int = 1) -> None:
        self.counts[what] += number

    def __str__(self) -> str:
        return ", ".join(f"{what} {number}" for what, number in sorted(self.counts.items()))


def refused(state: State, text: str) -> bool:
    """Tell whether the fast code refuses an action, and check that a refusal changes nothing."""
    action = parse_action(text)
    try:
        state.check(action)
    except IllegalAction as error:
        sentence = str(error)
        with pytest.raises(IllegalAction):
            state.apply(action)
        assert sentence
        return True
    return False


def shows_tower(text: str) -> bool:
    """Tell whether a tower belongs to the action."""
    return text.startswith("compete") or " perform " in text


def near_misses(rng: random.Random, position: Position) -> Iterator[str]:
    """Yield actions that may be legal or not."""
    regions, edition = position.edition.regions, position.edition
    for way in ("", "special ", "wheel "):
        yield f"{way}move {rng.choice(regions)}"
        yield f"{way}recruit {rng.randint(1, 10)}"
    bigger, smaller = sorted((rng.randint(1, 10), rng.randint(1, 10)), reverse=True)
    yield f"recruit {bigger} {smaller}"
    yield f"train {rng.choice(['balance', 'base', 'mix', 'strength', 'width'])}"
    yield from ("end", "decline", "compete 5/4/3/2")
    seat = position.to_act
    if seat is None:
        return
    player = position.players[seat]
    for _ in range(2):
        tower = making.grown_tower(rng, player.team, rng.choice([0, 0, 0.2]))
        if rng.random() < 0.3:
            tower = making.altered(rng, tower)
        yield f"compete {judge.tower_text(tower)}"
        row = [number for name, region in position.board if name == player.pawn for number in region.row]
        for number in [*row, rng.choice(list(edition.tiles))]:
            yield f"{rng.choice(['special', 'wheel'])} perform #{number} {judge.tower_text(tower)}"


def asks_for_towers(position: Position) -> bool:
    """Tell whether towers may be among the legal actions."""
    seat = position.to_act
    assert seat is not None
    if position.turn is None:
        return True
    pawn = position.players[seat].pawn
    return pawn is not None and bool(special_prefixes(position, seat)) and bool(position.regions[pawn].row)


def compare_actions(rng: random.Random, state: State, position: Position, tally: Tally, largest_team: int) -> list[str]:
    """Compare what is legal; return the options of the fast code."""
    assert state.to_act == position.to_act
    seat = position.to_act
    assert seat is not None
    options = [str(action) for action in state.options()]
    assert len(options) == len(set(options))
    simple = simple_actions(position)
    assert {text for text in options if not shows_tower(text)} == simple
    tally.add("simple sets")
    if not asks_for_towers(position) or len(position.players[seat].team) <= largest_team:
        quick = [str(action) for action in state.legal_actions()]
        slow = legal_actions(position)
        assert len(quick) == len(set(quick))
        assert set(quick) == slow
        tally.add("whole sets")
        tally.add("actions in whole sets", len(quick))
        towers = slow - simple
        if towers:
            tally.add("whole sets with towers")
        if position.turn is None:
            best = max((target(position, text)[0] for text in towers), default=None)
            assert [target(position, text)[0] for text in options if text in towers] == ([] if best is None else [best])
        else:
            asked = {target(position, text) for text in towers}
            assert sorted(target(position, text) for text in options if text not in simple) == sorted(asked)
        assert (len(options) == 1) == (len(slow) == 1)
    else:
        for action in islice(state.legal_actions(), 80):
            text = str(action)
            assert tower_is_legal(position, text) if shows_tower(text) else text in simple
            tally.add("listed actions")
        assert len(list(islice(state.legal_actions(), 2))) == min(2, len(options))
    assert all(tower_is_legal(position, text) for text in options if shows_tower(text))
    for text in near_misses(rng, position):
        legal = tower_is_legal(position, text) if shows_tower(text) else text in simple
        assert refused(state, text) != legal, text
        tally.add("asked, legal" if legal else "asked, illegal")
    return options


def compare_match(
    seats: int,
    side: str,
    key: int,
    text: str,
    tally: Tally,
    *,
    recruiting: float | None = 1.0,
    largest_team: int = 10,
    misread: str | None = None,
) -> None:
    """Play one match on both sides.

    Args:
        seats: how many.
        side: of the wheel.
        key: of the deal and of the choices.
        text: of the edition.
        tally: counts what was compared.
        recruiting: None plays at random, else towers are aimed at, see `tower_seeking_play`.
        largest_team: up to this size all towers are listed.
        misread: another edition for the oracle, to see that the comparison would notice.
    """
    rng = random.Random(key)
    state, position = deal(seats, side, key, text)
    if misread is not None:
        position = replace(position, edition=oracle_edition(misread))
    while position.to_act is not None:
        options = compare_actions(rng, state, position, tally, largest_team)
        if recruiting is None:
            choice = rng.choice([text for text in options if text != "end"] or options)
            choice = rng.choice([choice, choice, choice, options[-1]])
        else:
            choice = tower_seeking_play(rng, position, options, recruiting)
        state.apply(parse_action(choice))
        position = play(position, choice)
        assert position_of(state, position.edition) == position, choice
        tally.add("towers played", int(shows_tower(choice)))
        tally.add("actions played")
        compare_points(state, position)
    assert state.to_act is None
    assert list(state.legal_actions()) == list(state.options()) == []
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.places == final_places(position)
    tally.add("matches")


def compare_points(state: State, position: Position) -> None:
    """Compare scores and places as if the match ended now; not during a festival, see `bridge`."""
    if position.built:
        return
    standing = state.standing()
    by_category = [points(position, player) for player in position.players]
    assert standing.scores == tuple(sum(found.values()) for found in by_category)
    assert sorted(standing.categories.values()) == sorted(zip(*(found.values() for found in by_category), strict=True))
    assert standing.places == final_places(position)


SETTINGS = [(seats, side) for seats in (2, 3, 4) for side in SIDES]


@pytest.mark.parametrize(("seats", "side"), SETTINGS)
def test_matches_agree(seats: int, side: str) -> None:
    tally = Tally()
    compare_match(seats, side, 1, changed({}), tally, recruiting=None)
    compare_match(seats, side, 2, changed({}), tally, recruiting=1.0)
    compare_match(seats, side, 3, changed({}), tally, recruiting=0.1)
    assert tally.counts["towers played"] > 0
    print(tally)


#: For each other ruling, in their order, the key of a match in which the ruling makes a difference. None: it can make
#: none, as collected action tokens lie where a tile was won.
BITING = [4, 4, 4, 4, 53, 5, 4, 5, 4, 4, 15, None, 15, 4, 14, 5, 11, 5]


@pytest.mark.parametrize(("ruling", "key"), list(zip(OTHER_RULINGS, BITING, strict=True)))
def test_rulings_agree(ruling: tuple[str, str], key: int | None) -> None:
    name, value = ruling
    loose = {"festival_least_levels": "2", **({"width_limit": "1"} if name == "base_levels" else {})}
    text = changed({name: value, **loose})
    number = 4 if key is None else key
    seats, side = 2 + number % 3, SIDES[number // 3 % 2]
    compare_match(seats, side, number, text, Tally(), recruiting=0.6, largest_team=4)
    if key is not None:
        with pytest.raises((AssertionError, KeyError)):
            compare_match(seats, side, number, text, Tally(), recruiting=0.6, largest_team=4, misread=changed(loose))


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("values", [EASY, ELSEWHERE], ids=["easy", "elsewhere"])
def test_editions_agree(seats: int, values: dict[str, str]) -> None:
    compare_match(seats, SIDES[seats % 2], 5, changed(values), Tally(), largest_team=9)


setting = st.sampled_from(SETTINGS)
rulings = st.lists(st.sampled_from(OTHER_RULINGS), max_size=6).map(dict)
values = st.sampled_from([{}, {}, {"festival_least_levels": "2"}, EASY, ELSEWHERE])
liking = st.sampled_from([None, 1.0, 0.3, 0.05])


@settings(max_examples=8, deadline=None)
@given(setting, st.integers(0, 999_999), rulings, values, liking)
def test_any_match_agrees(
    table: tuple[int, str], key: int, other: dict[str, str], data: dict[str, str], recruiting: float | None
) -> None:
    compare_match(*table, key, changed({**other, **data}), Tally(), recruiting=recruiting, largest_team=8)


def compare_long(text: str, keys: range, largest_team: int = 12) -> Tally:
    """Play two matches on each setting for each key."""
    tally = Tally()
    for key in keys:
        for number, (seats, side) in enumerate(SETTINGS):
            recruiting = (None, 1.0, 0.3, 0.05)[(key + number) % 4]
            compare_match(seats, side, key, text, tally, recruiting=recruiting, largest_team=largest_team)
    return tally


@pytest.mark.heavy
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("text", [changed({}), changed(EASY), changed(ELSEWHERE)], ids=["shipped", "easy", "elsewhere"])
def test_many_matches_agree(text: str) -> None:
    print(compare_long(text, range(100, 116)))


@pytest.mark.heavy
@pytest.mark.timeout(3600)
def test_many_rulings_agree() -> None:
    tally, rng = Tally(), random.Random(6)
    for key in range(200, 270):
        rulings = dict(rng.sample(OTHER_RULINGS, rng.randint(1, 8)))
        text = changed({**rulings, **rng.choice([{}, EASY, {"festival_least_levels": "2"}])})
        seats, side = rng.choice(SETTINGS)
        compare_match(seats, side, key, text, tally, recruiting=rng.choice([1.0, 0.2]), largest_team=9)
    print(tally)
