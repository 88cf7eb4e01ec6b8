"""A match in a few numbers: `MatchRow`, what tables and schedules read instead of whole records.

A row is a msgspec struct and not an attrs class because a run of 100,000 matches makes 100,000 of them: one costs
about 0.3 us to make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from arena.referee.record import Record, Request, Verdict


class MatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One stored match, as the tables see it; made by the store. Everything "by seat" has one entry for each seat.

    Only matches that count are handed over: none that is set aside or was not played. A void match is
    allowed (its `places` and `scores` are empty) and is counted in no column but the note beneath the table.
    """

    match_id: str
    line_up: tuple[str, ...]  #: names of the entrants by seat
    places: tuple[int, ...]  #: by seat, 1 is best; forfeiters share the last place. Empty when void
    scores: tuple[int, ...]  #: by seat. Empty when void
    block: str
    deal: int
    termination: str  #: a value of `arena.referee.record.Termination`
    categories: Mapping[str, tuple[int, ...]] = {}  #: points by category, each by seat
    forfeited: tuple[int, ...] = ()  #: seats, rising
    verdicts: tuple[str, ...] = ()  #: by seat: the verdict that forfeited it, "" for none. Empty: nobody forfeited
    strikes: tuple[int, ...] = ()  #: by seat: strikes spent. Empty: nobody spent any
    requests: tuple[int, ...] = ()  #: by seat: how many requests `mean_ms` is the mean of. Empty: unknown
    mean_ms: tuple[float, ...] = ()  #: by seat: mean time of a request; any value where `requests` is 0
    max_ms: tuple[float, ...] = ()  #: by seat: longest time of a request

    @property
    def void(self) -> bool:
        """Whether the match was ended by a referee error: it has no result."""
        return not self.places


def summarise(record: Record) -> MatchRow:
    """Return the row of a record."""
    seats = range(len(record.line_up))
    by_seat: list[list[Request]] = [[] for _ in seats]
    for request in record.requests:
        by_seat[request.seat].append(request)
    verdicts: dict[int, Verdict] = {fault.seat: fault.verdict for fault in record.faults if fault.forfeits}
    strikes = [sum(fault.seat == seat and not fault.forfeits for fault in record.faults) for seat in seats]
    return MatchRow(
        match_id=record.match_id,
        line_up=record.line_up,
        places=record.places,
        scores=record.scores,
        block=record.block,
        deal=record.deal,
        termination=record.termination.value,
        categories=record.categories,
        forfeited=record.forfeited,
        verdicts=tuple(verdicts[seat].value if seat in verdicts else "" for seat in seats) if verdicts else (),
        strikes=tuple(strikes) if any(strikes) else (),
        requests=tuple(map(len, by_seat)),
        mean_ms=tuple(_mean_ms(requests) for requests in by_seat),
        max_ms=tuple(max((request.wall_us for request in requests), default=0) / 1000 for requests in by_seat),
    )


def _mean_ms(requests: Sequence[Request]) -> float:
    return round(sum(request.wall_us for request in requests) / 1000 / len(requests), 3) if requests else 0.0
