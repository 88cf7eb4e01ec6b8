"""Helpers for bots."""

from __future__ import annotations

from arena.games.castell.guide import coming_festivals, distances, offers, team
from tests.games.castell.play import dealt
from tests.games.castell.situations import at_festival, before_festivals, play, player


def test_distances_count_moves() -> None:
    ways = distances(dealt())
    assert ways["girona"]["girona"] == 0
    assert ways["girona"]["tarragona"] == 1
    assert ways["girona"]["valls"] == 2
    assert all(ways[a][b] == ways[b][a] for a in ways for b in ways)


def test_coming_festivals_and_the_turns_before_them() -> None:
    state = dealt(3)
    coming = coming_festivals(state, 0)
    assert len(coming) == 14
    assert (coming[0].round, coming[0].turns) == (3, 3)
    play(state, "end")
    assert coming_festivals(state, 0)[0].turns == 2
    assert coming_festivals(state, 1)[0].turns == 3
    assert len(coming_festivals(dealt(2), 0)) == 8


def test_a_festival_that_is_on_still_comes_and_one_that_is_over_does_not() -> None:
    state = before_festivals([("girona", "9 7"), ("valls", "8 6")])
    player(state, 0, pawn="girona")
    player(state, 1, pawn="valls")
    assert [f.region for f in coming_festivals(state, 0) if f.round == 5] == ["girona", "valls"]
    play(state, "end")
    assert [f.region for f in coming_festivals(state, 0) if f.round == 5] == ["girona", "valls"]
    assert coming_festivals(state, 0)[0].turns == 0
    play(state, "decline")
    assert [f.region for f in coming_festivals(state, 0) if f.round == 5] == ["valls"]
    play(state, "decline")
    assert [f for f in coming_festivals(state, 0) if f.round == 5] == []


def test_nothing_comes_after_the_end() -> None:
    state = play(dealt(2), *["end"] * 20)
    assert coming_festivals(state, 0) == []


def test_offers_of_a_round_are_those_in_play_then() -> None:
    state = dealt(2)
    ahead = offers(state, 2)
    play(state, "end", "end")
    assert list(map(list, ahead.values())) == state.view(0)["offers"]


def test_the_team_as_the_builder_wants_it() -> None:
    state = at_festival("9 7", {0: "9 9 1"})
    assert team(state, 0) == (1, 0, 0, 0, 0, 0, 0, 0, 2, 0)
