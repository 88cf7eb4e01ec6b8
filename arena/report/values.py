"""What the tables of a run say, as values: plain attrs classes that msgspec turns into JSON as they are.

A number that the results can't give is None and prints as "n/a". Elo is described in `arena.ratings.fit`; every
`plus_minus` is half a 95 % interval. A *seat played* is one entrant at one seat in one match with a result: who sits
at two seats of a table has played two. Shares lie between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen(kw_only=True)
class StandingRow:
    """One entrant in the standings. `wins` + `ties` + `losses` = `matches`."""

    rank: int | None  #: within its group; None without a rating
    entrant: str
    group: int  #: ratings compare within a group only; 0 is the largest
    elo: float | None
    plus_minus: float | None  #: against the anchor when there is one, else against the mean of its group
    matches: int  #: seats played
    mean_place: float | None
    wins: int  #: first, alone
    ties: int  #: first, shared
    losses: int  #: everything else; a forfeit is always here
    forfeits: int  #: a part of `losses`
    mean_score: float | None  #: in matches without any forfeit
    faults: Mapping[str, int]  #: forfeits by verdict
    strikes: int
    mean_ms: float | None  #: of all its requests
    max_ms: float | None
    clusters: int  #: deals (or blocks) it has played in


@attrs.frozen(kw_only=True)
class PairRow:
    """How often one entrant was before another: "`one` over `other`"."""

    one: str
    other: str
    meetings: int  #: pairs of their seats at one table, without those that both forfeited
    share: float | None  #: of the meetings in which `one` was before `other`, a tie half
    superiority: float | None  #: likelihood that `one` is the stronger by the ratings


@attrs.frozen(kw_only=True)
class SeatRow:
    """What sitting at one seat is worth."""

    table_size: int
    seat: int  #: 0-based
    matches: int
    wins: float  #: share of matches, a shared first place counts as its part
    wins_plus_minus: float | None
    mean_place: float
    elo: float | None  #: against the mean of the table's seats; None without seat terms
    elo_plus_minus: float | None


@attrs.frozen(kw_only=True)
class OddPairRow:
    """A pair whose results at shared tables are better for `entrant` than the ratings explain."""

    entrant: str
    partner: str
    against: str  #: "partner": it beats the partner more often; "others": it beats third seats more often beside it
    meetings: int  #: pairs of seats that were compared
    expected: float  #: share of the meetings won by the ratings
    observed: float  #: share won, a tie half
    plus_minus: float  #: of `observed` - `expected`
    chance: float  #: probability of an excess so large by luck, times the number of pairs looked at


@attrs.frozen(kw_only=True)
class CategoryRow:
    """What an entrant scores with: mean points by category in matches without any forfeit."""

    entrant: str
    matches: int
    means: Mapping[str, float]
    total: float


@attrs.frozen(kw_only=True)
class Tables:
    """All tables of a run, and the sentences beneath them."""

    sections: tuple[str, ...]  #: that were made; what only others need is empty
    standings: tuple[StandingRow, ...]  #: by group, then from the best; entrants without a result last
    pairs: tuple[PairRow, ...]  #: every ordered pair, in the order of the standings
    seats: tuple[SeatRow, ...]
    odd_pairs: tuple[OddPairRow, ...]  #: the least likely first
    pairs_looked_at: int
    categories: tuple[CategoryRow, ...]  #: in the order of the standings; empty when the game has none
    anchor: str | None
    groups: int
    matches: int  #: with a result
    void: int  #: matches without one
    clean: bool  #: whether matches with a forfeit were left out
    clustered_by: str  #: "deal" or "block": what counts as one sample in every interval
    clusters: int
    notes: tuple[str, ...]
