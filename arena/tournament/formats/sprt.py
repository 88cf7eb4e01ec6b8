"""SPRT: block after block between two entrants until the results say which of two Elo differences is true.

The test itself is `arena.ratings.sprt`; its sample is a block. At a table of more than two seats the two share the
seats as evenly as they can, in all arrangements in turn. The decision is taken over whole blocks in the order of
the plan, so it is the same with any number of slots; what was played ahead of it does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from arena.errors import Problem
from arena.ratings.rows import Result
from arena.ratings.sprt import Decision, Hypotheses, SprtState, block_score, run_sprt
from arena.tournament.formats.api import DONE, Answer, Field, Format, Pairing, Played, Schedule, Setting
from arena.tournament.formats.round_robin import int_setting

Decide = Callable[[Sequence[float]], SprtState]  #: where the test stands after these scores of blocks


class Sprt(Format):
    """Asks whether the first entrant is stronger than the second."""

    name = "sprt"
    summary = "is the new version stronger than the old: stops by itself as soon as that is known"
    settings = (
        Setting(name="elo0", default=0.0, help="H0: the first entrant is so much stronger than the second"),
        Setting(name="elo1", default=20.0, help="H1: the first entrant is so much stronger than the second"),
        Setting(name="alpha", default=0.05, minimum=0.0001, maximum=0.49, help="chance of accepting H1 if H0 is true"),
        Setting(name="beta", default=0.05, minimum=0.0001, maximum=0.49, help="chance of accepting H0 if H1 is true"),
        Setting(name="deals", default=1_000, minimum=1, help="so many blocks are played at most"),
    )

    def check(self, field: Field) -> list[Problem]:
        """Refuse other than two entrants, and hypotheses the wrong way round."""
        problems = []
        if len(field.entrants) != 2:
            problems.append(Problem("name", f"sprt compares two entrants, there are {len(field.entrants)}"))
        if field.bots and (field.seats > 2 or len(set(field.bots.values())) < 2):
            problems.append(Problem("", "one bot would sit twice at a table; set allow_self_play = true"))
        elo0, elo1 = _number(field, "elo0"), _number(field, "elo1")
        if not elo0 < elo1:
            problems.append(Problem("elo1", f"must be above elo0 = {elo0:g}, not {elo1:g}"))
        return problems

    def schedule(self, field: Field) -> Schedule:
        """Return the schedule before the first block."""
        hypotheses = Hypotheses(**{name: _number(field, name) for name in ("elo0", "elo1", "alpha", "beta")})
        return SprtSchedule(field, lambda scores: run_sprt(scores, hypotheses, (0.0,) * field.seats))

    def continued(self, fields: Sequence[Field]) -> Schedule | None:
        """Go on with more deals; nothing else can change under a begun test."""
        deals = [int_setting(field, "deals") for field in fields]
        same = all(
            field.entrants == fields[0].entrants
            and {**field.settings, "deals": 0} == {**fields[0].settings, "deals": 0}
            for field in fields
        )
        return self.schedule(fields[-1]) if same and deals == sorted(deals) else None

    def notes(self, field: Field) -> list[str]:
        """Say what is tested."""
        one, other = field.entrants
        elo0, elo1 = _number(field, "elo0"), _number(field, "elo1")
        return [
            f"is {one} stronger than {other} by {elo0:g} (H0) or by {elo1:g} Elo (H1)?",
            f"the test stops by itself, after {int_setting(field, 'deals'):,} blocks at the latest",
        ]


class SprtSchedule(Schedule):
    """Hands out blocks until the test has decided."""

    def __init__(self, field: Field, decide: Decide) -> None:
        self._candidate = field.entrants[0]
        self._blocks = _blocks(field)
        self._queue: list[Pairing] = []
        self._issued: list[int] = []  #: sizes of the blocks handed out and not yet heard of in full
        self._heard: list[Played] = []  #: of the first of those
        self._decide = decide
        self._scores: list[float] = []
        self._settled = 0
        self._test = decide([])
        self.total = sum(len(block) for block in _blocks(field))

    def next(self) -> Answer:
        """Return the next pairing, ahead of the decision; `DONE` once it has fallen."""
        if self.counted is not None:
            return DONE
        if not self._queue:
            self._queue = next(self._blocks, [])[::-1]
            if not self._queue:
                return DONE
            self._issued.append(len(self._queue))
        return self._queue.pop()

    def result(self, played: Played) -> None:
        """Take a result; after the last of a block, test."""
        if self.counted is not None:
            return
        self._settled += 1
        self._heard.append(played)
        if len(self._heard) == self._issued[0]:
            self._issued.pop(0)
            block, self._heard = self._heard, []
            self._take(block)

    def disabled(self, entrant: str) -> None:
        """End: there is nobody left to compare."""
        del entrant
        self.counted = self._settled

    def state(self) -> str:
        """Say where the test stands."""
        test = self._test
        decision: str = test.decision
        if test.decision is Decision.CONTINUE and self.counted is not None:
            decision = "undecided, for one of the two was disabled"
        elif test.decision is Decision.CONTINUE and self._settled == self.total:
            decision = "undecided, and all `deals` are played; raise `deals` to go on"
        return (
            f"log-likelihood ratio {test.llr:.2f} between {test.lower:.2f} (H0) and {test.upper:.2f} (H1) "
            f"after {len(self._scores)} blocks: {decision}"
        )

    def _take(self, block: list[Played]) -> None:
        """Test with one more block; one with a match that was set aside is left out."""
        if not all(played.has_result for played in block):
            return
        results = [
            Result(
                line_up=played.pairing.line_up,
                places=played.places,
                block=played.pairing.block,
                deal=played.pairing.deal,
                forfeited=played.forfeited,
            )
            for played in block
        ]
        score = block_score(results, self._candidate)
        assert score is not None, "both sit at every table"
        self._scores.append(score)
        self._test = self._decide(self._scores)
        if self._test.decision is not Decision.CONTINUE:
            self.counted = self._settled


@lru_cache
def arrangements(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the different circles of 0s and 1s that two entrants can sit in, as evenly as possible."""
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for ones in sorted({seats // 2, seats - seats // 2}):
        for places in combinations(range(seats), ones):
            circle = tuple(int(seat in places) for seat in range(seats))
            found.setdefault(min(_rotations(circle)), circle)
    return tuple(found)


def _rotations(circle: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the different rotations of a circle."""
    return list(dict.fromkeys(circle[turn:] + circle[:turn] for turn in range(len(circle))))


def _blocks(field: Field) -> Iterator[list[Pairing]]:
    """Yield the blocks: a deal in all different rotations of one arrangement; both mirror images come in turn."""
    circles = arrangements(field.seats)
    for deal in range(int_setting(field, "deals")):
        block = f"d{deal:04d}"
        yield [
            Pairing(
                match_id=f"{block}-s{rotation}",
                line_up=tuple(field.entrants[one] for one in seated),
                deal=deal,
                block=block,
                rotation=rotation,
            )
            for rotation, seated in enumerate(_rotations(circles[deal % len(circles)]))
        ]


def _number(field: Field, name: str) -> float:
    value = field.settings[name]
    assert isinstance(value, int | float), f"{name} was checked to be a number"
    return float(value)
