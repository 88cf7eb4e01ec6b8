"""What each page of a run shows, as plain values: no HTML, no files, no clock.

A page is made from a `Snapshot`. Whatever a stranger wrote (names, notes, stderr) is text here and escaped where it
is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from arena.errors import ConfigError, Problem
from arena.referee.summary import MatchRow
from arena.report.text import common_decimals, number, percent
from arena.report.values import CategoryRow, PairRow, SeatRow, StandingRow
from arena.web.snapshot import Snapshot

PAGE_SIZE = 100  #: matches on one page of the list
RECENT = 12  #: matches on an entrant's page
_BINS_MS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)


@attrs.frozen(kw_only=True)
class SeatLine:
    """One seat of a match in a list."""

    entrant: str
    place: int | None  #: None: the match is void
    score: int | None
    verdict: str = ""  #: that forfeited it


@attrs.frozen(kw_only=True)
class MatchLine:
    """One match in a list."""

    match_id: str
    deal: int
    seats: tuple[SeatLine, ...]
    upset: bool
    void: bool
    longest_ms: float | None  #: the longest request of all seats


@attrs.frozen(kw_only=True)
class Filter:
    """Which matches a list shows."""

    entrant: str = ""
    deal: int | None = None
    fault: str = ""  #: `any`, or a verdict
    upset: bool = False
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Filter:
        """Return the filter that the query of an address asks for; raise `ConfigError` with all that is wrong."""
        problems: list[Problem] = []

        def whole(name: str, least: int) -> int | None:
            text = query.get(name, "").strip()
            if not text:
                return None
            if text.isascii() and text.isdigit() and len(text) <= 9 and int(text) >= least:
                return int(text)
            problems.append(Problem(name, f"{text[:40]!r} is no whole number of at least {least}"))
            return None

        chosen = cls(
            entrant=query.get("entrant", ""),
            deal=whole("deal", 0),
            fault=query.get("fault", ""),
            upset=query.get("upset", "") not in ("", "0"),
            page=whole("page", 1) or 1,
        )
        if problems:
            raise ConfigError(problems)
        return chosen

    def query(self) -> dict[str, str]:
        """Return the query that `read` turns into this filter; what is not asked for is left out."""
        pairs = {
            "entrant": self.entrant,
            "deal": "" if self.deal is None else str(self.deal),
            "fault": self.fault,
            "upset": "1" if self.upset else "",
            "page": str(self.page) if self.page > 1 else "",
        }
        return {name: value for name, value in pairs.items() if value}

    def keeps(self, row: MatchRow, snapshot: Snapshot) -> bool:
        """Whether a match is shown."""
        return (
            (not self.entrant or self.entrant in row.line_up)
            and (self.deal is None or row.deal == self.deal)
            and (not self.fault or (bool(row.forfeited) if self.fault == "any" else self.fault in row.verdicts))
            and (not self.upset or snapshot.is_upset(row))
        )

    def at_page(self, page: int) -> Filter:
        """Return the same filter at another page."""
        return attrs.evolve(self, page=page)


@attrs.frozen(kw_only=True)
class MatchList:
    """The page of matches."""

    chosen: Filter
    lines: tuple[MatchLine, ...]
    found: int  #: matches that fit the filter
    pages: int
    entrants: tuple[str, ...]  #: to choose from
    verdicts: tuple[str, ...]  #: that occur


def match_list(snapshot: Snapshot, chosen: Filter, size: int = PAGE_SIZE) -> MatchList:
    """Return one page of the matches that fit; a page after the last is the last."""
    found = [row for row in snapshot.rows if chosen.keeps(row, snapshot)]
    pages = max(1, -(-len(found) // size))
    chosen = chosen.at_page(min(chosen.page, pages))
    first = (chosen.page - 1) * size
    return MatchList(
        chosen=chosen,
        lines=tuple(match_line(row, snapshot) for row in found[first : first + size]),
        found=len(found),
        pages=pages,
        entrants=snapshot.entrants,
        verdicts=tuple(sorted({verdict for row in snapshot.tables.standings for verdict in row.faults})),
    )


def match_line(row: MatchRow, snapshot: Snapshot) -> MatchLine:
    """Return a match as a line of a list."""
    seats = [
        SeatLine(
            entrant=name,
            place=None if row.void else row.places[seat],
            score=None if row.void else row.scores[seat],
            verdict=row.verdicts[seat] if row.verdicts else "",
        )
        for seat, name in enumerate(row.line_up)
    ]
    return MatchLine(
        match_id=row.match_id,
        deal=row.deal,
        seats=tuple(seats),
        upset=snapshot.is_upset(row),
        void=row.void,
        longest_ms=max(row.max_ms, default=None),
    )


@attrs.frozen(kw_only=True)
class Interval:
    """A rating drawn on a scale: positions are shares of the width, from 0 to 1."""

    low: float
    middle: float
    high: float
    known: bool  #: whether it has an interval


@attrs.frozen(kw_only=True)
class StandingLine:
    """One row of the standings."""

    row: StandingRow
    elo: str
    plus_minus: str
    won: str  #: percent
    score: str
    place: str
    interval: Interval | None


@attrs.frozen(kw_only=True)
class Scale:
    """An axis from `low` to `high` with round ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return where a value stands on the axis: 0 at its beginning, 1 at its end, and never beyond."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def scale(values: Iterable[float], *, ticks: int = 4) -> Scale:
    """Return an axis that holds all values, with at most about `ticks` round marks."""
    kept = list(values)
    low, high = min(kept, default=0.0), max(kept, default=0.0)
    if high - low < 1:
        low, high = low - 1, high + 1
    margin = (high - low) * 0.04
    low, high = low - margin, high + margin
    step = _round_step((high - low) / ticks)
    first = int(low // step) + 1
    marks = []
    while first * step <= high:
        marks.append(first * step)
        first += 1
    return Scale(low=low, high=high, ticks=tuple(marks))


def _round_step(rough: float) -> float:
    power = 1.0
    while power * 10 <= rough:
        power *= 10
    while power > rough:
        power /= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)


@attrs.frozen(kw_only=True)
class Standings:
    """The first page."""

    lines: tuple[StandingLine, ...]
    scale: Scale
    several_groups: bool
    anchor: str | None
    matches: int
    void: int
    forfeits: int
    upsets: int
    unscored: tuple[tuple[str, int], ...]  #: reasons and how many matches
    excluded: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    events: tuple[str, ...]


def standings(snapshot: Snapshot) -> Standings:
    """Return the standings with their intervals placed on one scale."""
    tables = snapshot.tables
    axis = scale(_ends(tables.standings))
    decimals = common_decimals([row.plus_minus for row in tables.standings])
    reasons = Counter(f"{one.status.value}: {one.reason}" for one in snapshot.unscored)
    return Standings(
        lines=tuple(_standing_line(row, axis, decimals, tables.anchor) for row in tables.standings),
        scale=axis,
        several_groups=tables.groups > 1,
        anchor=tables.anchor,
        matches=tables.matches,
        void=tables.void,
        forfeits=sum(bool(row.forfeited) for row in snapshot.rows),
        upsets=sum(snapshot.is_upset(row) for row in snapshot.rows),
        unscored=tuple(reasons.items()),
        excluded=tuple(snapshot.plan.excluded.items()),
        notes=tables.notes,
        events=tuple(event.text for event in snapshot.events[-8:]),
    )


def _ends(rows: Sequence[StandingRow]) -> Iterator[float]:
    for row in rows:
        if row.elo is not None:
            width = row.plus_minus or 0.0
            yield row.elo - width
            yield row.elo + width


def _standing_line(row: StandingRow, axis: Scale, decimals: int, anchor: str | None) -> StandingLine:
    interval = None
    if row.elo is not None:
        width = row.plus_minus or 0.0
        interval = Interval(
            low=axis.at(row.elo - width),
            middle=axis.at(row.elo),
            high=axis.at(row.elo + width),
            known=row.plus_minus is not None,
        )
    return StandingLine(
        row=row,
        elo=number(row.elo, decimals),
        plus_minus="anchor" if row.entrant == anchor else number(row.plus_minus, decimals),
        won=percent(row.wins / row.matches if row.matches else None),
        score=number(row.mean_score, 1),
        place=number(row.mean_place, 2),
        interval=interval,
    )


@attrs.frozen(kw_only=True)
class Cell:
    """One cell of the crosstable, seen from the entrant of its row."""

    text: str
    heat: int | None  #: 0 (always behind) to 10 (always before); None: they never met
    hint: str


@attrs.frozen(kw_only=True)
class Crosstable:
    """Who is before whom."""

    names: tuple[str, ...]
    cells: tuple[tuple[Cell | None, ...], ...]  #: None on the diagonal


def crosstable(snapshot: Snapshot) -> Crosstable:
    """Return the share of meetings in which the entrant of a row was before that of a column."""
    pairs = {(pair.one, pair.other): pair for pair in snapshot.tables.pairs}
    names = tuple(row.entrant for row in snapshot.tables.standings)
    return Crosstable(
        names=names,
        cells=tuple(
            tuple(None if one == other else _cell(one, other, pairs.get((one, other))) for other in names)
            for one in names
        ),
    )


def _cell(one: str, other: str, pair: PairRow | None) -> Cell:
    if pair is None or pair.share is None:
        return Cell(text="", heat=None, hint=f"{one} and {other} have not met")
    better = "" if pair.superiority is None else f"; likelihood that {one} is stronger: {pair.superiority:.1%}"
    return Cell(
        text=percent(pair.share),
        heat=round(pair.share * 10),
        hint=f"{one} was before {other} in {pair.share:.1%} of {pair.meetings:,} meetings{better}",
    )


@attrs.frozen(kw_only=True)
class SeatBar:
    """One seat in the picture of the seat effect; positions are shares of the width."""

    row: SeatRow
    text: str
    elo: str
    bar: float
    low: float
    high: float


@attrs.frozen(kw_only=True)
class SeatTable:
    """The seats of one size of table."""

    size: int
    fair: float  #: where the share of an equal seat stands on the width
    bars: tuple[SeatBar, ...]


def seat_effect(snapshot: Snapshot) -> tuple[SeatTable, ...]:
    """Return what each seat wins, beside what it would win were all seats equal."""
    tables = []
    rows = snapshot.tables.seats
    for size in sorted({row.table_size for row in rows}):
        here = [row for row in rows if row.table_size == size]
        top = max([2 / size, *(row.wins + (row.wins_plus_minus or 0) for row in here)])
        bars = tuple(_seat_bar(row, top) for row in here)
        tables.append(SeatTable(size=size, fair=1 / size / top, bars=bars))
    return tuple(tables)


def _seat_bar(row: SeatRow, top: float) -> SeatBar:
    width = row.wins_plus_minus or 0.0
    elo = "" if row.elo is None else f"{number(row.elo, 0, signed=True)} ± {number(row.elo_plus_minus, 0)}"
    return SeatBar(
        row=row,
        text=f"{row.wins:.1%}" + (f" ± {width:.1%}" if row.wins_plus_minus is not None else ""),
        elo=elo,
        bar=min(1.0, row.wins / top),
        low=min(1.0, max(0.0, (row.wins - width) / top)),
        high=min(1.0, (row.wins + width) / top),
    )


@attrs.frozen(kw_only=True)
class Count:
    """A label and how often."""

    label: str
    count: int
    share: float  #: of the largest count beside it, 0 to 1


def counts(pairs: Iterable[tuple[str, int]]) -> tuple[Count, ...]:
    """Return counts with their share of the largest."""
    kept = list(pairs)
    most = max((count for _, count in kept), default=0) or 1
    return tuple(Count(label=label, count=count, share=count / most) for label, count in kept)


@attrs.frozen(kw_only=True)
class Category:
    """Mean points of one category, beside the mean of all entrants."""

    name: str
    mean: float
    field: float
    share: float  #: of the largest mean of any entrant in any category
    field_share: float


@attrs.frozen(kw_only=True)
class EntrantPage:
    """Everything about one entrant."""

    line: StandingLine
    bot: str  #: what was started, for people
    content_hash: str
    places: tuple[Count, ...]
    categories: tuple[Category, ...]
    total: float | None
    opponents: tuple[tuple[str, Cell], ...]
    longest: tuple[Count, ...]  #: matches by the longest time of a request
    faults: tuple[Count, ...]
    by_seat: tuple[tuple[int, int, float], ...]  #: seat, matches, share won
    recent: tuple[MatchLine, ...]  #: the last of the plan
    faulty: tuple[MatchLine, ...]  #: the last with a forfeit of this entrant
    excluded: str


def entrant_page(snapshot: Snapshot, name: str) -> EntrantPage | None:
    """Return the page of an entrant; None when there is none of this name."""
    row = snapshot.standing.get(name)
    if row is None:
        return None
    mine = [match for match in snapshot.rows if name in match.line_up]
    seats = [(match, seat) for match in mine for seat, who in enumerate(match.line_up) if who == name]
    scored = [(match, seat) for match, seat in seats if not match.void]
    faulty = [match for match, seat in seats if seat in match.forfeited]
    known = next((one for one in snapshot.plan.entrants if one.name == name), None)
    whole = standings(snapshot)
    categories, total = _categories(snapshot.tables.categories, name)
    places = Counter(match.places[seat] for match, seat in scored)
    pairs = {pair.other: pair for pair in snapshot.tables.pairs if pair.one == name}
    return EntrantPage(
        line=next(line for line in whole.lines if line.row.entrant == name),
        bot=known.target or " ".join(part.rsplit("/", 1)[-1] for part in known.argv) if known else "",
        content_hash=known.content_hash if known else "",
        places=counts((f"place {place}", places[place]) for place in sorted(places)),
        categories=categories,
        total=total,
        opponents=tuple((other, _cell(name, other, pair)) for other, pair in pairs.items()),
        longest=_histogram(match.max_ms[seat] for match, seat in seats if match.max_ms),
        faults=counts(sorted(row.faults.items(), key=lambda item: -item[1])),
        by_seat=_by_seat(scored),
        recent=tuple(match_line(match, snapshot) for match in reversed(mine[-RECENT:])),
        faulty=tuple(match_line(match, snapshot) for match in reversed(faulty[-RECENT:])),
        excluded=snapshot.plan.excluded.get(name, ""),
    )


def _categories(rows: Sequence[CategoryRow], name: str) -> tuple[tuple[Category, ...], float | None]:
    mine = next((row for row in rows if row.entrant == name), None)
    if mine is None:
        return (), None
    top = max((mean for row in rows for mean in row.means.values()), default=0.0) or 1.0
    found = []
    for category, mean in mine.means.items():
        field = sum(row.means.get(category, 0.0) for row in rows) / len(rows)
        found.append(
            Category(
                name=category.replace("_", " "),
                mean=mean,
                field=field,
                share=max(0.0, mean / top),
                field_share=max(0.0, field / top),
            )
        )
    return tuple(found), mine.total


def _histogram(values_ms: Iterable[float]) -> tuple[Count, ...]:
    bins = [0] * (len(_BINS_MS) + 1)
    for value in values_ms:
        bins[sum(value >= edge for edge in _BINS_MS)] += 1
    labels = ["under 1 ms", *(f"{edge:,} ms and more" for edge in _BINS_MS)]
    used = [at for at, count in enumerate(bins) if count]
    return counts((labels[at], bins[at]) for at in range(used[0], used[-1] + 1)) if used else ()


def _by_seat(scored: Sequence[tuple[MatchRow, int]]) -> tuple[tuple[int, int, float], ...]:
    found = []
    for seat in sorted({seat for _, seat in scored}):
        firsts = [match.places[seat] == 1 and seat not in match.forfeited for match, at in scored if at == seat]
        found.append((seat, len(firsts), sum(firsts) / len(firsts)))
    return tuple(found)
