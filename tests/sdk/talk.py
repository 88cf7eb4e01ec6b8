"""Holding a scripted conversation with a bot in a real process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import msgspec

import arena
from arena.protocol import Act, ClockFacts, End, Hello, Quit, RefereeMessage, Start
from arena.protocol.messages import encode

ROOT = Path(arena.__file__).parents[1]
HOST = ROOT / "arena" / "sdk" / "host.py"
HELLO = Hello(protocol=1, arena="0.1.0", game="connect-four")
END = End(places=(1, 2), scores=(2, 0), categories={}, termination="finished")


def start(bot_seed: int = 5, match: str = "m") -> Start:
    return Start(
        match=match,
        seat=0,
        seats=2,
        names=("Änne", "bob"),
        game_options={"opening": 0},
        options={"depth": 3},
        clock=ClockFacts(kind="wall", startup_ms=10_000, bank_ms=900, increment_ms=10, margin_ms=50, strikes=0),
        bot_seed=bot_seed,
    )


def act(number: int, **more: Any) -> Act:
    return Act(id=number, count=7, options=list("1234567"), **more)


def match(acts: int = 3, bot_seed: int = 5) -> list[RefereeMessage]:
    return [start(bot_seed), *(act(number) for number in range(acts)), END]


@attrs.frozen
class Said:
    """What a bot said and how it ended."""

    lines: list[str]
    stderr: str
    status: int

    @property
    def values(self) -> list[Any]:
        return [msgspec.json.decode(line) for line in self.lines]

    @property
    def answers(self) -> list[Any]:
        return [value for value in self.values if value["type"] == "action"]


def talk(argv: list[str], messages: list[RefereeMessage], *, env: dict[str, str] | None = None) -> Said:
    """Say everything at once and read to the end."""
    data = b"".join(encode(message) for message in messages)
    done = subprocess.run(argv, input=data, capture_output=True, timeout=60, check=False, env=env or {}, cwd="/")
    return Said(done.stdout.decode().splitlines(), done.stderr.decode(), done.returncode)


def host_argv(target: str, *folders: Path, host: Path = HOST) -> list[str]:
    paths = [word for folder in folders for word in ("--path", str(folder))]
    return [sys.executable, "-I", "-S", str(host), "--target", target, *paths]


def play(folder: Path, code: str, messages: list[RefereeMessage] | None = None) -> Said:
    """Host the class `Mine` of a module with this code through a short match, or through `messages`."""
    (folder / "mine.py").write_text("from arena.sdk import Bot\n" + code)
    return talk(host_argv("mine:Mine", folder), messages or [HELLO, *match(), Quit()])
