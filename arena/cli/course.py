"""`arena course`: keeps a class, from submissions to rounds, pages and grades."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import click

from arena import plugins, web
from arena.cli import ExitCode
from arena.cli import run as run_verb
from arena.cli.output import as_json as as_json_option
from arena.cli.output import dim, print_json, print_table, strong, warn
from arena.cli.progress import checking
from arena.course import config, making, rounds
from arena.course import students as classes
from arena.course.config import Course
from arena.course.intake import INBOX, Checker, Taken, inbox, submit
from arena.course.rounds import Due, Later, Round
from arena.course.students import Checked, RuleFound
from arena.errors import ArenaError, ConfigError
from arena.options import check_seats
from arena.referee.sandbox import choose_rung, warning
from arena.referee.sandbox.scratch import scratch_root
from arena.testing.check import CheckReport, check
from arena.tournament.build import build_all
from arena.tournament.entrants import EntrantConfig
from arena.wording import counted, listed

_REFERENCES = ("greedy", "random")  #: of a new course, those that play its game
_LOOK_EVERY_S = 30.0  #: whether it is time for the next round

folder_argument = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
slots_option = click.option("--slots", type=click.IntRange(min=1), help="Matches at a time; one for each free core.")


@click.group("course")
def verb() -> None:
    """Keep a class: submissions in, rounds against reference bots, a page for each student and grades out.

    A course is a folder with a `course.toml`. Put what students hand in, a folder, a file or a zip called like the
    student, into its `inbox`.
    """


@verb.command("init")
@folder_argument
@click.option("--game", "game_name", default="castell", show_default=True, help="What the class plays.")
@click.option("--seats", type=click.IntRange(min=1), help="At a table; 3 where the game allows it, else the fewest.")
@click.option("--title", help="What pages are headed with; the folder's name unless given.")
def init(folder: Path, game_name: str, seats: int | None, title: str | None) -> None:
    """Make the folder of a new course, with settings that can be played as they are."""
    game = plugins.game(game_name)
    chosen = seats or (3 if 3 in game.seat_counts else min(game.seat_counts))
    if problems := check_seats(game, chosen, path="--seats"):
        raise ConfigError(problems)
    bots = plugins.bots()
    references = [name for name in _REFERENCES if name in bots and bots[name].plays(game.name, chosen)]
    if not references:
        raise ArenaError(f"no bot of {listed(_REFERENCES, last='or')} is installed that plays {game.name}")
    making.make(folder, title or folder.absolute().name, game, chosen, references)
    click.echo(f"made {strong(str(folder))}; look at {folder / config.FILE}, then put submissions into")
    click.echo(f"{folder / INBOX} and type: arena course take {folder}")


@verb.command("take")
@folder_argument
@click.argument("submissions", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--no-check", is_flag=True, help="Take them without playing them.")
@as_json_option
def take(folder: Path, submissions: Sequence[Path], no_check: bool, as_json: bool) -> None:
    """Take SUBMISSIONS in: folders, files and zips, each called like its student. Without any, those in the inbox.

    Each is unpacked safely, copied, and played on every seat as `arena check` does; its student's page tells what was
    seen. The newest of a student counts. One that is refused leaves the one before it in place.
    """
    course = _load(folder)
    sources = list(submissions) or inbox(course)
    found: list[Taken] = []
    checker = None if no_check else _checker(course)
    with classes.changing(course.folder, taken=course.reference_names) as students:
        for student in course.roster:
            students.welcome(student)
        for source in sources:
            try:
                taken = submit(course, students, source, checker)
            except ArenaError as error:
                taken = Taken(source=source.name, student=None, refused=str(error))
            found.append(taken)
            if not as_json:
                _tell_taken(taken)
    last = rounds.final(course)
    if last is not None:
        warn("the final is frozen already: what was taken now does not play in it")
    if as_json:
        print_json([_taken_json(one) for one in found])
    elif not sources:
        click.echo(f"nothing to take: {folder / INBOX} is empty")
    else:
        refused = sum(bool(one.refused) for one in found)
        click.echo(f"{len(found) - refused} of {counted(len(found), 'submission')} taken")


@verb.command("play")
@folder_argument
@click.option("--now", is_flag=True, help="Play a round beside the plan at once.")
@click.option("--wait", is_flag=True, help="Wait for the time of each planned round until all were played.")
@slots_option
@click.pass_context
def play(ctx: click.Context, folder: Path, now: bool, wait: bool, slots: int | None) -> ExitCode:
    """Play the round that is due with everything that was handed in, or go on with the one that was stopped.

    Bots and rules are frozen in `rounds/NAME` first. Without planned rounds in `course.toml` every call is a round.
    Call it by a timer of your machine, or leave it open with --wait. Exit codes are those of `arena run`.
    """
    while True:
        course = _load(folder)
        with rounds.playing(course):
            answer = _next(course, now=now)
            if isinstance(answer, Round):
                code = _play(ctx, answer, slots)
                if code is not ExitCode.COMPLETE or now or not (wait and course.rounds):
                    return code
                continue
        if not (isinstance(answer, Later) and wait):
            click.echo(_nothing_due(answer))
            return ExitCode.COMPLETE
        _wait_for(answer, time.sleep)


@verb.command("final")
@folder_argument
@slots_option
@click.pass_context
def final(ctx: click.Context, folder: Path, slots: int | None) -> ExitCode:
    """Freeze the bots as they are now, for good, and play the final run; again: go on with it.

    Whoever gets the folder `final/run` can check every match with `arena verify`.
    """
    course = _load(folder)
    with rounds.playing(course):
        last = rounds.final(course)
        if last is None or not last.begun:
            last = _frozen(course, course.folder / config.FINAL, course.final_rules)
        code = _play(ctx, last, slots)
    if code in (ExitCode.COMPLETE, ExitCode.SET_ASIDE):
        click.echo(f"anyone who gets {_relative(last.run)} can check it: arena verify {_relative(last.run)}")
    return code


@verb.command("pages")
@folder_argument
@click.option("--round", "name", help="Which one; the final when it is over, else the newest.")
@click.option("--address", default="", metavar="URL", help="Where the pages will be found, for the list of addresses.")
def pages(folder: Path, name: str | None, address: str) -> None:
    """Write the leaderboard and a page for each student, which shows only what is theirs, into `pages`.

    A student's page has an unguessable name; `links.csv`, which is for you alone, tells whose is where.
    """
    web.check_installed()
    from arena.course import site
    from arena.course.pages import read

    course = _load(folder)
    known = classes.load(course.folder, taken=course.reference_names)
    began = name is not None or any(one.begun for one in rounds.rounds(course)) or rounds.final(course) is not None
    played = read(rounds.chosen(course, name)) if began else None
    place = site.write_pages(course, known, played, address)
    shown = f" of {played.round.name}" if played else ""
    click.echo(
        f"{counted(len(known) + 1, 'page')}{shown} in {_relative(place)}; open {_relative(place / 'index.html')}"
    )
    click.echo(f"whose page is where: {_relative(course.folder / site.LINKS)}")


@verb.command("grades")
@folder_argument
@click.option("--round", "name", help="Which one; the final when it is over, else the newest.")
@as_json_option
def grades(folder: Path, name: str | None, as_json: bool) -> None:
    """Turn verdicts and ratings into points by `[grades]` in `course.toml`, as `grades.csv`.

    What the mapping doesn't name is 0 points and flagged.
    """
    web.check_installed()
    from arena.course import grades as grading
    from arena.course.pages import read

    course = _load(folder)
    known = classes.load(course.folder, taken=course.reference_names)
    played = read(rounds.chosen(course, name), evidence=False)
    graded = grading.grade_all(course, known, played)
    path = course.folder / grading.FILE
    classes.write_private(path, grading.to_csv(graded))
    if as_json:
        print_json(
            [{"student": one.student.id, "points": one.grade.points, **attrs.asdict(one.grade)} for one in graded]
        )
        return
    print_table(
        ("student", "verdict", "matches", "Elo", "points", "look at"),
        [
            (
                one.student.id, one.grade.verdict, one.grade.matches, _number(one.grade.elo),
                f"{one.grade.points:g}", "; ".join(one.grade.flags),
            )
            for one in graded
        ],
    )  # fmt: skip
    click.echo(f"{counted(len(graded), 'grade')} from {played.round.name} in {_relative(path)}")


def _load(folder: Path) -> Course:
    return config.load(folder, plugins.games(), plugins.bots())


def _play(ctx: click.Context, round_: Round, slots: int | None) -> ExitCode:
    """Play a frozen round exactly as `arena run` plays its tournament file."""
    code: ExitCode = ctx.invoke(
        run_verb.verb, file=_relative(round_.tournament), out=_relative(round_.run), slots=slots
    )
    return code


def _next(course: Course, *, now: bool) -> Round | Later | rounds.Over:
    """Return the round to be played: the one that was stopped, or a new one that is due or wanted now."""
    known = [one for one in rounds.rounds(course) if one.begun]
    if known and not known[-1].over:
        return known[-1]
    names = [one.name for one in known]
    answer = rounds.due(course.rounds, names, datetime.now().astimezone())
    if now:
        answer = Due(rounds.extra_name(names))
    if not isinstance(answer, Due):
        return answer
    for missed in answer.missed:
        warn(f"{missed} was not played in time and is left out")
    return _frozen(course, course.folder / rounds.ROUNDS / answer.name, course.rules)


def _frozen(course: Course, place: Path, rules: Mapping[str, Any]) -> Round:
    with classes.changing(course.folder, taken=course.reference_names) as students:
        frozen = rounds.freeze(course, students, place, rules, plugins.games())
    for student, reason in frozen.left_out.items():
        warn(f"{student} is left out: {reason}")
    click.echo(f"froze {counted(frozen.students, 'bot')} of the class in {_relative(frozen.round.folder)}")
    return frozen.round


def _nothing_due(answer: Later | rounds.Over) -> str:
    if isinstance(answer, Later):
        at = answer.round.at.strftime("%A %Y-%m-%d %H:%M")
        return f"nothing is due: {answer.round.name} is on {at}; --now plays a round beside the plan"
    return "every planned round was played; --now plays one more"


def _wait_for(answer: Later, sleep: Callable[[float], object]) -> None:
    """Wait for a round. The clock is asked again and again: a machine may sleep, or change its time."""
    click.echo(f"waiting for {answer.round.name} on {answer.round.at:%Y-%m-%d %H:%M}; Ctrl-C stops")
    while (left_s := (answer.round.at - datetime.now().astimezone()).total_seconds()) > 0:
        sleep(min(left_s, _LOOK_EVERY_S))


def _checker(course: Course) -> Checker:
    """Return what plays a submission as `arena check` does."""
    settings = course.tournament.settings
    game = plugins.game(settings.game)

    def play_it(bot: EntrantConfig) -> Checked:
        rung = choose_rung(settings.sandbox, [bot.entrant])
        if warning(rung):
            warn(warning(rung))
        with scratch_root() as scratch, TemporaryDirectory(dir=Path(bot.entrant.folder).parent) as builds:
            Path(builds).chmod(0o755)
            (built, failures) = build_all([bot], Path(builds), rung, scratch)
            if failures:
                (failure,) = failures
                rule = RuleFound(
                    rule="build", result="fail", text=failure.reason, stderr=failure.stderr_tail,
                    advice="run the build command by hand in a fresh copy, without network",
                )  # fmt: skip
                return Checked(passed=False, rules=(rule,))
            with checking(bot.entrant.name) as progress:
                report, _ = check(built[0].entrant, game, settings, rung, scratch, progress=progress)
            return _checked(report, built[0].entrant.folder)

    return play_it


def _checked(report: CheckReport, folder: str) -> Checked:
    def here(text: str) -> str:
        return text.replace(folder, ".")

    rules = [
        RuleFound(
            rule=rule.rule, result=rule.result.value, text=here(rule.text), advice=here(rule.advice),
            stderr=here(rule.stderr_tail),
        )
        for rule in report.rules
    ]  # fmt: skip
    matches = [
        f"Seat {one.seat}: {one.termination}, "
        + ("no result" if one.place is None else f"place {one.place}, score {one.score}")
        + f", {counted(one.actions, 'action')}"
        for one in report.seats
    ]
    return Checked(passed=report.passed, rules=tuple(rules), matches=tuple(matches))


def _tell_taken(taken: Taken) -> None:
    if taken.refused or taken.student is None or taken.student.submission is None:
        click.echo(f"  {click.style('refused', fg='red')}  {strong(taken.source)}: {taken.refused}")
        return
    submission = taken.student.submission
    if taken.unchanged:
        click.echo(f"  same     {strong(taken.student.id)}: as number {submission.number}")
        return
    checked = submission.checked
    broken = [rule for rule in checked.rules if rule.result == "fail"] if checked else []
    verdict = "unchecked" if checked is None else "passes" if checked.passed else "fails the check"
    click.echo(f"  taken    {strong(taken.student.id)}: number {submission.number}, {verdict}")
    for rule in broken:
        click.echo(f"             {rule.rule}: {rule.text}")
        if rule.advice:
            click.echo(dim(f"             advice: {rule.advice}"))


def _taken_json(taken: Taken) -> dict[str, Any]:
    student = taken.student
    return {
        "source": taken.source,
        "student": student.id if student else None,
        "refused": taken.refused,
        "unchanged": taken.unchanged,
        "checked": student.submission.checked if student and student.submission and not taken.refused else None,
    }


def _relative(path: Path) -> Path:
    """Return a path as a person would type it here."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"
