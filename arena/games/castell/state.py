"""The full truth of a match of Castell: fast to copy, and changed only by `apply`.

Lists hold what most actions change and are copied; everything else is an int or an immutable tuple that copies share.
Regions are indices into the edition's list, -1 is off the board. Castellers are packed as in `tables`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeAlias

import attrs

from arena.errors import IllegalAction
from arena.games.api import Action, Json, Outcome
from arena.games.api import State as ApiState
from arena.games.castell import legality, scoring, view
from arena.games.castell.actions import (
    DECLINE,
    END,
    CastellAction,
    Compete,
    Decline,
    End,
    Move,
    Perform,
    Recruit,
    Special,
    Tower,
    Train,
)
from arena.games.castell.edition import Edition
from arena.games.castell.festival import award_prizes, token_winner
from arena.games.castell.legality import MOVED, NO_TURN, RECRUITED, SPENT, TRAINED
from arena.games.castell.tables import SPECIAL_KIND, Tables

#: Things won, each with the region where: (kind, size or tile number; region).
Won: TypeAlias = "tuple[tuple[Any, int], ...]"


@attrs.frozen(kw_only=True)
class Festival:
    """One space of the festival calendar."""

    round: int
    region: int
    sizes: tuple[int, ...]  #: of its tokens, rising; a size may be there twice


@attrs.frozen(kw_only=True, slots=False, eq=False)
class Deal:
    """What a deal fixes for the whole match; shared by all copies of a state."""

    tables: Tables
    bag: tuple[int, ...]  #: sizes in the order in which they are drawn
    ring: tuple[str, ...]  #: kinds of the wheel tiles; entry 0 faces slot 0 in round 1
    festivals: tuple[Festival, ...]  #: in calendar order
    spare: tuple[int, ...]  #: size tokens that no festival got, rising

    @cached_property
    def offers(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """By round (entry 0 is round 1) and region: the kinds that can be trained, rising."""
        return tuple(self.tables.offers(self.ring, number + 1) for number in range(self.tables.edition.rounds))

    @cached_property
    def by_round(self) -> dict[int, tuple[int, ...]]:
        """The festivals of each round as indices, in calendar order."""
        numbers = range(1, self.tables.edition.rounds + 1)
        return {n: tuple(i for i, festival in enumerate(self.festivals) if festival.round == n) for n in numbers}


class State(ApiState):
    """One match of Castell in progress.

    `legal_actions` and `options` list in this order: moves and recruits; what the wheel offers, skills before the free
    special action; paid special actions; `end`. Regions follow the edition, recruits go one before two and big before
    small, special actions recruit, move and perform, tiles rise, towers follow `enumeration.all_towers`. At a festival
    towers come before `decline`.
    """

    __slots__ = (
        "asked", "bag_at", "best", "built", "collected", "deal", "done", "festival", "first", "gone", "laid", "offers",
        "pawns", "prize_left", "prizes", "ranks", "regions", "round", "rows", "seat", "size_tokens", "teams", "tokens",
        "turn", "won",
    )  # fmt: skip

    deal: Deal
    bag_at: int  #: castellers of `deal.bag` already drawn
    round: int  #: from 1
    first: int  #: the seat with the first player marker
    turn: int  #: turns begun this round, minus one; the number of seats once all are over
    seat: int | None  #: who acts
    done: int  #: bits of what the player has done this turn
    offers: tuple[tuple[int, ...], ...]  #: by region, this round
    festival: int  #: index of the festival that is on, or -1
    asked: tuple[int, ...]  #: seats still to be asked at this festival after `seat`
    built: tuple[tuple[int, Tower], ...]  #: at this festival, in turn order
    regions: list[int]  #: castellers
    rows: list[tuple[int, ...]]  #: numbers of the tiles in each region, rising
    laid: list[int]  #: special action tokens in each region, packed: 8 bits for each owner
    pawns: list[int]
    teams: list[int]
    ranks: list[tuple[int, ...]]
    tokens: list[int]  #: special action tokens left
    best: list[int]  #: best festival score, 0 before the first
    prizes: tuple[tuple[tuple[str, int], ...], ...]
    prize_left: tuple[int, ...]  #: by kind, in the order of `Tables.prize_kinds`
    size_tokens: tuple[tuple[tuple[int, int], ...], ...]
    won: tuple[tuple[tuple[int, int], ...], ...]  #: local performance tiles
    collected: tuple[tuple[int, ...], ...]  #: special action tokens by region
    gone: tuple[int, ...]  #: size tokens that left the game, in that order

    @classmethod
    def from_view(cls, facts: Mapping[str, Any], rng: random.Random, edition: Edition | None = None) -> State:
        """Return a full state that agrees with a view; the order of the bag is drawn from what is unseen.

        Args:
            facts: what `view` returned, possibly through JSON.
            rng: only its `random()` is used.
            edition: the edition played; by default the shipped one.

        Raises:
            ConfigError: the view is of another edition, or is no view of Castell.
        """
        return view.state_from_view(facts, rng, edition)

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.pawns)

    @property
    def to_act(self) -> int | None:
        """The seat that acts next; None exactly when the match is over."""
        return self.seat

    @property
    def acting(self) -> int:
        """The seat that acts next, while the match is not over."""
        assert self.seat is not None
        return self.seat

    @property
    def in_turn(self) -> bool:
        """Whether a player has a turn: no festival is on and the match is not over."""
        return self.festival < 0 and self.seat is not None

    def copy(self) -> State:
        """Return an independent state equal to this one."""
        twin = State.__new__(State)
        twin.deal = self.deal
        twin.bag_at = self.bag_at
        twin.round = self.round
        twin.first = self.first
        twin.turn = self.turn
        twin.seat = self.seat
        twin.done = self.done
        twin.offers = self.offers
        twin.festival = self.festival
        twin.asked = self.asked
        twin.built = self.built
        twin.regions = self.regions[:]
        twin.rows = self.rows[:]
        twin.laid = self.laid[:]
        twin.pawns = self.pawns[:]
        twin.teams = self.teams[:]
        twin.ranks = self.ranks[:]
        twin.tokens = self.tokens[:]
        twin.best = self.best[:]
        twin.prizes = self.prizes
        twin.prize_left = self.prize_left
        twin.size_tokens = self.size_tokens
        twin.won = self.won
        twin.collected = self.collected
        twin.gone = self.gone
        return twin

    def check(self, action: Action) -> None:
        """Raise `IllegalAction`, naming the rule, unless `action` is legal now; nothing is enumerated."""
        rule = legality.RULES.get(type(action))
        if rule is None:
            raise IllegalAction(f"{action!r} is no action of Castell")
        why = rule(self, action)
        if why is not None:
            raise _refused(action, why)

    def apply(self, action: Action) -> None:
        """Play `action`; raise `IllegalAction` like `check` and leave the state unchanged."""
        kind = type(action)
        try:
            why = legality.RULES[kind](self, action)
        except KeyError:
            raise IllegalAction(f"{action!r} is no action of Castell") from None
        if why is not None:
            raise _refused(action, why)
        _PLAY[kind](self, action)

    def options(self) -> list[Action]:
        """Return every simple action, and one good tower for each tile and festival exactly when one exists.

        A festival's tower is the best one, see `builder`; a tile's is any.
        """
        seat = self.seat
        if seat is None:
            return []
        tables = self.deal.tables
        if self.festival >= 0:
            sizes = self.deal.festivals[self.festival].sizes
            best = tables.compete(self.teams[seat], self.ranks[seat], sizes)
            return [DECLINE] if best is None else [best, DECLINE]
        pawn, done = self.pawns[seat], self.done
        actions: list[Action] = []
        if not done & MOVED:
            actions += tables.moves[pawn]
        if pawn < 0:
            actions.append(END)
            return actions
        larder = tables.larder(self.regions[pawn])
        if not done & RECRUITED:
            actions += larder.recruits
        paid = not done & SPENT and self.tokens[seat]
        free = False
        if not done & TRAINED:
            ranks = self.ranks[seat]
            for kind in self.offers[pawn]:
                if kind == SPECIAL_KIND:
                    free = True
                elif ranks[kind] < tables.highest_rank:
                    actions.append(tables.trains[kind])
        if free or paid:
            performs = []
            for tile in self.rows[pawn]:
                found = tables.perform(tile, self.teams[seat], self.ranks[seat])
                if found is not None:
                    performs.append(found)
            if free:
                actions += larder.free
                actions += tables.free_moves[pawn]
                actions += [found[0] for found in performs]
            if paid:
                if tables.one_per_player:
                    actions += self._unbarred((*larder.paid, *tables.paid_moves[pawn]), pawn)
                else:
                    actions += larder.paid
                    actions += tables.paid_moves[pawn]
                actions += [found[1] for found in performs]
        actions.append(END)
        return actions

    def _unbarred(self, actions: Iterable[Special], pawn: int) -> list[Special]:
        return [action for action in actions if legality.barred_token(self, action.effect, pawn) is None]

    def legal_actions(self) -> Iterator[Action]:
        """Yield every legal action once, lazily, in the order stated by this class; there may be a million towers."""
        seat = self.seat
        if seat is None:
            return
        tables = self.deal.tables
        team, ranks = tables.counts(self.teams[seat]), self.ranks[seat]
        if self.festival >= 0:
            sizes = self.deal.festivals[self.festival].sizes
            for tower in tables.builder.festival_towers(team, ranks, sizes):
                yield Compete(tower)
            yield DECLINE
            return
        for option in self.options():
            if type(option) is Special and type(option.effect) is Perform:
                tile = tables.edition.tiles[option.effect.tile - 1]
                for tower in tables.builder.tile_towers(tile, team, ranks):
                    yield Special(Perform(tile.number, tower), option.free)
            else:
                yield option

    def default_action(self) -> CastellAction:
        """Return `decline` at a festival and `end` in a turn."""
        return DECLINE if self.festival >= 0 else END

    def view(self, seat: int) -> dict[str, Json]:
        """Return what `seat` may see: everything but the order of the bag; the keys are listed in `view`."""
        return view.public_view(self, seat)

    def truth(self) -> dict[str, Json]:
        """Return the whole state as JSON values: the view of nobody, and the bag in its order."""
        return view.truth(self)

    def standing(self) -> Outcome:
        """Return places and scores as if the match ended now."""
        return scoring.outcome(self)

    def outcome(self) -> Outcome | None:
        """Return places and scores once the match is over, before that None."""
        return scoring.outcome(self) if self.seat is None else None

    # What actions do. Everything below relies on the action being legal.

    def _move(self, action: Move) -> None:
        self.pawns[self.acting] = self.deal.tables.index[action.region]
        self.done |= MOVED

    def _recruit(self, action: Recruit) -> None:
        self._take(action.sizes)
        self.done |= RECRUITED

    def _take(self, sizes: tuple[int, ...]) -> None:
        seat = self.seat
        assert seat is not None
        pawn = self.pawns[seat]
        packed = self.deal.tables.larder(self.regions[pawn]).takes[sizes]
        self.regions[pawn] -= packed
        self.teams[seat] += packed

    def _train(self, action: Train) -> None:
        seat = self.acting
        ranks, kind = self.ranks[seat], self.deal.tables.skill[action.skill]
        self.ranks[seat] = (*ranks[:kind], ranks[kind] + 1, *ranks[kind + 1 :])
        self.done |= TRAINED

    def _special(self, action: Special) -> None:
        seat, effect = self.acting, action.effect
        token_before = not action.free and self.deal.tables.lay_before
        if token_before:
            self._lay(seat)
        if type(effect) is Move:
            self.pawns[seat] = self.deal.tables.index[effect.region]
        elif type(effect) is Recruit:
            self._take(effect.sizes)
        else:
            assert type(effect) is Perform
            self._perform(seat, effect.tile)
        if action.free:
            self.done |= TRAINED
            return
        self.done |= SPENT
        if not token_before:
            self._lay(seat)

    def _lay(self, seat: int) -> None:
        self.tokens[seat] -= 1
        self.laid[self.pawns[seat]] += 1 << 8 * seat

    def _perform(self, seat: int, tile: int) -> None:
        region = self.pawns[seat]
        self.rows[region] = tuple([other for other in self.rows[region] if other != tile])
        self.won = _with(self.won, seat, (*self.won[seat], (tile, region)))
        tokens = sum(self.laid[region].to_bytes(self.seats, "little"))
        if tokens:
            self.laid[region] = 0
            mine = self.collected[seat]
            self.collected = _with(self.collected, seat, (*mine[:region], mine[region] + tokens, *mine[region + 1 :]))

    def _end(self, action: End) -> None:
        del action
        self.turn += 1
        seats = self.deal.tables.orders[self.first]
        if self.turn < len(seats):
            self.seat = seats[self.turn]
            self.done = 0
        else:
            self.done = NO_TURN
            self._go_on(0)

    def _compete(self, action: Compete) -> None:
        self.built = (*self.built, (self.acting, action.tower))
        self._ask()

    def _decline(self, action: Decline) -> None:
        del action
        self._ask()

    def _ask(self) -> None:
        """Ask the next seat at this festival, or close it."""
        if self.asked:
            self.seat, self.asked = self.asked[0], self.asked[1:]
            return
        done = self.festival
        self._award(done)
        self._go_on(self.deal.by_round[self.round].index(done) + 1)

    def _go_on(self, position: int) -> None:
        """Open this round's next festival that somebody attends, from `position` on, or start the next round."""
        held = self.deal.tables.edition.held_per_round[self.seats]
        order = self.deal.tables.orders[self.first]
        for number, index in enumerate(self.deal.by_round[self.round][position:], position):
            festival = self.deal.festivals[index]
            here = tuple(seat for seat in order if self.pawns[seat] == festival.region) if number < held else ()
            if here:
                self.festival, self.built = index, ()
                self.seat, self.asked = here[0], here[1:]
                return
            self.gone += festival.sizes
        self.festival = -1
        self.built = ()
        self._next_round()

    def _award(self, index: int) -> None:
        """Hand out the prizes and size tokens of the festival that is on."""
        edition, festival = self.deal.tables.edition, self.deal.festivals[index]
        kinds = self.deal.tables.prize_kinds
        supply = dict(zip(kinds, self.prize_left, strict=True))
        for seat, tower in self.built:
            self.best[seat] = max(self.best[seat], view.festival_score(tower, festival.sizes))
        for seat, kind in award_prizes(edition, self.seats, festival.sizes, self.built, supply):
            supply[kind] -= 1
            self.prizes = _with(self.prizes, seat, (*self.prizes[seat], (kind, festival.region)))
        self.prize_left = tuple(supply.values())
        for size in festival.sizes:
            winner = token_winner(edition, festival.sizes, size, self.built)
            if winner is None:
                self.gone += (size,)
            else:
                token = (size, festival.region)
                self.size_tokens = _with(self.size_tokens, winner, (*self.size_tokens[winner], token))

    def _next_round(self) -> None:
        edition = self.deal.tables.edition
        if self.round == edition.rounds:
            self.seat = None
            return
        self.round += 1
        if edition.rulings.first_player == "passes":
            self.first = (self.first + 1) % self.seats
        if self.round in edition.refill_rounds:
            self._refill(edition.castellers_per_region[self.seats])
        self.offers = self.deal.offers[self.round - 1]
        self.turn, self.seat, self.done = 0, self.first, 0

    def _refill(self, full: int) -> None:
        """Fill every region up to `full` castellers, region by region, until the bag is empty."""
        tables, bag = self.deal.tables, self.deal.bag
        for region, packed in enumerate(self.regions):
            lacking = max(0, full - sum(tables.counts(packed)))
            drawn = bag[self.bag_at : self.bag_at + lacking]
            self.regions[region] = packed + tables.pack(drawn)
            self.bag_at += len(drawn)


_PLAY: dict[type, Callable[[State, Any], None]] = {
    Move: State._move,
    Recruit: State._recruit,
    Train: State._train,
    Special: State._special,
    Compete: State._compete,
    Decline: State._decline,
    End: State._end,
}


def _refused(action: Action, why: str) -> IllegalAction:
    text = str(action)
    return IllegalAction(f"{text if len(text) <= 200 else text[:197] + '...'}: {why}")


def _with(rows: tuple[Any, ...], seat: int, row: Any) -> tuple[Any, ...]:
    """Return `rows` with another row for `seat`."""
    return (*rows[:seat], row, *rows[seat + 1 :])


def opening(deal: Deal, regions: list[int], teams: list[int], rows: list[tuple[int, ...]]) -> State:
    """Return the state before the first action of a deal."""
    tables, edition = deal.tables, deal.tables.edition
    seats, everywhere = tables.seats, range(len(tables.names))
    state = State.__new__(State)
    state.deal, state.bag_at = deal, 0
    state.round, state.first, state.turn, state.seat, state.done = 1, 0, 0, 0, 0
    state.offers = deal.offers[0]
    state.festival, state.asked, state.built = -1, (), ()
    state.regions, state.rows, state.laid = regions, rows, [0 for _ in everywhere]
    state.pawns, state.teams = [-1] * seats, teams
    state.ranks = [(0,) * len(tables.skill)] * seats
    state.tokens, state.best = [edition.special_action_tokens] * seats, [0] * seats
    state.prizes = state.size_tokens = state.won = ((),) * seats
    state.prize_left = tuple(edition.prize_supply[kind] for kind in tables.prize_kinds)
    state.collected = ((0,) * len(tables.names),) * seats
    state.gone = ()
    return state
