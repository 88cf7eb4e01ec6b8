"""Reading and writing one line of JSON, without the cost of importing `json`.

`json` imports `re`, which takes longer than all the rest of a bot's start. So this uses the scanner and the quoting
function that `json` itself is made of, and `json` where an interpreter has them not (or has changed them).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class _Scanning:
    """What the scanner wants to know, as `json.JSONDecoder` would tell it."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _fast() -> tuple[Callable[[str], Any], Callable[[str], str]]:
    from _json import encode_basestring_ascii, make_scanner

    scan = make_scanner(_Scanning())  # type: ignore[arg-type]  # it only reads these attributes

    def loads(text: str) -> Any:
        try:
            return scan(text, 0)[0]
        except StopIteration:
            raise ValueError(f"no JSON: {text[:200]!r}") from None

    return loads, encode_basestring_ascii


def _plain() -> tuple[Callable[[str], Any], Callable[[str], str]]:
    import json

    return json.loads, json.dumps


try:
    loads, quote = _fast()
except (ImportError, AttributeError, TypeError):
    loads, quote = _plain()


def dumps(message: dict[str, str | int | Sequence[str]]) -> bytes:
    """Return a message, flat but for lists of texts, as one line of ASCII JSON with its newline."""
    return ("{" + ",".join(f'"{name}":{_value(value)}' for name, value in message.items()) + "}\n").encode("ascii")


def _value(value: str | int | Sequence[str]) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return quote(value)
    return "[" + ",".join(map(quote, value)) + "]"
