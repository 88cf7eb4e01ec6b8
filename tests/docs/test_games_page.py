"""docs/games.md names what is there, and its plugin works."""

from __future__ import annotations

import re
import types
from pathlib import Path
from random import Random

import pluggy

from arena import hookspecs
from arena.games.api import Game, Seat, State
from arena.games.connect_four import ConnectFour
from arena.testing import games as kit

PAGE = (Path(__file__).parents[2] / "docs" / "games.md").read_text("utf-8")


def test_the_members_of_a_state_are_all_there() -> None:
    table = re.findall(r"^\| `(\w+)(?:\(.*?\))?` \|", PAGE, re.MULTILINE)
    public = [name for name in vars(State) if not name.startswith("_")]
    assert sorted([*table, "digest"]) == sorted(public)  # `digest` is explained with `truth`


def test_the_plugin_of_the_page_brings_its_game() -> None:
    code = re.findall(r"```python\n(# my_game.*?)```", PAGE, re.DOTALL)[0]
    module = types.ModuleType("my_game")
    rules = {"MyGame": ConnectFour}
    exec(code.replace("from my_game.rules import MyGame\n", ""), vars(module) | rules, vars(module))
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(module)
    (found,) = manager.hook.arena_games()
    assert isinstance(found[0], Game)


def test_the_checks_of_the_page_are_called_as_the_kit_is() -> None:
    def another_deck(state: State, seat: Seat, rng: Random) -> State:
        return state.copy()

    assert "check_game(MyGame(), disguise=another_deck)" in PAGE
    kit.check_game(ConnectFour(), disguise=another_deck)
