"""Sentences for people."""

from __future__ import annotations

import pytest

from arena.wording import counted, listed, nearest, unknown


def test_the_nearest_name_ignores_case() -> None:
    assert nearest("Gredy", ["random", "greedy"]) == "greedy"
    assert nearest("zzz", ["random", "greedy"]) is None


@pytest.mark.parametrize(
    ("names", "text"),
    [([], "none"), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_lists(names: list[str], text: str) -> None:
    assert listed(names) == text


def test_long_lists_are_counted() -> None:
    assert listed("abcdef", at_most=3) == "a, b and 4 more"


def test_unknown_names_say_what_there_is() -> None:
    assert unknown("bot", "zz", ["b", "a"]) == "there is no bot 'zz'; there is a and b"
    assert unknown("bot", "abd", ["abc"]) == "there is no bot 'abd'; did you mean 'abc'?"


def test_counts() -> None:
    assert counted(1, "match", "matches") == "1 match"
    assert counted(1200, "bot") == "1,200 bots"
