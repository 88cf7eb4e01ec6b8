"""The resource limits of a bot, as every rung sets them."""

from __future__ import annotations

from arena.referee.rung import BACKSTOP_BYTES, BotPlan

OPEN_FILES = 256
LOCKED_BYTES = 1024 * 1024


def rlimits(plan: BotPlan, *, processes: int | None = None) -> dict[str, int]:
    """Return the limits by the names that `prlimit` and the `resource` module share.

    `processes` overrides the plan's cap; resident memory is not among them: it is watched.
    """
    return {
        "nproc": plan.processes if processes is None else processes,
        "as": max(BACKSTOP_BYTES, 8 * plan.memory_mb * 2**20),
        "fsize": plan.limits.scratch_mb * 2**20,
        "nofile": OPEN_FILES,
        "memlock": LOCKED_BYTES,
        "core": 0,
    }


def prlimit_words(plan: BotPlan) -> list[str]:
    """Return the limits as arguments of `prlimit`; soft and hard ones are equal."""
    return [f"--{name}={value}:{value}" for name, value in rlimits(plan).items()]
