"""Editions: what is shipped, corrected ones that play, and every kind of broken file."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.games.castell.edition import load_edition, parse_edition, shipped_edition, shipped_text
from arena.games.castell.game import Castell
from tests.games.castell.play import at_random, dealt, playing
from tests.games.castell.situations import edited, edition_with


def test_the_shipped_edition_has_the_facts_of_the_rules() -> None:
    edition = shipped_edition()
    assert sum(edition.count_by_size) == 150
    assert len(edition.tiles) == 32
    assert [len(edition.regions), len(edition.slots), len(edition.wheel_tiles)] == [7, 8, 8]
    assert sum(map(len, edition.calendar.values())) == 14
    assert sum(edition.size_tokens) == 30
    assert sum(edition.prize_supply.values()) == 40
    assert edition.tile(12) is edition.tiles[11]
    assert edition.tile(0) is edition.tile(33) is None


def test_the_fingerprint_is_of_the_content_alone() -> None:
    text = shipped_text()
    other = "# a comment\n" + text.replace("count = 10", "count   =   10")
    assert parse_edition(other).fingerprint == shipped_edition().fingerprint
    assert edition_with(count="9", calendar="{ 3 = ['I'] }").fingerprint != shipped_edition().fingerprint
    assert edition_with(special_move='"any"').fingerprint != shipped_edition().fingerprint


def test_an_edition_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(edited(special_action_tokens="3"), encoding="utf-8")
    options = {"side": "standard", "edition": str(file)}
    assert Castell().check_options(options) == []
    state = Castell().deal(3, b"k" * 16, options)
    assert state.tokens == [3, 3, 3]
    assert Castell().fingerprint(options) != Castell().fingerprint({"side": "standard", "edition": ""})


SMALL = """
name = "small"
[players]
seats = [2, 3]
starting_team = 9
special_action_tokens = 2
castellers_per_region = { 2 = 4, 3 = 5 }
[castellers]
count_by_size = [20, 20, 20, 20, 20]
[rounds]
count = 4
refill_at_start_of = [2]
[map]
regions = ["north", "middle", "south"]
borders = [["north", "middle"]]
dotted = [["middle", "south"]]
[wheel]
slots = ["north", "everywhere", "middle", "south"]
tiles = ["balance", "width", "special", "base"]
highest_rank = 2
[towers]
width_limit = 2
festival_least_levels = 3
[festivals]
calendar = { 2 = ["I", "II"], 4 = ["II", "I", "I"] }
held_per_round = { 2 = 3, 3 = 2 }
tokens_per_festival = 3
size_tokens = [3, 3, 3, 3, 3]
prizes = { 2 = ["cup"], 3 = ["cup", "cup"] }
prize_supply = { cup = 3 }
[scoring]
prize_points = { cup = 9 }
variety = [0, 1, 2, 4]
size_token_first = 3
size_token_repeat = 2
special_action_token = 4
[local_performances]
per_region = 1
shapes = [{ shape = [2, 1], points = 5 }, { shape = [2, 2, 1], points = 6 }]
exhibitions = [{ skills = ["base"], points = 2 }]
""" + shipped_text()[shipped_text().index("[rulings]") :]


def test_another_map_other_tiles_counts_and_prizes_play_by_their_data() -> None:
    edition = parse_edition(SMALL)
    for number in range(5):
        state = dealt(3, number, edition=edition)
        assert [sum(state.deal.tables.counts(team)) for team in state.teams] == [9, 9, 9]
        assert state.deal.tables.neighbours == ((1,), (0, 2), (1,))
        kinds = set()
        for before, _ in playing(state, at_random, random.Random(number)):
            kinds.add(before.view(0)["phase"])
        assert state.round == 4
        total = sum(sum(state.deal.tables.counts(packed)) for packed in state.regions + state.teams)
        assert total + len(state.deal.bag) - state.bag_at == 100
        assert sum(len(won) for won in state.prizes) + state.prize_left[0] == 3
        assert all(rank <= 2 for ranks in state.ranks for rank in ranks)
        assert state.outcome() is not None


def test_seats_that_an_edition_does_not_have_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"4 is no number of players of this edition; it has 2, 3"):
        Castell().deal(4, b"k" * 16, {"side": "standard", "edition": str(file)})


BROKEN = [
    (edited(count="0"), "rounds.count: 0 is no whole number from 1"),
    (edited(count='"ten"'), "rounds.count: 'ten' is no whole number"),
    (edited(count="true"), "rounds.count: True is no whole number"),
    (edited(count="10\ncuont = 3"), "rounds.cuont: there is no such key; did you mean 'count'?"),
    (edited(count="10\nzzz = 3"), "rounds.zzz: there is no such key; known: count, refill_at_start_of"),
    (shipped_text().replace("count = 10", ""), "rounds.count: this key is missing"),
    (shipped_text().replace("[scoring]", "[scorings]"), "scorings: there is no such key; did you mean 'scoring'?"),
    (shipped_text().replace("[scoring]", "[scorings]"), "scoring: this key is missing"),
    ("rounds = 3\n" + shipped_text().replace("[rounds]", "[roundes]"), "rounds: 3 is no table"),
    (edited(name='""'), "name: '' is no name"),
    (edited(name="3"), "name: 3 is no name"),
    (edited(seats="[2, 3, 5]"), "players.seats: [2, 3, 5] must rise, from 2 to at most 4"),
    (edited(seats="[3, 2]"), "players.seats: [3, 2] must rise"),
    (edited(seats="[2, 3]"), "players.castellers_per_region: has the keys [2, 3, 4], but players.seats is [2, 3]"),
    (edited(seats="3"), "players.seats: 3 is no list"),
    (edited(starting_team="-1"), "players.starting_team: -1 is no whole number from 0"),
    (edited(castellers_per_region="{ 2 = 3, 3 = 4, four = 5 }"), "the key 'four' is no whole number"),
    (edited(castellers_per_region="[3]"), "players.castellers_per_region: [3] is no table"),
    (edited(count_by_size="[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"), "10 castellers, but 4 players are dealt 63"),
    (edited(count_by_size="[15, 15]"), "festivals.size_tokens: counts 10 sizes, but there are 2"),
    (edited(count_by_size="[15, 1.5]"), "castellers.count_by_size: 1.5 is no whole number"),
    (edited(count_by_size="[300]"), "castellers.count_by_size: 300 is no whole number from 0 to 200"),
    (edited(count_by_size=str([5] * 31)), "more than 30 sizes"),
    (edited(count_by_size=str([200] * 10)), "more than 1000 castellers"),
    (edited(refill_at_start_of="[11]"), "rounds.refill_at_start_of: there is no round 11"),
    (edited(refill_at_start_of="[3, 3]"), "rounds.refill_at_start_of: [3, 3] names a round twice"),
    (edited(refill_at_start_of="[1]"), "rounds.refill_at_start_of: 1 is no whole number from 2"),
    (edited(regions='["girona", "girona"]'), "map.regions: 'girona' is there twice"),
    (edited(regions="[]"), "map.regions: a map needs at least one region"),
    (edited(regions='["Big Town"]'), "map.regions: 'Big Town' is no lower-case word without spaces"),
    (edited(regions='["everywhere"]'), "map.regions: 'everywhere' is the name of a wheel slot"),
    (edited(dotted='[["girona", "taragona"]]'), "map.dotted: 'taragona' is not known here; did you mean 'tarragona'?"),
    (edited(dotted='[["girona"]]'), "map.dotted: ['girona'] is no pair of two different regions"),
    (edited(dotted='[["girona", "girona"]]'), "is no pair of two different regions"),
    (edited(dotted="3"), "map.dotted: 3 is no list of pairs"),
    (edited(borders="[]"), "map.borders: no way leads from barcelona to girona"),
    (edited(slots='["everywhere", "girona"]'), "wheel.slots: ['everywhere', 'girona'] must hold everywhere and every"),
    (edited(tiles='["mix"]'), "wheel.tiles: 1 tiles face 8 slots"),
    (edited(tiles='["mixx"]'), "wheel.tiles: 'mixx' is not known here; did you mean 'mix'?"),
    (edited(highest_rank="21"), "wheel.highest_rank: 21 is no whole number from 0 to 20"),
    (edited(width_limit="0"), "towers.width_limit: 0 is no whole number from 1"),
    (edited(calendar="{ 11 = ['I'] }"), "festivals.calendar.11: there is no round 11"),
    (edited(calendar="{ 3 = ['III'] }"), "festivals.calendar.3: 'III' is not known here"),
    (edited(calendar="{ 3 = 'I' }"), "festivals.calendar.3: 'I' is no list of words"),
    (edited(calendar="{ 3 = ['I', 'I', 'I', 'I', 'I', 'I', 'I', 'I'] }"), "8 spaces of kind I, but only 7 regions"),
    (edited(held_per_round="{ 2 = 1 }"), "festivals.held_per_round: has the keys [2]"),
    (edited(tokens_per_festival="3"), "festivals.size_tokens: 30 tokens, but the calendar needs 42"),
    (
        edited(prizes="{ 2 = [], 3 = [], 4 = ['trophi'] }"),
        "festivals.prizes.4: 'trophi' is not known here; did you mean",
    ),
    (edited(prize_points="{ trophy = 5 }"), "scoring.prize_points: names ['trophy'], but festivals.prize_supply"),
    (edited(variety="[0, 1]"), "scoring.variety: has 2 entries, but 0 to 7 regions need 8"),
    (edited(per_region="5"), "local_performances.per_region: 32 tiles are too few for 5 in each of 7 regions"),
    (edited(exhibitions="3"), "local_performances.exhibitions: 3 is no list of tiles"),
    (edited(exhibitions="[3]"), "local_performances.exhibitions[0]: 3 is no table"),
    (edited(exhibitions="[{ skills = [], points = 4 }]"), "exhibitions[0].skills: [] must name at least one skill"),
    (edited(exhibitions="[{ skills = ['mix', 'mix'], points = 4 }]"), "must name at least one skill, and none twice"),
    (edited(exhibitions="[{ skills = ['special'], points = 4 }]"), "exhibitions[0].skills: 'special' is not known"),
    (edited(shapes="[{ shape = [2, 3], points = 4 }]"), "shapes[0].shape: [2, 3] grows upwards"),
    (edited(shapes="[{ shape = [2, 0], points = 4 }]"), "shapes[0].shape: 0 is no whole number from 1"),
    (edited(shapes="[{ shape = [2, 1] }]"), "shapes[0].points: this key is missing"),
    (edited(wheel_turns='"left"'), "rulings.wheel_turns: 'left' is no ruling; choose from clockwise, anticlockwise"),
    (edited(size_token_ties='["nobody", "tower_score"]'), "is no ruling; write ['tower_score', 'nobody'] or"),
    (edited(size_token_ties='"nobody"'), "rulings.size_token_ties: 'nobody' is no ruling"),
    (edited(variety_counts='["prize"]'), "rulings.variety_counts: ['prize'] must name prize and tile"),
    (edited(variety_counts='["prize", "tile", "tile"]'), "must name prize and tile, and none twice"),
    (edited(final_ties='["shared", "regions"]'), "rulings.final_ties: ['shared', 'regions'] is no ruling"),
    ("name = ", "this is no TOML"),
]


@pytest.mark.parametrize(("text", "says"), BROKEN)
def test_a_broken_edition_is_refused_with_key_and_reason(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_edition(text, "mine.toml")
    assert says in str(error.value)
    assert "mine.toml" in str(error.value)


def test_all_problems_are_reported_together() -> None:
    with pytest.raises(ConfigError) as error:
        parse_edition(edited(count="0", wheel_turns='"left"', starting_team="-1"))
    assert len(error.value.problems) == 3


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    for path, says in ((tmp_path / "none.toml", "can't be read"), (tmp_path, "can't be read"), (binary, "no UTF-8")):
        with pytest.raises(ConfigError, match=says):
            load_edition(path)
        problems = Castell().check_options({"side": "standard", "edition": str(path)})
        assert len(problems) == 1
        assert says in problems[0].problem


@pytest.mark.lesson(16)
def test_a_file_from_another_system_is_the_same_edition(tmp_path: Path) -> None:
    path = tmp_path / "my edition.toml"
    path.write_text("\ufeff" + shipped_text(), "utf-8", newline="\r\n")
    assert load_edition(path) == shipped_edition()
