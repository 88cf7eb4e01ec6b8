"""What a seat can hope for: festivals on its way, local performances, and what castellers and skills add to that.

Everything is counted in points at the end of the match. Nothing here looks at a clock or at the order of the bag.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import attrs

from arena.games.castell.scoring import points_of, regions_won
from arena.games.castell.state import Festival, State
from arena.games.castell.tables import Tables


@attrs.frozen(kw_only=True)
class Weights:
    """What is guessed and not worked out; found by playing, see docs/castell-for-bot-authors.md."""

    growth: float = 0.8  #: by how much a best tower grows in a round
    spread: float = 1.0  #: how uncertain a difference of tower scores is, in the same round
    spread_growth: float = 0.7  #: and by how much more with each round ahead
    attends: float = 0.45  #: chance that an opponent who can reach a later festival is there
    best_share: float = 0.5  #: share of a better festival score that is counted, as there will be other festivals
    later: float = 0.93  #: discount for each round ahead
    rank: float = 0.9  #: a rank, in the first round; falls to 0 in the last
    tall: float = 0.8  #: more for a rank of balance, base or width, which make towers higher
    casteller: float = 0.45
    shown: float = 0.5  #: having a casteller of a size that a coming festival shows
    token: float = 1.6  #: a special action token in the first round
    tile: float = 0.45  #: share of the points of a tile that could be performed now, one move away or nearer
    tile_far: float = 0.25  #: the same further away
    tile_path: float = 0.5  #: share of the points of a tile on the way


WEIGHTS = Weights()


@lru_cache(maxsize=16)
def distances(tables: Tables) -> tuple[tuple[int, ...], ...]:
    """Return the moves between any two regions; the last row, index -1, is off the board."""
    count = len(tables.names)
    rows = []
    for start in range(count):
        row, edge = [99] * count, [start]
        row[start] = 0
        while edge:
            found = [b for a in edge for b in tables.neighbours[a] if row[b] == 99]
            for b in found:
                row[b] = min(row[edge[0]] + 1, row[b])
            edge = list(dict.fromkeys(found))
        rows.append(tuple(row))
    return (*rows, (1,) * count)


def variety_gain(state: State, seat: int) -> float:
    """Return what one more region is worth: the mean of the next two steps of the table."""
    table = state.deal.tables.edition.variety
    now = regions_won(state, seat)
    ahead = min(now + 2, len(table) - 1)
    return (table[ahead] - table[now]) / max(1, ahead - now)


class Outlook:
    """The prospects of one seat, worked out at the beginning of its turn."""

    def __init__(
        self, state: State, seat: int, weights: Weights = WEIGHTS, check: Callable[[], None] = lambda: None
    ) -> None:
        """Look ahead for `seat`; `check` is called before every costly step and may raise."""
        self.weights, self.seat, self.round, self.check = weights, seat, state.round, check
        self.deal, self.tables = state.deal, state.deal.tables
        self.edition = self.tables.edition
        self.left = (self.edition.rounds - state.round) / (self.edition.rounds - 1)
        self.distance = distances(self.tables)
        self.root = state
        self.won_regions = {region for _, region in (*state.prizes[seat], *state.won[seat])}
        self.sizes_won = {size for size, _ in state.size_tokens[seat]}
        self.variety = variety_gain(state, seat)
        self.best = state.best[seat]
        held = self.edition.held_per_round[state.seats]
        self.coming = [
            index
            for number in range(state.round, self.edition.rounds + 1)
            for index in self.deal.by_round[number][:held]
        ]
        self.rivals = [other for other in range(state.seats) if other != seat]
        self.acted = set(self.tables.orders[state.first][: state.turn])
        self.rival_scores: dict[int, list[float | None]] = {
            index: [self._score(state.teams[o], state.ranks[o], self.deal.festivals[index]) for o in self.rivals]
            for index in self.coming
        }
        self._hopes: dict[tuple[int, int, tuple[int, ...]], float] = {}
        self._worths: dict[tuple[int, tuple[int, ...]], float] = {}
        self.way = self._way(state.teams[seat], state.ranks[seat])
        self.aims = self._aims()
        self.tiles = self._tiles()
        team, ranks = state.teams[seat], state.ranks[seat]
        self.start = sum(self.hope(index, team, ranks) for index in self.aims)  # counted on the way already

    def value(self, state: State) -> float:
        """Return what a state later in this turn is worth, as if the turn ended there."""
        seat = self.seat
        pawn = state.pawns[seat]
        value = sum(points_of(state, seat)) + self.weights.token * self.left * state.tokens[seat]
        value += self.worth(state.teams[seat], state.ranks[seat]) - self.start
        return value + (self.way[0][pawn] if pawn >= 0 else -9.0) + self.new_regions(state)

    def new_regions(self, state: State) -> float:
        """Return what regions won since the beginning are worth beyond the points that they count for already."""
        gained = regions_won(state, self.seat) - len(self.won_regions)
        if not gained:
            return 0.0
        table = self.edition.variety
        now = len(self.won_regions)
        return gained * self.variety - (table[now + gained] - table[now])

    def worth(self, team: int, ranks: tuple[int, ...]) -> float:
        """Return what a team and its ranks promise."""
        key = (team, ranks)
        found = self._worths.get(key)
        if found is None:
            self.check()
            found = self._worths[key] = self._worth(team, ranks)
        return found

    def _worth(self, team: int, ranks: tuple[int, ...]) -> float:
        w, left = self.weights, self.left
        counts = self.tables.counts(team)
        value = left * w.rank * sum(math.sqrt(rank) for rank in ranks)
        value += left * w.tall * math.sqrt(ranks[0] + ranks[1] + ranks[4])
        value += left * w.casteller * sum(math.sqrt(count) for count in counts)
        for index in self.aims:
            festival = self.deal.festivals[index]
            value += self.hope(index, team, ranks)
            value += left * w.shown * sum(counts[size - 1] > 0 for size in set(festival.sizes)) / len(self.aims)
        for tile, share in self.tiles:
            if self.tables.perform(tile, team, ranks):
                value += share
        return value

    def hope(self, index: int, team: int, ranks: tuple[int, ...]) -> float:
        """Return the points to be hoped for at a festival, if the pawn is there."""
        key = (index, team, ranks)
        found = self._hopes.get(key)
        if found is None:
            self.check()
            found = self._hopes[key] = self._hope(index, team, ranks)
        return found

    def _hope(self, index: int, team: int, ranks: tuple[int, ...]) -> float:
        w, festival = self.weights, self.deal.festivals[index]
        ahead = festival.round - self.round
        score: float | None = self._score(team, ranks, festival)
        if score is None:
            if not ahead:
                return 0.0
            builds, score = min(0.8, 0.25 * ahead), 5.5
        else:
            builds = 1.0
        mine = score + w.growth * ahead
        beaten = self._beaten(index, mine, ahead)
        row = self.edition.prizes[len(self.rivals) + 1]
        points = self.edition.prize_points
        hope = sum(points[kind] * chance for kind, chance in zip(row, beaten, strict=False))
        if festival.region not in self.won_regions:
            hope += self.variety * sum(beaten[: len(row)])
        hope += self._token_hope(festival, team, index, ahead)
        hope += w.best_share * max(0.0, mine - self.best)
        return builds * hope * w.later**ahead

    def _beaten(self, index: int, mine: float, ahead: int) -> list[float]:
        """Return the chances that no, one, two, ... rivals build a better tower."""
        w = self.weights
        chances = [1.0]
        spread = w.spread + w.spread_growth * ahead
        for rival, score in zip(self.rivals, self.rival_scores[index], strict=True):
            there = self._attends(rival, self.deal.festivals[index], ahead)
            if score is None:
                if not ahead:
                    continue
                score = 4.5
            better = there / (1 + math.exp(min(50.0, (mine - score - w.growth * ahead) / spread)))
            chances = [
                (chances[i] if i < len(chances) else 0.0) * (1 - better) + (chances[i - 1] * better if i else 0.0)
                for i in range(len(chances) + 1)
            ]
        return chances

    def _attends(self, rival: int, festival: Festival, ahead: int) -> float:
        far = self.distance[self.root.pawns[rival]][festival.region]
        if ahead:
            return self.weights.attends if far <= ahead + 1 else 0.0
        if rival in self.acted:
            return float(far == 0)
        return 0.8 if far == 0 else 0.5 if far == 1 else 0.1 if far == 2 else 0.0

    def _token_hope(self, festival: Festival, team: int, index: int, ahead: int) -> float:
        mine, hope = self.tables.counts(team), 0.0
        for size in festival.sizes:
            chance = 1.0
            for rival, score in zip(self.rivals, self.rival_scores[index], strict=True):
                if score is None and not ahead:
                    continue
                theirs = self.tables.counts(self.root.teams[rival])[size - 1]
                lead = mine[size - 1] - theirs
                loses = 0.15 if lead > 0 else 0.5 if lead == 0 else 0.85
                chance *= 1 - loses * self._attends(rival, festival, ahead)
            new = size not in self.sizes_won
            hope += chance * (self.edition.size_token_first if new else self.edition.size_token_repeat)
        return hope

    def _score(self, team: int, ranks: tuple[int, ...], festival: Festival) -> int | None:
        found = self.tables.compete(team, ranks, festival.sizes)
        if found is None:
            return None
        shown = festival.sizes
        return len(found.tower) + sum(size in shown for level in found.tower for size in level)

    def _way(self, team: int, ranks: tuple[int, ...]) -> list[list[float]]:
        """Return by round (entry 0 is this one) and region what is still to be hoped for from there on."""
        count, rounds = len(self.tables.names), self.edition.rounds
        gains = {number: [0.0] * count for number in range(self.round, rounds + 1)}
        for index in self.coming:
            festival = self.deal.festivals[index]
            gains[festival.round][festival.region] = self.hope(index, team, ranks)
        local = self._local(team, ranks)
        way = [[0.0] * count]
        for number in range(rounds, self.round - 1, -1):
            after = way[0]
            here = []
            for region in range(count):
                moves = [after[to] + (local[to] if number < rounds else 0.0) for to in self.tables.neighbours[region]]
                here.append(gains[number][region] + max(after[region], *moves))
            way.insert(0, here)
        return way

    def _local(self, team: int, ranks: tuple[int, ...]) -> list[float]:
        """Return by region what its best tile adds to coming there."""
        if not self.root.tokens[self.seat]:
            return [0.0] * len(self.tables.names)
        values = []
        for region, row in enumerate(self.root.rows):
            new = self.variety if region not in self.won_regions else 0.0
            ready = [
                self.edition.tiles[tile - 1].points + new for tile in row if self.tables.perform(tile, team, ranks)
            ]
            laid = sum(self.root.laid[region].to_bytes(len(self.root.pawns), "little"))
            values.append(self.weights.tile_path * (max(ready) + laid) if ready else 0.0)
        return values

    def _aims(self) -> list[int]:
        """Return the festivals on the best way from where the pawn is."""
        pawn = self.root.pawns[self.seat]
        aims = []
        by_place = {(self.deal.festivals[i].round, self.deal.festivals[i].region): i for i in self.coming}
        reach = [pawn, *self.tables.neighbours[pawn]] if pawn >= 0 else list(range(len(self.tables.names)))
        for step in range(len(self.way) - 1):
            pawn = max(reach, key=lambda region, row=self.way[step]: row[region])  # type: ignore[misc]
            if (self.round + step, pawn) in by_place:
                aims.append(by_place[self.round + step, pawn])
            reach = [pawn, *self.tables.neighbours[pawn]]
        return aims[:4]

    def _tiles(self) -> list[tuple[int, float]]:
        """Return the tiles near enough to train for, with what being able to perform one is worth."""
        if not self.root.tokens[self.seat] or self.left <= 0:
            return []
        pawn, w = self.root.pawns[self.seat], self.weights
        found = []
        for region, row in enumerate(self.root.rows):
            far = self.distance[pawn][region]
            share = w.tile if far <= 1 else w.tile_far
            new = self.variety if region not in self.won_regions else 0.0
            found += [(tile, share * (self.edition.tiles[tile - 1].points + new)) for tile in row]
        return found
