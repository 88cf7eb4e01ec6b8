"""A kit as it comes out of `arena new`, entered and played: one real match of Castell, in the sandbox."""

from __future__ import annotations

import subprocess
from pathlib import Path

import attrs

from arena import kits
from arena.games.castell.game import Castell
from arena.kits import LANGUAGES
from arena.referee.driver import Driver
from arena.referee.record import Record
from arena.referee.sandbox import choose_rung
from arena.referee.settings import BotKind, Clock, Entrant, Fixture, SandboxPolicy, Settings
from arena.referee.trace import trace_lines
from arena.tournament.entrants import EntrantConfig, read_entrants
from arena.tournament.reading import Table

ROOT = Path(__file__).parents[2]
RANDOM = Entrant(
    name="random", kind=BotKind.PLUGIN, target="castell_bots.random_bot:Random", search_path=(str(ROOT / "bots/src"),)
)


@attrs.frozen
class Played:
    """One match of a kit, on seat 0, against a bot that plays at random."""

    record: Record
    lines: tuple[str, ...]  #: between the referee and the kit: `< ` went to the bot, `> ` came from it


def entered(language: str, parent: Path) -> Entrant:
    """Make the kit of a language in `parent`, build it, and return its bot; `arena new` and a tournament do no more."""
    name = f"my-{language}"
    kit = kits.make(name, language)
    for path, text in kit.files.items():
        file = parent / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    if not LANGUAGES[language].programs:  # a distribution, entered without being installed
        module, title = name.replace("-", "_"), "".join(word.title() for word in name.split("-"))
        source = str(parent / name / "src")
        return Entrant(name=name, kind=BotKind.PLUGIN, target=f"{module}.bot:{title}", search_path=(source,))
    (config,) = read_entrants([Table({"glob": name}, "entrants[1]", [])], parent, {}, "castell", 2)
    assert isinstance(config, EntrantConfig), config
    if config.build:
        subprocess.run(config.build, cwd=parent / name, check=True, timeout=60)
    return config.entrant


def play(bot: Entrant, scratch: Path) -> Played:
    """Play the match; it is always the same one, for kits take all their randomness from their `bot_seed`."""
    game = Castell()
    settings = Settings(
        game="castell",
        game_options={option.name: option.default for option in game.options},
        seats=2,
        clock=Clock(startup_ms=60_000, per_action_ms=20_000),  # a busy machine must not decide this match
        trace=True,
    )
    rung = choose_rung(SandboxPolicy.AUTO, [bot, RANDOM])
    driver = Driver(game, settings, {bot.name: bot, "random": RANDOM}, rung, scratch)
    fixture = Fixture(
        match_id="m", number=0, line_up=(bot.name, "random"), deal=0, block="b", rotation=0, key="17" * 16,
        bot_seeds=(1, 2),
    )  # fmt: skip
    try:
        record, traces = driver.play(fixture)
    finally:
        driver.close()
    lines = [f"{direction} {line.decode()}" for direction, line in trace_lines(traces[0])]
    return Played(record, tuple(lines))
