"""Writes tournament files: the inverse of reading one, for values that TOML knows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(data: Mapping[str, Any]) -> str:
    """Return `data` as TOML: plain values first, then tables, then arrays of tables.

    Args:
        data: texts, whole numbers, numbers, truth values, lists and tables of them.

    Raises:
        TypeError: a value is of another type.
    """
    plain = {key: value for key, value in data.items() if not isinstance(value, Mapping) and not _is_tables(value)}
    lines = _pairs(plain)
    for key, value in data.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{_key(key)}]", *_pairs(value)]
        elif _is_tables(value):
            for table in value:
                lines += ["", f"[[{_key(key)}]]", *_pairs(table)]
    return "\n".join(lines).strip("\n") + "\n"


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items()]


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(_pairs(value))}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_value, value))}]"
    raise TypeError(f"{value!r} can't be written as TOML")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
