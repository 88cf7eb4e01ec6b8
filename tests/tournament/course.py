"""What a backend is tested with: a list of matches, by whose ids a fake referee misbehaves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import trio

from arena.referee.settings import BotKind, Entrant, Fixture, Settings
from arena.referee.wire import MatchPlayed
from arena.tournament.backend import Loss

FAKE = Path(__file__).with_name("fake_referee.py")
ENTRANTS = tuple(Entrant(name=name, kind=BotKind.COMMAND, argv=("x",)) for name in "ab")
SETTINGS = Settings(game="pile", seats=2)


def fixture(match_id: str, number: int) -> Fixture:
    return Fixture(
        match_id=match_id, number=number, line_up=("a", "b"), deal=0, block="b", rotation=0, key="", bot_seeds=()
    )


class Course:
    """A source with a fixed list, and a sink that remembers."""

    def __init__(self, ids: Sequence[str], *, after_each: bool = False) -> None:
        self.left = [fixture(match_id, number) for number, match_id in enumerate(ids)]
        self.results: list[str] = []
        self.losses: list[Loss] = []
        self.aside: list[Loss] = []
        self.after_each = after_each
        self.handed_out = 0
        self.first_result = trio.Event()

    def next_fixture(self) -> Fixture | None:
        waits = self.after_each and self.handed_out > len(self.results) + len(self.aside)
        if not self.left or waits:
            return None
        self.handed_out += 1
        return self.left.pop(0)

    @property
    def done(self) -> bool:
        return not self.left

    def started(self, fixture: Fixture, slot: int) -> None:
        pass

    async def played(self, match: MatchPlayed, fixture: Fixture, slot: int) -> None:
        await trio.lowlevel.checkpoint()
        assert match.summary.match_id == fixture.match_id
        self.results.append(fixture.match_id)
        self.first_result.set()

    async def lost(self, loss: Loss) -> None:
        await trio.lowlevel.checkpoint()
        self.losses.append(loss)

    async def set_aside(self, loss: Loss) -> None:
        await trio.lowlevel.checkpoint()
        self.aside.append(loss)
