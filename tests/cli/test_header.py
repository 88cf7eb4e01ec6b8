"""What is said before the first match."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from arena.cli.header import header, memory_needed_mb, told_clock, warnings
from arena.referee.settings import BotKind, Clock, ClockKind, Entrant, Limits, Settings
from arena.tournament.plan import Plan, Stage
from arena.tournament.pool import Slot

PLAN = Plan(
    name="small",
    settings=Settings(game="connect-four", game_options={"opening": 2}, seats=2),
    fingerprint="x",
    arena="0",
    entrants=tuple(Entrant(name=name, kind=BotKind.COMMAND) for name in ("ann", "bob")),
    format="round-robin",
    stages=(Stage(entrants=("ann", "bob"), settings={}),),
    secret="ab" * 16,
)


@pytest.mark.parametrize(
    ("clock", "text"),
    [
        (Clock(), "1 s a request, margin 50 ms, counted in wall time; start-up 10 s"),
        (
            Clock(per_action_ms=None, bank_ms=60_000, increment_ms=100, margin_ms=0, strikes=2, kind=ClockKind.CPU),
            "bank 60 s + 100 ms a request, margin 0 ms, 2 strikes, counted in CPU time; start-up 10 s",
        ),
        (Clock(per_action_ms=None), "no limit on thinking, start-up 10 s"),
    ],
)
def test_clocks_in_words(clock: Clock, text: str) -> None:
    assert told_clock(clock) == text


def told(plan: Plan, **changes: object) -> dict[str, str]:
    given: dict[str, object] = {"total": 12, "stored": 0, "mean_match_s": None, "slots": [Slot(0, (3,)), Slot(1, (5,))]}
    given |= {"sandbox": "bubblewrap", "user": "dropped"}
    lines = header(plan, Path("runs/small"), **{**given, **changes})  # type: ignore[arg-type]
    return {line[2:11].strip(): line[13:] for line in lines[1:]}


def test_the_header_has_every_setting_in_force() -> None:
    lines = told(PLAN, stored=5, mean_match_s=20.0)
    assert lines["duration"] == "about 1 min 10 s for what is left"
    assert told(PLAN)["duration"].startswith("told after the first matches")
    assert lines["game"] == "connect-four (opening 2), 2 seats"
    assert lines["entrants"] == "2: ann and bob"
    assert lines["matches"] == "12 by round-robin, of which 5 are played already"
    assert lines["limits"] == "512 MB and 64 processes a bot, scratch 64 MB"
    assert lines["sandbox"] == "bubblewrap, bots run as another user"
    assert lines["restart"] == "new bot processes for every match"
    assert lines["slots"] == "2 matches at a time on cores 3 and 5"
    assert lines["folder"] == "runs/small"
    assert {"clock", "secret", "versions", "machine"} <= set(lines)


def test_the_secret_is_never_in_the_header() -> None:
    assert PLAN.secret not in " ".join(told(PLAN).values())
    assert told(attrs.evolve(PLAN, seed=7))["secret"] == "from the seed 7"


@pytest.mark.lesson(22)
def test_what_spoils_a_run_is_warned_of() -> None:
    assert warnings(PLAN, 1) == []
    risky = attrs.evolve(PLAN, seed=7, settings=attrs.evolve(PLAN.settings, fresh=False))
    seed, fresh = warnings(risky, 1)
    assert "rehearsals only" in seed
    assert "may remember a deal" in fresh
    greedy = attrs.evolve(PLAN, settings=attrs.evolve(PLAN.settings, limits=Limits(memory_mb=10**8)))
    assert "may use 400,000,000 MB of memory by their caps" in warnings(greedy, 2)[0]


@pytest.mark.lesson(22)
def test_the_memory_needed_is_that_of_the_greediest_table() -> None:
    entrants = tuple(
        attrs.evolve(PLAN.entrants[0], name=name, memory_mb=mb) for name, mb in zip("abc", (10, 900, None), strict=True)
    )
    assert memory_needed_mb(attrs.evolve(PLAN, entrants=entrants), 3) == 3 * (900 + 512)
