"""The fourth rung: Monte Carlo over whole turns, with what the bag hides drawn anew each time."""

from __future__ import annotations

import math
from typing import ClassVar

import attrs

from arena.games.api import Action
from arena.games.castell.actions import END
from arena.games.castell.state import State
from arena.sdk import Start, Turn
from castell_bots.greedy import best_action, worth
from castell_bots.outlook import Outlook
from castell_bots.rehearsal import lead, play_on, redrawn
from castell_bots.seeing import Seeing
from castell_bots.timing import Deadline, OutOfTime, undisturbed
from castell_bots.turns import Line, best_lines, turn_key

HURRY_MS = 4.0  #: with less time it answers like greedy


@attrs.define
class Trials:
    """What trials of one turn came to."""

    total: float = 0.0
    count: int = 0


class Searcher(Seeing):
    """Finds turns that look good, then tries each of them out: all play on greedily for a few rounds.

    It thinks as long as the clock gives it and answers one action at a time: what it has learned about a turn is kept
    until the turn is over.
    """

    name = "searcher"
    version = "1"
    widths: ClassVar[tuple[int, ...]] = (3, 6)  #: of the beam over its turn, one after the other while there is time
    finalists = 6  #: turns that are tried out
    turns_ahead = 6  #: more turns of its own that a trial plays
    rivalry = 0.3  #: share of the best rival's points that counts against its own
    first_look = 0.5  #: weight of what a turn looked like before any trial
    curiosity = 4.0  #: how much a turn tried seldom is preferred, in points
    most_trials = 300  #: in one turn

    def started(self, start: Start) -> None:
        """Forget the match before."""
        super().started(start)
        self._outlook: Outlook | None = None
        self._trials: dict[object, Trials] = {}

    def choose(self, turn: Turn) -> str:
        """Return the next action of the best turn found so far, or the best tower at a festival."""
        self._deadline = Deadline(self.start.clock, turn)
        with undisturbed():
            return str(self._best(self.state(turn, self.rng)))

    def _best(self, state: State) -> Action:
        at_once = best_action(state)  # first: when time is up there is none left to look for it
        if not state.in_turn or self._deadline.left_ms() < HURRY_MS:
            return at_once
        lines: list[Line] = []
        try:
            outlook = self._look(state)
            for width in self.widths:
                lines = best_lines(state, width, outlook.value)[: self.finalists]
            self._try_out(lines)
        except OutOfTime:
            pass
        if not lines:
            return at_once
        return next(iter(max(lines, key=self._rating).actions), END)

    def _check(self) -> None:
        self._deadline.check()

    def _look(self, state: State) -> Outlook:
        """Return the outlook from the beginning of this turn."""
        if self._outlook is None or self._outlook.round != state.round:
            self._outlook, self._trials = None, {}
            self._outlook = Outlook(state, state.acting, check=self._check)
        return self._outlook

    def _rating(self, line: Line, curiosity: float = 0.0) -> float:
        """Return what is thought of a turn; one that was never tried comes after all that were."""
        trials = self._trials.get(turn_key(line.state))
        if trials is None:
            return line.value - 1e6
        return trials.total / trials.count + self.first_look * line.value + curiosity / math.sqrt(trials.count)

    def _try_out(self, lines: list[Line]) -> None:
        """Try the turns until the time is over, the promising ones more often."""
        if len(lines) == 1:
            return
        for line in lines:
            if turn_key(line.state) not in self._trials:
                self._add_trial(line.state)
        while self.varies(lines[0].state) and sum(trials.count for trials in self._trials.values()) < self.most_trials:
            self._add_trial(max(lines, key=lambda line: self._rating(line, self.curiosity)).state)

    def _add_trial(self, state: State) -> None:
        value = self.trial(redrawn(state, self.rng))
        trials = self._trials.setdefault(turn_key(state), Trials())
        trials.total += value
        trials.count += 1

    def varies(self, state: State) -> bool:
        """Return whether another trial of a turn may come to something else."""
        del state
        return True

    def trial(self, state: State) -> float:
        """Play on from a state at the end of this turn, which may be changed, and return what that is worth."""
        seat = state.acting
        play_on(state, self.turns_ahead, self._check)
        return lead(state, seat, self.rivalry) + worth(state, seat) - lead(state, seat, 0.0)
