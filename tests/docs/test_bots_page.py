"""What docs/bots.md shows runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).parents[2] / "docs/bots.md").read_text("utf-8")


def test_the_match_in_this_process_is_played_and_replayed() -> None:
    (code,) = re.findall(r"## In this very process\n.*?```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["record"].faults == ()
    assert len(names["record"].actions) > 50
