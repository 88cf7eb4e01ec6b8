"""Every hook is described with its exact arguments, and no other."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from arena import hookspecs

PAGE = Path(__file__).parents[2] / "docs/plugins.md"


def test_every_hook_is_described_with_its_arguments() -> None:
    declared = {
        f"{name}({', '.join(inspect.signature(value).parameters)})"
        for name, value in vars(hookspecs).items()
        if name.startswith("arena_")
    }
    assert set(re.findall(r"`(arena_\w+\([^)]*\))`", PAGE.read_text())) == declared


def test_every_hook_has_a_test() -> None:
    tests = (Path(__file__).parents[1] / "test_plugins.py").read_text()
    for name in vars(hookspecs):
        assert not name.startswith("arena_") or f"def {name}(" in tests, name
