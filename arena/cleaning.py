"""Text that strangers wrote, made safe to print and to store: bots' names, notes, stderr and offending lines."""

from __future__ import annotations

import unicodedata

#: Characters that could move the cursor, hide text or reorder a line: controls, formats, surrogates, line ends.
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(text: str, at_most_bytes: int, *, keep_lines: bool = False) -> str:
    """Return `text` without unsafe characters, cut to `at_most_bytes` of UTF-8 with an ellipsis.

    Args:
        text: anything.
        at_most_bytes: of the result, the ellipsis included; at least 3.
        keep_lines: line feeds and tabs stay; otherwise every unsafe character becomes a space.
    """
    text = text[: at_most_bytes + 1]  # first: looking at each character of a long text takes long
    if text.isascii() and text.isprintable():
        safe = text
    else:
        kept = "\n\t" if keep_lines else ""
        safe = "".join(
            character if character in kept or unicodedata.category(character) not in _UNSAFE_CATEGORIES else " "
            for character in text
        )
    data = safe.encode("utf-8", "replace")
    if len(data) <= at_most_bytes:
        return safe
    return data[: at_most_bytes - 3].decode("utf-8", "ignore") + "…"
