"""The sandbox: rungs from bubblewrap down to nothing, and the probe that chooses one (Linux)."""

from arena.referee.rung import Rung, StartError
from arena.referee.sandbox.choice import choose_rung, forced, warning

__all__ = ["Rung", "StartError", "choose_rung", "forced", "warning"]
