"""Each table of the report as text, with its title above and what must be said about it beneath."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import sqrt
from typing import TypeAlias

from arena.report.pairs import ENOUGH_CLUSTERS
from arena.report.text import NOT_AVAILABLE, Column, cells_wide, common_decimals, draw, number, percent
from arena.report.values import CategoryRow, OddPairRow, SeatRow, StandingRow, Tables
from arena.wording import counted


class Section(StrEnum):
    """One table of the report."""

    STANDINGS = "standings"
    FAULTS = "faults"
    CROSSTABLE = "crosstable"
    SUPERIORITY = "superiority"
    SEATS = "seats"
    PAIRS = "pairs"
    CATEGORIES = "categories"


def _standings(tables: Tables, width: int | None) -> str:
    rows = tables.standings
    elo = common_decimals([row.plus_minus for row in rows])
    several = tables.groups > 1

    def share(count: Callable[[StandingRow], int]) -> Callable[[StandingRow], str]:
        return lambda row: (
            percent(count(row) / row.matches, _share_error(row.matches)) if row.matches else NOT_AVAILABLE
        )

    columns = [
        Column[StandingRow]("#", lambda row: str(row.rank) if row.rank else "-", 9),
        *([Column[StandingRow]("group", lambda row: str(row.group + 1), 9)] if several else []),
        Column[StandingRow]("entrant", lambda row: row.entrant, 9, left=True),
        Column[StandingRow]("Elo", lambda row: number(row.elo, elo), 9),
        Column[StandingRow]("±", lambda row: _plus_minus(row, tables.anchor, elo), 9),
        Column[StandingRow]("matches", lambda row: str(row.matches), 8),
        Column[StandingRow]("place", lambda row: number(row.mean_place, 2), 5),
        Column[StandingRow]("won %", share(lambda row: row.wins), 7),
        Column[StandingRow]("tied %", share(lambda row: row.ties), 4),
        Column[StandingRow]("lost %", share(lambda row: row.losses), 3),
        Column[StandingRow]("forfeits", lambda row: str(row.forfeits), 6),
        Column[StandingRow]("score", lambda row: number(row.mean_score, 1), 5),
        Column[StandingRow]("mean ms", lambda row: _ms(row.mean_ms), 2),
        Column[StandingRow]("worst ms", lambda row: _ms(row.max_ms), 1),
    ]
    body = draw(rows, columns, width)
    against = f"against {tables.anchor}" if tables.anchor else "against the mean of the field"
    samples = f"intervals take {counted(tables.clusters, tables.clustered_by)} as samples"
    notes = [
        f"{counted(tables.matches, 'match', 'matches')}; Elo and ± (95 %) {against}; {samples}.",
        *([f"{counted(tables.void, 'void match', 'void matches')} left out."] if tables.void else []),
        *(["Only matches without a forfeit."] if tables.clean else []),
        *tables.notes,
    ]
    return _titled("Standings", body, notes, width)


def _plus_minus(row: StandingRow, anchor: str | None, places: int) -> str:
    return "anchor" if row.entrant == anchor else number(row.plus_minus, places)


def _faults(tables: Tables, width: int | None) -> str:
    rows = [row for row in tables.standings if row.matches]
    verdicts = sorted({verdict for row in rows for verdict in row.faults})
    columns: list[Column[StandingRow]] = [
        Column("entrant", lambda row: row.entrant, 9, left=True),
        Column("matches", lambda row: str(row.matches), 3),
        Column("forfeits", lambda row: str(row.forfeits), 9),
        *(_verdict(verdict) for verdict in verdicts),
        Column("strikes", lambda row: str(row.strikes), 4),
        Column("mean ms", lambda row: _ms(row.mean_ms), 5),
        Column("worst ms", lambda row: _ms(row.max_ms), 6),
    ]
    notes = ["Forfeits by verdict are matches; times are wall times of single requests, with CPU clocks too."]
    return _titled("Faults and times", draw(rows, columns, width), notes, width)


def _verdict(verdict: str) -> Column[StandingRow]:
    return Column(verdict, lambda row: str(row.faults.get(verdict, 0)), 8)


def _ms(value: float | None) -> str:
    return number(value, 0 if value is None or value >= 10 else 1 if value >= 1 else 2)


def _crosstable(tables: Tables, width: int | None) -> str:
    cells = {
        (row.one, row.other): percent(row.share, _share_error(row.meetings)) if row.meetings else "-"
        for row in tables.pairs
    }
    notes = ["A over B, in %: how often the row's entrant was before the column's at one table, a tie half."]
    return _titled("Crosstable", _matrix(tables, cells, width), notes, width)


def _superiority(tables: Tables, width: int | None) -> str:
    cells = {(row.one, row.other): _likelihood(row.superiority) for row in tables.pairs}
    note = "Likelihood, in %, that the row's entrant is stronger than the column's by the ratings"
    unknown = "n/a where they never met or there are too few samples"
    return _titled("Likelihood of superiority", _matrix(tables, cells, width), [f"{note}; {unknown}."], width)


def _likelihood(share: float | None) -> str:
    if share is None or 0.0005 <= share < 0.9995:
        return percent(share, 0.01)
    return "<0.1" if share < 0.5 else ">99.9"


def _matrix(tables: Tables, cells: Mapping[tuple[str, str], str], width: int | None) -> str:
    """Return a table of all pairs; where it is too wide, its columns go to several tables one below the other."""
    names = [row.entrant for row in tables.standings if row.matches]
    numbers = {name: str(at) for at, name in enumerate(names, start=1)}
    lead: list[Column[str]] = [
        Column("#", lambda name: numbers[name], 9),
        Column("entrant", lambda name: name, 9, left=True),
    ]

    def column(other: str) -> Column[str]:
        return Column(numbers[other], lambda one: "·" if one == other else cells[one, other], 9)

    longest = min(20, max(map(cells_wide, names), default=0)) + 8
    fitting = len(names) if width is None else max(1, (width - longest) // 8)
    parts = [names[at : at + fitting] for at in range(0, len(names), fitting)] if names else []
    return "\n\n".join(draw(names, [*lead, *map(column, part)], width) for part in parts)


def _seats(tables: Tables, width: int | None) -> str:
    elo = common_decimals([row.elo_plus_minus for row in tables.seats])
    places = common_decimals([_in_percent(row.wins_plus_minus) for row in tables.seats])
    columns: list[Column[SeatRow]] = [
        Column("table", lambda row: f"{row.table_size} seats", 9),
        Column("seat", lambda row: str(row.seat), 9),
        Column("matches", lambda row: str(row.matches), 7),
        Column("won %", lambda row: number(row.wins * 100, places), 9),
        Column("±", lambda row: number(_in_percent(row.wins_plus_minus), places), 9),
        Column("place", lambda row: number(row.mean_place, 2), 5),
        Column("Elo", lambda row: number(row.elo, elo, signed=True), 8),
        Column("± Elo", lambda row: number(row.elo_plus_minus, elo), 8),
    ]
    notes = ["Seats count from 0; Elo is the seat's advantage over the mean seat of its table."]
    return _titled("Seats", draw(tables.seats, columns, width), notes, width)


def _pairs(tables: Tables, width: int | None) -> str:
    columns: list[Column[OddPairRow]] = [
        Column("entrant", lambda row: row.entrant, 9, left=True),
        Column("partner", lambda row: row.partner, 9, left=True),
        Column("beats", lambda row: row.against, 9),
        Column("meetings", lambda row: str(row.meetings), 6),
        Column("expected %", lambda row: percent(row.expected, row.plus_minus), 7),
        Column("observed %", lambda row: percent(row.observed, row.plus_minus), 8),
        Column("± %", lambda row: percent(row.plus_minus, row.plus_minus), 5),
        Column("chance %", lambda row: number(row.chance * 100, 1 if row.chance >= 0.001 else 3), 8),
    ]
    if not tables.pairs_looked_at:
        unseen = f"No pair was looked at: none has sat at one table in {counted(ENOUGH_CLUSTERS, tables.clustered_by)}."
        return _titled("Odd pairs", "", [unseen], width)
    seen = f"of {counted(tables.pairs_looked_at, 'ordered pair')} looked at"
    if not tables.odd_pairs:
        return _titled(
            "Odd pairs", "", [f"No pair does better at a shared table than its ratings explain, {seen}."], width
        )
    notes = [
        "How often the entrant beats its partner, or the others when it sits with its partner, seen from the entrant.",
        f"Chance: of any so odd {seen}, if the ratings told all. A reason to look, no proof.",
    ]
    return _titled("Odd pairs", draw(tables.odd_pairs, columns, width), notes, width)


def _categories(tables: Tables, width: int | None) -> str:
    if not tables.categories:
        return ""
    columns: list[Column[CategoryRow]] = [
        Column("entrant", lambda row: row.entrant, 9, left=True),
        Column("matches", lambda row: str(row.matches), 5),
        *(_category(name) for name in tables.categories[0].means),
        Column("score", lambda row: number(row.total, 1), 8),
    ]
    notes = ["Mean points in matches without a forfeit."]
    return _titled("Points by category", draw(tables.categories, columns, width), notes, width)


def _category(name: str) -> Column[CategoryRow]:
    return Column(name, lambda row: number(row.means[name], 1), 9)


def _titled(title: str, body: str, notes: Sequence[str], width: int | None) -> str:
    wrapped = [textwrap.fill(note, width) if width else note for note in notes]
    return "\n".join([title, *([body] if body else []), *wrapped])


def _share_error(count: int) -> float:
    """Return half a 95 % interval of a share at its widest, if `count` were samples: a guide for decimals only."""
    return 1 / sqrt(count)


def _in_percent(share: float | None) -> float | None:
    return None if share is None else share * 100


_Renderer: TypeAlias = Callable[[Tables, "int | None"], str]
RENDERERS: Mapping[Section, _Renderer] = {
    Section.STANDINGS: _standings,
    Section.FAULTS: _faults,
    Section.CROSSTABLE: _crosstable,
    Section.SUPERIORITY: _superiority,
    Section.SEATS: _seats,
    Section.PAIRS: _pairs,
    Section.CATEGORIES: _categories,
}
