"""The folder of a new course."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from arena.course.config import FILE
from arena.course.intake import INBOX
from arena.course.toml import dumps
from arena.errors import ArenaError
from arena.games.api import Game


def make(folder: Path, title: str, game: Game, seats: int, references: Sequence[str]) -> None:
    """Make the folder of a new course with settings that can be played as they are.

    Args:
        folder: made when it is missing.
        title: shown on pages.
        game: that is played.
        seats: at a table.
        references: names of installed bots, the strongest first; at least one. The first is the anchor.

    Raises:
        ArenaError: there is a course in it already, or it can't be written.
    """
    file = folder / FILE
    if file.exists():
        raise ArenaError(f"{file} is there already; nothing was written")
    steps = [50 - 20 * number for number in range(len(references))]
    ratings = [{"above": name, "points": max(10, points)} for name, points in zip(references, steps, strict=True)]
    values = {
        "TITLE": dumps({"x": title}).strip().removeprefix("x = ")[1:-1],
        "GAME": game.name,
        "SEATS": str(seats),
        "ANCHOR": references[0],
        "REFERENCES": dumps({"references": [{"bot": name} for name in references]}),
        "RATINGS": _ratings(ratings),
    }
    text = files(__package__).joinpath("course.toml.tmpl").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    try:
        (folder / INBOX).mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{folder} can't be made: {error.strerror or error}") from None


def _ratings(steps: Sequence[dict[str, object]]) -> str:
    tables = "\n".join(f"[[grades.ratings]]\n{dumps(step)}" for step in steps)
    return f"# Points for its rating: the first that fits counts.\n{tables}\n"
