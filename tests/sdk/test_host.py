from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from arena.protocol import Quit, RefereeConnection
from tests.sdk.talk import HELLO, HOST, act, host_argv, match, play, start, talk

DRAWING = """
class Mine(Bot):
    version = "3"
    wants = ("options", "view")
    def choose(self, turn):
        return self.rng.randrange(turn.count)
"""


def test_a_plugin_plays(tmp_path: Path) -> None:
    said = play(tmp_path, DRAWING)
    assert said.status == 0
    assert said.stderr == ""
    assert said.lines[:2] == [
        '{"type":"ready","name":"Mine","version":"3","wants":["options","view"]}',
        '{"type":"ready"}',
    ]
    assert [answer["id"] for answer in said.answers] == [0, 1, 2]


def test_what_it_says_is_what_the_referee_understands(tmp_path: Path) -> None:
    said = play(tmp_path, "class Mine(Bot):\n def choose(self, turn):\n  self.note('zwölf \\n')\n  return ['1', 'ä']")
    connection, lines = RefereeConnection(), iter(said.lines)
    for message in (HELLO, start(), act(0), act(1)):
        connection.send(message)
        while connection.state.value in ("greeted", "starting", "asked"):
            connection.receive_data(next(lines).encode() + b"\n")
            assert connection.next_event() is not None


def test_randomness_is_the_match_s_and_begins_anew_with_each(tmp_path: Path) -> None:
    said = play(tmp_path, DRAWING, [HELLO, *match(8), *match(8, bot_seed=6), *match(8), Quit()])
    options = [answer["option"] for answer in said.answers]
    first, second, third = options[:8], options[8:16], options[16:]
    assert first == third != second


def test_all_the_ways_to_answer(tmp_path: Path) -> None:
    code = """
class Mine(Bot):
    def choose(self, turn):
        return [3, "4", ["5", "end"], ("6",)][turn.id]
"""
    answers = play(tmp_path, code, [HELLO, *match(4), Quit()]).answers
    assert [list(answer.items())[2] for answer in answers] == [
        ("option", 3), ("action", "4"), ("actions", ["5", "end"]), ("actions", ["6"]),
    ]  # fmt: skip


def test_what_a_bot_is_told(tmp_path: Path) -> None:
    code = """
class Mine(Bot):
    wants = ("options", "view", "actions")
    def started(self, start):
        c = start.clock
        self.note(repr([start.match, start.seat, start.seats, start.names, start.game_options, start.options]))
        self.note(repr([c.kind, c.startup_ms, c.per_action_ms, c.bank_ms, c.increment_ms, c.margin_ms, c.strikes]))
        assert start is self.start
    def choose(self, turn):
        assert turn.left_ms() is None or turn.left_ms() <= turn.limit_ms
        self.note(repr([turn.options, turn.count, turn.view, turn.history()]))
        self.note(repr([turn.bank_ms, turn.limit_ms, turn.last_ms]))
        return 0
    def ended(self, end):
        self.note(repr([end.places, end.scores, end.categories, end.termination, end.fault]))
"""
    more = {"view": {"b": [None]}, "actions": ["0 4", "1 a b"], "bank_ms": 9, "limit_ms": 8, "last_ms": 7}
    script = [HELLO, *match(1), *match(1), Quit()]
    script[2] = act(0, **more)
    notes = [value["text"] for value in play(tmp_path, code, script).values if value["type"] == "note"]
    assert notes[:5] == [
        "['m', 0, 2, ('Änne', 'bob'), {'opening': 0}, {'depth': 3}]",
        "['wall', 10000, None, 900, 10, 50, 0]",
        "[['1', '2', '3', '4', '5', '6', '7'], 7, {'b': [None]}, [(0, '4'), (1, 'a b')]]",
        "[9, 8, 7]",
        "[(1, 2), (2, 0), {}, 'finished', None]",
    ]
    assert notes[7:9] == ["[['1', '2', '3', '4', '5', '6', '7'], 7, None, []]", "[None, None, None]"]


def test_stray_output_of_every_kind_goes_to_stderr(tmp_path: Path) -> None:
    code = """
import os, subprocess, sys
print("while importing")
class Mine(Bot):
    def __init__(self):
        print("while made")
    def started(self, start):
        os.write(1, b"by number\\n")
        sys.__stdout__.write("by the old name\\n")
    def choose(self, turn):
        print("while choosing", end="")
        subprocess.run(["/bin/echo", "by a child"])
        self.log("by", "log")
        return 0
    def ended(self, end):
        print("while ending")
"""
    said = play(tmp_path, code)
    assert [value["type"] for value in said.values] == ["ready", "ready", "action", "action", "action"]
    for text in ("importing", "made", "by number", "by the old name", "choosing", "by a child", "by log", "ending"):
        assert text in said.stderr


def test_the_bot_cannot_eat_the_requests(tmp_path: Path) -> None:
    code = """
import sys
class Mine(Bot):
    def choose(self, turn):
        assert sys.stdin.read() == ""
        return 1
"""
    assert [answer["option"] for answer in play(tmp_path, code).answers] == [1, 1, 1]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("oops = 1 / 0", 0),
        ("class Mine(Bot):\n def __init__(self): 1 / 0", 0),
        ("class Mine(Bot):\n def started(self, start): 1 / 0", 1),
        ("class Mine(Bot):\n def choose(self, turn): 1 / 0", 2),
        ("class Mine(Bot):\n def choose(self, turn): return 1\n def ended(self, end): 1 / 0", 5),
    ],
)
def test_whatever_raises_ends_the_process_with_a_traceback(tmp_path: Path, code: str, said: int) -> None:
    end = play(tmp_path, code)
    assert end.status == 1
    assert len(end.lines) == said
    assert end.stderr.startswith("Traceback")
    assert "ZeroDivisionError" in end.stderr
    assert "mine.py" in end.stderr


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("None", "TypeError: choose returned None; return the text of an action"),
        ("True", "TypeError: choose returned True"),
        ("2.0", "TypeError: choose returned 2.0"),
        ("[]", "TypeError: choose returned []"),
        ("['1', 2]", "TypeError: choose returned ['1', 2]"),
        ("-1", "ValueError: choose returned -1, but options are numbered from 0"),
    ],
)
def test_answers_that_are_none(tmp_path: Path, answer: str, reason: str) -> None:
    said = play(tmp_path, f"class Mine(Bot):\n def choose(self, turn): return {answer}")
    assert (said.status, len(said.lines)) == (1, 2)
    assert reason in said.stderr


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("class Mine(Bot):\n wants = 'view'", "wants must be a tuple of words, for example ('view',)"),
        ("class Mine(Bot):\n wants = ('all',)", "unknown word 'all'; known are options, view, actions"),
        ("class Mine(Bot): pass", "Mine has no method `choose`"),
        ("class Mine: pass", "not a subclass of arena.sdk.Bot"),
        ("Mine = 7", "mine:Mine is 7, not a subclass of arena.sdk.Bot"),
        ("Other = 7", "has no attribute 'Mine'"),
        ("import sys\nsys.exit('enough')", ""),
    ],
)
def test_classes_that_are_no_bots(tmp_path: Path, code: str, reason: str) -> None:
    said = play(tmp_path, code)
    assert said.status == 1
    assert reason in said.stderr
    assert not said.answers


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    said = talk(host_argv("nowhere:Mine", tmp_path), [HELLO])
    assert said.status == 1
    assert "No module named 'nowhere'" in said.stderr


def test_an_exit_status_of_the_bot_s_own(tmp_path: Path) -> None:
    assert play(tmp_path, "import sys\nclass Mine(Bot):\n def choose(self, turn): sys.exit(7)").status == 7


@pytest.mark.parametrize(
    "argv", [[], ["--target", "a"], ["--target", "a:b", "--path"], ["--target", "a:b", "--x", "y"]]
)
def test_usage(argv: list[str]) -> None:
    said = talk([sys.executable, "-I", "-S", str(HOST), *argv], [])
    assert (said.status, said.lines) == (2, [])
    assert said.stderr.startswith("usage: host.py --target MODULE:ATTR")


def test_threads_left_running_do_not_keep_the_process(tmp_path: Path) -> None:
    code = """
import threading
class Mine(Bot):
    def choose(self, turn):
        threading.Thread(target=threading.Event().wait).start()
        return 0
"""
    assert play(tmp_path, code).status == 0


def test_the_end_of_the_referee_is_the_end_of_the_bot(tmp_path: Path) -> None:
    said = play(tmp_path, DRAWING, [HELLO, *match(2)])
    assert (said.status, said.stderr) == (0, "")


def test_later_versions_may_say_more(tmp_path: Path) -> None:
    """Unknown types and keys are passed over."""
    code = """
from arena.sdk.program import respond
class Mine(Bot):
    def choose(self, turn):
        assert respond(self, {"type": "pause", "ms": 5}) is None
        return respond(self, {"type": "act", "id": 4, "mood": {}})["option"] if turn.id < 4 else 6
"""
    assert [answer["option"] for answer in play(tmp_path, code).answers] == [6, 6, 6]


def test_no_more_than_the_sdk_needs_to_be_visible(tmp_path: Path) -> None:
    """In a sandbox there is this folder, and nothing else of the package."""
    sdk = tmp_path / "elsewhere" / "arena" / "sdk"
    shutil.copytree(HOST.parent, sdk)
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "mine.py").write_text(
        "from arena.sdk import Bot, Turn\nimport arena.sdk\n"
        "class Mine(Bot):\n def choose(self, turn):\n  return arena.sdk.__file__"
    )
    said = talk(host_argv("mine:Mine", bot, host=sdk / "host.py"), [HELLO, *match(1), Quit()])
    assert said.answers == [{"type": "action", "id": 0, "action": str(sdk / "__init__.py")}]


def test_the_host_imports_next_to_nothing(tmp_path: Path) -> None:
    """Each of these costs every bot milliseconds at every match."""
    code = """
import sys
class Mine(Bot):
    def choose(self, turn):
        return " ".join(sorted(sys.modules))
"""
    loaded = set(play(tmp_path, code).answers[0]["action"].split())
    assert not loaded & {"json", "re", "random", "typing", "dataclasses", "inspect", "traceback", "collections", "enum"}
    assert not loaded & {"trio", "pluggy", "click", "msgspec", "attrs", "attr", "argparse", "importlib", "pathlib"}
    assert {name for name in loaded if name.startswith("arena")} == {
        "arena", "arena.sdk", "arena.sdk.bot", "arena.sdk.program", "arena.sdk.wire",
    }  # fmt: skip
