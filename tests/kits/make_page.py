"""Makes `docs/kits.md`: each kit with what was said in one real match of it.

Run `python -m tests.kits.make_page` in the checkout, where all the languages are installed, after a change of a kit,
the protocol or the game. `tests/kits/test_page.py` says when that is due.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena import kits
from arena.kits import LANGUAGES
from tests.kits.playing import ROOT, entered, play

PAGE = ROOT / "docs" / "kits.md"
FIRST, LAST = 8, 4  #: lines that are shown of a match
LINE_AT_MOST = 240  #: characters; of a longer line the beginning is shown
_MEASURED = re.compile(r'(?<="last_ms":)\d+')  # differs from one run to the next
_RELEASE = re.compile(r'(?<="arena":)"[^"]*"')
_TOP = """\
# Kits

`arena new NAME --language LANGUAGE` makes the folder of a bot that plays at once and better than at random. There are
eight:

{table}

Except for the first, they speak the protocol by themselves, in a loop of some lines, and need nothing but their
language. What has to be built, the arena builds.

Below is what each of them said in one match of Castell against a bot that plays at random, all on the same deal: `<`
went to the bot, `>` came from it. Of each match the first {first} lines and the last {last} are shown, of a line its
first {characters} characters; what is left out is counted. The one time that is measured, `last_ms`,
is put at 0, so that every match of a kit reads the same. [The protocol](protocol.md) explains the messages.
`arena run FILE --trace` keeps such transcripts of your own bots.

This page is made by `python -m tests.kits.make_page`, and a test plays every match again and compares.
"""


def page(sections: Mapping[str, str]) -> str:
    """Return the page with the section of each language."""
    rows = ["| language | `--language` | the bot is in | built by | started by |", "|---|---|---|---|---|"]
    rows += [_row(language) for language in LANGUAGES]
    top = _TOP.format(table="\n".join(rows), first=FIRST, last=LAST, characters=LINE_AT_MOST)
    return "\n".join([top, *sections.values()])


def _row(language: str) -> str:
    facts = LANGUAGES[language]
    kit = kits.make("my-bot", language)
    source = facts.source.replace("@MODULE@", "my_bot")
    if "arena.toml" not in kit.files:
        return f"| {facts.title}, a distribution | `{language}` | `{source}` | `{kit.steps[0]}` | the arena |"
    build, command = (" ".join(kits.words(kit.files["arena.toml"], key)) for key in ("build", "command"))
    return f"| {facts.title} | `{language}` | `{source}` | {f'`{build}`' if build else ''} | `{command}` |"


def section(language: str, lines: Sequence[str]) -> str:
    """Return the section of a language, from all lines of its match."""
    left_out = len(lines) - FIRST - LAST
    shown = [*map(_shown, lines[:FIRST]), f"... {left_out:,} lines", *map(_shown, lines[-LAST:])]
    return "\n".join([f"## {language}", "", "```text", *shown, "```", ""])


def _shown(line: str) -> str:
    line = _MEASURED.sub("0", line)  # before it is cut: the digits of a time would count
    over = len(line) - LINE_AT_MOST
    return line if over <= 0 else f"{line[:LINE_AT_MOST]} ... {over:,} characters"


def sections_of(text: str) -> dict[str, str]:
    """Return the sections of a page by language."""
    found = re.findall(r"^(## (\S+)\n.*?^```\n)", text, re.MULTILINE | re.DOTALL)
    return {language: whole for whole, language in found}


def masked(text: str) -> str:
    """Return a text without the arena's version."""
    return _RELEASE.sub("-", text)


def main() -> None:
    """Write the page."""
    sections = {}
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o755)
        for language in LANGUAGES:
            scratch = Path(parent, "scratch", language)
            scratch.mkdir(parents=True)
            sections[language] = section(language, play(entered(language, Path(parent)), scratch).lines)
    PAGE.write_text(page(sections), encoding="utf-8")


if __name__ == "__main__":
    main()
