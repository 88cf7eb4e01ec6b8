"""Every alternative of the rulings about play changes a worked example; the others stand beside their rules.

base_levels: test_judge; exhibition_levels: test_performances; prizes_by, prize_ties, size_token_ties: test_festivals;
variety_counts, final_ties: test_scoring.
"""

from __future__ import annotations

from tests.games.castell.play import dealt
from tests.games.castell.situations import allows, edition_with, play, refusal, region, standing_in

ALONE = edition_with(token_spaces='"one_per_player"')
ALONE_BEFORE = edition_with(token_spaces='"one_per_player"', token_laid='"before"')


def test_wheel_turns_anticlockwise() -> None:
    for ruling, step in (("clockwise", 1), ("anticlockwise", -1)):
        state = dealt(2, side="advanced", edition=edition_with(wheel_turns=f'"{ruling}"'))
        slots = state.deal.tables.edition.slots
        play(state, "end", "end")
        expected = [state.deal.ring[(slots.index(name) + step) % 8] for name in state.deal.tables.names]
        assert state.view(0)["offers"] == [[kind] for kind in expected]


def test_special_move_any() -> None:
    for ruling, far in (("neighbour", False), ("any", True)):
        state = standing_in("girona", edition=edition_with(special_move=f'"{ruling}"'))
        region(state, "girona", offers="special")
        for text in ("special move valls", "wheel move valls"):
            assert allows(state, text) == far
            assert (text in map(str, state.options())) == far
        assert not allows(state, "special move girona")
        assert not allows(state, "move valls")


def test_token_laid_before() -> None:
    for ruling, left, got in (("after", 1, 2), ("before", 0, 3)):
        state = standing_in("girona", edition=edition_with(token_laid=f'"{ruling}"'), team="9 9 9 8 8 7")
        region(state, "girona", tiles=[1], laid={0: 1, 1: 1})
        play(state, "special perform #1 9 9 9/8 8/7")
        assert state.laid[1] == left
        assert sum(state.collected[0]) == got
        state = standing_in("girona", edition=edition_with(token_laid=f'"{ruling}"'))
        play(state, "special move lleida")
        names = state.deal.tables.names
        where = [names[i] for i, laid in enumerate(state.laid) if laid]
        assert where == (["lleida"] if ruling == "after" else ["girona"])


def test_token_spaces_one_per_player() -> None:
    state = standing_in("girona", edition=ALONE, team="9 9 9 8 8 7")
    region(state, "girona", castellers="5", tiles=[1], laid={0: 1}, offers="special")
    region(state, "lleida", laid={0: 1})
    region(state, "barcelona", laid={1: 1})
    assert "lies in girona already" in refusal(state, "special recruit 5")
    assert "lies in lleida already" in refusal(state, "special move lleida")
    assert allows(state, "special move barcelona"), "another player's token is not in the way"
    assert allows(state, "wheel recruit 5"), "nothing is laid for a free special action"
    assert allows(state, "special perform #1 9 9 9/8 8/7"), "one collected by this very action does not count"
    assert allows(standing_in("girona", team="9 9 9 8 8 7"), "special move lleida")


def test_token_spaces_one_per_player_with_tokens_laid_before() -> None:
    state = standing_in("girona", edition=ALONE_BEFORE, team="9 9 9 8 8 7")
    region(state, "girona", castellers="5", tiles=[1], laid={0: 1})
    assert "lies in girona already" in refusal(state, "special move barcelona")
    assert "lies in girona already" in refusal(state, "special recruit 5")
    assert allows(state, "special perform #1 9 9 9/8 8/7")
    region(state, "girona", laid={})
    region(state, "lleida", laid={0: 1})
    assert allows(state, "special move lleida"), "the token stays behind in girona"


def test_options_leave_out_what_a_token_bars() -> None:
    state = standing_in("girona", edition=ALONE)
    region(state, "girona", castellers="5", laid={0: 1}, offers="mix")
    paid = [str(option) for option in state.options() if str(option).startswith("special")]
    assert paid == ["special move barcelona", "special move lleida", "special move tarragona"]


def test_first_player_stays() -> None:
    for ruling, expected in (("passes", [0, 1, 1, 0]), ("stays", [0, 1, 0, 1])):
        state = dealt(2, edition=edition_with(first_player=f'"{ruling}"'))
        order = []
        for _ in range(4):
            order.append(state.to_act)
            play(state, "end")
        assert order == expected
