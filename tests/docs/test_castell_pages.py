"""docs/castell-rules.md names every ruling and its values; the example of docs/builder.md holds."""

from __future__ import annotations

import re
from pathlib import Path

import attrs

from arena.games.castell.edition import Rulings, shipped_edition
from arena.games.castell.edition_reader import RULING_LISTS, RULING_VALUES

DOCS = Path(__file__).parents[2] / "docs"
RULES = (DOCS / "castell-rules.md").read_text("utf-8")
BUILDER = (DOCS / "builder.md").read_text("utf-8")


def test_every_ruling_and_every_value_stands_in_the_table() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", RULES, re.MULTILINE))
    assert sorted(rows) == sorted(field.name for field in attrs.fields(Rulings))
    for name, values in RULING_VALUES.items():
        assert re.findall(r"`(\w+)`", rows[name]) == list(values)
        assert values[0] == getattr(shipped_edition().rulings, name)
    for name, lists in RULING_LISTS.items():
        for word in {word for values in lists for word in values}:
            assert word in rows[name]


def test_the_example_of_the_builder_page_holds() -> None:
    code = re.findall(r"```python\n(.*?)```", BUILDER, re.DOTALL)[0]
    assert code.count("assert ") == 5
    exec(code, {})
