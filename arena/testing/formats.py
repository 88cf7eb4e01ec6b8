"""The conformance kit for tournament formats: `check_format` plays made-up results and checks every promise.

In a test of your own format::

    def test_my_format_keeps_its_promises() -> None:
        check_format(MyFormat())

What is broken is an `AssertionError` that names the promise and the field that shows it.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

import attrs

from arena.tournament.formats.api import DONE, WAIT, Field, Format, Pairing, Played, Schedule, SettingValue

MATCH_ID = re.compile(r"[A-Za-z0-9-]{1,60}")
FIELDS = ((2, 2), (5, 2), (8, 2), (3, 3), (7, 3), (4, 4), (6, 4))  #: (entrants, seats) tried unless told
AT_MOST = 20_000  #: pairings of one simulated tournament


@attrs.frozen(kw_only=True)
class Course:
    """A simulated tournament."""

    pairings: tuple[Pairing, ...]  #: that count, in order
    played: tuple[Played, ...]  #: their results


def check_format(
    format_: Format,
    *,
    fields: Sequence[tuple[int, int]] = FIELDS,
    settings: Mapping[str, SettingValue] | None = None,
    seed: int = 0,
) -> None:
    """Check a format; raise `AssertionError` at the first promise that is broken.

    Args:
        format_: what is checked.
        fields: numbers of entrants and seats to try; those that `Format.check` objects to are left out, but not all.
        settings: of the format, over its defaults.
        seed: of the made-up results.
    """
    _check_settings(format_)
    tried = 0
    for entrants, seats in fields:
        for bots in ({}, {f"e{number:02d}": f"e{number // 2:02d}" for number in range(entrants)}):
            field = make_field(format_, entrants, seats, settings or {}, bots)
            if not format_.check(field):
                tried += 1
                _check_field(format_, field, seed)
    _promise(tried > 0, format_, None, "accepts at least one of the fields that were tried")


def make_field(
    format_: Format,
    entrants: int,
    seats: int,
    settings: Mapping[str, SettingValue] | None = None,
    bots: Mapping[str, str] | None = None,
) -> Field:
    """Return a field of entrants `e00`, `e01`, ..., with the defaults of a format's settings under `settings`."""
    complete = {setting.name: setting.default for setting in format_.settings} | dict(settings or {})
    names = tuple(f"e{number:02d}" for number in range(entrants))
    return Field(entrants=names, seats=seats, settings=complete, bots=bots or {})


def made_up(pairing: Pairing, seed: int = 0, strengths: Mapping[str, float] | None = None) -> Played:
    """Return a result for a pairing that depends on nothing but the arguments; ties and forfeits occur.

    `strengths` are mean points (0 unless given) of entrants; noise has a standard deviation of 10 points.
    """
    dice = random.Random(f"{seed} {pairing.match_id} {pairing.line_up}")
    forfeited = tuple(seat for seat in range(len(pairing.line_up)) if dice.random() < 0.02)
    points = [round((strengths or {}).get(name, 0.0) + dice.gauss(0, 10)) for name in pairing.line_up]
    keys = [(seat in forfeited, -point if seat not in forfeited else 0) for seat, point in enumerate(points)]
    places = [1 + sum(other < mine for other in keys) for mine in keys]
    last = [len(places) if seat in forfeited else place for seat, place in enumerate(places)]
    return Played(pairing=pairing, places=tuple(last), scores=tuple(points), forfeited=forfeited)


def simulate(
    schedule: Schedule,
    *,
    ahead: int = 1,
    seed: int = 0,
    strengths: Mapping[str, float] | None = None,
    disable: Mapping[int, str] | None = None,
    at_most: int = AT_MOST,
) -> Course:
    """Play a schedule to its end with made-up results, as the director does.

    Args:
        schedule: a new one.
        ahead: so many pairings are handed out before the result of the first of them is handed back, if it lets us.
        seed: see `made_up`.
        strengths: see `made_up`.
        disable: entrants to disable, by the number of results before.
        at_most: so many pairings; more are an `AssertionError`.
    """
    open_pairings: deque[Pairing] = deque()
    pairings, played, gone = list[Pairing](), list[Played](), set[str]()
    while True:
        answer = schedule.next() if len(open_pairings) < ahead else WAIT
        if isinstance(answer, Pairing):
            assert len(pairings) < at_most, f"more than {at_most:,} pairings: does it ever end?"
            pairings.append(answer)
            open_pairings.append(answer)
            continue
        if not open_pairings:
            assert answer is DONE, "answers `WAIT` although every result is in"
            assert schedule.next() is DONE, "answers something else after `DONE`"
            break
        pairing = open_pairings.popleft()
        absent = any(name in gone for name in pairing.line_up)
        end = schedule.counted
        dropped = absent or (end is not None and len(played) >= end)
        played.append(Played(pairing=pairing) if dropped else made_up(pairing, seed, strengths))
        schedule.result(played[-1])
        leaving = (disable or {}).get(len(played))
        if leaving is not None:
            gone.add(leaving)
            schedule.disabled(leaving)
    end = len(pairings) if schedule.counted is None else schedule.counted
    assert end <= len(pairings), f"counts {end} pairings, but has handed out only {len(pairings)}"
    return Course(pairings=tuple(pairings[:end]), played=tuple(played[:end]))


def _check_settings(format_: Format) -> None:
    names = [setting.name for setting in format_.settings]
    _promise(bool(re.fullmatch(r"[a-z0-9-]+", format_.name)), format_, None, "has a name in lower case and dashes")
    _promise(len(set(names)) == len(names) and "name" not in names, format_, None, "has settings of different names")
    for setting in format_.settings:
        number = setting.default
        if isinstance(number, (int, float)):
            low = setting.minimum is None or setting.minimum <= number
            high = setting.maximum is None or number <= setting.maximum
            _promise(low and high, format_, None, f"has a default of {setting.name} within its own bounds")


def _check_field(format_: Format, field: Field, seed: int) -> None:
    course = simulate(format_.schedule(field), ahead=1, seed=seed)
    _promise(bool(course.pairings), format_, field, "plays something")
    _check_pairings(format_, field, course.pairings)
    _check_blocks(format_, field, course.pairings)
    for ahead in (1, 2, 7, AT_MOST):
        again = simulate(format_.schedule(field), ahead=ahead, seed=seed)
        _promise(again == course, format_, field, f"plays the same with {ahead} pairings handed out ahead")
    _check_total(format_, field, len(course.pairings))
    _check_disabling(format_, field, len(course.pairings), seed)
    continued = format_.continued([field])
    _promise(continued is not None, format_, field, "can be continued without any change")
    if continued is not None:
        _promise(simulate(continued, seed=seed) == course, format_, field, "continues without a change as it began")
    _promise(all(format_.notes(field)), format_, field, "has sentences as notes")


def _check_pairings(format_: Format, field: Field, pairings: Sequence[Pairing]) -> None:
    ids = [pairing.match_id for pairing in pairings]
    _promise(len(set(ids)) == len(ids), format_, field, "gives every match an id of its own")
    for pairing in pairings:
        names = pairing.line_up
        _promise(bool(MATCH_ID.fullmatch(pairing.match_id)), format_, field, f"has ids that match {MATCH_ID.pattern}")
        _promise(len(names) == field.seats, format_, field, "fills every seat")
        _promise(set(names) <= set(field.entrants), format_, field, "seats entrants of the field only")
        _promise(pairing.deal >= 0, format_, field, "counts deals from 0")
        met = all(field.may_meet(one, other) for one, other in combinations(set(names), 2))
        _promise(met, format_, field, f"keeps entrants of one bot apart, but pairs {names}")


def _check_blocks(format_: Format, field: Field, pairings: Sequence[Pairing]) -> None:
    by_block: defaultdict[str, list[Pairing]] = defaultdict(list)
    changes = 0
    for before, pairing in zip((None, *pairings), pairings, strict=False):
        changes += before is None or before.block != pairing.block
        by_block[pairing.block].append(pairing)
    _promise(changes == len(by_block), format_, field, "hands out the pairings of a block one after the other")
    for block, members in by_block.items():
        _promise(len({one.deal for one in members}) == 1, format_, field, f"plays one deal in block {block}")
        rotations = [one.rotation for one in members]
        _promise(len(set(rotations)) == len(rotations), format_, field, f"numbers the rotations of block {block}")
        circles = {min(_turned(one.line_up)) for one in members}
        _promise(len(circles) == 1, format_, field, f"keeps one cyclic order in block {block}")
        by_seat = [Counter(sitting) for sitting in zip(*(one.line_up for one in members), strict=True)]
        fair = all(counts == by_seat[0] for counts in by_seat)
        _promise(fair, format_, field, f"seats everybody equally often at every seat in block {block}")


def _turned(line_up: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (line_up[turn:] + line_up[:turn] for turn in range(len(line_up)))


def _check_total(format_: Format, field: Field, played: int) -> None:
    total = format_.schedule(field).total
    _promise(total is None or total >= played, format_, field, f"plays no more than its total of {total}")


def _check_disabling(format_: Format, field: Field, played: int, seed: int) -> None:
    """Whoever is disabled, at whatever time: it ends, and the same way however far ahead."""
    for name in islice(field.entrants, 3):
        disable = {max(1, played // 3): name}
        course = simulate(format_.schedule(field), ahead=1, seed=seed, disable=disable)
        again = simulate(format_.schedule(field), ahead=5, seed=seed, disable=disable)
        _promise(course == again, format_, field, f"plays the same 1 and 5 ahead when {name} is disabled")


def _promise(kept: bool, format_: Format, field: Field | None, promise: str) -> None:
    where = "" if field is None else f" with {len(field.entrants)} entrants at {field.seats} seats"
    assert kept, f"{format_.name}{where} breaks a promise: it {promise}"
