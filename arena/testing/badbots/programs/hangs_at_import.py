"""A plugin bot that is never done with its import."""

from __future__ import annotations

import time

from arena.sdk import Bot

while True:
    time.sleep(3600)


class Never(Bot):  # type: ignore[unreachable] # that is the point
    """Never exists."""
