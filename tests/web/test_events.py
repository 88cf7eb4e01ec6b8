"""Streams are closed when the browser goes, wherever they stand."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
import trio

from arena.web.events import Events, event


@pytest.mark.parametrize("stands", ["sending", "waiting"])
def test_what_makes_events_is_closed_when_the_browser_goes(stands: str) -> None:
    closed = []

    async def make() -> AsyncGenerator[str, None]:
        try:
            yield event("stored", 1)
            await trio.sleep_forever()
        finally:
            closed.append(True)

    async def main() -> None:
        gone = trio.Event()

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message.get("body") == b"event: stored\ndata: 1\n\n":
                gone.set()
                if stands == "sending":
                    await trio.sleep_forever()

        with trio.fail_after(20):
            await Events(make())({"type": "http", "asgi": {}}, receive, send)
        assert closed == [True]

    trio.run(main)
