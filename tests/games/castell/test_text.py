"""Drawings and sentences."""

from __future__ import annotations

import random

from arena.games.castell.actions import parse_action, parse_tower
from arena.games.castell.draw import tower_lines
from arena.games.castell.game import Castell
from arena.games.castell.state import State
from tests.games.castell.play import aiming, dealt, playing
from tests.games.castell.situations import at_festival, edition_with, play, region, standing_in

GAME = Castell()


def told(state: State, text: str) -> str:
    return GAME.tell(state, parse_action(text))


def test_a_tower_is_drawn_as_a_tower() -> None:
    assert tower_lines(parse_tower("10 10 9/7 7/4")) == ["    4   ", "  7  7  ", "10 10  9"]


def test_a_drawing_shows_map_pawns_castellers_wheel_calendar_and_players() -> None:
    state = standing_in("girona", team="9 8 8", skills={"mix": 2})
    region(state, "girona", castellers="10 7", tiles=[12], laid={1: 2})
    state.prizes = ((("trophy", 4),), (), ())
    text = GAME.draw(state)
    for part in (
        "Round 1 of 10, first player: seat 0. Turn of seat 0.",
        "GIRONA [0]",
        "| 10 7",
        "| #12 4-3-2-1-1 = 5",
        "| tokens: 2 of seat 1",
        "Wheel (standard): girona: ",
        "Festivals: 3: ",
        "team: 9 8 8",
        "skills: mix 2; special action tokens: 7",
        "won: trophy in valls",
        "girona - barcelona, lleida, tarragona",
    ):
        assert part in text


def test_a_drawing_at_a_festival_shows_the_towers_built_on_one_ground() -> None:
    state = at_festival("9 7", {0: "9 9 9 8 8 7 6 5", 1: "9 9 9 8 8 7 6 5", 2: "9"})
    play(state, "compete 9 9 9/8 8/7/6/5", "compete 9 9 9/8 8/7/6")
    lines = GAME.draw(state).splitlines()
    assert "Festival in girona showing 7 and 9: seat 2 may compete." in lines[0]
    assert [line.split() for line in lines[-4:]] == [
        ["8", "8", "8", "8"],
        ["9", "9", "9", "9", "9", "9"],
        ["=====", "====="],
        ["seat", "0:", "9", "seat", "1:", "8"],
    ]


def test_every_state_of_a_match_can_be_drawn_and_every_action_told() -> None:
    state = dealt(4, 3)
    for before, action in playing(state, aiming, random.Random(3)):
        assert len(GAME.draw(before).splitlines()) > 20
        sentence = GAME.tell(before, action)
        assert sentence
        assert "\n" not in sentence
    assert "The match is over." in GAME.draw(state)


def test_maps_with_other_regions_are_drawn_too() -> None:
    names = '["reus", "girona", "lleida", "tarragona", "valls", "vilafranca", "vilanova"]'
    borders = (
        '[["reus", "girona"], ["reus", "lleida"], ["reus", "valls"], ["reus", "vilafranca"], ["reus", "vilanova"]]'
    )
    slots = '["everywhere", "girona", "reus", "vilanova", "tarragona", "valls", "vilafranca", "lleida"]'
    edition = edition_with(regions=names, borders=borders, slots=slots)
    assert "+- REUS" in GAME.draw(dealt(2, edition=edition))


def test_sentences() -> None:
    state = standing_in("girona", team="9 9 9 8 8 7", skills={"mix": 1})
    region(state, "girona", castellers="8 5", tiles=[1], laid={1: 1}, offers="mix special")
    assert told(state, "move lleida") == "moves from girona to lleida"
    assert told(state, "recruit 8 5") == "recruits an 8 and a 5 in girona"
    assert told(state, "train mix") == "trains mix to rank 2"
    assert told(state, "special recruit 5") == "pays a token and recruits a 5 in girona"
    assert told(state, "wheel move lleida") == "trains a special tile and moves from girona to lleida"
    assert told(state, "special perform #1 9 9 9/8 8/7") == (
        "pays a token and performs #1 (3-2-1) in girona for 2 points with 9 9 9/8 8/7 and collects 1 token"
    )
    assert told(state, "end") == "ends the turn"
    assert told(dealt(), "move girona") == "enters the board in girona"
    state = at_festival("9 7", {0: "9 9 9 8 8 7 6"})
    assert told(state, "compete 9 9 9/8 8/7/6") == "builds 9 9 9/8 8/7/6 at the festival in girona: 8 points"
    assert told(state, "decline") == "builds nothing at the festival"
