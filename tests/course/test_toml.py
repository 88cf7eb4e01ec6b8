"""What is written as TOML is read back as it was."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.course.toml import dumps

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_it_round_trips(data: dict[str, Any]) -> None:
    assert tomllib.loads(dumps(data)) == data


def test_what_toml_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="None"):
        dumps({"a": None})
