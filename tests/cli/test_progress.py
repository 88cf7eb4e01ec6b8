"""Progress as a block on a terminal, and as lines in a pipe."""

from __future__ import annotations

import re

import click
import pytest

from arena.cli.progress import LiveView, PlainView, Progress, bar, duration, told


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress(done=0, total=40), "0 of 40 matches"),
        (Progress(done=10, total=40, elapsed_s=5.0), "10 of 40 matches, 2.0 a second, 15 s left"),
        (Progress(done=30, total=40, done_before=20, elapsed_s=600.0), "30 of 40 matches, 1.0 a minute, 10 min left"),
        (Progress(done=40, total=40, elapsed_s=4.0), "40 of 40 matches, 10.0 a second"),
        (Progress(done=7, total=None, elapsed_s=7.0, state="LLR 0.4"), "7 matches, 1.0 a second, LLR 0.4"),
    ],
)
def test_progress_in_words(progress: Progress, text: str) -> None:
    assert told(progress) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_bar_fills() -> None:
    assert bar(Progress(done=1, total=2), 4) == "[##--]"
    assert bar(Progress(done=1, total=None), 4) == "[----]"


class Clock:
    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


def test_a_pipe_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    view = PlainView(now=clock, every_s=10.0)
    for second in range(25):
        clock.s = float(second)
        view.update(Progress(done=second, total=99), list)
    view.say("done")
    view.close()
    assert capsys.readouterr().out == "10 of 99 matches\n20 of 99 matches\ndone\n"


def test_a_terminal_gets_a_block_that_is_redrawn_below_what_is_said() -> None:
    clock, written = Clock(), list[str]()
    view = LiveView(write=written.append, now=clock, size=lambda: (40, 24))
    view.update(Progress(done=1, total=2, playing=2), lambda: ["standings"])
    view.update(Progress(done=2, total=2), lambda: ["too soon"])
    view.say("bob is late")
    clock.s = 1.0
    view.update(Progress(done=2, total=2), lambda: ["standings"])
    view.close()
    assert "too soon" not in "".join(written)
    screen = emulate("".join(written))
    assert screen == ["bob is late"]


def test_a_block_is_never_wider_or_higher_than_the_terminal() -> None:
    written: list[str] = []
    view = LiveView(write=written.append, now=Clock(), size=lambda: (20, 5))
    view.update(Progress(done=1, total=2), lambda: ["x" * 90] * 50)
    lines = "".join(written).splitlines()
    assert len(lines) == 4
    assert max(len(click.unstyle(line)) for line in lines) == 19


def emulate(text: str) -> list[str]:
    """Return the lines that stand on a terminal after `text`: new lines, cursor up, erase below."""
    lines: list[str] = [""]
    for part in re.findall(r"\x1b\[\d*[A-Za-z]|\n|[^\x1b\n]+", text):
        if part == "\n":
            lines.append("")
        elif part.endswith("F") and part.startswith("\x1b"):
            lines = lines[: len(lines) - int(part[2:-1])]
            lines[-1] = ""
        elif not part.startswith("\x1b"):
            lines[-1] += part
    return [line for line in lines if line]
