"""Runs an application on Hypercorn's trio worker until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Awaitable, Callable
from typing import Any, cast

import hypercorn.trio
import trio
from hypercorn.config import Config

from arena.errors import ArenaError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_STOP_WITHIN_S = 0.5  #: open event streams are cut off then


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any free one. Raise `ArenaError` when that can't be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(128)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
    except OSError as error:
        raise ArenaError(f"can't listen on {host} port {port}: {error.strerror or error}; try another --port") from None
    return listener


def address(listener: socket.socket, host: str) -> str:
    """Return what to open in the browser."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


def allowed_hosts(host: str) -> frozenset[str] | None:
    """Return the names under which a server on `host` may be asked: on loopback its own only, else any."""
    return LOOPBACK if host.lower() in LOOPBACK else None


async def interrupted() -> None:
    """Wait for Ctrl-C or SIGTERM, which then raise nothing. Main thread only."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            return


async def serve(app: Any, listener: socket.socket, until: Callable[[], Awaitable[object]] = trio.sleep_forever) -> None:
    """Serve `app` on a listening socket until `until` returns, or for ever; the socket is closed then."""
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.graceful_timeout = _STOP_WITHIN_S
    config.shutdown_timeout = _STOP_WITHIN_S
    config.accesslog = None
    config.errorlog = logging.getLogger("arena.web")
    stopping = trio.Event()

    async def stop() -> None:
        await until()
        stopping.set()
        await trio.sleep(4 * _STOP_WITHIN_S)
        nursery.cancel_scope.cancel()  # whatever still hangs on

    async with trio.open_nursery() as nursery:
        nursery.start_soon(stop)
        await hypercorn.trio.serve(cast("Any", app), config, shutdown_trigger=cast("Any", stopping.wait), mode="asgi")
        nursery.cancel_scope.cancel()
