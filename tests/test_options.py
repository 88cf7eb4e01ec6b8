"""Option checks for games."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from arena import options
from arena.errors import ConfigError, Problem
from arena.games.api import Action, Game, Option, OptionValue, State


class Fussy(Game):
    name = "fussy"
    version = "1"
    seat_counts = (2, 4)
    options = (
        Option(name="side", default="standard", choices=("standard", "advanced")),
        Option(name="rounds", default=10),
        Option(name="loud", default=False),
    )

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> State:
        raise NotImplementedError

    def parse(self, text: str) -> Action:
        raise NotImplementedError

    def check_options(self, options: Mapping[str, OptionValue]) -> list[Problem]:
        return [Problem("rounds", "too many")] if options["rounds"] == 99 else []


def problems(**given: object) -> list[str]:
    return [str(problem) for problem in options.check_options(Fussy(), given)[1]]


def test_defaults_fill_in_what_is_not_given() -> None:
    assert options.complete_options(Fussy(), {"rounds": 3}) == {"side": "standard", "rounds": 3, "loud": False}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"sid": "x"}, "game_options.sid: there is no option of fussy 'sid'; did you mean 'side'?"),
        ({"side": "north"}, "game_options.side: 'north' is none of the choices; it is one of 'standard' or 'advanced'"),
        ({"rounds": "3"}, "game_options.rounds: expected a whole number, got '3'"),
        ({"rounds": True}, "game_options.rounds: expected a whole number, got True"),
        ({"loud": 1}, "game_options.loud: expected true or false, got 1"),
        ({"rounds": 99}, "game_options.rounds: too many"),
    ],
)
def test_each_wrong_option_is_one_sentence(given: dict[str, object], expected: str) -> None:
    assert problems(**given) == [expected]


def test_all_problems_come_together() -> None:
    assert len(problems(sid=1, side=2, rounds=None)) == 3
    with pytest.raises(ConfigError, match=r"a\.toml: 2 problems"):
        options.complete_options(Fussy(), {"side": 2, "rounds": None}, source="a.toml")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("loud", "Yes", True), ("loud", "off", False), ("loud", "2", "2"), ("rounds", "7", 7), ("rounds", "x", "x"),
     ("side", "7", "7")],
)  # fmt: skip
def test_texts_of_the_command_line_become_values(name: str, text: str, value: OptionValue) -> None:
    (option,) = [option for option in Fussy.options if option.name == name]
    assert options.read_option(option, text) == value


def test_seat_counts() -> None:
    assert options.check_seats(Fussy(), 4) == []
    assert str(options.check_seats(Fussy(), 3)[0]) == "seats: fussy is played at 2 or 4 seats, not 3"
