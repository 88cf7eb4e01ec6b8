"""For each entrant a folder with what its author may see: its matches, its faults with advice, its stderr.

Nothing in it is about others but their names and results. Everything is derived from the store, so the folders can
be thrown away and are made anew by the next end of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from arena.errors import ArenaError
from arena.referee import record as records
from arena.referee.record import Fault
from arena.referee.summary import MatchRow
from arena.report.export import write_csv
from arena.tournament.store import RunReader
from arena.wording import counted

FOLDER = "entrants"  #: in the folder of a run
FAULTS_SHOWN = 50  #: in full; more are counted


def write_feedback(run: RunReader, folder: Path) -> None:
    """Write a folder for each entrant below `folder`.

    Raises:
        ArenaError: a file can't be written.
    """
    rows, unplayed = run.rows(), dict(run.plan.excluded)
    try:
        for entrant in run.plan.entrants:
            own = folder / entrant.name
            own.mkdir(parents=True, exist_ok=True)
            mine = [row for row in rows if entrant.name in row.line_up]
            with (own / "matches.csv").open("w", encoding="utf-8", newline="") as file:
                write_csv(mine, file)
            faulty = [row for row in mine if _has_fault(row, entrant.name)]
            text = "\n".join(fault_lines(entrant.name, len(mine), faults_of(run, faulty, entrant.name), len(faulty)))
            (own / "faults.txt").write_text(text + "\n", encoding="utf-8")
        for name, reason in unplayed.items():
            own = folder / name
            own.mkdir(parents=True, exist_ok=True)
            (own / "faults.txt").write_text(f"{name} did not take part: {reason}\n", encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{error.filename} can't be written: {error.strerror}") from None


def faults_of(run: RunReader, rows: Iterable[MatchRow], entrant: str) -> Iterator[tuple[str, Fault]]:
    """Yield match id and fault of every fault that `entrant` made in these matches."""
    for row in rows:
        data = run.record(row.match_id)
        if data is None:
            continue
        record = records.decode(data, file=row.match_id)
        for fault in record.faults:
            if record.line_up[fault.seat] == entrant:
                yield row.match_id, fault


def fault_lines(
    entrant: str, matches: int, faults: Iterable[tuple[str, Fault]], faulty: int, *, at_most: int = FAULTS_SHOWN
) -> Iterator[str]:
    """Yield the lines of an entrant's `faults.txt`.

    Args:
        entrant: its name.
        matches: how many it played.
        faults: what it did wrong, with the match.
        faulty: in how many matches it did.
        at_most: so many are told in full.
    """
    yield f"{entrant}: {counted(matches, 'match', 'matches')}, faults in {faulty}"
    for number, (match_id, fault) in enumerate(faults):
        if number == at_most:
            yield ""
            yield f"and more; `arena show RUN --entrant {entrant} --faults` lists all"
            return
        yield ""
        cost = "forfeited" if fault.forfeits else "spent a strike"
        yield f"{match_id}, seat {fault.seat}, after {counted(fault.action_number, 'action')}: {cost}: {fault.verdict}"
        yield f"  {fault.reason}"
        yield from _evidence({"it ended with": fault.exit_status, "advice": fault.advice})
        yield from (f"  stderr: {line}" for line in fault.stderr_tail.splitlines())


def _evidence(parts: Mapping[str, str]) -> Sequence[str]:
    return [f"  {label}: {text}" for label, text in parts.items() if text]


def _has_fault(row: MatchRow, entrant: str) -> bool:
    seats = [seat for seat, name in enumerate(row.line_up) if name == entrant]
    return any(seat in row.forfeited or (row.strikes and row.strikes[seat]) for seat in seats)
