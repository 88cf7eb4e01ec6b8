"""The page on dependencies names exactly what the project depends on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def name(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9_-]", requirement, maxsplit=1)[0]


def test_every_dependency_has_its_line_and_no_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {("", name(requirement)) for requirement in project["dependencies"]}
    for extra, requirements in project["optional-dependencies"].items():
        declared |= {(extra, name(requirement)) for requirement in requirements}
    rows = [
        line.strip("|").split("|") for line in (ROOT / "docs/dependencies.md").read_text().splitlines() if "|" in line
    ]
    cells = [[cell.strip() for cell in row] for row in rows]
    described = {("", row[0]) if len(row) == 2 else (row[0], row[1]) for row in cells}
    assert described - {("", "package"), ("", "---"), ("extra", "package"), ("---", "---")} == declared
