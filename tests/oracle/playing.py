"""What actions do: `play` gives the position after one legal action. Rules 3, 4, 6 and 7."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tests.oracle import judge
from tests.oracle.edition import SKILLS
from tests.oracle.model import Built, Festival, Player, Position, next_round, with_player, with_region, without


def play(position: Position, text: str) -> Position:
    """Return the position after an action that must be legal."""
    seat = position.to_act
    assert seat is not None, "the match is over"
    words = text.split(" ")
    match words[0]:
        case "end":
            return end_turn(position)
        case "decline" | "compete":
            return at_festival(position, seat, text)
        case "move":
            return done(_move(position, seat, words[1]), "move")
        case "recruit":
            return done(_recruit(position, seat, words[1:]), "recruit")
        case "train":
            return done(_train(position, seat, words[1]), "train")
        case "wheel":
            return done(_effect(position, seat, words[1:]), "train")
        case "special":
            return done(_paid(position, seat, words[1:]), "special")
        case _:
            raise ValueError(text)


def done(position: Position, kind: str) -> Position:
    """Note that this turn has seen one of its four actions."""
    assert kind not in position.done
    return replace(position, done=position.done | {kind})


def _move(position: Position, seat: int, region: str) -> Position:
    return with_player(position, seat, replace(position.players[seat], pawn=region))


def _recruit(position: Position, seat: int, words: list[str]) -> Position:
    player, sizes = position.players[seat], [int(word) for word in words]
    assert player.pawn is not None
    region = position.regions[player.pawn]
    region = replace(region, castellers=without(region.castellers, sizes))
    position = with_region(position, player.pawn, region)
    return with_player(position, seat, replace(player, team=tuple(sorted([*player.team, *sizes]))))


def _train(position: Position, seat: int, skill: str) -> Position:
    player = position.players[seat]
    ranks = player.rank
    ranks[skill] += 1
    return with_player(position, seat, replace(player, ranks=tuple(ranks[name] for name in SKILLS)))


def _effect(position: Position, seat: int, words: list[str]) -> Position:
    """Carry out a special action, paid or free."""
    match words[0]:
        case "move":
            return _move(position, seat, words[1])
        case "recruit":
            return _recruit(position, seat, words[1:])
        case "perform":
            return _perform(position, seat, int(words[1].removeprefix("#")))
        case _:
            raise ValueError(words)


def _paid(position: Position, seat: int, words: list[str]) -> Position:
    """Carry out a special action and lay its token."""
    position = with_player(position, seat, replace(position.players[seat], tokens=position.players[seat].tokens - 1))
    if position.edition.rulings["token_laid"] == "before":
        return _effect(_lay(position, seat), seat, words)
    return _lay(_effect(position, seat, words), seat)


def _lay(position: Position, seat: int) -> Position:
    pawn = position.players[seat].pawn
    assert pawn is not None
    region = position.regions[pawn]
    return with_region(position, pawn, replace(region, laid=tuple(sorted([*region.laid, seat]))))


def _perform(position: Position, seat: int, number: int) -> Position:
    """Take the tile and every special action token that lies in the region."""
    player = position.players[seat]
    where = player.pawn
    assert where is not None
    region = position.regions[where]
    collected = tuple(sorted([*player.collected, *(where for _ in region.laid)]))
    tiles = tuple(sorted([*player.tiles, (number, where)]))
    position = with_player(position, seat, replace(player, collected=collected, tiles=tiles))
    return with_region(position, where, replace(region, row=without(region.row, [number]), laid=()))


# --- the end of a turn, festivals --------------------------------------------------------------------------------


def end_turn(position: Position) -> Position:
    """Go on to the next player, or to the festivals."""
    assert position.turn is not None
    position = replace(position, done=frozenset(), turn=position.turn + 1)
    if position.turn == position.seats:
        return next_festival(replace(position, turn=None, festival=0))
    return position


def next_festival(position: Position) -> Position:
    """Go on to the next festival of this round at which somebody must be asked, or to the next round."""
    while position.festival < len(position.held):
        region = position.held[position.festival].region
        waiting = tuple(seat for seat in position.order if position.players[seat].pawn == region)
        if waiting:
            return replace(position, waiting=waiting, built=())
        position = replace(position, festival=position.festival + 1)  # nobody is there: its tokens leave the game
    return next_round(position)


def at_festival(position: Position, seat: int, text: str) -> Position:
    """Let one player compete or decline; after the last one give the prizes and tokens."""
    festival = position.held[position.festival]
    if text != "decline":
        tower = judge.read_tower(text.removeprefix("compete "))
        score = judge.festival_score(tower, festival.shown)
        people = tuple(sorted(size for level in tower for size in level if size in festival.shown))
        player = position.players[seat]
        position = with_player(position, seat, replace(player, best=max(player.best, score)))
        position = replace(position, built=(*position.built, Built(seat, score, people)))
    position = replace(position, waiting=position.waiting[1:])
    if position.waiting:
        return position
    position = award_size_tokens(award_prizes(position), festival)
    return next_festival(replace(position, built=(), festival=position.festival + 1))


def places(position: Position) -> list[tuple[int, Built]]:
    """Return the builders of the festival under way with their places, in turn order."""
    built = position.built
    if position.edition.rulings["prize_ties"] == "turn_order":
        ranked = sorted(built, key=lambda entry: -entry.score)  # a stable sort: earlier builders come first
        return [(1 + ranked.index(entry), entry) for entry in built]
    return [(1 + sum(1 for other in built if other.score > entry.score), entry) for entry in built]


def award_prizes(position: Position) -> Position:
    """Give the prizes for the places, in turn order while each kind lasts."""
    if not position.built:
        return position
    rows = {int(key): kinds for key, kinds in position.edition.data["festivals"]["prizes"].items()}
    number = position.seats
    if position.edition.rulings["prizes_by"] == "builders":
        number = max(len(position.built), min(rows))
    region = position.held[position.festival].region
    supply = dict(position.supply)
    for place, entry in places(position):
        if place <= len(rows[number]):
            kind = rows[number][place - 1]
            if supply[kind] > 0:
                supply[kind] -= 1
                player = position.players[entry.seat]
                prizes = tuple(sorted([*player.prizes, (kind, region)]))
                position = with_player(position, entry.seat, replace(player, prizes=prizes))
    return replace(position, supply=tuple(sorted(supply.items())))


def award_size_tokens(position: Position, festival: Festival) -> Position:
    """Give every token, each by itself, to the builder with the most castellers of its size."""
    for size in festival.shown:
        winner = token_winner(position, size)
        if winner is not None:
            player = position.players[winner]
            tokens = tuple(sorted([*player.size_tokens, (size, festival.region)]))
            position = with_player(position, winner, replace(player, size_tokens=tokens))
    return position


def token_winner(position: Position, size: int) -> int | None:
    """Return who gets the tokens of one size at the festival under way."""
    if not position.built:
        return None
    most = max(entry.shown.count(size) for entry in position.built)
    tied = [entry for entry in position.built if entry.shown.count(size) == most]
    for ruling in position.edition.rulings["size_token_ties"]:
        if len(tied) > 1 and ruling == "tower_score":
            tied = [entry for entry in tied if entry.score == max(other.score for other in tied)]
        if len(tied) > 1 and ruling == "turn_order":
            tied = tied[:1]
    return tied[0].seat if len(tied) == 1 else None


# --- the end -----------------------------------------------------------------------------------------------------


def regions_won(position: Position, player: Player) -> int:
    """Return in how many regions the player has won something that counts for variety."""
    counted = position.edition.rulings["variety_counts"]
    won: set[str] = set()
    if "prize" in counted:
        won |= {region for _, region in player.prizes}
    if "tile" in counted:
        won |= {region for _, region in player.tiles}
    if "size_token" in counted:
        won |= {region for _, region in player.size_tokens}
    if "action_token" in counted:
        won |= set(player.collected)
    return len(won)


def points(position: Position, player: Player) -> dict[str, int]:
    """Return the points of one player by category."""
    scoring, tiles = position.edition.data["scoring"], position.edition.tiles
    tokens = Counter(size for size, _ in player.size_tokens)
    return {
        "festival": player.best,
        "variety": scoring["variety"][regions_won(position, player)],
        "prizes": sum(scoring["prize_points"][kind] for kind, _ in player.prizes),
        "size_tokens": sum(
            scoring["size_token_first"] + (number - 1) * scoring["size_token_repeat"] for number in tokens.values()
        ),
        "local": sum(tiles[number].points for number, _ in player.tiles)
        + len(player.collected) * scoring["special_action_token"],
    }


def final_places(position: Position) -> tuple[int, ...]:
    """Return the place of every seat, 1 the best; shared places skip those that follow."""
    keys = []
    for player in position.players:
        by_category = points(position, player)
        tie_breaks = {"prize_points": by_category["prizes"], "regions": regions_won(position, player)}
        rulings = [ruling for ruling in position.edition.rulings["final_ties"] if ruling != "shared"]
        keys.append((sum(by_category.values()), *(tie_breaks[ruling] for ruling in rulings)))
    return tuple(1 + sum(1 for other in keys if other > key) for key in keys)
