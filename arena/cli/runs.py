"""What the verbs that read a run share: finding its folder and its matches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arena import plugins
from arena.errors import ArchiveError
from arena.games.api import Game
from arena.referee import record as records
from arena.referee.record import Record
from arena.tournament.store import RUN_FILE, RunReader
from arena.wording import nearest

RUNS = Path("runs")  #: where runs stand that were not given another folder


def complete_runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the runs in `runs/` whose names begin so, for the shell's completion."""
    del ctx, param
    return [name for name in known_runs() if name.startswith(incomplete)]


def known_runs() -> list[str]:
    """Return the names of the runs in `runs/`, sorted."""
    return sorted(path.parent.name for path in RUNS.glob(f"*/{RUN_FILE}") if path.is_file())


run_argument = click.argument("run", shell_complete=complete_runs)


@contextmanager
def opened(run: str) -> Iterator[RunReader]:
    """Open the run called `run`: a folder, or the name of one in `runs/`; raise `ArchiveError` when there is none."""
    with RunReader(folder_of(run)) as reader:
        yield reader


def folder_of(run: str) -> Path:
    """Return the folder of a run, given by its path or by its name in `runs/`."""
    folder = Path(run)
    if (folder / RUN_FILE).is_file():
        return folder
    if (RUNS / run / RUN_FILE).is_file():
        return RUNS / run
    known = known_runs()
    near = nearest(run, known)
    hint = f"; did you mean {near!r}?" if near else f"; there is {', '.join(known[:8])}" if known else ""
    raise ArchiveError(run, f"there is no run of this name or in this folder{hint}")


def game_of(reader: RunReader) -> Game:
    """Return the game that a run plays."""
    return plugins.game(reader.plan.settings.game)


def record_of(reader: RunReader, match_id: str) -> Record:
    """Return the record of a match; raise `ArchiveError` naming the nearest when there is none."""
    data = reader.record(match_id)
    if data is not None:
        return records.decode(data, file=match_id)
    known = list(reader.all_rows())
    near = nearest(match_id, known)
    hint = f"did you mean {near!r}?" if near else f"the first is {known[0]!r}" if known else "it has none yet"
    raise ArchiveError(str(reader.path.parent), f"there is no match {match_id!r}; {hint}")
