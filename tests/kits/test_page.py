"""`docs/kits.md` shows every kit, and every kit still says there what it says now."""

from __future__ import annotations

import pytest

from arena.kits import LANGUAGES
from tests.kits.conftest import Match
from tests.kits.make_page import FIRST, LAST, LINE_AT_MOST, PAGE, masked, page, section, sections_of

AGAIN = "make the page again: python -m tests.kits.make_page"


def test_the_page_shows_every_kit_and_nothing_else() -> None:
    text = PAGE.read_text("utf-8")
    sections = sections_of(text)
    assert list(sections) == list(LANGUAGES), AGAIN
    assert page(sections) == text, AGAIN


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_match_shown_is_the_one_that_is_played(language: str, match: Match) -> None:
    shown = sections_of(PAGE.read_text("utf-8"))[language]
    assert masked(section(language, match(language).lines)) == masked(shown), AGAIN


def test_a_section_counts_what_it_leaves_out() -> None:
    lines = [f"< {number:0300}" for number in range(FIRST + LAST + 1057)]
    text = section("bash", lines)
    assert "\n... 1,057 lines\n" in text
    assert text.count("000 ... 62 characters\n") == FIRST + LAST
    assert sections_of(text) == {"bash": text}


@pytest.mark.parametrize("padding", ["", "x" * LINE_AT_MOST])
def test_a_section_does_not_depend_on_how_long_a_kit_thought(padding: str) -> None:
    def thought(ms: int) -> str:
        return section("bash", [f'< {{"type":"act","text":"{padding}","last_ms":{ms}}}'] * (FIRST + LAST))

    assert thought(2) == thought(12) == thought(1234)


def test_only_versions_are_masked() -> None:
    said = '{"type":"act","id":3,"arena":"0.1.0","last_ms":12}'
    assert masked(said) == '{"type":"act","id":3,"arena":-,"last_ms":12}'
