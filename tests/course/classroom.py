"""A class with hostile students, and a round of it that was played without any process."""

from __future__ import annotations

from pathlib import Path

import attrs

from arena import plugins
from arena.course import config, making, rounds
from arena.course.config import Course
from arena.course.intake import submit
from arena.course.rounds import Round
from arena.course.students import Students, changing
from arena.referee import record as records
from arena.referee.record import BotFacts
from arena.referee.summary import summarise
from arena.testing.records import random_record
from arena.tournament.config import load as load_tournament
from arena.tournament.director import Director
from arena.tournament.planning import make_plan
from arena.tournament.store import RunStore, StoredMatch

HOSTILE = "<script>alert('&')</script>"
IDS = ("anna", "ben", "cleo")
STDERR = {name: f"{HOSTILE} of {name}" for name in IDS}


def new_course(folder: Path, *, names: str = "invented") -> Course:
    """Make a course of Connect Four whose title is hostile, too."""
    making.make(folder, HOSTILE, plugins.game("connect-four"), 2, ["random"])
    file = folder / config.FILE
    text = file.read_text().replace('names = "invented"', f'names = "{names}"')
    file.write_text(text.replace("rounds = 5", "rounds = 2") + '[roster]\nanna = "=Anna <b>Serra</b>"\nzoe = "Zoë"\n')
    return load(folder)


def load(folder: Path) -> Course:
    """Read a course again."""
    return config.load(folder, plugins.games(), plugins.bots())


def hand_in(course: Course, *sources: Path) -> list[str]:
    """Take submissions unchecked; return why those that were refused were."""
    with changing(course.folder, taken=course.reference_names) as students:
        for student in course.roster:
            students.welcome(student)
        return [submit(course, students, source, None).refused for source in sources]


def bot(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Write a bot's folder."""
    folder.mkdir(parents=True)
    for name, text in (files or {"main.py": f"# {folder.name}"}).items():
        (folder / name).write_text(text)
    return folder


def play(course: Course, students: Students) -> Round:
    """Freeze a round and fill its run; bots write `STDERR`, and once a student's bot at seat 0 breaks the rules."""
    place = course.folder / "rounds" / "round-1"
    round_ = rounds.freeze(course, students, place, course.rules, plugins.games()).round
    tournament = load_tournament(round_.tournament, plugins.games(), plugins.bots())
    game = plugins.game(tournament.settings.game)
    real = {name: one.id for name, one in students.by_public_name().items()}
    plan = make_plan(tournament)
    broken = False
    with RunStore(round_.run, plan) as store:
        director = Director(plan)
        while (fixture := director.next_fixture()) is not None:
            guilty = not broken and fixture.line_up[0] in real
            broken = broken or guilty
            record = random_record(game, fixture, forfeits={2: 0} if guilty else {})
            written = [STDERR.get(real.get(name, ""), "") for name in fixture.line_up]
            bots = tuple(
                BotFacts(entrant=name, stderr_tail=text) for name, text in zip(fixture.line_up, written, strict=True)
            )
            faults = [
                attrs.evolve(fault, reason=f"played {HOSTILE}", advice=f"don't {HOSTILE}", stderr_tail=written[0])
                for fault in record.faults
            ]
            record = attrs.evolve(record, bots=bots, faults=tuple(faults))
            row = summarise(record)
            store.insert_many([StoredMatch(number=fixture.number, row=row, record=records.encode(record))])
            director.finished(row)
    return round_
