from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena import plugins
from arena.errors import Problem
from arena.testing.formats import check_format, make_field, simulate
from arena.tournament import formats
from arena.tournament.formats.api import DONE, WAIT, Answer, Field, Format, Pairing, Played, Schedule, SettingValue
from arena.tournament.formats.blocks import block_pairings

OURS = sorted(plugins.formats(path=[]))


@pytest.mark.parametrize("name", OURS)
def test_our_formats_keep_their_promises(name: str) -> None:
    few: dict[str, SettingValue] = {"sprt": {"deals": 40}, "swiss": {"rounds": 4}}.get(name, {"deals": 1})  # type: ignore[assignment]
    check_format(formats.find(name), settings=few)


@pytest.mark.parametrize("name", ["round-robin", "gauntlet"])
def test_a_budget_keeps_the_promises(name: str) -> None:
    check_format(formats.find(name), settings={"deals": 1, "max_matches": 60}, fields=[(6, 3), (8, 4), (30, 2)])


def test_a_stranger_comes_in_by_the_same_door() -> None:
    assert OURS == ["gauntlet", "knockout", "round-robin", "sprt", "swiss"]


class _Broken(Format):
    """Breaks one promise, told by `how`."""

    name = "broken"

    def check(self, field: Field) -> list[Problem]:
        return [Problem("", "one bot may sit at a table twice")] if field.bots else []

    def __init__(self, how: str) -> None:
        self.how = how

    def schedule(self, field: Field) -> Schedule:
        return _BrokenSchedule(self.how, field)


class _BrokenSchedule(Schedule):
    def __init__(self, how: str, field: Field) -> None:
        self.how, self.field = how, field
        self.heard = 0
        self.pairings: Iterator[Pairing] = self._make()
        if how == "total":
            self.total = 1

    def _make(self) -> Iterator[Pairing]:
        for deal in range(4):
            names = list(self.field.entrants[: self.field.seats])
            if self.how == "lookahead" and self.heard > deal:
                names.reverse()
            for pairing in block_pairings(names, deal=deal, block="same" if self.how == "ids" else f"b{deal}", turn=0):
                if self.how != "seats" or pairing.rotation:
                    yield pairing

    def next(self) -> Answer:
        if self.how == "endless" and self.heard > 3:
            self.pairings = iter([])
            return WAIT
        return next(self.pairings, DONE)

    def result(self, played: Played) -> None:
        self.heard += 1


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("lookahead", "ahead"),
        ("ids", "id of its own"),
        ("seats", "equally often"),
        ("total", "total of 1"),
        ("endless", "WAIT"),
    ],
)
def test_a_broken_format_is_found_out(how: str, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_format(_Broken(how), fields=[(3, 3)])


def test_a_sound_one_of_the_same_making_passes() -> None:
    check_format(_Broken("not at all"), fields=[(3, 3)])


def test_simulated_results_favour_the_strong() -> None:
    format_ = formats.find("round-robin")
    field = make_field(format_, 3, 3, {"deals": 20})
    course = simulate(format_.schedule(field), strengths={"e02": 30.0})
    first = sum(one.places[one.pairing.line_up.index("e02")] == 1 for one in course.played)
    assert first > 0.8 * len(course.played)
