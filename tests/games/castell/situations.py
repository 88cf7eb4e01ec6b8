"""States made to order for worked examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import attrs
import pytest

from arena.errors import IllegalAction
from arena.games.castell.actions import END, parse_action
from arena.games.castell.edition import SKILLS, Edition, parse_edition, shipped_text
from arena.games.castell.state import Festival, State
from tests.games.castell.play import dealt


def edited(**lines: str) -> str:
    """Return the shipped edition's text with other values: `key="value as in the file"`."""
    text = shipped_text()
    for key, value in lines.items():
        text, changes = re.subn(rf"(?m)^{key} = .*(?:\n  .*)*(?:\n\])?$", f"{key} = {value}", text)
        assert changes == 1, key
    return text


def edition_with(**lines: str) -> Edition:
    return parse_edition(edited(**lines))


def ranks(**by_skill: int) -> tuple[int, ...]:
    return tuple(by_skill.get(skill, 0) for skill in SKILLS)


def counts(castellers: str) -> tuple[int, ...]:
    """Return castellers, written as sizes, as counts by size."""
    sizes = [int(size) for size in castellers.split()]
    return tuple(sizes.count(size) for size in range(1, 11))


def player(
    state: State,
    seat: int,
    *,
    pawn: str | None = None,
    team: str | None = None,
    skills: Mapping[str, int] | None = None,
    tokens: int | None = None,
) -> None:
    tables = state.deal.tables
    if pawn is not None:
        state.pawns[seat] = tables.index[pawn]
    if team is not None:
        state.teams[seat] = tables.pack_counts(counts(team))
    if skills is not None:
        state.ranks[seat] = ranks(**skills)
    if tokens is not None:
        state.tokens[seat] = tokens


def region(
    state: State,
    name: str,
    *,
    castellers: str | None = None,
    tiles: Iterable[int] | None = None,
    laid: Mapping[int, int] | None = None,
    offers: str | None = None,
) -> None:
    tables = state.deal.tables
    index = tables.index[name]
    if castellers is not None:
        state.regions[index] = tables.pack_counts(counts(castellers))
    if tiles is not None:
        state.rows[index] = tuple(tiles)
    if laid is not None:
        state.laid[index] = sum(n << 8 * seat for seat, n in laid.items())
    if offers is not None:
        kinds = [*SKILLS, "special"]
        offered = tuple(kinds.index(kind) for kind in offers.split())
        state.offers = (*state.offers[:index], offered, *state.offers[index + 1 :])


def standing_in(pawn: str, seats: int = 3, *, edition: Edition | None = None, **facts: object) -> State:
    """Return a state in which seat 0 has its whole turn before it, with its pawn in `pawn`."""
    state = dealt(seats, edition=edition)
    player(state, 0, pawn=pawn, **facts)  # type: ignore[arg-type]
    return state


def play(state: State, *texts: str) -> State:
    for text in texts:
        state.apply(parse_action(text))
    return state


def refusal(state: State, text: str) -> str:
    """Return the sentence with which `text` is refused; check and apply agree and nothing changes."""
    before, action = state.digest(), parse_action(text)
    with pytest.raises(IllegalAction) as checked:
        state.check(action)
    with pytest.raises(IllegalAction) as applied:
        state.apply(action)
    assert str(checked.value) == str(applied.value)
    assert state.digest() == before
    assert action not in set(state.options())
    return str(checked.value)


def allows(state: State, text: str) -> bool:
    try:
        state.check(parse_action(text))
    except IllegalAction:
        return False
    return True


def before_festivals(
    festivals: Iterable[tuple[str, str]],
    seats: int = 3,
    *,
    number: int = 5,
    first: int = 0,
    edition: Edition | None = None,
) -> State:
    """Return a state in which the last turn of round `number` is about to end; then these festivals follow."""
    state = dealt(seats, edition=edition)
    index = state.deal.tables.index
    here = tuple(
        Festival(round=number, region=index[name], sizes=tuple(sorted(map(int, sizes.split()))))
        for name, sizes in festivals
    )
    others = tuple(festival for festival in state.deal.festivals if festival.round != number)
    both = tuple(sorted((*others, *here), key=lambda festival: festival.round))
    state.deal = attrs.evolve(state.deal, festivals=both)
    state.round, state.first, state.turn = number, first, seats - 1
    state.seat = (first + seats - 1) % seats
    return state


def at_festival(
    sizes: str,
    teams: Mapping[int, str],
    seats: int = 3,
    *,
    first: int = 0,
    skills: Mapping[str, int] | None = None,
    edition: Edition | None = None,
) -> State:
    """Return a state at a festival in girona with these teams there, every one with `skills`."""
    state = before_festivals([("girona", sizes)], seats, first=first, edition=edition)
    for seat, team in teams.items():
        player(state, seat, pawn="girona", team=team, skills=skills or {"width": 2, "balance": 2})
    state.apply(END)
    return state
