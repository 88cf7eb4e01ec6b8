"""What the pages of a course show, as plain values: the board for everybody, and for each student only what is theirs.

Of others a student's page has public names, places and scores of common matches, and nothing else: neither their
faults nor what they wrote.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import attrs

from arena.course.config import Course
from arena.course.rounds import Round, label
from arena.course.students import Student, Students
from arena.referee import record as records
from arena.referee.record import Fault, Record
from arena.referee.summary import MatchRow
from arena.report.tables import Section, make_tables
from arena.tournament.store import RunReader
from arena.web.pages import Scale, StandingLine, Standings
from arena.web.pages import standings as make_standings
from arena.web.snapshot import Snapshot

FAULTS_SHOWN = 50
STDERR_SHOWN = 20  #: matches, the last ones
_SECTIONS = (Section.STANDINGS,)


@attrs.frozen(kw_only=True)
class BoardLine:
    """One row of the leaderboard."""

    name: str
    reference: bool
    line: StandingLine


@attrs.frozen(kw_only=True)
class Board:
    """The leaderboard of one round."""

    round: str
    over: bool
    lines: tuple[BoardLine, ...]
    scale: Scale
    anchor: str | None
    matches: int
    absent: tuple[str, ...]  #: who could not take part; the reasons are theirs
    notes: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Opponent:
    """Somebody else at the table."""

    name: str
    place: int | None
    score: int | None


@attrs.frozen(kw_only=True)
class OwnMatch:
    """A match as one of its players may see it."""

    match_id: str
    deal: int
    seat: int
    place: int | None  #: None: it is void
    score: int | None
    opponents: tuple[Opponent, ...]
    verdict: str = ""  #: of an own forfeit
    longest_ms: float | None = None


@attrs.define
class Evidence:
    """What the records of a run hold about one entrant's own program."""

    faults: list[tuple[str, Fault]] = attrs.field(factory=list)  #: the first ones, with the match
    more_faults: int = 0
    stderr: deque[tuple[str, str]] = attrs.field(factory=lambda: deque(maxlen=STDERR_SHOWN))

    def add(self, record: Record, seat: int, folder: str) -> None:
        """Take what a record says about a seat; the bot's `folder` is nobody's business and becomes a dot."""
        for fault in record.faults:
            if fault.seat == seat and len(self.faults) < FAULTS_SHOWN:
                own = attrs.evolve(
                    fault,
                    reason=_here(fault.reason, folder),
                    advice=_here(fault.advice, folder),
                    stderr_tail=_here(fault.stderr_tail, folder),
                )
                self.faults.append((record.match_id, own))
            elif fault.seat == seat:
                self.more_faults += 1
        if seat < len(record.bots) and record.bots[seat].stderr_tail:
            self.stderr.append((record.match_id, _here(record.bots[seat].stderr_tail, folder)))


@attrs.frozen(kw_only=True)
class StudentPage:
    """Everything that one student may see."""

    name: str
    student: Student
    round: str  #: "" before the first
    over: bool
    line: StandingLine | None
    matches: tuple[OwnMatch, ...]
    evidence: Evidence
    absent: str  #: why it did not take part; "" when it did


@attrs.frozen(kw_only=True)
class Played:
    """A round that was read."""

    round: Round
    over: bool
    snapshot: Snapshot
    standings: Standings
    evidence: Mapping[str, Evidence]  #: by name in the run


def read(round_: Round, *, evidence: bool = True) -> Played:
    """Read a round's run; raise `ArchiveError` when it is damaged."""
    with RunReader(round_.run) as reader:
        plan, rows = reader.plan, reader.rows()
        names = [entrant.name for entrant in plan.entrants]
        anchor = plan.anchor if any(plan.anchor in row.line_up for row in rows) else None
        snapshot = Snapshot(
            stored=reader.count(),
            plan=plan,
            rows=rows,
            tables=make_tables(rows, anchor=anchor, entrants=names, sections=_SECTIONS),
            unscored=reader.unscored(),
            events=(),
        )
        found: dict[str, Evidence] = {name: Evidence() for name in names}
        folders = {entrant.name: entrant.folder for entrant in plan.entrants}
        for match_id, data in reader.records() if evidence else ():
            record = records.decode(data, file=match_id)
            for seat, name in enumerate(record.line_up):
                found.setdefault(name, Evidence()).add(record, seat, folders.get(name, ""))
        return Played(
            round=round_,
            over=reader.director().complete,
            snapshot=snapshot,
            standings=make_standings(snapshot),
            evidence=found,
        )


def labels(course: Course, students: Students) -> dict[str, str]:
    """Return what everybody is called on pages, by the name in a run; reference bots keep their names."""
    return {name: label(course, one) for name, one in students.by_public_name().items()}


def board(course: Course, students: Students, played: Played) -> Board:
    """Return the leaderboard of a round."""
    known = labels(course, students)
    data = played.standings
    return Board(
        round=played.round.name,
        over=played.over,
        lines=tuple(
            BoardLine(
                name=known.get(line.row.entrant, line.row.entrant), reference=line.row.entrant not in known, line=line
            )
            for line in data.lines
        ),
        scale=data.scale,
        anchor=known.get(data.anchor, data.anchor) if data.anchor else None,
        matches=data.matches,
        absent=tuple(sorted(known.get(name, name) for name in played.snapshot.plan.excluded)),
        notes=() if known.keys() & set(played.snapshot.standing) else ("Nobody of the class has played yet.",),
    )


def student_page(course: Course, students: Students, student: Student, played: Played | None) -> StudentPage:
    """Return the page of one student."""
    name = run_name(student, played)
    known = labels(course, students)
    rows = [row for row in played.snapshot.rows if name in row.line_up] if played else []
    lines = played.standings.lines if played else ()
    return StudentPage(
        name=label(course, student),
        student=student,
        round=played.round.name if played else "",
        over=played.over if played else False,
        line=next((line for line in lines if line.row.entrant == name), None),
        matches=tuple(own for row in rows for own in own_matches(row, name, known)),
        evidence=played.evidence.get(name, Evidence()) if played else Evidence(),
        absent=_absent(student, played),
    )


def run_name(student: Student, played: Played | None) -> str:
    """Return the name that a student's bot has in a run, "" when it isn't in it."""
    if played is None:
        return ""
    plan = played.snapshot.plan
    there = {entrant.name for entrant in plan.entrants} | plan.excluded.keys()
    return next((name for name in (student.alias, student.id) if name in there), "")


def own_matches(row: MatchRow, name: str, known: Mapping[str, str]) -> Sequence[OwnMatch]:
    """Return a match as `name` may see it, once for each of its seats."""
    found = []
    for seat, who in enumerate(row.line_up):
        if who != name:
            continue
        others = [
            Opponent(
                name=known.get(other, other),
                place=None if row.void else row.places[at],
                score=None if row.void else row.scores[at],
            )
            for at, other in enumerate(row.line_up)
            if at != seat
        ]
        found.append(
            OwnMatch(
                match_id=row.match_id,
                deal=row.deal,
                seat=seat,
                place=None if row.void else row.places[seat],
                score=None if row.void else row.scores[seat],
                opponents=tuple(others),
                verdict=row.verdicts[seat] if row.verdicts else "",
                longest_ms=row.max_ms[seat] if row.max_ms else None,
            )
        )
    return found


def _absent(student: Student, played: Played | None) -> str:
    if played is None or student.submission is None:
        return ""
    name = run_name(student, played)
    if not name:
        return "what was handed in came after this round had begun"
    return played.snapshot.plan.excluded.get(name, "")


def _here(text: str, folder: str) -> str:
    return text.replace(folder, ".") if folder else text
