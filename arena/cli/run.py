"""`arena run`: plays a tournament file to its table, and goes on where an earlier start was stopped."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
import click
import trio

from arena import plugins
from arena.cli import ExitCode
from arena.cli.complaints import last_lines
from arena.cli.header import header, warnings
from arena.cli.hosting import hosts_backend, tls_options
from arena.cli.output import as_json, print_json, strong, warn
from arena.cli.preparing import told_slow
from arena.cli.progress import LiveView, PlainView
from arena.cli.runs import RUNS
from arena.cli.table import width
from arena.cli.watching import Watch
from arena.errors import ConfigError, Problem
from arena.hosts.backend import HostsBackend
from arena.hosts.cluster import SchedulerLost
from arena.referee.preflight import Unstartable
from arena.referee.rung import Rung
from arena.referee.sandbox import choose_rung, warning
from arena.referee.settings import Clock, Entrant
from arena.report.feedback import FOLDER, write_feedback
from arena.report.tables import Section, Tables, make_tables, render
from arena.terminal import passing
from arena.tournament import formats
from arena.tournament.backend import Backend
from arena.tournament.config import TournamentConfig, load
from arena.tournament.cores import claim
from arena.tournament.lock import check_free
from arena.tournament.plan import differences, preview
from arena.tournament.planning import make_plan
from arena.tournament.pool import Pool, Slot
from arena.tournament.prepare import open_run
from arena.tournament.run import Ending, Run
from arena.tournament.store import RunReader, RunStore, stored_plan
from arena.wording import counted, listed

UNLIMITED_STARTUP_MS = 3_600_000  #: with `--no-time-limit`: time to attach a debugger


class ClockTime(click.ParamType[datetime]):
    """A time of day such as 07:00."""

    name = "HH:MM"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the next moment at which it is that time."""
        if isinstance(value, datetime):
            return value
        try:
            wanted = datetime.strptime(value, "%H:%M").time()  # noqa: DTZ007 - a time of day, of this place
        except ValueError:
            self.fail(f"{value!r} is no time of day; write it as 07:00", param, ctx)
        now = datetime.now().astimezone()
        moment = now.replace(hour=wanted.hour, minute=wanted.minute, second=0, microsecond=0)
        return moment if moment > now else moment + timedelta(days=1)


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run; `runs/NAME` unless given.")
@click.option("--slots", type=click.IntRange(min=1), help="Matches at a time; one for each free core unless given.")
@click.option("--on", metavar="ADDRESS", help="Play on the hosts of this Dask scheduler (or file of it), or `local`.")
@tls_options
@click.option("--oversubscribe", is_flag=True, help="Allow more slots than cores; clocks will suffer.")
@click.option("--seed", type=int, help="Take all randomness from this number: for rehearsals, it gives deals away.")
@click.option("--budget", type=click.IntRange(min=1), metavar="MATCHES", help="Stop after so many, at a whole block.")
@click.option("--until", type=ClockTime(), help="Begin no block after this time of day.")
@click.option("--dry-run", is_flag=True, help="List the matches that would be played, and play none.")
@click.option("--strict", is_flag=True, help="Stop at the first fault of a bot, with its traceback.")
@click.option("--no-time-limit", is_flag=True, help="Play without any clock, to debug bots.")
@click.option("--trace", is_flag=True, help="Keep every protocol line of every bot in the run's `logs`.")
@as_json
def verb(file: Path, out: Path | None, as_json: bool, **options: Any) -> ExitCode:
    """Play the tournament in FILE to its table.

    A run is a folder; the same command again goes on where it stopped, and plays nothing twice. Ctrl-C keeps
    everything that was played.

    Exit codes: 0 complete, 1 stopped before the end (the command that goes on is printed), 2 wrong usage or file,
    3 an entrant could not start or failed under --strict, 4 complete but for matches that were set aside.
    """
    if file.is_dir():
        problem = "is a folder, not a tournament file; `arena play` and `arena check` take the folder of a bot"
        raise ConfigError([Problem("", problem)], source=str(file))
    config = _overridden(load(file, plugins.games(), plugins.bots()), options)
    folder = out or RUNS / config.name
    if options["budget"] is not None and options["budget"] < config.settings.seats:
        seats = config.settings.seats
        raise ConfigError([Problem("--budget", f"{options['budget']} is less than one block of {seats} matches")])
    if options["dry_run"]:
        return _dry_run(config, folder, as_json=as_json)
    return _Session(config, folder, options, as_json=as_json).play()


def _overridden(config: TournamentConfig, options: dict[str, Any]) -> TournamentConfig:
    """Return the tournament with what the command line says instead of the file."""
    settings = config.settings
    if options["no_time_limit"]:
        settings = attrs.evolve(settings, clock=Clock(startup_ms=UNLIMITED_STARTUP_MS, per_action_ms=None))
    if options["trace"]:
        settings = attrs.evolve(settings, trace=True)
    return attrs.evolve(
        config,
        settings=settings,
        seed=config.seed if options["seed"] is None else options["seed"],
        slots=options["slots"] or config.slots,
    )


def _dry_run(config: TournamentConfig, folder: Path, *, as_json: bool) -> ExitCode:
    found = preview(make_plan(config, stored=stored_plan(folder)))
    if as_json:
        print_json(found)
    else:
        for line in found.lines():
            click.echo(line)
    return ExitCode.COMPLETE


class _Session:
    """One start of one run."""

    def __init__(self, config: TournamentConfig, folder: Path, options: dict[str, Any], *, as_json: bool) -> None:
        self._config = config
        self._folder = folder
        self._options = options
        self._as_json = as_json
        live = sys.stdout.isatty() and not as_json
        self._view: PlainView | LiveView = LiveView() if live else PlainView(err=as_json)

    def play(self) -> ExitCode:
        """Play and return the exit code."""
        config = self._config
        check_place(self._folder, [one.entrant for one in config.entrants])
        rung = choose_rung(config.settings.sandbox, [one.entrant for one in config.entrants])
        try:
            check_free(self._folder)
            if self._is_over():
                return self._tell_again()
            return self._on_hosts(rung) if self._options["on"] else self._here(rung)
        except SchedulerLost as error:
            click.echo(f"interrupted: {error}; what was played is safe; {_go_on()}", err=True)
            return ExitCode.INTERRUPTED
        except KeyboardInterrupt:  # before or after play, which has its own way to stop
            self._view.close()
            click.echo(f"\ninterrupted; what was played is safe; {_go_on()}", err=True)
            return ExitCode.INTERRUPTED

    def _is_over(self) -> bool:
        """Whether just this tournament has been played here to its end, so that there is nothing to start."""
        stored = stored_plan(self._folder)
        if stored is None or differences(stored, make_plan(self._config, stored=stored)):
            return False
        with RunReader(self._folder) as reader:
            return reader.director().complete

    def _tell_again(self) -> ExitCode:
        """Say again how a run ended."""
        with RunReader(self._folder) as reader:
            rows, names = reader.rows(), [entrant.name for entrant in reader.plan.entrants]
            anchor = reader.plan.anchor if any(reader.plan.anchor in row.line_up for row in rows) else None
            ending = Ending(complete=True, interrupted=False, set_aside=len(reader.set_aside()))
            self._tell_tables(make_tables(rows, anchor=anchor, entrants=names), ending, reader.director().state)
            for line in _endings(ending, reader, self._folder):
                click.echo(line, err=True)
        return _exit_code(ending)

    def _open(self, rung: Rung) -> RunStore:
        return open_run(
            self._config, self._folder, rung, progress=self._preflight, slow=told_slow, excluded=self._excluded
        )

    def _here(self, rung: Rung) -> ExitCode:
        with self._claim() as cores, self._open(rung) as store:
            if cores.warning:
                warn(cores.warning)
            self._tell_header(store, rung, cores.slots)
            return self._play(store, lambda run: Pool(run.setup, cores.slots))

    def _on_hosts(self, rung: Rung) -> ExitCode:
        with (
            self._open(rung) as store,
            hosts_backend(self._options["on"], self._config, store.plan, self._options) as make,
        ):
            self._tell_header(store, rung, [])
            self._backend: HostsBackend | None = None

            def backend(run: Run) -> HostsBackend:
                def note(kind: str, text: str) -> None:
                    self._view.say(text)
                    run.note(kind, text)

                self._backend = make(note)
                return self._backend

            return self._play(store, backend, lambda: self._backend.told() if self._backend else "")

    def _claim(self) -> Any:
        return claim(
            self._config.slots,
            cores_per_match=self._config.cores_per_match,
            oversubscribe=self._options["oversubscribe"],
        )

    def _preflight(self, done: int, total: int) -> None:
        passing(f"starting every entrant once: {done} of {total}" if done < total else "")

    def _excluded(self, failure: Unstartable) -> None:
        advice = f"; {failure.advice}" if failure.advice else ""
        warn(f"{failure.entrant} does not take part: {failure.reason}{advice}")
        for line in last_lines(failure.stderr_tail):
            click.echo(f"    stderr: {line}", err=True)

    def _tell_header(self, store: RunStore, rung: Rung, slots: Sequence[Slot]) -> None:
        plan = store.plan
        total = plan.schedule().total
        name, *lines = header(
            plan,
            self._folder,
            total=total,
            stored=store.count(),
            mean_match_s=store.mean_match_s(),
            slots=slots,
            sandbox=rung.name,
            user=rung.user,
            hosts=self._options["on"] or "",
        )
        for line in [strong(name), *lines, ""]:
            self._view.say(line)
        for note in formats.find(plan.format).notes(plan.fields()[-1]):
            self._view.say(f"  {note}")
        for difference in store.continued:
            self._view.say(f"  continued with {difference}")
        for sentence in [warning(rung), *warnings(plan, len(slots))]:
            if sentence:
                warn(sentence)

    def _play(self, store: RunStore, make: Callable[[Run], Backend], hosts: Callable[[], str] = str) -> ExitCode:
        names = [entrant.name for entrant in store.plan.entrants]
        observers = plugins.Observers()
        watch = Watch(
            self._view,
            names,
            anchor=self._config.anchor,
            width=width,
            done_before=store.count(),
            observers=observers,
            folder=str(self._folder),
            hosts=hosts,
        )
        run = Run(store, self._folder, watch, strict=self._options["strict"], standings=watch.make_standings)
        if self._options["budget"] is not None:
            run.director.allow(self._options["budget"])
        until: datetime | None = self._options["until"]
        left_s = None if until is None else (until - datetime.now().astimezone()).total_seconds()

        async def play() -> Ending:
            return await run.play(make(run), wind_down_after_s=left_s)

        try:
            ending = trio.run(play)
        finally:
            self._view.close()
        for sentence in observers.tournament_finished(str(self._folder), complete=ending.complete):
            warn(sentence)
        self._tell_end(store, watch, names, ending, run.director.state)
        with RunReader(self._folder) as reader:
            write_feedback(reader, self._folder / FOLDER)
        return _exit_code(ending)

    def _tell_end(self, store: RunStore, watch: Watch, names: Sequence[str], ending: Ending, state: str) -> None:
        rows = store.rows()
        for line in watch.complaints.summary():
            self._view.say(line)
        tables = make_tables(rows, anchor=watch.usable_anchor(rows), entrants=names)
        self._tell_tables(tables, ending, state)
        for line in _endings(ending, store, self._folder):
            click.echo(line, err=True)

    def _tell_tables(self, tables: Tables, ending: Ending, state: str) -> None:
        if self._as_json:
            print_json({"ending": ending, "folder": self._folder, "tables": tables})
        else:
            click.echo(f"\n{render(tables, sections=[Section.STANDINGS], width=width())}")
            if state:
                click.echo(state)


def check_place(folder: Path, entrants: Sequence[Entrant]) -> None:
    """Raise `ConfigError` when a bot could read the run: its folder holds the secret and changes all the time."""
    place = Path(os.path.realpath(folder))
    inside = [one.name for one in entrants if one.folder and place.is_relative_to(os.path.realpath(one.folder))]
    if inside:
        problem = (
            f"{folder} lies in the folder of {listed(inside)}, which could read it; put every bot into a folder of its"
            " own, or the run elsewhere with --out"
        )
        raise ConfigError([Problem("--out", problem)])


def _endings(ending: Ending, store: RunStore | RunReader, folder: Path) -> list[str]:
    """Return what is said last."""
    played = counted(store.count(), "match", "matches")
    lines = []
    if ending.strict_fault:
        lines.append(f"stopped by --strict: {ending.strict_fault}")
    if ending.set_aside:
        matches = counted(ending.set_aside, "match", "matches")
        lines.append(
            f"{matches} set aside: they killed their referee again and again; `arena table {folder}` lists them"
        )
    if ending.complete:
        seed = store.plan.seed
        secret = f"; the run's secret was {store.plan.secret}" if seed is None else ""
        lines.append(f"complete: {played} in {folder}{secret}")
    else:
        why = "interrupted" if ending.interrupted else "stopped before the end"
        lines.append(f"{why}: {played} safe in {folder}; {_go_on()}")
    return lines


def _go_on() -> str:
    return f"go on with: {shlex.join(['arena', *sys.argv[1:]])}"


def _exit_code(ending: Ending) -> ExitCode:
    if ending.strict_fault:
        return ExitCode.ENTRANT
    if not ending.complete:
        return ExitCode.INTERRUPTED
    return ExitCode.SET_ASIDE if ending.set_aside else ExitCode.COMPLETE
