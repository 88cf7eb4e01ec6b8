"""Small helpers for sentences that people read: near misses, lists, counts."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the name that `word` was probably meant to be, or None; case is ignored."""
    by_folded = {name.casefold(): name for name in names}
    matches = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[matches[0]] if matches else None


def listed(names: Iterable[str], *, last: str = "and", at_most: int = 12) -> str:
    """Return `a, b and c`; of more than `at_most` names the rest is counted, of none `none`."""
    words = list(names)
    if len(words) > at_most:
        words = [*words[: at_most - 1], f"{len(words) - at_most + 1} more"]
    if len(words) < 2:
        return words[0] if words else "none"
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def unknown(kind: str, name: str, names: Iterable[str]) -> str:
    """Return a sentence that says `name` is no such thing, with the nearest one or all there are."""
    known = sorted(names)
    near = nearest(name, known)
    if near is not None:
        return f"there is no {kind} {name!r}; did you mean {near!r}?"
    return f"there is no {kind} {name!r}; there is {listed(known)}"


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return `1 match` or `2 matches`; `plural` defaults to `singular` and an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
