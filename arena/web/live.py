"""The dashboard of a run as an ASGI application: read-only, and the same pages as the static report."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import anyio
import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.errors import ArenaError
from arena.tournament.store import RunReader
from arena.web.events import BEAT, BEAT_EVERY_S, Events, event
from arena.web.pages import Filter
from arena.web.rendering import POLICY, LiveLinks, asset, asset_type
from arena.web.replay import Replay
from arena.web.site import DRAWING, Site, game_of, read_replay
from arena.web.snapshot import Snapshots

LOOK_EVERY_S = 1.0  #: how often a watcher is told at most
EACH_WATCHER_S = 0.2  #: added for each watcher, so that all of them together fetch at most five pages a second
_REMEMBERED = 256  #: rendered pages
_REMEMBERED_REPLAYS = 64
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

Page: TypeAlias = Callable[[Site], "str | None"]


class SafeHeaders:
    """Puts `HEADERS` on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


class HostCheck:
    """Refuses requests that name another host than the one served: a page elsewhere can't reach in by a name trick."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            named = dict(scope["headers"]).get(b"host", b"").decode("latin-1").rpartition(":")
            host = named[0] if named[1] and named[2].isdigit() else "".join(named)
            if host.strip("[]").lower() not in self.hosts:
                await Response("this host is not served here\n", 421, media_type="text/plain")(scope, receive, send)
                return
        await self.app(scope, receive, send)


class Dashboard:
    """Answers requests about one run."""

    def __init__(self, folder: Path) -> None:
        """Open the run in `folder`; raise `ArchiveError` when there is none."""
        self._folder = folder
        self._snapshots = Snapshots(folder)
        self._game = game_of(self._snapshots.newest)
        self._links = LiveLinks()
        self._rendered: dict[tuple[int, str], str | None] = {}
        self._replays: dict[str, Replay] = {}
        self._watching = 0  #: open streams

    def app(self) -> Starlette:
        """Return the application."""
        return Starlette(
            routes=[
                Route("/", self._answer(lambda _: Site.standings), methods=["GET"]),
                Route("/crosstable", self._answer(lambda _: Site.crosstable), methods=["GET"]),
                Route("/seats", self._answer(lambda _: Site.seats), methods=["GET"]),
                Route("/matches", self._answer(_matches), methods=["GET"]),
                Route("/entrant/{name:path}", self._answer(_entrant), methods=["GET"]),
                Route("/match/{match:path}", self._answer(self._match), methods=["GET"]),
                Route("/replay/{match:path}", self._replay, methods=["GET"]),
                Route("/asset/{name}", self._asset, methods=["GET"]),
                Route("/events", self._events, methods=["GET"]),
            ],
        )

    def _answer(self, page_of: Callable[[Request], Page]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await run_in_threadpool(self._page, request, page_of)

        return answer

    def _page(self, request: Request, page_of: Callable[[Request], Page]) -> Response:
        site = Site(snapshot=self._snapshots.get(), links=self._links)
        key = site.snapshot.stored, str(request.url.replace(scheme="", netloc=""))
        try:
            text = self._rendered[key] if key in self._rendered else self._remember(key, page_of(request)(site))
        except ArenaError as error:
            return HTMLResponse(site.problem("That can't be shown", str(error)), 400)
        if text is None:
            return HTMLResponse(
                site.problem("There is no such page", "Nothing of this name is stored in this run."), 404
            )
        return HTMLResponse(text)

    def _remember(self, key: tuple[int, str], text: str | None) -> str | None:
        if len(self._rendered) >= _REMEMBERED:
            self._rendered.clear()
        self._rendered[key] = text
        return text

    def _match(self, request: Request) -> Page:
        match_id = request.path_params["match"]

        def page(site: Site) -> str | None:
            replay = self._replay_of(match_id)
            return None if replay is None else site.match(replay, self._game)

        return page

    def _replay_of(self, match_id: str) -> Replay | None:
        """Return a replay; what is stored never changes, so the last ones are remembered."""
        if match_id in self._replays:
            return self._replays[match_id]
        with RunReader(self._folder) as reader:
            replay = read_replay(reader, match_id, self._game)
        if replay is not None:
            if len(self._replays) >= _REMEMBERED_REPLAYS:
                self._replays.clear()
            self._replays[match_id] = replay
        return replay

    def _replay(self, request: Request) -> Response:
        try:
            replay = self._replay_of(request.path_params["match"])
        except ArenaError as error:
            return JSONResponse({"problem": str(error)}, 400)
        if replay is None:
            return JSONResponse({"problem": "there is no such match"}, 404)
        return Response(msgspec.json.encode(replay), media_type="application/json")

    def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        try:
            text = self._game.drawing() if name == DRAWING else asset(name)
        except KeyError:
            return Response("there is no such file\n", 404, media_type="text/plain")
        return Response(text, headers={"Content-Type": asset_type(name)})

    async def _events(self, _request: Request) -> Response:
        return Events(self._stream())

    async def _stream(self) -> AsyncGenerator[str, None]:
        """Yield an event with the number of stored matches now and whenever it has grown."""
        told, silent_s = -1, 0.0
        self._watching += 1
        try:
            while True:
                snapshot = await run_in_threadpool(self._snapshots.get)
                if snapshot.stored != told:
                    told, silent_s = snapshot.stored, 0.0
                    yield event("stored", told)
                elif silent_s >= BEAT_EVERY_S:
                    silent_s = 0.0
                    yield BEAT
                pause_s = max(LOOK_EVERY_S, EACH_WATCHER_S * self._watching)
                await anyio.sleep(pause_s)
                silent_s += pause_s
        finally:
            self._watching -= 1


def _matches(request: Request) -> Page:
    def page(site: Site) -> str:
        return site.matches(Filter.read(request.query_params))

    return page


def _entrant(request: Request) -> Page:
    name = request.path_params["name"]
    return lambda site: site.entrant(name)


def dashboard(folder: Path, hosts: frozenset[str] | None = None) -> ASGIApp:
    """Return the dashboard of the run in `folder`.

    Args:
        folder: of the run.
        hosts: names under which it may be asked for, lower case; None: any.

    Raises:
        ArchiveError: there is no run.
        ConfigError: its game is not installed.
    """
    app: ASGIApp = SafeHeaders(Dashboard(folder).app())
    return app if hosts is None else HostCheck(app, hosts)
