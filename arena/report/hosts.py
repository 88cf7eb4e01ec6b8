"""The machines of a run: what each played, and whether results on one of them are odd. Pure; flags, never drops."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import attrs

from arena.ratings import MatchRow, Ratings, fit
from arena.referee.record import Verdict
from arena.tournament.store import PlayedOn

LUCK = 0.05  #: a host is odd when chance gives something so odd, among all looked at, less often than this
ENOUGH_BLOCKS = 5  #: of an entrant on a host; with fewer nothing is said about its results there


@attrs.frozen(kw_only=True)
class HostRow:
    """One machine."""

    machine: str
    processor: str
    cores: int
    speed: tuple[float, float]  #: lowest and highest measured, see `arena.referee.speed`
    rungs: tuple[str, ...]  #: of the sandbox that matches were played on, most often one
    slots: int  #: different ones that were used
    matches: int
    mean_s: float  #: of a match
    seats: int  #: played there
    time_losses: int  #: seats that forfeited by their clock
    odd: tuple[str, ...]  #: what is odd here, one sentence each


@attrs.define
class _Tally:
    """Results of an entrant on a machine against what its ratings promise."""

    won: float = 0.0
    expected: float = 0.0
    variance: float = 0.0
    by_block: dict[str, float] = attrs.field(factory=lambda: defaultdict(float))

    @property
    def chance(self) -> float:
        """Probability of a difference so large, either way, by luck."""
        spread = math.sqrt(max(self.variance, sum(excess**2 for excess in self.by_block.values())))
        return math.erfc(abs(self.won - self.expected) / spread / math.sqrt(2)) if spread else 1.0


def host_rows(rows: Sequence[MatchRow], played_on: Mapping[str, PlayedOn]) -> tuple[HostRow, ...]:
    """Return the machines of a run, the one with the most matches first.

    A host is odd when more seats lose by time there than its share of all such losses makes likely, or when an entrant
    does better or worse there than its ratings over the whole run explain. Chances are multiplied by the number of
    questions (Bonferroni). The ratings contain the very difference that is looked for, so the test errs on the side
    of silence.
    """
    by_machine: dict[str, list[MatchRow]] = defaultdict(list)
    for row in rows:
        by_machine[played_on[row.match_id].host.machine].append(row)
    odd = _odd_times(by_machine)
    for machine, sentences in _odd_results(by_machine, fit(rows)).items() if len(by_machine) > 1 else ():
        odd[machine] += sentences
    found = [
        _row(machine, own, [played_on[row.match_id] for row in own], odd[machine])
        for machine, own in by_machine.items()
    ]
    return tuple(sorted(found, key=lambda row: (-row.matches, row.machine)))


def _row(machine: str, rows: Sequence[MatchRow], places: Sequence[PlayedOn], odd: Sequence[str]) -> HostRow:
    hosts = [place.host for place in places]
    speeds = [host.speed for host in hosts]
    return HostRow(
        machine=machine,
        processor=hosts[-1].processor,
        cores=hosts[-1].machine_cores,
        speed=(min(speeds), max(speeds)),
        rungs=tuple(sorted({host.rung for host in hosts})),
        slots=len({place.slot for place in places}),
        matches=len(rows),
        mean_s=sum(place.wall_ms for place in places) / 1000 / len(places),
        seats=_seats(rows),
        time_losses=_time_losses(rows),
        odd=tuple(odd),
    )


def _seats(rows: Sequence[MatchRow]) -> int:
    return sum(len(row.line_up) for row in rows)


def _time_losses(rows: Sequence[MatchRow]) -> int:
    return sum(row.verdicts.count(Verdict.TIMEOUT.value) for row in rows)


def _odd_times(by_machine: Mapping[str, Sequence[MatchRow]]) -> dict[str, list[str]]:
    losses = sum(map(_time_losses, by_machine.values()))
    seats = sum(map(_seats, by_machine.values()))
    odd: dict[str, list[str]] = {machine: [] for machine in by_machine}
    for machine, rows in by_machine.items():
        own, share = _time_losses(rows), _seats(rows) / seats
        chance = _at_least(own, losses, share) * len(by_machine)
        if own and chance < LUCK:
            odd[machine].append(
                f"{own} of {losses} losses by time, where its share of the seats is {share:.0%}"
                f" (by luck: {_percent(chance)})"
            )
    return odd


def _at_least(number: int, of: int, share: float) -> float:
    """Return the probability that of so many events, each here with probability `share`, at least `number` are."""
    if share >= 1 or not number:
        return 1.0
    logs = (
        math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1)
        + k * math.log(share) + (of - k) * math.log1p(-share)
        for k in range(number, of + 1)
    )  # fmt: skip
    return min(1.0, math.fsum(map(math.exp, logs)))


def _odd_results(by_machine: Mapping[str, Sequence[MatchRow]], ratings: Ratings) -> dict[str, list[str]]:
    tallies: dict[tuple[str, str], _Tally] = defaultdict(_Tally)
    for machine, rows in by_machine.items():
        for row in rows:
            if not row.void:
                _count(tallies, machine, row, ratings)
    judged = {key: tally for key, tally in tallies.items() if len(tally.by_block) >= ENOUGH_BLOCKS}
    odd: dict[str, list[str]] = defaultdict(list)
    for (machine, entrant), tally in sorted(judged.items()):
        chance = tally.chance * len(judged)
        if chance < LUCK:
            what = "more" if tally.won > tally.expected else "less"
            odd[machine].append(
                f"{entrant} wins {what} here: {tally.won:.1f} comparisons, {tally.expected:.1f} by its ratings"
                f" (by luck: {_percent(chance)})"
            )
    return odd


def _count(tallies: dict[tuple[str, str], _Tally], machine: str, row: MatchRow, ratings: Ratings) -> None:
    fitted, seats = ratings.fitted, len(row.line_up)
    first = fitted.design.seat_parameter(seats, 0)
    strength = [
        fitted.parameters[fitted.index(name)] + fitted.parameters[first + seat] for seat, name in enumerate(row.line_up)
    ]
    for one in range(seats):
        tally = tallies[machine, row.line_up[one]]
        for other in range(seats):
            both_out = one in row.forfeited and other in row.forfeited
            if one == other or both_out or row.line_up[one] == row.line_up[other]:
                continue
            won = (row.places[one] < row.places[other]) + (row.places[one] == row.places[other]) / 2
            chance = 1 / (1 + math.exp(strength[other] - strength[one]))
            tally.won += won
            tally.expected += chance
            tally.variance += chance * (1 - chance)
            tally.by_block[row.block] += won - chance


def _percent(chance: float) -> str:
    return f"{chance:.1%}" if chance >= 0.001 else "under 0.1%"
