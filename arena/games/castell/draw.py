"""States as text."""

from __future__ import annotations

from arena.games.castell.state import State


def draw(state: State) -> str:
    """Return the state as readable text."""
    return "\n".join(f"{key}: {value}" for key, value in state.view(0).items())
