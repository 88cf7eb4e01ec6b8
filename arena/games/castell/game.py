"""Castell as a game of the arena."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from arena.errors import ConfigError, Problem
from arena.games.api import Action, Game, Json, Option, OptionValue, Seat
from arena.games.api import State as ApiState
from arena.games.castell import draw, scene, setup, tell
from arena.games.castell.actions import CastellAction, Compete, Perform, Special, parse_action
from arena.games.castell.edition import Edition, Side, load_edition
from arena.games.castell.state import State


class Castell(Game):
    """Castell by the rules of `docs/castell-rules.md` and the data of an edition file."""

    name = "castell"
    version = "1"
    seat_counts = (2, 3, 4)
    options = (
        Option(name="side", default="standard", choices=("standard", "advanced"), help="side of the skill wheel"),
        Option(name="edition", default="", help="a corrected edition file; empty: the shipped one", is_file=True),
    )
    summary = "Tour Catalonia, recruit castellers, train skills and build human towers (2 to 4 seats)"

    def deal(self, seats: int, key: bytes, options: Mapping[str, OptionValue]) -> State:
        """Return the opening state of one deal; raise `ConfigError` for a wrong edition or an unfit seat count."""
        edition = self.edition(options)
        if seats not in edition.seats:
            fit = ", ".join(map(str, edition.seats))
            raise ConfigError([Problem("seats", f"{seats} is no number of players of this edition; it has {fit}")])
        side: Side = "advanced" if options.get("side") == "advanced" else "standard"
        return setup.deal(edition, side, seats, key)

    def parse(self, text: str) -> CastellAction:
        """Return the action that `text` denotes; raise `NotationError` when it is none."""
        return parse_action(text)

    def check_options(self, options: Mapping[str, OptionValue]) -> list[Problem]:
        """Return every problem of the edition file."""
        try:
            self.edition(options)
        except ConfigError as error:
            return [Problem(f"edition: {problem.path}", problem.problem) for problem in error.problems]
        return []

    def fingerprint(self, options: Mapping[str, OptionValue]) -> str:
        """Return game, version, side and the edition's fingerprint."""
        return f"{self.name} {self.version} {options['side']} {self.edition(options).fingerprint}"

    def edition(self, options: Mapping[str, OptionValue]) -> Edition:
        """Return the edition that the options name; raise `ConfigError` when it is wrong."""
        path = options.get("edition", "")
        return load_edition(Path(str(path)) if path else "")

    def draw(self, state: ApiState) -> str:
        """Return the map, the wheel, the calendar and the players as text."""
        assert isinstance(state, State)
        return draw.draw(state)

    def tell(self, state: ApiState, action: Action) -> str:
        """Return what `action`, about to be played in `state`, does."""
        assert isinstance(state, State)
        return tell.tell(state, action)

    def picture(self, action: Action) -> str:
        """Return the tower that `action` shows, from its top to the ground; nothing for an action without one."""
        effect = action.effect if isinstance(action, Special) else action
        return "\n".join(draw.tower_lines(effect.tower)) if isinstance(effect, Compete | Perform) else ""

    def drawing(self) -> str:
        """Return the script that draws the board, the players and towers as people."""
        return _drawing()

    def scene(self, state: ApiState, seat: Seat | None = None) -> Mapping[str, Json]:
        """Return what the script draws; all of it is public, so it does not matter who looks."""
        assert isinstance(state, State)
        del seat
        return scene.scene(state)


@cache
def _drawing() -> str:
    return files(__package__).joinpath("drawing.js").read_text(encoding="utf-8")
