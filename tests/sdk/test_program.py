from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.protocol import Quit
from arena.sdk import Bot, Clock, End, Start, Turn
from arena.sdk.bot import begin, checked_answer, take_notes
from arena.sdk.program import converse
from tests.sdk.talk import HELLO, ROOT, host_argv, match, talk

SCRIPT = """
from arena.sdk import Bot, run
print("before run")

class Drawing(Bot):
    def choose(self, turn):
        return self.rng.choice(turn.options)

if __name__ == "__main__":
    run(Drawing)
    print("after run")
"""


class Drawing(Bot):
    def choose(self, turn: Turn) -> str:
        return self.rng.choice(turn.options)


def clock() -> Clock:
    return Clock(startup_ms=1000)


def start(bot_seed: int = 5) -> Start:
    return Start(
        match="m", seat=0, seats=2, names=["a", "b"], game_options={}, options={}, clock=clock(), bot_seed=bot_seed
    )


def test_one_class_plays_the_same_as_plugin_as_program_and_in_process(tmp_path: Path) -> None:
    (tmp_path / "drawing.py").write_text(SCRIPT)
    script = [HELLO, *match(10), Quit()]
    environment = {"PYTHONPATH": str(ROOT)}
    program = talk([sys.executable, "-S", str(tmp_path / "drawing.py")], script, env=environment)
    plugin = talk(host_argv("drawing:Drawing", tmp_path), script)
    assert program.lines == plugin.lines
    assert (program.status, plugin.status) == (0, 0)
    assert program.stderr == "before run\nafter run\n"
    bot = Drawing()
    begin(bot, start())
    here = [bot.choose(Turn(id=number, count=7, options=list("1234567"))) for number in range(10)]
    assert here == [answer["action"] for answer in program.answers]


def test_a_program_may_be_quiet_about_a_referee_that_is_gone(tmp_path: Path) -> None:
    requests = b"".join(b'{"type":"act","id":%d,"count":1}\n' % number for number in range(3))
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0) as answers:  # noqa: PTH123 - a pipe has no path
        converse(Drawing0(), io.BytesIO(requests), answers)


class Drawing0(Bot):
    def choose(self, turn: Turn) -> int:
        return 0


def test_rubbish_from_a_referee_raises() -> None:
    with open(os.devnull, "wb", buffering=0) as answers, pytest.raises(ValueError, match="no JSON: 'oops"):  # noqa: PTH123
        converse(Drawing0(), io.BytesIO(b"oops\n"), answers)


def test_bots_with_an_init_of_their_own() -> None:
    class Own(Bot):
        def __init__(self, depth: int = 3) -> None:
            self.depth = depth

        def choose(self, turn: Turn) -> int:
            self.note("so")
            return self.depth

    bot, other = Own(), Own(4)
    assert (bot.choose(Turn(id=0)), other.choose(Turn(id=0))) == (3, 4)
    assert (take_notes(bot), take_notes(bot), take_notes(other)) == (["so"], [], ["so"])


def test_randomness_before_the_first_match_is_fixed() -> None:
    assert Drawing().rng.random() == Drawing().rng.random()


def test_randomness_begins_anew() -> None:
    bot = Drawing()
    seen = []
    for seed in (1, 2, 1):
        begin(bot, start(seed))
        seen.append([bot.rng.random() for _ in range(3)])
    assert seen[0] == seen[2] != seen[1]


def test_time_left() -> None:
    assert Turn(id=0).left_ms() is None
    turn = Turn(id=0, limit_ms=1000)
    turn.received -= 0.25
    left = turn.left_ms()
    assert left is not None
    assert left <= 750


def test_history() -> None:
    assert Turn(id=0, actions=["0 move girona", "11 end"]).history() == [(0, "move girona"), (11, "end")]


@pytest.mark.parametrize(
    ("answer", "message"), [("end", ("action", "end")), (0, ("option", 0)), (("a",), ("actions", ["a"]))]
)
def test_answers(answer: Any, message: tuple[str, Any]) -> None:
    assert checked_answer(answer) == message


def test_an_end_without_much() -> None:
    end = End(termination="void")
    assert (end.places, end.scores, end.categories, end.fault) == ((), (), {}, None)
