"""Decides which host plays what, and what becomes of it when a host or a referee dies. Pure: no Dask, no clock.

A block stays on one host. Short matches go out many at a time, long ones singly. When a host is lost, nobody knows
which of its matches did it: batches are halved, single matches tried again, and what was there at too many losses is
tried on a host of its own, twice, so that the right one is set aside and no innocent.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import attrs

from arena.hosts.wire import Result
from arena.referee.settings import Fixture
from arena.referee.wire import MatchPlayed
from arena.tournament.backend import KILLS_BEFORE_SET_ASIDE, Loss, Source

KILLS_ALONE = 2  #: hosts that must die with a match alone: one may be an accident
BATCH_S = 2.0  #: so much play is handed out at a time
BATCH_AT_MOST = 500  #: matches
BATCHES_PER_S = 200  #: that one scheduler carries without effort; more slots get longer batches


@attrs.frozen(kw_only=True)
class Batch:
    """Matches that a host plays one after the other in one slot."""

    number: int
    host: str
    slot: int  #: what the host is numbered as, by which people may tell it from others
    fixtures: tuple[Fixture, ...]
    alone: bool = False  #: nothing else is played on the host meanwhile
    ahead: bool = False  #: it will wait for a slot


@attrs.frozen(kw_only=True)
class Played:
    """A match has a result."""

    match: MatchPlayed
    fixture: Fixture
    slot: int
    announced: bool  #: its beginning is known: it was the first of a batch for a free slot


@attrs.frozen
class Lost:
    """A match will be replayed."""

    loss: Loss


@attrs.frozen
class SetAside:
    """A match is not tried again."""

    loss: Loss


Outcome: TypeAlias = Played | Lost | SetAside


@attrs.define(kw_only=True, eq=False)
class _Host:
    key: str
    number: int
    slots: int
    waiting: deque[Fixture] = attrs.field(factory=deque)  #: rest of the blocks it began
    batches: dict[int, Batch] = attrs.field(factory=dict)
    shut: bool = False  #: it plays one match alone


class Desk:
    """Hands fixtures of a source to hosts and takes results back."""

    def __init__(self, source: Source) -> None:
        """Begin with no host."""
        self._source = source
        self._hosts: dict[str, _Host] = {}
        self._hungry: dict[str, None] = {}  #: hosts that may have room
        self._replays: deque[Fixture] = deque()
        self._groups: deque[tuple[Fixture, ...]] = deque()  #: to be handed out as they are
        self._suspects: deque[Fixture] = deque()  #: to be tried alone
        self._alone: Counter[str] = Counter()  #: hosts that died when they played this match and nothing else
        self._draining = ""  #: the host that is being emptied for a suspect
        self._peeked: Fixture | None = None
        self._block, self._home = "", ""  #: begun last, and where
        self._losses: dict[str, int] = {}
        self._mean_s: float | None = None
        self._joined = self._handed_out = 0
        self._dry = False  #: the source has nothing now
        self.slots = 0  #: how many matches all hosts play at a time

    @property
    def hosts(self) -> int:
        """How many hosts take part now."""
        return len(self._hosts)

    @property
    def finished(self) -> bool:
        """Whether the source is done and everything it gave out has ended."""
        held = self._replays or self._groups or self._suspects or self._peeked
        busy = any(host.waiting or host.batches for host in self._hosts.values())
        return self._source.done and not held and not busy

    # -- hosts ------------------------------------------------------------------------------------------------

    def join(self, key: str, slots: int) -> None:
        """Take a host on."""
        assert slots > 0
        self._hosts[key] = _Host(key=key, number=self._joined, slots=slots)
        self._joined += 1
        self.slots += slots
        self._wake()

    def leave(self, key: str, reason: str) -> list[Outcome]:
        """Take note that a host died; return what becomes of its matches. An unknown host changes nothing."""
        host = self._drop(key)
        if host is None:
            return []
        return [outcome for batch in host.batches.values() for outcome in self._died(batch, host, reason)]

    def retire(self, key: str) -> None:
        """Take a host off that has not died; its matches are played elsewhere and nobody is to blame."""
        host = self._drop(key)
        if host is not None:
            for batch in host.batches.values():
                self._replays.extend(batch.fixtures)

    def _drop(self, key: str) -> _Host | None:
        host = self._hosts.pop(key, None)
        if host is not None:
            self.slots -= host.slots
            self._hungry.pop(key, None)
            self._replays.extend(host.waiting)
            if self._draining == key:
                self._draining = ""
            self._wake()
        return host

    def _wake(self) -> None:
        self._hungry |= dict.fromkeys(self._hosts)

    # -- out --------------------------------------------------------------------------------------------------

    def deal(self) -> list[Batch]:
        """Return what is to be handed out now."""
        batches: list[Batch] = []
        self._dry = False
        for ahead in (False, True):
            while more := list(self._round(ahead=ahead)):
                batches += more
        for key in [key for key in self._hungry if not self._room(self._hosts[key], ahead=True)]:
            del self._hungry[key]
        return batches

    def _round(self, *, ahead: bool) -> Iterator[Batch]:
        """Give every host that has room one batch."""
        for key in list(self._hungry):
            host = self._hosts[key]
            if self._room(host, ahead=ahead) and (batch := self._next(host, ahead=ahead)) is not None:
                host.batches[batch.number] = batch
                yield batch

    def _room(self, host: _Host, *, ahead: bool) -> bool:
        """Whether a host can take a batch; short matches are handed over before a slot is free."""
        size = host.slots * 2 if ahead and self._size() > 1 else host.slots
        return not host.shut and len(host.batches) < size

    def _next(self, host: _Host, *, ahead: bool) -> Batch | None:
        if self._suspects and self._draining in ("", host.key):
            self._draining = host.key
            if host.batches:
                return None
            host.shut, self._draining = True, ""
            return self._batch(host, (self._suspects.popleft(),), alone=True)
        if self._groups:
            return self._batch(host, self._groups.popleft(), ahead=ahead)
        size = self._size()
        while len(host.waiting) < size and self._begin_block(host):
            pass
        fixtures = tuple(host.waiting.popleft() for _ in range(min(size, len(host.waiting))))
        return self._batch(host, fixtures, ahead=ahead) if fixtures else None

    def _batch(self, host: _Host, fixtures: tuple[Fixture, ...], *, alone: bool = False, ahead: bool = False) -> Batch:
        self._handed_out += 1
        return Batch(
            number=self._handed_out, host=host.key, slot=host.number, fixtures=fixtures, alone=alone, ahead=ahead
        )

    def _size(self) -> int:
        """Return how many matches are handed out at a time; one by one while nobody knows how long they take."""
        if self._mean_s is None:
            return 1
        aim_s = max(BATCH_S, self.slots / BATCHES_PER_S)
        return max(1, min(BATCH_AT_MOST, int(aim_s / max(self._mean_s, 1e-6))))

    def _begin_block(self, host: _Host) -> bool:
        """Reserve the next block for a host, or for the one that began it; False when there is none now."""
        first = self._take()
        if first is None:
            return False
        home = self._hosts.get(self._home, host) if first.block == self._block else host
        self._block, self._home = first.block, home.key
        home.waiting.append(first)
        while (fixture := self._take()) is not None:
            if fixture.block != first.block:
                self._peeked = fixture
                break
            home.waiting.append(fixture)
        self._hungry[home.key] = None
        return True

    def _take(self) -> Fixture | None:
        if self._peeked is not None:
            fixture, self._peeked = self._peeked, None
            return fixture
        if self._replays:
            return self._replays.popleft()
        found = None if self._dry else self._source.next_fixture()
        self._dry = found is None
        return found

    # -- in ---------------------------------------------------------------------------------------------------

    def done(self, batch: Batch, result: Result) -> list[Outcome]:
        """Take a result; return what becomes of the matches. One of a host that was lost meanwhile changes nothing."""
        host = self._hosts.get(batch.host)
        if host is None or host.batches.pop(batch.number, None) is None:
            return []
        host.shut = False
        self._wake() if self._suspects or self._groups else self._hungry.setdefault(host.key)
        played = len(result.played)
        outcomes: list[Outcome] = [
            Played(
                match=match,
                fixture=fixture,
                slot=host.number,
                announced=fixture is batch.fixtures[0] and not batch.ahead,
            )
            for match, fixture in zip(result.played, batch.fixtures, strict=False)
        ]
        if played:
            self._measure(result.seconds / played)
        rest = batch.fixtures[played:]
        if rest and result.lost is not None:
            seat = result.lost.last_seat if result.lost.last_seat >= 0 else None
            outcomes.append(self._lost(rest[0], host, result.lost.reason, seat))
            # One by one, so that the next loss blames the right match.
            self._groups.extend((fixture,) for fixture in rest[1:])
        else:
            self._replays.extend(rest)
        return outcomes

    def returned(self, batch: Batch) -> None:
        """Take a batch back that was not played, though its host lives."""
        self.done(batch, Result(played=(), seconds=0.0))

    def _measure(self, seconds: float) -> None:
        self._mean_s = seconds if self._mean_s is None else 0.8 * self._mean_s + 0.2 * seconds

    # -- losses -----------------------------------------------------------------------------------------------

    def _lost(self, fixture: Fixture, host: _Host, reason: str, last_seat: int | None) -> Outcome:
        """Count a loss of which a match is guilty."""
        loss = self._count(fixture, host, reason, last_seat)
        if loss.times >= KILLS_BEFORE_SET_ASIDE:
            return SetAside(loss)
        self._groups.append((fixture,))
        return Lost(loss)

    def _died(self, batch: Batch, host: _Host, reason: str) -> list[Outcome]:
        """Try again what a dead host had in one slot, so that the guilty match is found."""
        first, *others = batch.fixtures
        if others:
            half = (len(batch.fixtures) + 1) // 2
            self._groups.extend([batch.fixtures[:half], batch.fixtures[half:]])
            return [Lost(self._loss(first, host, reason, None))]
        loss = self._count(first, host, reason, None)
        if batch.alone:
            self._alone[first.match_id] += 1
        if loss.times >= KILLS_BEFORE_SET_ASIDE and self._alone[first.match_id] >= KILLS_ALONE:
            return [SetAside(loss)]
        if loss.times >= KILLS_BEFORE_SET_ASIDE - 1:
            self._suspects.append(first)
        else:
            self._groups.append((first,))
        return [Lost(loss)]

    def _count(self, fixture: Fixture, host: _Host, reason: str, last_seat: int | None) -> Loss:
        self._losses[fixture.match_id] = self._losses.get(fixture.match_id, 0) + 1
        return self._loss(fixture, host, reason, last_seat)

    def _loss(self, fixture: Fixture, host: _Host, reason: str, last_seat: int | None) -> Loss:
        times = self._losses.get(fixture.match_id, 0)
        return Loss(fixture=fixture, slot=host.number, reason=reason, last_seat=last_seat, times=times)


def in_order(result: Result, fixtures: Sequence[Fixture]) -> bool:
    """Whether a result holds the first matches of a batch and nothing else."""
    ids = [match.summary.match_id for match in result.played]
    return ids == [fixture.match_id for fixture in fixtures[: len(ids)]]
