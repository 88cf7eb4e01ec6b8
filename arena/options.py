"""Checks the options of a game as a person typed them: known names, types, choices.

Used for tournament files, for the command line and by anybody who deals a game by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.errors import ConfigError, Problem
from arena.games.api import Game, Option, OptionValue
from arena.wording import listed, unknown

_TYPE_WORDS = {bool: "true or false", int: "a whole number", str: "a text"}


def check_options(
    game: Game, given: Mapping[str, Any], *, path: str = "game_options"
) -> tuple[dict[str, OptionValue], list[Problem]]:
    """Return every option of `game` by name, `given` over the defaults, and all that is wrong with `given`.

    `path` is where the options stand, the first part of each problem's path. What the game itself objects
    to (`Game.check_options`) is asked only when types and choices are right.
    """
    complete: dict[str, OptionValue] = {option.name: option.default for option in game.options}
    problems = [
        Problem(f"{path}.{name}", unknown(f"option of {game.name}", name, complete))
        for name in given
        if name not in complete
    ]
    for option in game.options:
        if option.name in given:
            problem = _problem_with(option, given[option.name])
            if problem:
                problems.append(Problem(f"{path}.{option.name}", problem))
            else:
                complete[option.name] = given[option.name]
    if not problems:
        problems = [
            Problem(f"{path}.{problem.path}" if problem.path else path, problem.problem)
            for problem in game.check_options(complete)
        ]
    return complete, problems


def complete_options(game: Game, given: Mapping[str, Any], *, source: str = "") -> dict[str, OptionValue]:
    """Return every option of `game`, `given` over the defaults; raise `ConfigError` with all that is wrong."""
    complete, problems = check_options(game, given)
    if problems:
        raise ConfigError(problems, source=source)
    return complete


def read_option(option: Option, text: str) -> OptionValue:
    """Return the value that `text` from a command line stands for; a text of the wrong type comes back as it is."""
    if isinstance(option.default, bool):
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        return words.get(text.casefold(), text)
    if isinstance(option.default, int):
        try:
            return int(text)
        except ValueError:
            return text
    return text


def check_seats(game: Game, seats: int, *, path: str = "seats") -> list[Problem]:
    """Return the problem, if any, with playing `game` at `seats` seats."""
    if seats in game.seat_counts:
        return []
    counts = listed(map(str, game.seat_counts), last="or")
    return [Problem(path, f"{game.name} is played at {counts} seats, not {seats}")]


def _problem_with(option: Option, value: object) -> str:
    kind = type(option.default)
    if type(value) is not kind:
        return f"expected {_TYPE_WORDS[kind]}, got {value!r}"
    if option.choices and value not in option.choices:
        return f"{value!r} is none of the choices; {_choices(option.choices)}"
    return ""


def _choices(choices: Sequence[OptionValue]) -> str:
    return f"it is one of {listed((repr(choice) for choice in choices), last='or')}"
