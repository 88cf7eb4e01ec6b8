"""What to play next, and which results count: pure, and the same for any number of slots and after any resume.

The director numbers a schedule's pairings in the order they come and hands several out at once. Results come in any
order; they are *settled* in the order of the plan, one after the other. Only a settled result counts towards the
faults that disable an entrant, and only settled results reach the schedule. So all decisions depend on
verdicts alone, not on what happened to end first.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from enum import StrEnum

import attrs

from arena.referee.settings import Fixture
from arena.referee.summary import MatchRow
from arena.tournament.bulk import collector_paused
from arena.tournament.formats.api import DONE, Pairing, Played, Schedule
from arena.tournament.plan import Plan
from arena.wording import counted

#: An entrant whose messages were the last before so many matches were set aside is disabled.
KILLS_THAT_DISABLE = 2


class Status(StrEnum):
    """Why a fixture of the plan has no result that counts."""

    SET_ASIDE = "set aside"  #: its referee died every time it was tried
    NOT_PLAYED = "not played"  #: it was not needed, or one of its entrants had been disabled


@attrs.frozen(kw_only=True)
class Unscored:
    """A fixture that counts in no column and no rating; decided once, never taken back."""

    match_id: str
    number: int  #: its place in the plan
    line_up: tuple[str, ...]
    status: Status
    reason: str  #: a sentence, for example `disabled: lazy lost 3 matches by its own faults`
    blamed: str = ""  #: of a match that was set aside: the entrant whose message came last


@attrs.define
class _Entry:
    """A pairing that is not settled yet."""

    number: int
    pairing: Pairing
    row: MatchRow | None = None
    aside: Unscored | None = None


class Director:
    """Hands out the fixtures of a plan; a `Source` for the engine that plays them."""

    def __init__(
        self,
        plan: Plan,
        rows: Mapping[str, MatchRow] | None = None,
        unscored: Mapping[str, Unscored] | None = None,
        *,
        schedule: Schedule | None = None,
    ) -> None:
        """Begin, or go on behind the results of an earlier run.

        Args:
            plan: what is played.
            rows: results that are there already, by match id.
            unscored: stored decisions of an earlier run, by match id. Those that were set aside are not played
                again; the others follow from the results and are merely not told a second time.
            schedule: a fresh schedule of the plan, instead of its own.
        """
        self._plan = plan
        self._schedule = plan.schedule() if schedule is None else schedule
        self._rows = dict(rows or {})
        self._told = frozenset(unscored or ())
        self._aside = {key: one for key, one in (unscored or {}).items() if one.status is Status.SET_ASIDE}
        self._open: deque[_Entry] = deque()
        self._by_id: dict[str, _Entry] = {}
        self._numbered = 0
        self._done = False
        self._faults: Counter[str] = Counter()
        self._kills: Counter[str] = Counter()
        self._disabled: dict[str, str] = {}
        self._newly_disabled: deque[str] = deque()
        self._decided: list[Unscored] = []
        self._winding_down = self._cut_short = False
        self._allowed: int | None = None
        self._block = ""
        self.settled = 0  #: fixtures of the plan whose fate is known for good
        self.scored = 0  #: settled fixtures with a result that counts

    @property
    def total(self) -> int | None:
        """How many fixtures the plan has, or at most; None where that depends on results."""
        return self._schedule.counted if self._schedule.counted is not None else self._schedule.total

    @property
    def disabled(self) -> Mapping[str, str]:
        """Entrants that play no more, with the reason."""
        return self._disabled

    @property
    def done(self) -> bool:
        """Whether no more fixtures are handed out, whatever results come."""
        return self._done

    @property
    def complete(self) -> bool:
        """Whether every fixture of the plan is settled."""
        return self._done and not self._cut_short and not self._open

    @property
    def state(self) -> str:
        """Where the tournament stands, as one short line for people, or nothing."""
        return self._schedule.state()

    def wind_down(self) -> None:
        """Hand out no more than what completes the block that was begun."""
        self._winding_down = True

    def allow(self, matches: int) -> None:
        """Hand out at most so many more fixtures, in whole blocks."""
        self._allowed = matches

    def next_fixture(self) -> Fixture | None:
        """Return the next fixture that must be played; None: none before the next result, or never when `done`."""
        if not self._rows:
            return self._next()
        with collector_paused():  # a resumed run goes through all its results first
            return self._next()

    def _next(self) -> Fixture | None:
        while not self._done:
            self._settle()
            answer = self._schedule.next()
            if not isinstance(answer, Pairing):
                self._done = answer is DONE
                if self._done:
                    self._settle()
                return None
            entry = self._enter(answer)
            if entry.row is not None or entry.aside is not None or not self._needed(entry):
                continue
            if self._must_stop(answer):
                return None
            self._block = answer.block
            return self._plan.fixture(entry.number, answer)
        return None

    def finished(self, row: MatchRow) -> None:
        """Take the result of a fixture that was handed out; one that is known already is ignored."""
        entry = self._by_id.get(row.match_id)
        if entry is not None and entry.row is None and entry.aside is None:
            entry.row = row
            self._settle()

    def set_aside(self, match_id: str, reason: str, blamed: str = "") -> None:
        """Take note that a fixture can't be played; `blamed` is the entrant whose message came last, if any."""
        entry = self._by_id.get(match_id)
        if entry is not None and entry.row is None and entry.aside is None:
            entry.aside = self._unscored(entry, Status.SET_ASIDE, reason, blamed)
            self._settle()

    def decisions(self) -> list[Unscored]:
        """Return the fixtures that were found not to count since the last call, in the order of the plan.

        They are to be stored together with the results that made them decidable.
        """
        decided, self._decided = self._decided, []
        return decided

    def _enter(self, pairing: Pairing) -> _Entry:
        match_id = pairing.match_id
        entry = _Entry(self._numbered, pairing, self._rows.pop(match_id, None), self._aside.pop(match_id, None))
        self._numbered += 1
        self._open.append(entry)
        self._by_id[match_id] = entry
        return entry

    def _must_stop(self, pairing: Pairing) -> bool:
        """Whether the run is being cut short at this pairing, which is not handed out then."""
        begun = pairing.block == self._block
        if self._allowed is not None:
            room = 1 if begun else len(pairing.line_up)
            self._winding_down |= not begun and self._allowed < room
            self._allowed -= 1
        if self._winding_down and not begun:
            self._done = self._cut_short = True
        return self._done

    def _needed(self, entry: _Entry) -> bool:
        """Whether a result of this entry could still count."""
        end = self._schedule.counted
        if end is not None and entry.number >= end:
            return False
        return not self._disabled or not any(name in self._disabled for name in entry.pairing.line_up)

    def _settle(self) -> None:
        """Settle, in the order of the plan, whatever can be."""
        while self._open:
            entry = self._open[0]
            if self._needed(entry) and entry.row is None and entry.aside is None:
                return
            self._open.popleft()
            del self._by_id[entry.pairing.match_id]
            self.settled += 1
            self._schedule.result(self._judge(entry))
            while self._newly_disabled:
                self._schedule.disabled(self._newly_disabled.popleft())

    def _judge(self, entry: _Entry) -> Played:
        """Count a result or decide that it doesn't count; return what the schedule hears."""
        unscored = self._verdict(entry)
        if unscored is not None and unscored.match_id not in self._told:
            self._decided.append(unscored)
        row = entry.row
        if unscored is not None or row is None or row.void:
            return Played(pairing=entry.pairing)
        self.scored += 1
        for seat in row.forfeited:
            self._fault(row.line_up[seat])
        return Played(pairing=entry.pairing, places=row.places, scores=row.scores, forfeited=row.forfeited)

    def _verdict(self, entry: _Entry) -> Unscored | None:
        end = self._schedule.counted
        if end is not None and entry.number >= end:
            return self._unscored(entry, Status.NOT_PLAYED, "not needed: the tournament had been decided")
        for name in entry.pairing.line_up:
            if name in self._disabled:
                return self._unscored(entry, Status.NOT_PLAYED, f"disabled: {self._disabled[name]}")
        if entry.aside is not None and entry.aside.blamed:
            self._kill(entry.aside.blamed)
        return entry.aside

    def _unscored(self, entry: _Entry, status: Status, reason: str, blamed: str = "") -> Unscored:
        return Unscored(
            match_id=entry.pairing.match_id,
            number=entry.number,
            line_up=entry.pairing.line_up,
            status=status,
            reason=reason,
            blamed=blamed,
        )

    def _fault(self, name: str) -> None:
        self._faults[name] += 1
        if self._faults[name] == self._plan.disable_after:
            number = counted(self._faults[name], "match", "matches")
            self._disable(name, f"{name} lost {number} by its own faults")

    def _kill(self, name: str) -> None:
        self._kills[name] += 1
        if self._kills[name] == KILLS_THAT_DISABLE:
            self._disable(name, f"{name} had the last word in {KILLS_THAT_DISABLE} matches that killed their referee")

    def _disable(self, name: str, reason: str) -> None:
        if name not in self._disabled:
            self._disabled[name] = reason
            self._newly_disabled.append(name)
