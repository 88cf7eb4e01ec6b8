"""Server-sent events, closed properly when the browser goes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import StreamingResponse
from starlette.types import Send

BEAT_EVERY_S = 15.0  #: a line that keeps a silent connection open
BEAT = ": still here\n\n"


class Events(StreamingResponse):
    """An answer that goes on for as long as the browser listens; what makes it is closed then, and at once."""

    def __init__(self, events: AsyncGenerator[str, None]) -> None:
        """Send what `events` yields."""
        super().__init__(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self._events = events

    async def stream_response(self, send: Send) -> None:
        """Send until either side ends it."""
        async with aclosing(self._events):
            await super().stream_response(send)


def event(kind: str, number: int) -> str:
    """Return an event that carries a number."""
    return f"event: {kind}\ndata: {number}\n\n"
