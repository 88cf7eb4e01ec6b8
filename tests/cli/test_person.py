"""A person at a seat: what is typed becomes an action or a helpful sentence."""

from __future__ import annotations

import random
from collections.abc import Iterable

import attrs
import click
import pytest

from arena import plugins
from arena.cli.person import HELP, Left, Person, Play, Say, Show, interpret, labels
from arena.errors import IllegalAction, NotationError
from arena.games.api import Action, Game, State
from arena.games.connect_four import ConnectFour
from arena.options import complete_options

KEY = bytes(16)
SHAPES = {"8 8/6", "5/4", "9"}


@attrs.frozen
class Word:
    text: str

    def __str__(self) -> str:
        return self.text


class Towers(ConnectFour):
    """A game with a notation of several words, like Castell's, on top of a board that is never touched."""

    def parse(self, text: str) -> Action:
        kind, _, rest = text.partition(" ")
        if kind in ("compete", "perform") and rest and set(rest) <= set("0123456789/ "):
            return Word(text)
        if kind == "recruit" and rest.replace(" ", "").isdigit():
            return Word(text)
        if text in ("end", "move girona", "move valls"):
            return Word(text)
        raise NotationError(f"{text!r} is no action")

    def tell(self, state: State, action: Action) -> str:
        return f"does {action}"

    def draw(self, state: State) -> str:
        return "a board"


class TowerState:
    """Just what a person is shown."""

    def __init__(self, options: Iterable[str], legal: Iterable[str] = ()) -> None:
        self._options = [Word(text) for text in options]
        self._legal = {Word(text) for text in legal} | set(self._options)

    def options(self) -> list[Word]:
        return self._options

    def check(self, action: Action) -> None:
        if action not in self._legal:
            raise IllegalAction(f"{action} breaks rule 3")


def reply(text: str, options: Iterable[str], legal: Iterable[str] = ()) -> object:
    state = TowerState(options, legal)
    return interpret(Towers(), state, state.options(), text)  # type: ignore[arg-type]


OPTIONS = ["compete 9 9/7", "recruit 7 3", "recruit 7", "move girona", "end"]


def test_the_number_of_an_option_plays_it() -> None:
    assert reply("2", OPTIONS) == Play(Word("recruit 7 3"))


def test_the_text_of_an_action_plays_it_also_off_the_list() -> None:
    assert reply("end", OPTIONS) == Play(Word("end"))
    assert reply("compete 5/4", OPTIONS, ["compete 5/4"]) == Play(Word("compete 5/4"))


def test_the_end_of_an_action_is_enough() -> None:
    assert reply("8 8/6", OPTIONS, ["compete 8 8/6"]) == Play(Word("compete 8 8/6"))
    assert reply("girona", OPTIONS) == Play(Word("move girona"))


def test_a_tower_that_does_not_stand_is_answered_with_its_rule() -> None:
    assert reply("8/8/8", OPTIONS) == Say("compete 8/8/8 breaks rule 3")
    assert reply("compete 8/8/8", OPTIONS) == Say("compete 8/8/8 breaks rule 3")


def test_an_end_that_fits_twice_is_asked_about() -> None:
    both = ["compete 9 9/7", "perform 9 9/7"]
    assert reply("5/4", both, ["compete 5/4", "perform 5/4"]) == Say(
        "that could be `compete 5/4` or `perform 5/4`; write it out"
    )
    assert reply("5/4", both, ["perform 5/4"]) == Play(Word("perform 5/4"))
    assert reply("5/4", both) == Say(
        "that can't be played:\n  `compete 5/4`: compete 5/4 breaks rule 3\n  `perform 5/4`: perform 5/4 breaks rule 3"
    )


def test_the_beginning_of_options_lists_them() -> None:
    assert reply("recruit", OPTIONS) == Show((1, 2))
    assert reply("compete", ["compete 9 9/7"]) == Show((0,))


def test_nonsense_is_answered_by_the_game() -> None:
    assert reply("dance", OPTIONS) == Say("'dance' is no action")


def test_actions_that_are_numbers_are_their_own_labels() -> None:
    state = ConnectFour().deal(2, KEY, {"opening": 0})
    for _ in range(6):
        state.apply(1)
    options = state.options()
    assert labels(options) == ["2", "3", "4", "5", "6", "7"]
    assert interpret(ConnectFour(), state, options, "2") == Play(2)
    assert interpret(ConnectFour(), state, options, "1") == Say("column 1 is full")


class Terminal:
    """Types the given lines and keeps what is said."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.said: list[str] = []

    def read(self, prompt: str) -> str:
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    def person(self, game: Game) -> Person:
        return Person(game, read=self.read, say=self.said.append)


def test_a_person_is_asked_until_an_action_is_clear() -> None:
    state = ConnectFour().deal(2, KEY, {"opening": 0})
    terminal = Terminal("", "?", "9", "board", " 4 ")
    assert terminal.person(ConnectFour()).choose(state) == 4
    assert HELP in terminal.said
    assert sum(text.strip() == ConnectFour().draw(state) for text in terminal.said) == 2
    assert any("'9' is no action" in text for text in terminal.said)


@pytest.mark.parametrize("lines", [[], ["quit"], ["Q"]])
def test_leaving_is_no_fault(lines: list[str]) -> None:
    state = ConnectFour().deal(2, KEY, {"opening": 0})
    with pytest.raises(Left):
        Terminal(*lines).person(ConnectFour()).choose(state)


def test_many_options_are_shown_by_kind_and_listed_on_demand() -> None:
    state = TowerState([f"recruit {number}" for number in range(30)] + ["end"])
    terminal = Terminal("recruit", "END")
    assert terminal.person(Towers()).choose(state) == Word("end")  # type: ignore[arg-type]
    text = click.unstyle("\n".join(terminal.said))
    assert "recruit     30 ways, for example `recruit 0`" in text
    assert " 30  recruit 29  does recruit 29" in text


def test_the_tower_editor_of_castell() -> None:
    game = plugins.game("castell")
    state = festival(game)
    options = state.options()
    tower = next(str(option).removeprefix("compete ") for option in options if str(option).startswith("compete "))
    built = interpret(game, state, options, tower)
    assert isinstance(built, Play)
    assert str(built.action) == f"compete {tower}"
    upside_down = "/".join(reversed(tower.split("/")))
    broken = interpret(game, state, options, upside_down)
    assert isinstance(broken, Say)
    assert broken.sentence.startswith(f"compete {upside_down}: level 2 holds a ")


def festival(game: Game) -> State:
    """Return a state in which the seat to act may build a tower at a festival."""
    draw = random.Random(2)
    for number in range(200):
        state = game.deal(2, number.to_bytes(16, "big"), complete_options(game, {}))
        while state.to_act is not None:
            options = state.options()
            if any(str(option).startswith("compete") for option in options):
                return state
            state.apply(draw.choice(options))
    raise AssertionError("no festival in 200 random matches")
