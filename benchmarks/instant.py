"""The instant bot of benchmarks and heavy tests: compiled when needed, entered into tournaments that never think."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from arena import __version__, plugins
from arena.options import complete_options
from arena.referee.settings import BotKind, Clock, Entrant, SandboxPolicy, Settings
from arena.tournament.plan import Plan, Stage

SOURCE = Path(__file__).with_name("instant_bot.c")
NAMES = ("a", "b")


def build(folder: Path) -> Path | None:
    """Return the compiled instant bot, or None where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    program = folder / "instant_bot"
    subprocess.run([compiler, "-O2", "-o", str(program), str(SOURCE)], check=True)
    return program


def entrants(program: Path) -> dict[str, Entrant]:
    """Return the bot, entered twice."""
    return {
        name: Entrant(name=name, kind=BotKind.COMMAND, argv=(str(program),), folder=str(program.parent))
        for name in NAMES
    }


def plan(program: Path, deals: int, clock: Clock | None = None, *, fresh: bool = False) -> Plan:
    """Return a tournament of Connect Four with two matches a deal and no sandbox; its bots live on unless `fresh`."""
    game = plugins.game("connect-four")
    options = complete_options(game, {"opening": 4})
    return Plan(
        name="instant",
        settings=Settings(
            game=game.name,
            game_options=options,
            seats=2,
            clock=clock or Clock(),
            sandbox=SandboxPolicy.OFF,
            fresh=fresh,
        ),
        fingerprint=game.fingerprint(options),
        arena=__version__,
        entrants=tuple(entrants(program).values()),
        format="round-robin",
        stages=(Stage(entrants=NAMES, settings={"deals": deals, "max_matches": 0}),),
        secret="ab" * 16,
    )
