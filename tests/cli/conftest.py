"""A finished run of Connect Four to read, made without any process."""

from __future__ import annotations

import pytest

from arena import __version__, plugins
from arena.options import complete_options
from arena.referee import record as records
from arena.referee.settings import BotKind, Entrant, Settings
from arena.referee.summary import summarise
from arena.testing.records import random_record
from arena.tournament.director import Director
from arena.tournament.plan import Plan, Stage
from arena.tournament.store import RunStore, StoredMatch

NAMES = ("ann", "bob", "cy")


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of a run with 12 matches, in the fourth of which a bot forfeits after 3 actions."""
    folder = tmp_path_factory.mktemp("runs") / "quick"
    game = plugins.game("connect-four")
    options = complete_options(game, {})
    plan = Plan(
        name="quick",
        settings=Settings(game=game.name, game_options=options, seats=2),
        fingerprint=game.fingerprint(options),
        arena=__version__,
        entrants=tuple(Entrant(name=name, kind=BotKind.PLUGIN, target=f"bots:{name}") for name in NAMES),
        format="round-robin",
        stages=(Stage(entrants=NAMES, settings={"deals": 2, "max_matches": 0}),),
        secret="ab" * 16,
    )
    with RunStore(folder, plan) as store:
        director = Director(plan)
        while (fixture := director.next_fixture()) is not None:
            record = random_record(game, fixture, forfeits={3: 1} if fixture.number == 3 else {})
            row = summarise(record)
            store.insert_many([StoredMatch(number=fixture.number, row=row, record=records.encode(record))])
            director.finished(row)
    return str(folder)
