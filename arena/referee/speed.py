"""How fast a machine is, roughly: so that results from unequal machines can be told apart.

The figure says how many million steps of a small loop Python makes in a second on one core, the best of a few short
tries. It compares machines of one run with each other; it promises nothing about any bot.
"""

from __future__ import annotations

import time

STEPS = 50_000
TRIES = 5


def measure_speed(*, tries: int = TRIES) -> float:
    """Return the speed of the core this runs on in millions of steps a second; takes about 20 ms."""
    best_s = min(_try_s() for _ in range(tries))
    return round(STEPS / best_s / 1e6, 1)


def _try_s() -> float:
    began_s = time.perf_counter()
    value = 1
    for step in range(STEPS):
        value = value * 31 + step & 0xFFFF
    return time.perf_counter() - began_s
