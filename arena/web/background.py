"""A server in a thread of its own, for a main thread that referees a match."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio

from arena.web.serving import address, allowed_hosts, listen, serve

_STOP_WITHIN_S = 20.0  #: far more than `serve` needs


class Server:
    """One address; what is served there may be exchanged."""

    def __init__(self, host: str, port: int) -> None:
        """Listen; raise `ArenaError` when that can't be had."""
        self._listener = listen(host, port)
        self.address = address(self._listener, host)
        self.hosts = allowed_hosts(host)
        self.app: Any = None  #: the ASGI application, set before anybody asks
        self._token: trio.lowlevel.TrioToken | None = None
        self._stop: trio.Event | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: trio.run(self._run), name="arena-web", daemon=True)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":  # what is served comes later, and needs no start
            for word in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{word}.complete"})
            return
        await self.app(scope, receive, send)

    async def _run(self) -> None:
        self._token, self._stop = trio.lowlevel.current_trio_token(), trio.Event()
        self._started.set()
        await serve(self._answer, self._listener, self._stop.wait)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()
        self._started.wait(_STOP_WITHIN_S)

    def stop(self) -> None:
        """Answer no more; open streams are cut."""
        if self._token is not None and self._stop is not None:
            self._token.run_sync_soon(self._stop.set)
            self._thread.join(_STOP_WITHIN_S)


@contextmanager
def serving(host: str, port: int) -> Iterator[Server]:
    """Serve while the block runs; raise `ArenaError` when the address can't be had."""
    server = Server(host, port)
    server.start()
    try:
        yield server
    finally:
        server.stop()
