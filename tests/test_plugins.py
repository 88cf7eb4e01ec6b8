"""Discovery and look-up of plugins, with temporary distributions on a path."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena import plugins
from arena.discovery import discover
from arena.errors import ConfigError

Install = Callable[[str, str], list[str]]

GOOD = """
from arena.hookspecs import BotPlugin, hookimpl
@hookimpl
def arena_bots():
    return [BotPlugin(name="good-bot", target="good:Bot", games=("connect-four",), seats=(2,), summary="plays")]
"""

TINY_GAME = """
from arena.games.api import Game
from arena.hookspecs import FormatPlugin, hookimpl

class Tiny(Game):
    name = "tiny"
    version = "7"
    seat_counts = (2,)
    summary = "a game of nothing"
    def deal(self, seats, key, options): ...
    def parse(self, text): ...

@hookimpl
def arena_games():
    return [Tiny()]

@hookimpl
def arena_formats():
    return [FormatPlugin(name="coin-toss", target="tiny_game:Tiny")]
"""

OBSERVER = """
import pathlib
from arena.hookspecs import hookimpl

@hookimpl
def arena_match_finished(summary):
    if summary["match_id"] == "bad":
        raise RuntimeError("no disk")
    with pathlib.Path(__file__).with_suffix(".log").open("a") as log:
        log.write(summary["match_id"] + " ")

@hookimpl
def arena_tournament_finished(run, complete):
    with pathlib.Path(__file__).with_suffix(".log").open("a") as log:
        log.write(f"{run} {complete}")
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Write a distribution with one module, and return the path to look on: it and what is installed by import."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    own = [folder for folder in sys.path if folder != str(site)]

    def write(name: str, code: str) -> list[str]:
        (site / f"{name}.py").write_text(code)
        meta = site / f"{name}-1.0.dist-info"
        meta.mkdir()
        (meta / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (meta / "entry_points.txt").write_text(f"[arena]\n{name} = {name}\n")
        return [str(site), *own]

    return write


def reason(path: list[str], name: str, deadline_s: float = 20.0) -> str:
    """Return why the plugin `name` was left out."""
    (facts,) = [facts for facts in discover(path, deadline_s=deadline_s) if facts.entry_point.name == name]
    assert not facts.bots
    return facts.reason


def test_a_good_plugin_brings_its_bots(install: Install, tmp_path: Path) -> None:
    path = install("good", GOOD)
    bot = plugins.bot("good-bot", path)
    assert (bot.target, bot.games, bot.seats, bot.summary) == ("good:Bot", ("connect-four",), (2,), "plays")
    assert (bot.distribution, bot.version) == ("good", "1.0")
    assert bot.search_path == (str(tmp_path / "site"),)
    assert not [facts for facts in plugins.left_out(path) if facts.entry_point.name == "good"]
    assert "good" not in sys.modules


def test_what_a_bot_plays() -> None:
    from arena.hookspecs import BotPlugin

    bot = BotPlugin(name="b", target="m:B", games=("castell",), seats=(3,))
    assert bot.plays("castell")
    assert bot.plays("castell", 3)
    assert not bot.plays("castell", 2)
    assert not bot.plays("connect-four")
    assert BotPlugin(name="b", target="m:B").plays("anything", 9)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('hello')\n" + GOOD, "printed 'hello' while loading; let it print to stderr"),
        ("import os; os.write(1, b'raw')\n" + GOOD, "printed 'raw' while loading"),
        ("1 / 0", "raised ZeroDivisionError: division by zero (odd.py, line 1)"),
        ("raise SystemExit(3)", "raised SystemExit: 3"),
        ("import os; os._exit(7)", "ended the process while loading (exit code 7)"),
        ("import os; os.kill(os.getpid(), 11)", "ended the process while loading (signal SIGSEGV)"),
        ("import no_such_module", "raised ModuleNotFoundError: No module named 'no_such_module'"),
        (GOOD.replace("good-bot", "Good Bot"), "'Good Bot' is no name for a bot"),
        (GOOD.replace("good:Bot", "good"), "the target of bot good-bot is 'good'; it should read `module:attr`"),
        (GOOD.replace("good:Bot", "nowhere_at_all:Bot"), "there is no module 'nowhere_at_all'"),
        (GOOD.replace("def arena_bots", "def arena_bot"), "unknown hook 'arena_bot'"),
        ("from arena.hookspecs import hookimpl\n@hookimpl\ndef arena_bots(): return ['x']", "list of BotPlugin"),
        (
            "from arena.hookspecs import hookimpl\n@hookimpl\ndef arena_bots(): raise KeyError('k')",
            "raised KeyError: 'k'",
        ),
    ],
)
def test_a_plugin_that_breaks_a_rule_is_left_out_with_its_reason(install: Install, code: str, expected: str) -> None:
    install("good", GOOD)
    path = install("odd", code)
    assert expected in reason(path, "odd")
    assert "good-bot" in plugins.bots(path)
    assert [facts.entry_point.name for facts in plugins.left_out(path)] == ["odd"]


def test_a_plugin_that_hangs_is_left_out_and_the_others_stay(install: Install) -> None:
    install("good", GOOD)
    path = install("hang", "import threading; threading.Event().wait()")
    assert reason(path, "hang", 3.0) == "did not finish loading within 3 s"
    assert [
        bot.name for facts in discover(path, deadline_s=3.0) for bot in facts.bots if facts.entry_point.name == "good"
    ]


def test_threads_and_stderr_of_a_plugin_do_no_harm(install: Install) -> None:
    noise = "import sys, threading as t; print('log', file=sys.stderr); t.Thread(target=t.Event().wait).start()"
    path = install("good", f"{noise}\n{GOOD}")
    assert "good-bot" in plugins.bots(path)


def test_games_and_formats_of_strangers_come_through_the_same_door(install: Install) -> None:
    path = install("tiny_game", TINY_GAME)
    game = plugins.game("tiny", path)
    assert (game.version, game.seat_counts) == ("7", (2,))
    assert set(plugins.games(path)) >= {"tiny", *plugins.games()}
    assert plugins.load_target(plugins.format("coin-toss", path).target) is type(game)


def test_unknown_names_are_answered_with_the_nearest(install: Install) -> None:
    install("good", GOOD)
    path = install("odd", "1 / 0")
    with pytest.raises(ConfigError, match=r"there is no bot 'god-bot'; did you mean 'good-bot'.*left out: odd"):
        plugins.bot("god-bot", path)
    with pytest.raises(ConfigError, match="there is no game 'qqq'"):
        plugins.game("qqq", path)
    with pytest.raises(ConfigError, match="there is no format 'qqq'"):
        plugins.format("qqq", path)


def test_observers_hear_of_matches_until_they_fail(install: Install, tmp_path: Path) -> None:
    path = install("watcher", OBSERVER)
    observers = plugins.Observers(path)
    assert observers.match_finished("runs/a", {"match_id": "m1"}) == []
    assert observers.tournament_finished("runs/a", complete=True) == []
    assert (tmp_path / "site" / "watcher.log").read_text() == "m1 runs/a True"
    assert observers.match_finished("runs/a", {"match_id": "bad"}) == [
        "plugin watcher: RuntimeError while observing: no disk"
    ]
    assert observers.match_finished("runs/a", {"match_id": "bad"}) == []


def test_our_own_games_need_no_child_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("subprocess.Popen", forbidden)
    for name in plugins._own_formats():
        assert plugins.format(name).name == name
    for name in plugins._games(plugins._own()):
        assert plugins.game(name).name == name
