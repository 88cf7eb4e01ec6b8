"""States as text: the map with pawns and castellers, the wheel, the calendar, the players, and towers as towers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from arena.games.castell.actions import Tower
from arena.games.castell.edition import EVERYWHERE, SKILLS
from arena.games.castell.judge import festival_score
from arena.games.castell.scoring import CATEGORIES, points_of
from arena.games.castell.state import State
from arena.games.castell.tables import KINDS
from arena.wording import counted

WIDTH = 100  #: columns, at most, of what is listed
_WIDE = 30  #: columns of one region on the map
#: Where the regions of the shipped edition lie, row by row; unknown regions fill the free places in their order.
_MAP = (("lleida", "", "girona"), ("valls", "vilafranca", "barcelona"), ("tarragona", "vilanova", ""))


def draw(state: State) -> str:
    """Return the state as readable text, several lines without a final line end; everything shown is public."""
    parts = [_head(state), _map(state), _ways(state), _wheel(state), _calendar(state), _players(state)]
    if state.built:
        parts.append(_built(state))
    return "\n\n".join(parts)


def tower_lines(tower: Tower) -> list[str]:
    """Return a tower as lines from its top to the ground, all of one width."""
    cell = max(len(str(size)) for level in tower for size in level)
    rows = [" ".join(str(size).rjust(cell) for size in level) for level in reversed(tower)]
    width = max(map(len, rows))
    return [row.center(width) for row in rows]


def _head(state: State) -> str:
    edition = state.deal.tables.edition
    head = f"Round {state.round} of {edition.rounds}, first player: seat {state.first}. "
    if state.seat is None:
        return head + "The match is over."
    if state.festival < 0:
        return head + f"Turn of seat {state.seat}."
    festival = state.deal.festivals[state.festival]
    sizes = " and ".join(map(str, festival.sizes))
    name = state.deal.tables.names[festival.region]
    return head + f"Festival in {name} showing {sizes}: seat {state.seat} may compete."


def _map(state: State) -> str:
    names = state.deal.tables.names
    known = {name for row in _MAP for name in row if name}
    others = [name for name in names if name not in known]
    rows = [[name if name in names else others.pop(0) if others else "" for name in row] for row in _MAP]
    rows += [others[i : i + 3] for i in range(0, len(others), 3)]
    return "\n".join(_row([_region(state, name) if name else [] for name in row]) for row in rows if any(row))


def _row(cells: Sequence[Sequence[str]]) -> str:
    lines = ["  ".join(cell.ljust(_WIDE) for cell in line).rstrip() for line in zip_longest(*cells, fillvalue="")]
    return "\n".join(lines)


def _region(state: State, name: str) -> list[str]:
    tables = state.deal.tables
    region = tables.index[name]
    pawns = " ".join(f"[{seat}]" for seat, pawn in enumerate(state.pawns) if pawn == region)
    lines = [f"+- {name.upper()} {pawns} ".ljust(_WIDE, "-")]
    lines.append("| " + (" ".join(map(str, tables.falling(state.regions[region]))) or "nobody"))
    for number in state.rows[region]:
        tile = tables.edition.tiles[number - 1]
        lines.append(f"| #{number} {tile} = {tile.points}")
    tokens = state.laid[region].to_bytes(tables.seats, "little")
    if any(tokens):
        lines.append("| tokens: " + ", ".join(f"{n} of seat {seat}" for seat, n in enumerate(tokens) if n))
    return lines


def _ways(state: State) -> str:
    tables = state.deal.tables
    rows = (
        f"{name} - {', '.join(tables.names[i] for i in tables.neighbours[tables.index[name]])}" for name in tables.names
    )
    return _listed("Ways: ", rows, "; ")


def _wheel(state: State) -> str:
    tables = state.deal.tables
    slots = [slot for slot in tables.edition.slots if slot != EVERYWHERE]
    offers = (f"{slot}: {'/'.join(KINDS[kind] for kind in state.offers[tables.index[slot]])}" for slot in slots)
    return _listed(f"Wheel ({tables.side}): ", offers, "  ")


def _calendar(state: State) -> str:
    tables, days = state.deal.tables, []
    held = tables.edition.held_per_round[state.seats]
    for number, indices in state.deal.by_round.items():
        if number >= state.round and indices:
            shown = [state.deal.festivals[i] for i in indices[:held]]
            texts = (f"{tables.names[f.region]} {'+'.join(map(str, f.sizes))}" for f in shown)
            days.append(f"{number}: {', '.join(texts)}")
    prizes = ", ".join(f"{n} {kind}" for kind, n in zip(tables.prize_kinds, state.prize_left, strict=True))
    left = len(state.deal.bag) - state.bag_at
    festivals = _listed("Festivals: ", days or ["no more"], "; ")
    return f"{festivals}\nPrizes left: {prizes}; castellers in the bag: {left}"


def _players(state: State) -> str:
    lines = []
    for seat in range(state.seats):
        tables = state.deal.tables
        points = points_of(state, seat)
        ranks = ", ".join(f"{skill} {rank}" for skill, rank in zip(SKILLS, state.ranks[seat], strict=True) if rank)
        categories = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in zip(CATEGORIES, points, strict=True) if n)
        lines.append(f"[{seat}] {sum(points)} points" + (f" ({categories})" if categories else ""))
        lines.append(f"    team: {' '.join(map(str, tables.falling(state.teams[seat])))}")
        lines.append(f"    skills: {ranks or 'none'}; special action tokens: {state.tokens[seat]}")
        won = _things(state, seat)
        if won:
            lines.append(_listed("    won: ", won, ", "))
    return "\n".join(lines)


def _listed(head: str, items: Iterable[str], between: str) -> str:
    """Return the items behind a head, on as many lines as they need."""
    lines = [head]
    for item in items:
        if len(lines[-1]) > len(head) and len(lines[-1]) + len(item) > WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * len(head))
        lines[-1] += item + between
    lines[-1] = lines[-1].removesuffix(between)
    return "\n".join(lines)


def _things(state: State, seat: int) -> list[str]:
    names = state.deal.tables.names
    things = [f"{kind} in {names[region]}" for kind, region in state.prizes[seat]]
    things += [f"size {size} in {names[region]}" for size, region in state.size_tokens[seat]]
    things += [f"tile #{tile} in {names[region]}" for tile, region in state.won[seat]]
    things += [f"{counted(n, 'token')} in {names[region]}" for region, n in enumerate(state.collected[seat]) if n]
    return things


def _built(state: State) -> str:
    sizes = state.deal.festivals[state.festival].sizes
    pictures = []
    for seat, tower in state.built:
        title = f"seat {seat}: {festival_score(tower, sizes)}"
        lines = tower_lines(tower)
        width = max(len(title), len(lines[0]))
        pictures.append([line.center(width) for line in (*lines, "=" * len(lines[0]), title)])
    return "\n".join(_beside(pictures))


def _beside(pictures: Iterable[Sequence[str]]) -> list[str]:
    """Put pictures beside each other, standing on one ground."""
    pictures = list(pictures)
    high = max(map(len, pictures))
    full = [[" " * len(picture[0])] * (high - len(picture)) + list(picture) for picture in pictures]
    return ["   ".join(row).rstrip() for row in zip(*full, strict=True)]
