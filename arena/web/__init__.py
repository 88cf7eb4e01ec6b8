"""Runs and matches in the browser: live dashboard, static report, replay viewer, and a person at a seat.

Needs the extra `web`. Whatever imports Starlette, Hypercorn or Jinja2 is imported by `needed` callers only.
"""

from __future__ import annotations

from importlib.util import find_spec

from arena.errors import ArenaError

_PARTS = ("jinja2", "starlette", "hypercorn")


def check_installed() -> None:
    """Raise `ArenaError` with what to install unless everything that pages in a browser need is there."""
    missing = [name for name in _PARTS if find_spec(name) is None]
    if missing:
        cure = "`make web` in a checkout, else `pip install castell-arena[web]`"
        raise ArenaError(f"pages for the browser need {', '.join(missing)}; install with {cure}")
