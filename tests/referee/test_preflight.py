"""Preflight watches what entrants use, as matches do."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from arena.referee.preflight import preflight
from arena.referee.sandbox import forced
from arena.referee.sandbox.scratch import scratch_root
from arena.referee.settings import Clock, Limits, Settings
from tests.referee.sandbox.starting import entrant

LIMITS = Limits(memory_mb=64, scratch_mb=2)
READY = 'print(\'{"type":"ready"}\', flush=True)\n'
HOARD = "held = [b'x' * (200 * 2**20)]\nimport time; time.sleep(99)"
FILL = "import os, time\nfor n in 'abc': open(os.environ['HOME'] + '/' + n, 'wb').write(b'x' * 2**20)\ntime.sleep(99)"


def reasons(*codes: str) -> list[str]:
    settings = Settings(game="connect-four", seats=2, clock=Clock(startup_ms=5000), limits=LIMITS)
    with scratch_root() as root:
        return [failure.reason for failure in preflight([*map(entrant, codes)], settings, forced("off"), root)]


@pytest.mark.parametrize(
    ("code", "reason"),
    [(HOARD, "MiB of resident memory; 64 are allowed"), (FILL, "scratch folder holds more than 2 MiB")],
)
def test_what_takes_too_much_at_its_start_is_named_at_once(code: str, reason: str) -> None:
    began_s = time.monotonic()
    (told,) = reasons(code)
    assert reason in told
    assert time.monotonic() - began_s < 4  # not the start-up limit


def test_what_is_ready_does_not_live_on_unwatched(tmp_path: Path) -> None:
    later = tmp_path / "later"
    sleeper = f"{READY}import time; time.sleep(0.3); open({str(later)!r}, 'w')"
    slow = f"import time; time.sleep(0.8)\n{READY}time.sleep(99)"
    assert reasons(sleeper, slow) == []
    assert not later.exists()
