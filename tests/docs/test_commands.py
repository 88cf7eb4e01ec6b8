"""Every `arena` command that the documents show exists, with its options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from arena.cli import group

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])


def commands(page: Path) -> list[str]:
    """Return the lines of shell blocks that call the arena."""
    blocks = re.findall(r"```(?:sh|bash|console)\n(.*?)```", page.read_text(), re.DOTALL)
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [line for line in lines if re.match(r"(\.venv/bin/)?arena ", line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_shown_can_be_parsed(page: Path) -> None:
    for line in commands(page):
        name, *arguments = shlex.split(line, comments=True)[1:]
        verb = group.get_command(click.Context(group), name)
        assert verb is not None, line
        try:
            verb.make_context(name, arguments)
        except click.exceptions.Exit:
            pass  # --help and --version
        except click.UsageError as error:
            raise AssertionError(f"{page.name}: {line}: {error.format_message()}") from None
