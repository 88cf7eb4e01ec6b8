"""A Dask cluster as a run sees it, driven from one thread: work goes in by a queue, news comes out to trio."""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import attrs

from arena.errors import ArenaError
from arena.hosts import work
from arena.hosts.engine import RESOURCE, dask, quiet

LOOK_EVERY_S = 0.5  #: at the hosts; less often where there are many
HOSTS_PER_S = 100
STOP_WITHIN_S = 1.0
LOST_AFTER_S = 10.0  #: a scheduler that doesn't answer for so long is lost


class SchedulerLost(ArenaError):
    """The Dask scheduler does not answer any more; what is stored is safe."""


@attrs.frozen
class Hosts:
    """The workers there are now: key (address and name) to slots; 0 for one that offers none."""

    slots: Mapping[str, int]


@attrs.frozen
class Done:
    """Something that was submitted has ended."""

    ticket: object  #: as submitted
    data: bytes = b""
    problem: str = ""  #: an error on the host, in its own words
    cancelled: bool = False  #: it was dropped on the way


News: TypeAlias = Hosts | Done


@attrs.frozen(kw_only=True)
class _Submit:
    ticket: object
    key: str
    host: str
    function: Callable[..., bytes]
    arguments: tuple[object, ...]
    slots: int
    urgent: bool


@attrs.frozen
class _Forget:
    host: str


@attrs.frozen
class _Ended:
    ticket: object
    future: Any


@attrs.frozen
class _End:
    session: str


def key_of(address: str, name: object) -> str:
    """Return what a worker process is known by; one that is started anew gets another address or name."""
    return f"{address} {name}"


class Cluster:
    """A connection to a Dask scheduler. Its methods may be called from trio; `drive` runs in a thread of its own."""

    def __init__(self, address: Any, security: Any = None) -> None:
        """Note where the scheduler is (an address, or a cluster object of Dask); nothing is connected yet."""
        self._address = address
        self._security = security
        self._commands: queue.SimpleQueue[_Submit | _Forget | _Ended | _End] = queue.SimpleQueue()
        self._futures: dict[object, tuple[str, Any]] = {}
        self._known: dict[str, int] | None = None
        self._next_look_s = 0.0
        self._answered_s = 0.0

    # -- from trio --------------------------------------------------------------------------------------------

    def submit(
        self,
        ticket: object,
        key: str,
        host: str,
        function: Callable[..., bytes],
        *arguments: object,
        slots: int = 0,
        urgent: bool = False,
    ) -> None:
        """Have a function called on a host; `Done` with the ticket tells how it ended, unless the host is forgotten."""
        self._commands.put(
            _Submit(
                ticket=ticket,
                key=key,
                host=host,
                function=function,
                arguments=arguments,
                slots=slots,
                urgent=urgent,
            )
        )

    def forget(self, host: str) -> None:
        """Take back everything that was submitted to a host."""
        self._commands.put(_Forget(host))

    def end(self, session: str) -> None:
        """Stop what is left of a session on all hosts, and let `drive` return."""
        self._commands.put(_End(session))

    # -- in its thread ----------------------------------------------------------------------------------------

    def drive(self, tell: Callable[[list[News]], None]) -> None:
        """Serve until `end`; blocks, so to be run in a thread. `tell` takes what happened, in order.

        Raises:
            SchedulerLost: the scheduler can't be reached, or not any more.
        """
        quiet(waits_s=LOST_AFTER_S)
        try:
            client = dask().Client(
                self._address, security=self._security, set_as_default=False, timeout=f"{LOST_AFTER_S:.0f}s"
            )
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise SchedulerLost(f"there is no Dask scheduler at {self._address}: {error}") from None
        self._answered_s = time.monotonic()
        try:
            self._serve(client, tell)
        finally:
            self._close(client)

    def _serve(self, client: Any, tell: Callable[[list[News]], None]) -> None:
        while True:
            commands = self._waiting()
            if client.status == "closed":
                raise SchedulerLost(f"the Dask scheduler at {self._address} was lost")
            if commands and isinstance(commands[-1], _End):
                self._end(client, commands[-1].session)
                return
            ended = []
            for command in commands:
                match command:
                    case _Submit():
                        self._submit(client, command)
                    case _Forget():
                        self._forget(command.host)
                    case _Ended():
                        ended.append(command)
            tell([*self._results(client, ended), *self._look(client)])

    def _waiting(self) -> list[_Submit | _Forget | _Ended | _End]:
        """Return what has been asked for, after waiting until there is something or it is time to look."""
        found = []
        try:
            found.append(self._commands.get(timeout=max(0.01, self._next_look_s - time.monotonic())))
            while not isinstance(found[-1], _End):
                found.append(self._commands.get_nowait())
        except queue.Empty:
            pass
        return found

    def _submit(self, client: Any, command: _Submit) -> None:
        future = client.submit(
            command.function,
            *command.arguments,
            key=command.key,
            workers=[command.host.partition(" ")[0]],
            allow_other_workers=False,
            resources={RESOURCE: command.slots} if command.slots else None,
            priority=1 if command.urgent else 0,
            pure=False,
        )
        self._futures[command.ticket] = (command.host, future)
        future.add_done_callback(lambda future: self._commands.put(_Ended(command.ticket, future)))

    def _forget(self, host: str) -> None:
        for ticket in [ticket for ticket, (where, _) in self._futures.items() if where == host]:
            _, future = self._futures.pop(ticket)
            future.cancel(force=True)

    def _results(self, client: Any, ended: Iterable[_Ended]) -> list[News]:
        """Fetch everything that has ended at once, and release it."""
        mine = [one for one in ended if one.ticket in self._futures]
        finished = [one for one in mine if one.future.status == "finished"]
        try:
            data = client.gather([one.future for one in finished], errors="skip") if finished else []
        except Exception:  # noqa: BLE001 - whatever Dask says: the connection is gone
            data = []
        news: list[News] = []
        if len(data) == len(finished):
            news += [Done(one.ticket, bytes(one_data)) for one, one_data in zip(finished, data, strict=True)]
        else:  # a host went while its results were fetched
            news += [Done(one.ticket, cancelled=True) for one in finished]
        for one in mine:
            status = one.future.status
            if status == "error":
                error = one.future.exception()
                news.append(Done(one.ticket, problem=f"{type(error).__name__}: {error}"))
            elif status != "finished":
                news.append(Done(one.ticket, cancelled=True))
            del self._futures[one.ticket]
            one.future.release()
        return news

    def _look(self, client: Any) -> list[News]:
        """Return the hosts if they have changed and it is time to look."""
        now_s = time.monotonic()
        if now_s < self._next_look_s:
            return []
        try:
            if client.status != "running":
                raise OSError("the connection was lost")
            workers = client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TimeoutError) as error:
            self._next_look_s = now_s + LOOK_EVERY_S
            if now_s - self._answered_s > LOST_AFTER_S:
                raise SchedulerLost(
                    f"the Dask scheduler at {self._address} does not answer any more: {error}"
                ) from None
            return []
        self._answered_s = now_s
        self._next_look_s = now_s + max(LOOK_EVERY_S, len(workers) / HOSTS_PER_S)
        slots = {
            key_of(address, one["name"]): int(one["resources"].get(RESOURCE, 0)) for address, one in workers.items()
        }
        if slots == self._known:
            return []
        self._known = slots
        return [Hosts(slots)]

    def _end(self, client: Any, session: str) -> None:
        client.cancel([future for _, future in self._futures.values()], force=True)
        self._futures.clear()
        with contextlib.suppress(OSError, TimeoutError):  # `Client.run` itself has no deadline
            client.sync(client._run, work.stop, session, on_error="ignore", callback_timeout=STOP_WITHIN_S)

    def _close(self, client: Any) -> None:
        with contextlib.suppress(OSError, TimeoutError):  # it was lost, which has been said
            client.close(timeout=STOP_WITHIN_S)
