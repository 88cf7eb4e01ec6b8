"""Several matches of `arena play` in short: one line for each, then who won how often."""

from __future__ import annotations

from collections.abc import Sequence

from arena.cli.table import width
from arena.referee.record import Record
from arena.referee.summary import MatchRow
from arena.report.tables import Section, make_tables
from arena.report.text import Column, common_decimals, draw, number
from arena.report.values import StandingRow
from arena.wording import counted


def told_match(match: int, record: Record) -> str:
    """Return a match as one line: its number from 0, the seats in order with places and scores, faults by verdict."""
    longest = max(map(len, record.line_up))
    if record.places:
        seats = [
            f"{name:{longest}} {place}. {score:4}"
            for name, place, score in zip(record.line_up, record.places, record.scores, strict=True)
        ]
    else:
        seats = [*record.line_up, "no result"]
    cost = {True: "forfeits", False: "spends a strike"}
    faults = [f"{record.line_up[fault.seat]} {cost[fault.forfeits]}: {fault.verdict}" for fault in record.faults]
    return "   ".join([f"{match:3}", *seats, *faults])


def told_summary(rows: Sequence[MatchRow], *, seen_from: str) -> str:
    """Return the table of several matches: counts, mean scores and Elo against the entrant `seen_from`.

    Elo is left out where nobody was compared with it: all matches are void.
    """
    names = sorted({name for row in rows for name in row.line_up}, key=lambda name: (name != seen_from, name))
    played = any(seen_from in row.line_up for row in rows if not row.void)
    tables = make_tables(rows, anchor=seen_from if played else None, entrants=names, sections=[Section.STANDINGS])
    places = common_decimals([row.plus_minus for row in tables.standings])

    def error(row: StandingRow) -> str:
        return "-" if row.entrant == tables.anchor else number(row.plus_minus, places)

    columns: list[Column[StandingRow]] = [
        Column("entrant", lambda row: row.entrant, 9, left=True),
        Column("matches", lambda row: str(row.matches), 9),
        Column("won", lambda row: str(row.wins), 9),
        Column("tied", lambda row: str(row.ties), 9),
        Column("lost", lambda row: str(row.losses), 9),
        Column("forfeits", lambda row: str(row.forfeits), 8),
        Column("score", lambda row: number(row.mean_score, 1), 8),
        Column("Elo", lambda row: number(row.elo, places, signed=True), 8),
        Column("±", error, 8),
    ]
    samples = f"intervals take {counted(tables.clusters, tables.clustered_by)} as samples"
    notes = [
        f"Elo and ± (95 %): how much stronger than {seen_from}, put at 0; {samples}.",
        *([f"{counted(tables.void, 'void match', 'void matches')} left out."] if tables.void else []),
        *tables.notes,
    ]
    return "\n".join([draw(tables.standings, columns, width()), *notes])
