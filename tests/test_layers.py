"""Imports point downwards only; when one does not, the picture is printed with the arrow that goes up."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: From the top down; a module belongs to the entry with the longest matching name. Modules of one layer may
#: import each other.
LAYERS: list[list[str]] = [
    ["arena.cli", "arena.__main__"],
    ["arena.web", "arena.course", "arena.report", "arena.testing", "arena.kits"],
    ["arena.hosts"],
    ["arena.tournament"],
    ["arena.ratings"],
    ["arena.referee"],
    [
        "arena.referee.match", "arena.referee.clock", "arena.referee.record", "arena.referee.settings",
        "arena.referee.verify", "arena.protocol",
    ],
    ["arena.plugins", "arena.discovery", "arena.discovery_child", "arena.builtin"],
    ["arena.hookspecs"],
    ["arena.games.castell", "arena.games.connect_four"],
    ["arena.games.api", "arena.games", "arena.options", "arena.errors", "arena.wording", "arena"],
    ["arena.sdk"],
]  # fmt: skip

#: Parts that never do I/O, and what they therefore never import.
PURE = ["arena.protocol", "arena.hosts.desk", "arena.ratings", "arena.games", *LAYERS[6]]
IMPURE_MODULES = {"trio", "subprocess", "socket", "sqlite3", "click", "threading", "asyncio", "time", "signal"}


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for path in sorted((ROOT / "arena").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names of what a file imports, inside functions too, except for type checking alone."""
    tree = ast.parse(path.read_text())
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            known = modules()
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in known else node.module or ""


def within(module: str, name: str) -> bool:
    return module == name or module.startswith(name + ".")


def layer(module: str) -> int:
    """Return the index of a module's layer, 0 the highest."""
    fits = [(len(name), index) for index, names in enumerate(LAYERS) for name in names if within(module, name)]
    assert fits, f"{module} stands in no layer"
    return max(fits)[1]


EDGES = [(module, target) for module, path in modules().items() for target in imports(path) if within(target, "arena")]


def picture(upward: list[tuple[str, str]]) -> str:
    """Draw the layers, and the imports that point up."""
    width = max(len(", ".join(names)) for names in LAYERS)
    lines = [f"  {index:2}  {', '.join(names):{width}}" for index, names in enumerate(LAYERS)]
    arrows = [f"  {a} (layer {layer(a)})  --imports-->  {b} (layer {layer(b)})" for a, b in upward]
    return "\n".join(["", "Imports must point downwards:", *lines, "These point up:", *arrows])


def test_imports_point_downwards() -> None:
    upward = [(a, b) for a, b in EDGES if layer(a) > layer(b)]
    assert not upward, picture(upward)


def test_the_picture_shows_an_arrow_that_points_up() -> None:
    text = picture([("arena.errors", "arena.cli")])
    assert "arena.errors (layer 10)  --imports-->  arena.cli (layer 0)" in text


def test_only_the_command_line_imports_the_conformance_kits() -> None:
    users = {a for a, b in EDGES if within(b, "arena.testing") and not within(a, "arena.testing")}
    assert all(within(user, "arena.cli") for user in users), users


def test_the_sdk_needs_the_standard_library_alone() -> None:
    for module, path in modules().items():
        if within(module, "arena.sdk"):
            foreign = {
                name for name in imports(path)
                if name.split(".")[0] not in sys.stdlib_module_names and not within(name, "arena.sdk")
            }  # fmt: skip
            assert not foreign, f"{module} imports {foreign}"


@pytest.mark.parametrize("part", PURE)
def test_pure_parts_do_no_input_or_output(part: str) -> None:
    for module, path in modules().items():
        if within(module, part):
            bad = {name.split(".")[0] for name in imports(path)} & IMPURE_MODULES
            assert not bad, f"{module} is pure, but imports {bad}"
