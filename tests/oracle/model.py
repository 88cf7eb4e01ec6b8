"""A slow model of the whole state of play: immutable values, actions as texts, one function for each rule.

The texts are the notation of actions, exactly as they go over the wire, for example `special perform #12 8 8/6`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from tests.oracle import judge
from tests.oracle.edition import SKILLS, Edition

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Festival:
    """One location on the calendar and the tokens under it."""

    round: int
    region: str
    shown: Sizes


@dataclass(frozen=True)
class Built:
    """A tower that was shown at the festival under way, as far as prizes and tokens depend on it."""

    seat: int
    score: int
    shown: Sizes  #: the sizes of its castellers that the festival's tokens show, rising


@dataclass(frozen=True)
class Player:
    """What one player has; every prize, tile, token remembers its region."""

    team: Sizes  #: rising
    pawn: str | None = None
    ranks: tuple[int, ...] = (0,) * len(SKILLS)  #: in the order of SKILLS
    tokens: int = 0
    best: int = 0
    prizes: tuple[tuple[str, str], ...] = ()  #: (kind, region), sorted
    size_tokens: tuple[tuple[int, str], ...] = ()  #: (size, region), sorted
    tiles: tuple[tuple[int, str], ...] = ()  #: (number, region), sorted
    collected: tuple[str, ...] = ()  #: the region of each special action token collected, sorted

    @property
    def rank(self) -> dict[str, int]:
        """Ranks by skill."""
        return dict(zip(SKILLS, self.ranks, strict=True))


@dataclass(frozen=True)
class Region:
    """What lies in one region."""

    castellers: Sizes  #: rising
    row: tuple[int, ...] = ()  #: local performance tiles, sorted
    laid: tuple[int, ...] = ()  #: the owners of the special action tokens laid here, sorted


@dataclass(frozen=True)
class Position:
    """The full truth between two actions."""

    edition: Edition
    side: str  #: "standard" or "advanced"
    ring: tuple[str, ...]
    bag: Sizes  #: the next casteller drawn is the first
    calendar: tuple[Festival, ...]
    supply: tuple[tuple[str, int], ...]  #: prizes left by kind, sorted
    board: tuple[tuple[str, Region], ...]  #: in the edition's order
    players: tuple[Player, ...]
    round: int = 1
    first: int = 0
    turn: int | None = 0  #: how many players have ended their turn this round; None during festivals and at the end
    done: frozenset[str] = frozenset()  #: which of move, recruit, train, special this turn has seen
    festival: int = 0  #: how many festivals of this round are over
    waiting: Sizes = ()  #: the seats still to be asked at the festival under way
    built: tuple[Built, ...] = ()  #: in the order of building

    @property
    def seats(self) -> int:
        """The number of players."""
        return len(self.players)

    @property
    def regions(self) -> dict[str, Region]:
        """The board by region."""
        return dict(self.board)

    @property
    def order(self) -> Sizes:
        """The seats in turn order from the first player."""
        return tuple((self.first + step) % self.seats for step in range(self.seats))

    @property
    def over(self) -> bool:
        """Whether the last round is over."""
        return self.round > int(self.edition.data["rounds"]["count"])

    @property
    def to_act(self) -> int | None:
        """The seat that acts next, or None at the end."""
        if self.over:
            return None
        return self.order[self.turn] if self.turn is not None else self.waiting[0]

    @property
    def held(self) -> tuple[Festival, ...]:
        """The festivals that take place this round."""
        of_round = [festival for festival in self.calendar if festival.round == self.round]
        return tuple(of_round[: self.edition.by_seats("festivals", "held_per_round", self.seats)])


# --- small changes -----------------------------------------------------------------------------------------------


def with_player(position: Position, seat: int, player: Player) -> Position:
    """Return the position with one player changed."""
    players = list(position.players)
    players[seat] = player
    return replace(position, players=tuple(players))


def with_region(position: Position, name: str, region: Region) -> Position:
    """Return the position with one region changed."""
    return replace(position, board=tuple((key, region if key == name else old) for key, old in position.board))


def without(items: tuple[int, ...], gone: Iterable[int]) -> tuple[int, ...]:
    """Return sorted items less those that are gone."""
    left = Counter(items)
    left.subtract(Counter(gone))
    assert min(left.values(), default=0) >= 0, "taken from where it is not"
    return tuple(sorted(left.elements()))


# --- set-up and rounds -------------------------------------------------------------------------------------------


def set_up(
    edition: Edition,
    side: str,
    seats: int,
    *,
    castellers: Iterable[int],
    ring: Iterable[str],
    locations: Iterable[str],
    size_tokens: Iterable[int],
    tiles: Iterable[int],
) -> Position:
    """Return the opening from what shuffling gave: rule 2.

    Args:
        edition: the edition's data.
        side: of the wheel.
        seats: the number of players.
        castellers: all of them as they are drawn, first to last.
        ring: the tiles of the skill ring, clockwise from the north.
        locations: the region of each calendar space, by round and within it in calendar order.
        size_tokens: at least as many as the calendar needs, in the order of laying.
        tiles: numbers of the local performance tiles, in the order of laying.
    """
    bag = list(castellers)
    number = edition.by_seats("players", "castellers_per_region", seats)
    per_row = edition.data["local_performances"]["per_region"]
    per_festival = edition.data["festivals"]["tokens_per_festival"]
    board, row_of, where, token = [], iter(tiles), iter(locations), iter(size_tokens)
    for name in edition.regions:
        people = tuple(sorted(bag.pop(0) for _ in range(min(number, len(bag)))))
        board.append((name, Region(people, tuple(sorted(next(row_of) for _ in range(per_row))))))
    team_size, tokens = edition.data["players"]["starting_team"], edition.data["players"]["special_action_tokens"]
    players = [
        Player(tuple(sorted(bag.pop(0) for _ in range(min(team_size, len(bag))))), tokens=tokens) for _ in range(seats)
    ]
    spaces = sorted((int(key), kinds) for key, kinds in edition.data["festivals"]["calendar"].items())
    calendar = [
        Festival(round_number, next(where), tuple(sorted(next(token) for _ in range(per_festival))))
        for round_number, kinds in spaces
        for _ in kinds
    ]
    return Position(
        edition=edition,
        side=side,
        ring=tuple(ring),
        bag=tuple(bag),
        calendar=tuple(calendar),
        supply=tuple(sorted(edition.data["festivals"]["prize_supply"].items())),
        board=tuple(board),
        players=tuple(players),
    )


def refill(position: Position) -> Position:
    """Fill every region up again from the bag, region by region, until the bag is empty."""
    number = position.edition.by_seats("players", "castellers_per_region", position.seats)
    bag = list(position.bag)
    board = []
    for name, region in position.board:
        people = list(region.castellers)
        while len(people) < number and bag:
            people.append(bag.pop(0))
        board.append((name, replace(region, castellers=tuple(sorted(people)))))
    return replace(position, bag=tuple(bag), board=tuple(board))


def next_round(position: Position) -> Position:
    """Pass the first player marker and begin the next round."""
    first = position.first
    if position.edition.rulings["first_player"] == "passes":
        first = (first + 1) % position.seats
    position = replace(position, round=position.round + 1, first=first, turn=0, festival=0)
    if position.over:
        return replace(position, turn=None)
    if position.round in position.edition.data["rounds"]["refill_at_start_of"]:
        position = refill(position)
    return position


def facing(position: Position, slot: str) -> str:
    """Return the kind of the tile that a slot of the wheel faces this round."""
    slots: list[str] = position.edition.data["wheel"]["slots"]
    number = slots.index(slot)
    steps = position.round - 1
    if position.edition.rulings["wheel_turns"] == "anticlockwise":
        steps = -steps
    return position.ring[(number + steps) % len(position.ring)]


# --- what may be done --------------------------------------------------------------------------------------------


def offered_kinds(position: Position, pawn: str) -> set[str]:
    """Return the kinds of tile that a pawn in this region may train."""
    kinds = {facing(position, pawn)}
    if position.side == "standard":
        kinds.add(facing(position, "everywhere"))
    return kinds


def special_regions(position: Position, pawn: str) -> frozenset[str]:
    """Return where the move of a special action may lead."""
    if position.edition.rulings["special_move"] == "any":
        return frozenset(position.edition.regions) - {pawn}
    return position.edition.neighbours[pawn]


def token_fits(position: Position, seat: int, effect: str, target: str | None) -> bool:
    """Tell whether the token of a paid special action may be laid where it must be laid."""
    if position.edition.rulings["token_spaces"] == "unlimited":
        return True
    pawn = position.players[seat].pawn
    assert pawn is not None
    if effect == "perform":
        return True  # what lay in the region is collected by this very action
    moved = effect == "move" and position.edition.rulings["token_laid"] == "after"
    where = target if moved and target is not None else pawn
    return seat not in position.regions[where].laid


def special_prefixes(position: Position, seat: int) -> tuple[str, ...]:
    """Return the ways in which the seat can have a special action now: paid (`special`) or free (`wheel`)."""
    player = position.players[seat]
    ways = []
    if player.pawn is not None and player.tokens > 0 and "special" not in position.done:
        ways.append("special")
    if player.pawn is not None and "train" not in position.done and "special" in offered_kinds(position, player.pawn):
        ways.append("wheel")
    return tuple(ways)


def simple_actions(position: Position) -> set[str]:
    """Return every legal action but those that show a tower."""
    seat = position.to_act
    if seat is None:
        return set()
    if position.turn is None:
        return {"decline"}
    player = position.players[seat]
    found = {"end"}
    if player.pawn is None:
        if "move" not in position.done:
            found |= {f"move {region}" for region in position.edition.regions}
        return found
    people = position.regions[player.pawn].castellers
    if "move" not in position.done:
        found |= {f"move {region}" for region in position.edition.neighbours[player.pawn]}
    if "recruit" not in position.done:
        found |= {f"recruit {size}" for size in people}
        found |= {f"recruit {big} {small}" for small, big in combinations(people, 2)}
    if "train" not in position.done:
        highest = position.edition.data["wheel"]["highest_rank"]
        kinds = offered_kinds(position, player.pawn) - {"special"}
        found |= {f"train {kind}" for kind in kinds if player.rank[kind] < highest}
    for way in special_prefixes(position, seat):
        if way == "wheel" or token_fits(position, seat, "recruit", None):
            found |= {f"{way} recruit {size}" for size in people}
        for region in special_regions(position, player.pawn):
            if way == "wheel" or token_fits(position, seat, "move", region):
                found.add(f"{way} move {region}")
    return found


@lru_cache(maxsize=64)
def all_towers(team: Sizes, ranks: tuple[int, ...], edition: Edition) -> tuple[judge.Tower, ...]:
    """Return every tower of a team; the same question is asked again and again in one turn."""
    return tuple(judge.towers(team, dict(zip(SKILLS, ranks, strict=True)), edition))


def tower_actions(position: Position) -> Iterator[str]:
    """Yield every legal action that shows a tower, by trying every tower on every target."""
    seat = position.to_act
    if seat is None:
        return
    player = position.players[seat]
    if position.turn is None:
        shown = position.held[position.festival].shown
        for tower in all_towers(player.team, player.ranks, position.edition):
            if judge.may_compete(tower, shown, player.team, player.rank, position.edition):
                yield f"compete {judge.tower_text(tower)}"
        return
    ways = special_prefixes(position, seat)
    if not ways or player.pawn is None:
        return
    row = [position.edition.tiles[number] for number in position.regions[player.pawn].row]
    if not row:
        return
    for tower in all_towers(player.team, player.ranks, position.edition):
        for tile in row:
            if judge.performs(tile, tower, player.team, player.rank, position.edition):
                for way in ways:
                    yield f"{way} perform #{tile.number} {judge.tower_text(tower)}"


def legal_actions(position: Position) -> set[str]:
    """Return the full set of legal actions as texts."""
    return simple_actions(position) | set(tower_actions(position))


def tower_is_legal(position: Position, text: str) -> bool:
    """Tell whether one action that shows a tower is legal, without listing the others."""
    seat = position.to_act
    if seat is None:
        return False
    player, words = position.players[seat], text.split(" ")
    if words[0] == "compete":
        if position.turn is not None:
            return False
        tower = judge.read_tower(" ".join(words[1:]))
        shown = position.held[position.festival].shown
        return judge.may_compete(tower, shown, player.team, player.rank, position.edition)
    assert words[1] == "perform"
    if position.turn is None or player.pawn is None or words[0] not in special_prefixes(position, seat):
        return False
    number, tower = int(words[2].removeprefix("#")), judge.read_tower(" ".join(words[3:]))
    if number not in position.regions[player.pawn].row:
        return False
    return judge.performs(position.edition.tiles[number], tower, player.team, player.rank, position.edition)
