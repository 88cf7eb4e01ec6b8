from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sdk import wire

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)


@given(VALUES)
def test_reading_is_what_json_reads(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1) + "\n"):
        assert wire.loads(text) == wire._plain()[0](text) == value


@given(
    st.dictionaries(st.sampled_from(["type", "id", "text"]), st.one_of(st.integers(), st.text(), st.lists(st.text())))
)
def test_writing_is_what_json_reads(message: dict[str, Any]) -> None:
    line = wire.dumps(message)
    assert line.isascii()
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == message


@given(st.text())
def test_quoting_has_one_result(text: str) -> None:
    assert wire.quote(text) == wire._plain()[1](text)


@pytest.mark.parametrize("text", ["", "oops", "{", '{"a":}', "["])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    for loads in (wire.loads, wire._plain()[0]):
        with pytest.raises(ValueError):  # noqa: PT011 - the text is json's own
            loads(text)
