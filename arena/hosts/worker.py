"""`arena worker` at work: a Dask worker under its nanny, which starts it anew when it dies. Waits for schedulers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from arena.hosts.engine import RESOURCE, Tls, dask, quiet, security
from arena.hosts.work import FOLDER_VARIABLE, NAME_VARIABLE

TRY_EVERY_S = 5.0  #: while there is no scheduler
CONNECT_WITHIN_S = 10.0


@attrs.frozen(kw_only=True)
class Offer:
    """What this machine offers."""

    address: str  #: of the scheduler
    slots: int
    name: str  #: what people call this host
    folder: Path  #: for bots
    tls: Tls | None = None
    listen: str | None = None  #: an address of this machine that the scheduler and other hosts can reach


def serve(offer: Offer, say: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; outlives schedulers."""
    quiet(waits_s=CONNECT_WITHIN_S)
    asyncio.run(_serve(offer, say))


async def _serve(offer: Offer, say: Callable[[str], None]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    waiting = False
    while not stop.is_set():
        nanny = _nanny(offer)
        began = asyncio.ensure_future(_begin(nanny))
        if await _first(began, stop) and not began.exception():
            say(f"{offer.name} is a host of {offer.address}; Ctrl-C ends it")
            waiting = False
            await _first(asyncio.ensure_future(nanny.finished()), stop)
            if not stop.is_set():
                say("the scheduler has gone")
        with contextlib.suppress(OSError, TimeoutError, AssertionError):  # the last: it was just being started
            await nanny.close(timeout=2)
        if not stop.is_set():
            if not waiting:
                say(f"there is no scheduler at {offer.address} yet; trying again")
            waiting = True
            await _first(asyncio.ensure_future(asyncio.sleep(TRY_EVERY_S)), stop)


async def _begin(nanny: Any) -> None:
    await nanny


async def _first(task: asyncio.Future[Any], stop: asyncio.Event) -> bool:
    """Wait until a task is done (True) or it is time to stop; the task is cancelled then."""
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    done = task.done()
    if not done:
        task.cancel()
    return done


def _nanny(offer: Offer) -> Any:
    return dask().Nanny(
        offer.address,
        nthreads=offer.slots + 1,  # one to get ready for other runs
        resources={RESOURCE: offer.slots},
        name=f"{offer.name}-{secrets.token_hex(4)}",
        memory_limit=0,  # the sandbox caps bots; a worker itself is small
        security=security(offer.tls),
        host=offer.listen,
        local_directory=str(offer.folder / "dask"),
        dashboard=False,
        silence_logs=logging.ERROR,
        env={FOLDER_VARIABLE: str(offer.folder), NAME_VARIABLE: offer.name},
    )
