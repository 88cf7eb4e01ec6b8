"""`arena play human BOT --web` as a process: the printed link is a seat."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli import execute

BOT = """\
from arena.sdk import Bot, run
class First(Bot):
    def choose(self, turn):
        return 0
run(First)
"""


def ask(address: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    """Start a match of Connect Four against a bot; return its process and the link."""
    (tmp_path / "first.py").write_text(BOT)
    started = []

    def start(*more: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-W", "error", "-m", "arena", "play", "human", str(tmp_path / "first.py")]
        command += ["--game", "connect-four", "--no-sandbox", "--web", "--seed", "3", *more]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stderr is not None
        found = re.search(r"human plays at (http://\S+)", process.stderr.readline())
        assert found is not None
        return process, found[1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_match_over_the_printed_link_ends_in_a_record(sit: Any) -> None:
    process, link = sit("--json")
    with urllib.request.urlopen(f"{link}/events", timeout=20) as events:
        shown = ask(f"{link}/state")
        while "replay" not in shown or shown["replay"] is None:
            if shown["legal"]:
                answer = {"frame": len(shown["steps"]), "action": shown["legal"][-1]}
                assert ask(f"{link}/act", answer) == {"problem": ""}
            version = shown["version"]
            while (shown := ask(f"{link}/state"))["version"] == version:
                events.readline()
    out, err = process.communicate(timeout=20)
    (record,) = json.loads(out)
    assert (process.returncode, err) == (0, "")
    assert record["line_up"] == ["human", "first"]
    assert record["termination"] == "finished"
    assert [step["action"] for step in shown["replay"]["steps"]] == [one["action"] for one in record["actions"]]


def test_leaving_in_the_browser_ends_the_match(sit: Any) -> None:
    process, link = sit()
    assert ask(f"{link}/leave", {}) == {"problem": ""}
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (1, "")
    assert "you left the match" in out


def test_somebody_must_be_there_to_sit_down(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["play", "random", "random", "--web"]) == 2
    assert "name one of the bots `human`" in capsys.readouterr().err
