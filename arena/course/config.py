"""Reads `course.toml`; all that is wrong with it is reported together, each with its path and the nearest key."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import attrs

from arena.course.grading import VERDICTS, GradeTable, RatingStep
from arena.course.unpacking import IntakeLimits
from arena.errors import ConfigError, Problem
from arena.games.api import Game
from arena.tournament.config import TournamentConfig, parse
from arena.tournament.entrants import EntrantConfig, PluginBot, clean_name
from arena.tournament.reading import Table
from arena.wording import unknown

FILE = "course.toml"
FINAL = "final"
_PLACEHOLDERS = 12  #: students that settings are tried with, before there are any
_DEFAULTS = {"on_unstartable": "exclude"}
_UNSET = datetime(1, 1, 1, tzinfo=UTC)
_INDEX = re.compile(r"entrants\[(\d+)\]")


class Names(StrEnum):
    """What students are called in runs and on pages."""

    REAL = "real"
    INVENTED = "invented"


@attrs.frozen(kw_only=True)
class PlannedRound:
    """A round at a time."""

    name: str
    at: datetime  #: with a time zone


@attrs.frozen(kw_only=True)
class Reference:
    """A bot of the teacher's that plays in every round."""

    entry: Mapping[str, Any]  #: as it stands in the file
    config: EntrantConfig


@attrs.frozen(kw_only=True)
class Course:
    """A course, checked and complete."""

    folder: Path  #: absolute
    name: str
    title: str
    names: Names = Names.INVENTED
    roster: Mapping[str, str] = attrs.field(factory=dict)  #: real names by id
    references: tuple[Reference, ...] = ()
    tournament: TournamentConfig  #: of ordinary rounds, with placeholders for students
    rules: Mapping[str, Any]  #: of ordinary rounds, as a tournament file without entrants
    final_rules: Mapping[str, Any]
    rounds: tuple[PlannedRound, ...] = ()  #: by time; empty: a round whenever `play` is called
    intake: IntakeLimits = attrs.field(factory=IntakeLimits)
    grades: GradeTable = attrs.field(factory=GradeTable)

    @property
    def reference_names(self) -> tuple[str, ...]:
        """Names of the reference bots."""
        return tuple(one.config.entrant.name for one in self.references)


def load(folder: Path, games: Mapping[str, Game], bots: Mapping[str, PluginBot]) -> Course:
    """Return the course in `folder`.

    Args:
        folder: with a `course.toml`; relative paths in it start here.
        games: all games by name.
        bots: all installed bots by name.

    Raises:
        ConfigError: with everything that is wrong with it.
    """
    path = folder / FILE
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        problem = f"there is no course here; `arena course init {folder}` makes one"
        raise ConfigError([Problem("", problem)], source=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([Problem("", f"can't be read: {error}")], source=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([Problem("", f"is not TOML: {error}")], source=str(path)) from None
    problems: list[Problem] = []
    course = _Reading(data, folder.absolute(), games, bots, problems).course()
    if problems or course is None:
        raise ConfigError(dict.fromkeys(problems), source=str(path))
    return course


class _Reading:
    """One reading of one file; each method takes its keys and adds its problems."""

    def __init__(
        self,
        data: Mapping[str, Any],
        folder: Path,
        games: Mapping[str, Game],
        bots: Mapping[str, PluginBot],
        problems: list[Problem],
    ) -> None:
        self._root = Table(data, "", problems)
        self._folder, self._games, self._bots = folder, games, bots
        self._problems = problems

    def course(self) -> Course | None:
        root = self._root
        default = clean_name(self._folder.name) or "course"
        name = root.text("name", default)
        if name != clean_name(name):
            root.complain("name", f"{name!r} won't do as a name of runs; for example {clean_name(name) or 'course'!r}")
        title = root.text("title", name)
        names = root.choice("names", Names, Names.INVENTED)
        rules, final_rules = self._rules("tournament"), self._rules(FINAL)
        entries = self._reference_entries()
        tournament = self._tournament("tournament", rules, entries)
        if final_rules:
            self._tournament(FINAL, {**rules, **final_rules}, entries)
        references = self._references(entries, tournament)
        reference_names = [one.config.entrant.name for one in references]
        rounds, intake = self._rounds(), self._intake()
        grades = self._grades(reference_names, checkable=tournament is not None)
        roster = self._roster(reference_names)
        root.finish()
        if self._problems or tournament is None:
            return None
        return Course(
            folder=self._folder,
            name=name,
            title=title,
            names=names,
            roster=roster,
            references=references,
            tournament=tournament,
            rules=rules,
            final_rules={**rules, **final_rules},
            rounds=rounds,
            intake=intake,
            grades=grades,
        )

    def _rules(self, key: str) -> dict[str, Any]:
        rules: dict[str, Any] = dict(self._root.value(key, dict, {}))
        if key == "tournament" and key not in self._root:
            self._root.complain(key, "is missing: a table as in a tournament file, with game, seats and format")
        for foreign, instead in (("entrants", "[[references]]"), ("name", "the name of the course")):
            if foreign in rules:
                del rules[foreign]
                self._problems.append(Problem(f"{key}.{foreign}", f"stands in no course; take {instead}"))
        return rules if key == FINAL else {**_DEFAULTS, **rules}

    def _reference_entries(self) -> list[dict[str, Any]]:
        entries = []
        for number, entry in enumerate(self._root.value("references", list, []), start=1):
            if not isinstance(entry, dict):
                self._problems.append(
                    Problem(f"references[{number}]", f"expected a table ([[references]]), got {entry!r}")
                )
            elif "glob" in entry:
                self._problems.append(Problem(f"references[{number}].glob", "name each reference bot on its own"))
            else:
                entries.append(entry)
        return entries

    def _tournament(
        self, key: str, rules: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
    ) -> TournamentConfig | None:
        """Return the rules of rounds, tried with placeholders for students."""
        if not rules.keys() - _DEFAULTS.keys():
            return None
        students = [
            {"name": f"student-{number}", "command": ["student", str(number)], "folder": str(self._folder)}
            for number in range(1, _PLACEHOLDERS + 1)
        ]
        data = {**rules, "name": "course", "entrants": [*entries, *students]}
        try:
            return parse(data, self._games, self._bots, folder=self._folder)
        except ConfigError as error:
            known = {(one.path.partition(".")[2], one.problem) for one in self._problems}
            for problem in error.problems:
                path = _INDEX.sub(r"references[\1]", problem.path, count=1)
                if path == problem.path:
                    if (path, problem.problem) in known:
                        continue  # the final has it from the tournament
                    path = f"{key}.{path}"
                self._problems.append(Problem(path, problem.problem))
            return None

    def _references(
        self, entries: Sequence[Mapping[str, Any]], tournament: TournamentConfig | None
    ) -> tuple[Reference, ...]:
        if tournament is None:
            return ()
        own = tournament.entrants[: len(entries)]
        return tuple(Reference(entry=entry, config=config) for entry, config in zip(entries, own, strict=True))

    def _rounds(self) -> tuple[PlannedRound, ...]:
        found: dict[str, PlannedRound] = {}
        for table in self._root.tables("rounds"):
            name = table.text("name")
            at = table.value("at", datetime, _UNSET)
            table.finish()
            if not name or name != clean_name(name):
                example = clean_name(name) or "week-1"
                table.complain("name", f"{name!r} won't do as a folder's name; for example {example!r}")
            elif name.casefold() in found:
                table.complain("name", f"{name!r} is taken by another round")
            if "at" not in table:
                table.complain("at", "is missing; write it as 2030-03-01T18:00:00")
            found[name.casefold()] = PlannedRound(name=name, at=_local(at))
        return tuple(sorted(found.values(), key=lambda one: one.at))

    def _intake(self) -> IntakeLimits:
        table = self._root.table("intake")
        limits = table.into(IntakeLimits, may_be_zero=())
        table.finish()
        return limits

    def _grades(self, references: Sequence[str], *, checkable: bool) -> GradeTable:
        table = self._root.table("grades")
        verdicts = table.table("verdicts")
        points = {name: verdicts.value(name, float, 0.0) for name in table.value("verdicts", dict, {})}
        for name in points:
            if name not in VERDICTS:
                verdicts.complain(name, unknown("verdict", name, VERDICTS))
        steps = []
        for step in table.tables("ratings"):
            elo = step.value("elo", float, 0.0) if "elo" in step else None
            above = step.text("above") or None
            steps.append(RatingStep(points=step.value("points", float, 0.0), elo=elo, above=above))
            if (elo is None) == (above is None):
                step.complain("", "has exactly one of elo and above")
            if "points" not in step:
                step.complain("points", "is missing")
            if above is not None and checkable and above not in references:
                step.complain("above", unknown("reference", above, references))
            step.finish()
        tolerate = table.value("tolerate_percent", float, 0.0)
        if not 0 <= tolerate <= 100:
            table.complain("tolerate_percent", f"must be from 0 to 100, not {tolerate:g}")
        table.finish()
        return GradeTable(verdicts=points, ratings=tuple(steps), tolerate_percent=tolerate)

    def _roster(self, references: Sequence[str]) -> dict[str, str]:
        given = self._root.value("roster", dict, {})
        taken = {name.casefold() for name in references}
        for student, name in given.items():
            if not isinstance(name, str):
                self._root.complain(f"roster.{student}", f"expected a text in quotes, got {name!r}")
            if student != clean_name(student) or student != student.strip("_+"):
                example = clean_name(student) or "anna-m"
                self._root.complain(
                    f"roster.{student}", f"{student!r} is no id, what submissions are called; for example {example!r}"
                )
            if student.casefold() in taken:
                self._root.complain(f"roster.{student}", "is the name of a reference bot, or taken")
            taken.add(student.casefold())
        return {student: str(name) for student, name in given.items()}


def rooted(rules: Mapping[str, Any], course: Course, games: Mapping[str, Game], place: Path) -> dict[str, Any]:
    """Return the rules of rounds with their files named as seen from the folder `place`."""
    files = {option.name for option in games[course.tournament.settings.game].options if option.is_file}
    options = {
        name: os.path.relpath(course.folder / value, place) if name in files and value else value
        for name, value in rules.get("game_options", {}).items()
    }
    return {**rules, "game_options": options} if options else dict(rules)


def _local(moment: datetime) -> datetime:
    """Return a moment with a time zone: that of this place unless it has one."""
    return moment if moment is _UNSET else moment.astimezone()
