"""The backend for many machines: a `Desk` that decides, a `Cluster` that carries, and what people are told."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import attrs
import msgspec
import trio

from arena.errors import ArenaError
from arena.hosts import work
from arena.hosts.cluster import LOOK_EVERY_S, Cluster, Done, Hosts, News
from arena.hosts.desk import Batch, Desk, Lost, Outcome, Played, SetAside, in_order
from arena.hosts.wire import NOT_READY, Facts, Job, Kit, Missing, Ready, Unfit, answer_decoder, result_decoder
from arena.tournament.backend import Sink, Source
from arena.wording import counted

NO_HOST_FOR_S = 120.0  #: a run that has no host for so long gives up
REMIND_EVERY_S = 15.0


@attrs.define(eq=False)
class _Known:
    """A worker of the cluster."""

    key: str
    slots: int
    facts: Facts | None = None  #: of a host that takes part
    refused: bool = False

    @property
    def name(self) -> str:
        """How people call it."""
        return self.facts.machine if self.facts else self.key.partition(" ")[0]


@attrs.frozen
class _Asked:
    """Ticket of a question whether a host is ready."""

    key: str
    sent: bool  #: bots went along


class HostsBackend:
    """Plays fixtures on the hosts of a Dask cluster; see `arena.tournament.backend.Backend`."""

    def __init__(
        self,
        cluster: Callable[[], Cluster],
        kit: Kit,
        bundle: Callable[[str], bytes],
        *,
        note: Callable[[str, str], None],
        no_host_for_s: float = NO_HOST_FOR_S,
    ) -> None:
        """Make a backend.

        Args:
            cluster: makes a connection that wasn't used yet.
            kit: what hosts must know.
            bundle: returns the archive of the bot with a content hash.
            note: told what happens to hosts: one word, a sentence.
            no_host_for_s: how long to wait for a host before giving up.
        """
        self._make_cluster = cluster
        self._kit = kit
        self._encoded_kit = msgspec.json.encode(kit)
        self._bundle = bundle
        self._note = note
        self._no_host_for_s = no_host_for_s
        self._known: dict[str, _Known] = {}
        self._reasons: dict[str, str] = {}  #: why hosts were refused, by name
        self._lost = 0

    def told(self) -> str:
        """Return the state as a few words, for example `3 hosts, 24 slots, 1 lost`."""
        taking = [one for one in self._known.values() if one.facts]
        parts = [counted(len(taking), "host"), counted(sum(one.slots for one in taking), "slot")]
        if self._lost:
            parts.append(f"{self._lost} lost")
        refused = sum(one.refused for one in self._known.values())
        if refused:
            parts.append(f"{refused} refused")
        return ", ".join(parts)

    async def play(self, source: Source, sink: Sink) -> None:
        """Play until the source is done.

        Raises:
            SchedulerLost: it does not answer any more.
            ArenaError: there is no host that can take part.
        """
        cluster, desk = self._make_cluster(), Desk(source)
        send, receive = trio.open_memory_channel[list[News]](math.inf)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drive, cluster, send)
            try:
                await self._serve(cluster, desk, receive, sink)
            finally:
                cluster.end(self._kit.session)

    @staticmethod
    async def _drive(cluster: Cluster, send: trio.MemorySendChannel[list[News]]) -> None:
        token = trio.lowlevel.current_trio_token()

        def tell(news: list[News]) -> None:
            if news:
                trio.from_thread.run_sync(send.send_nowait, news, trio_token=token)

        with trio.CancelScope(shield=True):  # `end` lets it return at once
            await trio.to_thread.run_sync(partial(cluster.drive, tell))

    async def _serve(
        self, cluster: Cluster, desk: Desk, receive: trio.MemoryReceiveChannel[list[News]], sink: Sink
    ) -> None:
        hostless_since_s = trio.current_time()
        while not desk.finished:
            news: list[News] = []
            with trio.move_on_after(min(REMIND_EVERY_S, max(LOOK_EVERY_S, self._no_host_for_s))):
                news = await receive.receive()
            for one in news:
                outcomes = self._hosts(cluster, desk, one) if isinstance(one, Hosts) else self._done(cluster, desk, one)
                for outcome in outcomes:
                    await _deliver(outcome, sink)
            for batch in desk.deal():
                self._hand_out(cluster, batch, sink)
            if desk.hosts or self._getting_ready():
                hostless_since_s = trio.current_time()
            elif not news:
                self._remind(trio.current_time() - hostless_since_s)

    # -- hosts ------------------------------------------------------------------------------------------------

    def _hosts(self, cluster: Cluster, desk: Desk, news: Hosts) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for key in [key for key in self._known if key not in news.slots]:
            outcomes += self._gone(cluster, desk, self._known.pop(key))
        for key, slots in news.slots.items():
            if key not in self._known:
                self._known[key] = one = _Known(key, slots)
                if slots >= self._kit.cores_per_match:
                    self._ask(cluster, key, {})
                else:
                    why = f"it offers {counted(slots, 'slot')}, a match takes {self._kit.cores_per_match}"
                    self._refuse(one, why if slots else "it was not started by `arena worker`")
        return outcomes

    def _gone(self, cluster: Cluster, desk: Desk, one: _Known) -> list[Outcome]:
        cluster.forget(one.key)
        if one.facts is None:
            return []
        self._lost += 1
        outcomes = desk.leave(one.key, f"host {one.name} was lost")
        again = (
            f"; {counted(len(outcomes), 'batch', 'batches')} it was playing will be played again" if outcomes else ""
        )
        self._note("host", f"{one.name} was lost{again}")
        return outcomes

    def _ask(self, cluster: Cluster, key: str, bundles: Mapping[str, bytes]) -> None:
        ticket = _Asked(key, bool(bundles))
        name = f"{self._kit.session}-{'bots' if bundles else 'ready'}-{key}"
        cluster.submit(ticket, name, key, work.ready, self._encoded_kit, dict(bundles), urgent=True)

    def _refuse(self, one: _Known, reason: str) -> None:
        one.refused, one.facts = True, None
        self._reasons[one.name] = reason
        self._note("host", f"{one.name} takes no matches: {reason}")

    def _getting_ready(self) -> bool:
        return any(one.facts is None and not one.refused for one in self._known.values())

    def _remind(self, hostless_s: float) -> None:
        """Say that there is no host, or give up."""
        why = "".join(f"\n  {name}: {reason}" for name, reason in self._reasons.items())
        if hostless_s >= self._no_host_for_s:
            raise ArenaError(f"no host takes part for {hostless_s:.0f} s; start `arena worker` on one{why}")
        self._note("waiting", "waiting for a host: start `arena worker` with the scheduler's address on one")

    # -- work -------------------------------------------------------------------------------------------------

    def _hand_out(self, cluster: Cluster, batch: Batch, sink: Sink) -> None:
        if not batch.ahead:
            sink.started(batch.fixtures[0], batch.slot)
        job = msgspec.json.encode(Job(self._kit.session, batch.fixtures))
        name = f"{self._kit.session}-{batch.number}"
        cluster.submit(batch, name, batch.host, work.play, job, slots=self._kit.cores_per_match)

    def _done(self, cluster: Cluster, desk: Desk, done: Done) -> list[Outcome]:
        match done.ticket:
            case _Asked() as asked:
                self._answered(cluster, desk, asked, done)
                return []
            case Batch() as batch:
                return self._came_back(cluster, desk, batch, done)
            case other:
                raise AssertionError(f"nobody submitted {other!r}")

    def _answered(self, cluster: Cluster, desk: Desk, asked: _Asked, done: Done) -> None:
        one = self._known.get(asked.key)
        if one is None:
            return
        if done.cancelled:  # it may be gone, which will be told
            self._ask(cluster, asked.key, {})
            return
        if done.problem:
            self._refuse(one, _explained(done.problem))
            return
        match answer_decoder.decode(done.data):
            case Unfit(reason=reason):
                self._refuse(one, reason)
            case Missing(bots=bots):
                if asked.sent:
                    self._refuse(one, "it does not keep the bots that it was sent")
                else:
                    self._ask(cluster, asked.key, {bot: self._bundle(bot) for bot in bots})
            case Ready(facts=facts):
                one.facts = facts
                self._note("host", _joined(facts, one.slots))
                desk.join(asked.key, one.slots // self._kit.cores_per_match)

    def _came_back(self, cluster: Cluster, desk: Desk, batch: Batch, done: Done) -> list[Outcome]:
        if done.cancelled:
            desk.returned(batch)
            return []
        if done.problem:
            return self._unfit(cluster, desk, batch.host, _explained(done.problem))
        result = result_decoder.decode(done.data)
        if not in_order(result, batch.fixtures):
            return self._unfit(cluster, desk, batch.host, "it returned matches that it was not asked for")
        outcomes = desk.done(batch, result)
        if result.problem == NOT_READY and batch.host in self._known:
            desk.retire(batch.host)
            self._known[batch.host].facts = None
            self._ask(cluster, batch.host, {})
        elif result.problem:
            outcomes += self._unfit(cluster, desk, batch.host, result.problem)
        return outcomes

    def _unfit(self, cluster: Cluster, desk: Desk, key: str, reason: str) -> list[Outcome]:
        """Take a host off that can't go on; its other matches are taken back and played elsewhere."""
        one = self._known.get(key)
        if one is not None and not one.refused:
            self._refuse(one, reason)
            cluster.forget(key)
            desk.retire(key)
        return []


async def _deliver(outcome: Outcome, sink: Sink) -> None:
    match outcome:
        case Played() as played:
            if not played.announced:
                sink.started(played.fixture, played.slot)
            await sink.played(played.match, played.fixture, played.slot)
        case Lost(loss=loss):
            await sink.lost(loss)
        case SetAside(loss=loss):
            await sink.set_aside(loss)


def _joined(facts: Facts, slots: int) -> str:
    told = [counted(slots, "slot"), facts.processor, f"speed {facts.speed:g}", facts.rung]
    warned = f"; {facts.warning}" if facts.warning else ""
    return f"{facts.machine} joined: {', '.join(part for part in told if part)}{warned}"


def _explained(problem: str) -> str:
    """Return why a call failed on a host, for people."""
    if "No module named 'arena" in problem or "ModuleNotFoundError" in problem:
        return f"it has no castell-arena that fits ({problem}); install the same version as here"
    return f"a call failed there: {problem}"
