"""A person at a seat in the terminal: what they typed becomes an action, or a sentence that helps.

Knows no game: everything is done with the texts of actions. What may be typed: the number of an option; the whole
text of any legal action; the end of one (`8 8 8/6 6/3` where `compete 9 9/7` is an option); the beginning of one
(`recruit`), to see the options that begin so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TypeAlias

import attrs
import click

from arena.cli.output import dim
from arena.cli.telling import LiveTelling
from arena.errors import IllegalAction, NotationError
from arena.games.api import Action, Game, Seat, State
from arena.referee.record import PlayedAction
from arena.sdk.bot import Bot, Start, Turn
from arena.wording import counted, listed

SHOWN_AT_ONCE = 24  #: longer lists of options are shown by kind

HELP = """\
  Type the number of an option, or an action as it is written there; it need not be on the list.
  The end of an action is enough where it is clear: a tower alone, ground first, as in `8 8 8/6 6/3`.
  The beginning of one, as in `recruit`, lists the options that begin so; `list` lists all.
  `board` draws the board again, `?` shows this, `quit` leaves the match."""


@attrs.frozen
class Play:
    """Play this action."""

    action: Action


@attrs.frozen
class Show:
    """List these options, given by their places."""

    places: tuple[int, ...]


@attrs.frozen
class Say:
    """Say why that was no action."""

    sentence: str


class Left(BaseException):
    """The person leaves the match: no fault of a bot, so nothing that referees bots may catch it."""


Reply: TypeAlias = Play | Show | Say


def labels(options: Sequence[Action]) -> list[str]:
    """Return what to type for each option: its number from 1, or its own text where texts are numbers."""
    texts = [str(option) for option in options]
    return texts if any(text.isdigit() for text in texts) else [str(number) for number in range(1, len(texts) + 1)]


def interpret(game: Game, state: State, options: Sequence[Action], text: str) -> Reply:
    """Return what `text` asks for in `state`, where `options` were shown."""
    if text in (named := labels(options)):
        return Play(options[named.index(text)])
    try:
        action = game.parse(text)
    except NotationError as error:
        return _begin(options, text) or _complete(game, state, options, text) or Say(str(error))
    problem = _problem(state, action)
    return Say(problem) if problem else Play(action)


def _complete(game: Game, state: State, options: Sequence[Action], text: str) -> Reply | None:
    """Take `text` for the end of an action that begins like an option."""
    problems: dict[Action, str] = {}
    for beginning in _beginnings(options):
        try:
            action = game.parse(f"{beginning} {text}")
        except NotationError:
            continue
        problems[action] = _problem(state, action)
    legal = [action for action, problem in problems.items() if not problem]
    if len(legal) == 1:
        return Play(legal[0])
    if legal:
        return Say(f"that could be {listed((f'`{action}`' for action in legal), last='or')}; write it out")
    reasons = {problem: action for action, problem in reversed(problems.items())}
    if len(reasons) == 1:
        return Say(next(iter(reasons)))
    lines = [f"`{action}`: {problem}" for problem, action in reversed(reasons.items())]
    return Say("\n  ".join(["that can't be played:", *lines])) if lines else None


def _begin(options: Sequence[Action], text: str) -> Reply | None:
    """Take `text` for the first words of options."""
    words = text.split()
    places = tuple(place for place, option in enumerate(options) if str(option).split()[: len(words)] == words)
    return Show(places) if places else None


def _beginnings(options: Sequence[Action]) -> list[str]:
    """Return every beginning of the options' texts in whole words before the first number, once, short ones first."""
    found: dict[str, None] = {}
    for option in options:
        words = str(option).split()
        leading = list(takewhile(lambda word: not word[0].isdigit(), words))
        for length in range(1, min(len(leading), len(words) - 1) + 1):
            found.setdefault(" ".join(leading[:length]))
    return sorted(found, key=lambda beginning: beginning.count(" "))


def _problem(state: State, action: Action) -> str:
    try:
        state.check(action)
    except IllegalAction as error:
        return str(error)
    return ""


class Person:
    """Asks a person for actions."""

    def __init__(self, game: Game, *, read: Callable[[str], str], say: Callable[[str], None] = click.echo) -> None:
        """Make a person.

        Args:
            game: what is played.
            read: shows a prompt and returns a line; raises `EOFError` at the end of input.
            say: prints.
        """
        self._game = game
        self._read = read
        self._say = say

    def choose(self, state: State, *, board: bool = True) -> Action:
        """Ask until an action is chosen, below the board if wanted; raise `Left` when the person leaves the match."""
        options = state.options()
        self._say("")
        if board:
            self._say(f"{self._game.draw(state)}\n")
        self._list(state, options, range(len(options)), by_kind=len(options) > SHOWN_AT_ONCE)
        while True:
            try:
                text = " ".join(self._read("your action? ").split())
            except EOFError:
                raise Left from None
            action = self._answer(state, options, text)
            if action is not None:
                return action

    def _answer(self, state: State, options: Sequence[Action], text: str) -> Action | None:
        match text.casefold():
            case "":
                self._say(dim("  type ? for help"))
            case "?" | "help" | "h":
                self._say(HELP)
            case "board" | "b":
                self._say(self._game.draw(state))
            case "list" | "l":
                self._list(state, options, range(len(options)))
            case "quit" | "q" | "exit":
                raise Left
            case _:
                return self._interpret(state, options, text)
        return None

    def _interpret(self, state: State, options: Sequence[Action], text: str) -> Action | None:
        reply = interpret(self._game, state, options, text)
        if isinstance(reply, Say) and text != text.casefold():
            reply = interpret(self._game, state, options, text.casefold())
        match reply:
            case Play(action):
                return action
            case Show(places):
                self._list(state, options, places)
            case Say(sentence):
                self._say(f"  {click.style(sentence, fg='yellow')}")
        return None

    def _list(self, state: State, options: Sequence[Action], places: Sequence[int], *, by_kind: bool = False) -> None:
        if by_kind:
            self._list_kinds(options)
            return
        named = labels(options)
        width = max(len(named[place]) for place in places)
        text_width = max(len(str(options[place])) for place in places)
        for place in places:
            text = str(options[place])
            label = "" if named[place] == text else f"{named[place]:>{width}}  "
            self._say(f"  {label}{text:{text_width}}  {dim(self._game.tell(state, options[place]))}".rstrip())

    def _list_kinds(self, options: Sequence[Action]) -> None:
        kinds: dict[str, list[Action]] = {}
        for option in options:
            kinds.setdefault(str(option).split()[0], []).append(option)
        for kind, members in kinds.items():
            ways = f"for example `{members[0]}`" if len(members) > 1 else f"`{members[0]}`"
            self._say(f"  {kind:10}  " + dim(f"{counted(len(members), 'way')}, {ways}"))
        self._say(dim("  type one of these words to list its options, ? for help"))


class SeatedPerson(Bot):
    """A person at a seat of a match in this process; is told what the others did before being asked."""

    name = "human"
    wants = ("actions",)

    def __init__(self, game: Game, live: LiveTelling, seat: Seat) -> None:
        """Make a person in the terminal; `live` stands at the opening and is owned from here on."""
        self.live = live
        self._seat = seat
        self._person = Person(game, read=input)
        self._last = ""  #: what was chosen last, which needs no telling

    def started(self, start: Start) -> None:
        """Say where one sits."""
        click.echo(f"{start.names[start.seat]} is at seat {start.seat}")

    def choose(self, turn: Turn) -> str:
        """Tell what happened, then ask; the board is drawn again when others have acted."""
        history = turn.history()
        board = not self._last or any(seat != self._seat for seat, _ in history)
        for seat, text in history:
            own = seat == self._seat and text == self._last
            self._last = "" if own else self._last
            self.live.hear([PlayedAction(seat=seat, action=text)], silent=own)
        self._last = str(self._person.choose(self.live.state, board=board))
        return self._last
