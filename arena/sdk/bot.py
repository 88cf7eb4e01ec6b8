"""The bot and what it is told, as plain classes.

Start-up time is why this looks plain: `typing`, `dataclasses` and `random` each cost a bot milliseconds at every
match, so they are imported only by type checkers, or when they are needed.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

WANTS = ("options", "view", "actions")


class Clock:
    """The time control of the match; times are milliseconds, None means that there is no such limit."""

    __slots__ = ("bank_ms", "increment_ms", "kind", "margin_ms", "per_action_ms", "startup_ms", "strikes")

    def __init__(
        self,
        *,
        kind: str = "wall",
        startup_ms: int = 0,
        per_action_ms: int | None = None,
        bank_ms: int | None = None,
        increment_ms: int = 0,
        margin_ms: int = 0,
        strikes: int = 0,
    ) -> None:
        self.kind = kind  #: `wall` or `cpu`: what is counted
        self.startup_ms = startup_ms  #: for each of the two `ready`
        self.per_action_ms = per_action_ms  #: for one request
        self.bank_ms = bank_ms  #: for all requests of the match together
        self.increment_ms = increment_ms  #: added to the bank by each answer
        self.margin_ms = margin_ms  #: overrun that is tolerated and not charged; don't plan with it
        self.strikes = strikes  #: late answers that cost a default action instead of the match


class Start:
    """A match that begins."""

    __slots__ = ("bot_seed", "clock", "game_options", "match", "names", "options", "seat", "seats")

    def __init__(
        self,
        *,
        match: str,
        seat: int,
        seats: int,
        names: Sequence[str],
        game_options: Mapping[str, bool | int | str],
        options: Mapping[str, bool | int | str],
        clock: Clock,
        bot_seed: int,
    ) -> None:
        self.match = match  #: id of the match
        self.seat = seat  #: yours, 0-based
        self.seats = seats  #: how many there are
        self.names = tuple(names)  #: of the entrants, by seat
        self.game_options = game_options  #: of the game, by name
        self.options = options  #: of this entrant, from the tournament file, by name
        self.clock = clock
        self.bot_seed = bot_seed  #: `Bot.rng` is seeded with it


class Turn:
    """One request for an action."""

    __slots__ = ("actions", "bank_ms", "count", "id", "last_ms", "limit_ms", "options", "received", "view")

    def __init__(
        self,
        *,
        id: int,  # noqa: A002 - its name in the protocol
        count: int | None = None,
        options: Sequence[str] = (),
        view: Mapping[str, Any] | None = None,
        actions: Sequence[str] = (),
        bank_ms: int | None = None,
        limit_ms: int | None = None,
        last_ms: int | None = None,
    ) -> None:
        self.id = id  #: number of the request
        self.options = options  #: texts of sensible legal actions; empty unless the bot wants `options`
        self.count = count  #: how many options there are; None unless the bot wants `options`
        self.view = view  #: what your seat may see; None unless the bot wants `view`
        self.actions = actions  #: played since your last turn, as `SEAT TEXT`; empty unless the bot wants `actions`
        self.bank_ms = bank_ms  #: left on the bank; None when there is none
        self.limit_ms = limit_ms  #: for this answer; None when there is no limit
        self.last_ms = last_ms  #: what the referee measured for your last answer, 0 at the first
        self.received = time.monotonic()  #: when the request came, in seconds of `time.monotonic`

    def history(self) -> list[tuple[int, str]]:
        """Return `actions` as pairs of seat and text."""
        pairs = (entry.partition(" ") for entry in self.actions)
        return [(int(seat), text) for seat, _, text in pairs]

    def left_ms(self) -> float | None:
        """Return how much wall time is left for this answer, in ms; None when there is no limit.

        Keep a few ms in hand: your answer has to travel.
        """
        if self.limit_ms is None:
            return None
        return self.limit_ms - (time.monotonic() - self.received) * 1000


class Fault:
    """Why your seat forfeited."""

    __slots__ = ("advice", "reason", "verdict")

    def __init__(self, *, verdict: str, reason: str, advice: str = "") -> None:
        self.verdict = verdict  #: for example `illegal` or `timeout`
        self.reason = reason  #: one sentence with the evidence
        self.advice = advice  #: what can be done about it


class End:
    """A match that has ended."""

    __slots__ = ("categories", "fault", "places", "scores", "termination")

    def __init__(
        self,
        *,
        termination: str,
        places: Sequence[int] = (),
        scores: Sequence[int] = (),
        categories: Mapping[str, Sequence[int]] | None = None,
        fault: Fault | None = None,
    ) -> None:
        self.termination = termination  #: `finished`, `forfeit`, `abandoned` or `void`
        self.places = tuple(places)  #: by seat, 1 is best; empty when void
        self.scores = tuple(scores)  #: by seat; empty when void
        self.categories = categories or {}  #: points by category, each by seat
        self.fault = fault  #: yours, if you made one


class Bot:
    """Base of a bot: override `choose`, and whatever else you need.

    One instance is made when the bot starts. It plays one match, or several one after the other when a tournament
    keeps its bots running; reset what you remember in `started`.
    """

    name: str = ""  #: shown beside the entrant's name; the name of the class when empty
    version: str = ""
    wants: Sequence[str] = ("options",)  #: what each turn shall carry, of `options`, `view` and `actions`
    start: Start  #: of the current match, from just before `started`

    _seed: int = 0
    _rng: random.Random | None = None
    _notes: list[str]

    def __new__(cls, *_args: object, **_kwargs: object) -> Self:
        """Make the bot; subclasses may have an `__init__` that knows nothing of this class."""
        bot = super().__new__(cls)
        bot._notes = []
        return bot

    @property
    def rng(self) -> random.Random:
        """Randomness seeded from the match's `bot_seed`: with no other, a bot plays the same again."""
        if self._rng is None:
            import random

            self._rng = random.Random(self._seed)
        return self._rng

    def started(self, start: Start) -> None:
        """Hear that a match begins. The start-up limit runs; tables are best built here."""

    def choose(self, turn: Turn) -> str | int | Sequence[str]:
        """Return your action.

        Either the text of one action, or the index of one of `turn.options`, or a list of texts that are played
        in order while it is still your turn.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method `choose`")

    def ended(self, end: End) -> None:
        """Hear how the match ended; nothing is to be answered."""

    def note(self, text: str) -> None:
        """Add a text to the record of the match, for its viewers. At most a few KiB of each are kept."""
        self._notes.append(text)

    def log(self, *values: object) -> None:
        """Print to stderr, where debug output belongs."""
        print(*values, file=sys.stderr, flush=True)


def begin(bot: Bot, start: Start) -> None:
    """Open a match: seed `bot.rng` anew and call `started`. For those who host a bot."""
    bot.start = start
    bot._seed = start.bot_seed
    bot._rng = None
    bot.started(start)


def take_notes(bot: Bot) -> list[str]:
    """Return the notes made since the last call. For those who host a bot."""
    notes = bot._notes
    if notes:
        bot._notes = []
    return notes


def checked_wants(bot: Bot) -> list[str]:
    """Return `bot.wants`; raise `TypeError` or `ValueError` when it is not a sequence of known words."""
    if isinstance(bot.wants, str):
        raise TypeError(f"wants must be a tuple of words, for example ({bot.wants!r},), not the text {bot.wants!r}")
    for word in bot.wants:
        if word not in WANTS:
            raise ValueError(f"wants has the unknown word {word!r}; known are {', '.join(WANTS)}")
    return list(bot.wants)


def checked_answer(answer: object) -> tuple[str, int | str | list[str]]:
    """Return what `choose` returned as key and value of the message; raise `TypeError` or `ValueError` for others."""
    if isinstance(answer, str):
        return "action", answer
    if isinstance(answer, int) and not isinstance(answer, bool):
        if answer < 0:
            raise ValueError(f"choose returned {answer}, but options are numbered from 0")
        return "option", answer
    if isinstance(answer, (list, tuple)) and answer and all(isinstance(text, str) for text in answer):
        return "actions", list(answer)
    raise TypeError(
        f"choose returned {answer!r}; return the text of an action, the index of an option, or a list of texts"
    )
