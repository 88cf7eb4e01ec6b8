"""Every promise about bots that hang, flood and cheat keeps a test that proves it, and the page names it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/promises.md"
PROMISED = {*range(1, 25), 40, 42, 43}
ROW = re.compile(r"^\| (\d+) \| .* \| ([^|]*) \|$", re.MULTILINE)


@cache
def proofs() -> dict[int, set[str]]:
    """Return for each number the files with tests that carry it, `@pytest.mark.lesson(number)`."""
    found = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for number in numbers_of(node):
                    found[number].add(str(path.relative_to(ROOT / "tests")))
    return found


def numbers_of(test: ast.FunctionDef) -> list[int]:
    """Return the numbers that a test carries."""
    marks = [mark for mark in test.decorator_list if ast.unparse(mark).startswith("pytest.mark.lesson(")]
    return [number for mark in marks for number in ast.literal_eval(f"[{ast.unparse(mark)[19:-1]}]")]


@cache
def rows() -> dict[int, set[str]]:
    """Return the page's numbers, each with the files it names."""
    return {int(number): set(re.findall(r"`([^`]+)`", files)) for number, files in ROW.findall(PAGE.read_text())}


def test_every_promise_is_on_the_page_and_has_a_test() -> None:
    assert set(rows()) >= PROMISED
    assert set(proofs()) == set(rows())


@pytest.mark.parametrize("number", sorted(PROMISED))
def test_the_page_names_the_files_of_the_proofs(number: int) -> None:
    assert rows()[number] == proofs()[number]


def test_marks_are_read() -> None:
    (test,) = ast.parse("@pytest.mark.heavy\n@pytest.mark.lesson(3, 40)\ndef test_it(): pass").body
    assert isinstance(test, ast.FunctionDef)
    assert numbers_of(test) == [3, 40]
