"""A match in play with people at browsers: what they see and what they answer, shared by threads.

The match itself is played on the main thread (`WebPerson.choose` waits there); the server's thread reads and answers.
Knows no game and no HTTP.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from arena.errors import IllegalAction, NotationError
from arena.games.api import Game, Seat, State
from arena.referee.record import Record
from arena.sdk.bot import Bot, Turn
from arena.web.replay import Frames, Replay, Step, make_replay

_LOOK_EVERY_S = 0.2  #: so often the waiting main thread looks up, so that Ctrl-C is heard
TOKEN_BYTES = 24  #: of chance in the link of a seat


class PersonLeft(BaseException):
    """The person at a browser leaves the match: no fault of a bot, so nothing that referees bots may catch it."""


@attrs.frozen(kw_only=True)
class Shown:
    """What a seat is told of the match from some frame on."""

    version: int  #: grows with everything that happens
    seat: Seat
    names: tuple[str, ...]
    game: str
    first: int  #: number of the first frame here
    scenes: Sequence[Any]
    texts: Sequence[str | None]
    steps: Sequence[Step]  #: actions between the frames: step `k` leads to frame `k + 1`
    to_act: Seat | None
    legal: Sequence[str]  #: options of this seat, empty unless it is asked
    replay: Replay | None  #: once the match is over


class WebTable:
    """The table: every person has a token, and sees the state of their own seat."""

    def __init__(self, game: Game, opening: State, names: tuple[str, ...], people: Sequence[Seat]) -> None:
        """Lay the table; `opening` is owned from here on."""
        self.game = game
        self.names = names
        self.tokens: Mapping[str, Seat] = {secrets.token_urlsafe(TOKEN_BYTES): seat for seat in people}
        self._changed = threading.Condition()
        self._state = opening
        self._frames = {seat: Frames(game, seat) for seat in people}
        for frames in self._frames.values():
            frames.add(opening)
        self._steps: list[Step] = []
        self._asked: Seat | None = None
        self._options: list[str] = []
        self._answer = ""
        self._left = False
        self._replay: Replay | None = None
        self._told_end: set[Seat] = set()
        self.version = 0

    # -- the main thread --------------------------------------------------------------------------------------

    def ask(self, seat: Seat, first: int, history: Sequence[tuple[Seat, str]]) -> tuple[str, int]:
        """Tell what happened and wait for a person's action; return it and how many actions are known then.

        Args:
            seat: who is asked.
            first: how many actions were known when this seat was asked last.
            history: every action since.

        Raises:
            PersonLeft: the person leaves.
        """
        with self._changed:
            for by, text in history[len(self._steps) - first :]:
                self._hear(by, text)
            self._asked, self._answer = seat, ""
            self._options = [str(option) for option in self._state.options()]
            self._change()
            while not self._answer and not self._left:
                self._changed.wait(_LOOK_EVERY_S)
            self._asked = None
            if self._left:
                raise PersonLeft
            return self._answer, first + len(history)

    def end(self, record: Record, wait_s: float = 5.0) -> None:
        """Show the result and wait until every person's page has it, at most so long."""
        with self._changed:
            self._replay = make_replay(record, self.game)
            self._change()
            self._changed.wait_for(lambda: len(self._told_end) == len(self.tokens), wait_s)

    def _hear(self, seat: Seat, text: str) -> None:
        action = self.game.parse(text)
        new_turn = not self._steps or self._steps[-1].seat != seat
        say = self.game.tell(self._state, action)
        self._steps.append(Step(seat=seat, action=text, say=say, turn=new_turn))
        self._state.apply(action)
        for frames in self._frames.values():
            frames.add(self._state)

    def _change(self) -> None:
        self.version += 1
        self._changed.notify_all()

    # -- the server's thread ----------------------------------------------------------------------------------

    def show(self, seat: Seat, first: int) -> Shown:
        """Return what a seat may see from frame `first` on."""
        with self._changed:
            frames = self._frames[seat]
            first = max(0, min(first, len(self._steps) + 1))
            if self._replay is not None:
                self._told_end.add(seat)
                self._changed.notify_all()
            return Shown(
                version=self.version,
                seat=seat,
                names=self.names,
                game=self.game.name,
                first=first,
                scenes=frames.scenes[first:],
                texts=frames.texts[first:],
                steps=self._steps[max(0, first - 1) :],
                to_act=self._state.to_act,
                legal=self._options if self._asked == seat else (),
                replay=self._replay,
            )

    def judge(self, seat: Seat, text: str) -> str:
        """Return why a seat can't play the action `text` now, nothing when it can."""
        with self._changed:
            return self._problem(seat, text)

    def act(self, seat: Seat, frame: int, text: str) -> str:
        """Play an action for a seat; return why not, or nothing.

        Args:
            seat: whose.
            frame: the number of actions that the person had seen; an answer to an older question is refused.
            text: the action.
        """
        with self._changed:
            if frame != len(self._steps):
                return "the match has gone on meanwhile; look again"
            problem = self._problem(seat, text)
            if problem:
                return problem
            self._answer = str(self.game.parse(text))
            self._asked = None
            self._hear(seat, self._answer)
            self._change()
            return ""

    def leave(self) -> None:
        """End the match: a person leaves."""
        with self._changed:
            self._left = True
            self._change()

    def _problem(self, seat: Seat, text: str) -> str:
        if self._asked != seat:
            return "it is not your turn"
        try:
            self._state.check(self.game.parse(text))
        except (NotationError, IllegalAction) as error:
            return str(error)
        return ""


class WebPerson(Bot):
    """A person at a seat, at a browser."""

    name = "human"
    wants = ("actions",)

    def __init__(self, table: WebTable, seat: Seat) -> None:
        """Seat a person at a table."""
        self._table = table
        self._seat = seat
        self._known = 0

    def choose(self, turn: Turn) -> str:
        """Wait for the person's action; raise `PersonLeft` when they leave."""
        action, self._known = self._table.ask(self._seat, self._known, turn.history())
        return action
