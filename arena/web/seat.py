"""People's seats as an ASGI application: a page for each token, what happened, and their answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio
import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from arena.games.api import Seat
from arena.web.events import BEAT, BEAT_EVERY_S, Events, event
from arena.web.live import HostCheck, SafeHeaders
from arena.web.rendering import LiveLinks, asset, asset_type, render
from arena.web.site import DRAWING
from arena.web.table import WebTable

LOOK_EVERY_S = 0.1
MOST_BYTES = 16_384  #: of an answer


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    action: str
    frame: int = -1


class Seats:
    """Answers requests of the people at one table."""

    def __init__(self, table: WebTable) -> None:
        self._table = table

    def app(self) -> Starlette:
        """Return the application; nothing but style sheets and scripts is there without a token."""
        return Starlette(
            routes=[
                Route("/seat/{token}", self._page, methods=["GET"]),
                Route("/seat/{token}/state", self._state, methods=["GET"]),
                Route("/seat/{token}/events", self._events, methods=["GET"]),
                Route("/seat/{token}/{verb}", self._told, methods=["POST"]),
                Route("/asset/{name}", self._asset, methods=["GET"]),
            ]
        )

    def _seat(self, request: Request) -> Seat | None:
        return self._table.tokens.get(request.path_params["token"])

    async def _page(self, request: Request) -> Response:
        seat = self._seat(request)
        if seat is None:
            return _nobody()
        links = LiveLinks()
        drawing = links.asset(DRAWING) if self._table.game.drawing() else ""
        names = self._table.names
        return HTMLResponse(
            render("play", links, names=names, me=names[seat], game=self._table.game.name, drawing=drawing)
        )

    async def _state(self, request: Request) -> Response:
        seat = self._seat(request)
        if seat is None:
            return _nobody()
        text = request.query_params.get("from", "0")
        first = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
        shown = await run_in_threadpool(self._table.show, seat, first)
        return Response(msgspec.json.encode(shown), media_type="application/json")

    async def _told(self, request: Request) -> Response:
        seat = self._seat(request)
        if seat is None:
            return _nobody()
        if not request.headers.get("content-type", "").startswith("application/json"):
            return JSONResponse({"problem": "send JSON"}, 415)
        body = await _body(request)
        if body is None:
            return JSONResponse({"problem": "that is too long for an action"}, 413)
        verb = request.path_params["verb"]
        if verb == "leave":
            await run_in_threadpool(self._table.leave)
            return JSONResponse({"problem": ""})
        try:
            answer = msgspec.json.decode(body, type=_Answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return JSONResponse({"problem": f"that is no answer: {error}"}, 400)
        if verb == "act":
            problem = await run_in_threadpool(self._table.act, seat, answer.frame, answer.action)
        elif verb == "judge":
            problem = await run_in_threadpool(self._table.judge, seat, answer.action)
        else:
            return _nobody()
        return JSONResponse({"problem": problem})

    async def _events(self, request: Request) -> Response:
        if self._seat(request) is None:
            return _nobody()
        return Events(self._stream())

    async def _stream(self) -> AsyncGenerator[str, None]:
        told, silent_s = -1, 0.0
        while True:
            if self._table.version != told:
                told, silent_s = self._table.version, 0.0
                yield event("version", told)
            elif silent_s >= BEAT_EVERY_S:
                silent_s = 0.0
                yield BEAT
            await anyio.sleep(LOOK_EVERY_S)
            silent_s += LOOK_EVERY_S

    async def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        try:
            text = self._table.game.drawing() if name == DRAWING else asset(name)
        except KeyError:
            return _nobody()
        return Response(text, headers={"Content-Type": asset_type(name)})


async def _body(request: Request) -> bytes | None:
    """Return what was sent, None when it is more than `MOST_BYTES`."""
    body = b""
    async with aclosing(request.stream()) as parts:
        async for part in parts:
            body += part
            if len(body) > MOST_BYTES:
                return None
    return body


def _nobody() -> Response:
    return Response("there is no such page; open the link that `arena play` printed\n", 404, media_type="text/plain")


def seats(table: WebTable, hosts: frozenset[str] | None = None) -> ASGIApp:
    """Return the application for the people at a table; `hosts` as in `arena.web.live.dashboard`."""
    app: ASGIApp = SafeHeaders(Seats(table).app())
    return app if hosts is None else HostCheck(app, hosts)
