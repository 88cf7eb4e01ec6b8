"""Replays a record without any bot: what happened, step by step, and whether the record tells the truth.

Pure: a record and its game go in. Everything a record says about the course of a match is checked against the
rules: who acted, whether the action was legal, why nobody was asked, how it ended, places, scores and the digest
of the final state. What was measured (times, memory) can't be replayed and isn't looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from arena.errors import ArchiveError, IllegalAction, NotationError
from arena.games.api import Action, Game, Seat, State
from arena.options import check_options, check_seats
from arena.referee.record import PlayedAction, Record, Source, Termination


@attrs.frozen
class Difference:
    """One thing in which a record and its replay disagree."""

    where: str  #: for example `action 17` or `places`
    problem: str  #: what is stored and what the replay gives

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


@attrs.frozen(kw_only=True)
class Step:
    """One action of a replay; `state` is the live state just before it, to be read and not kept."""

    index: int  #: how many actions came before
    state: State
    played: PlayedAction
    action: Action


def deal(record: Record, game: Game) -> State:
    """Return the opening state of a record's match; raise `ArchiveError` when its key is none."""
    try:
        key = bytes.fromhex(record.key)
    except ValueError:
        raise ArchiveError(record.match_id, f"the key {record.key!r} is not written in hex digits") from None
    return game.deal(len(record.line_up), key, record.game_options)


def replay(record: Record, game: Game) -> Iterator[Step]:
    """Yield every action with the state before it; when the iterator is done that state is the final one.

    Raises:
        ArchiveError: an action is none of the game, or not legal where it stands.
    """
    state = deal(record, game)
    for index, played in enumerate(record.actions):
        try:
            action = game.parse(played.action)
            yield Step(index=index, state=state, played=played, action=action)
            state.apply(action)
        except (NotationError, IllegalAction) as error:
            raise ArchiveError(
                record.match_id, f"action {index}, `{played.action}`, can't be replayed: {error}"
            ) from None


def verify(record: Record, game: Game) -> list[Difference]:
    """Return everything in which `record` and its replay under `game` disagree; empty for an honest record."""
    fingerprint = game.fingerprint(record.game_options)
    if (record.game, record.fingerprint) != (game.name, fingerprint):
        return [Difference("rules", f"played under {record.game} {record.fingerprint!r}, these are {fingerprint!r}")]
    problems = [*check_seats(game, len(record.line_up)), *check_options(game, record.game_options)[1]]
    if problems:
        return [Difference("deal", str(problem)) for problem in problems]
    differences: list[Difference] = []
    try:
        state = deal(record, game)
        for step in replay(record, game):
            differences += _check_step(record, step)
            state = step.state  # one object all the way: after the loop it is the final state
    except ArchiveError as error:
        return [*differences, Difference("actions", error.problem)]
    return differences + list(_check_end(record, state))


def live_seats(record: Record, action_number: int) -> list[Seat]:
    """Return the seats that had not forfeited when `action_number` actions had been played, rising."""
    gone = {fault.seat for fault in record.faults if fault.forfeits and fault.action_number <= action_number}
    return [seat for seat in range(len(record.line_up)) if seat not in gone]


def _check_step(record: Record, step: Step) -> Iterator[Difference]:
    where, played, state = f"action {step.index}", step.played, step.state
    live = live_seats(record, step.index)
    if played.seat != state.to_act:
        yield Difference(where, f"seat {played.seat} is stored, but seat {state.to_act} acts")
    if len(live) < 2:
        yield Difference(where, "it was played when fewer than two seats were left")
    if (played.source is Source.FORFEIT) != (played.seat not in live):
        has = "has" if played.seat not in live else "had not"
        yield Difference(where, f"its source is {played.source.value!r}, but seat {played.seat} {has} forfeited")
    if played.source in (Source.FORFEIT, Source.STRIKE) and step.action != state.default_action():
        yield Difference(where, f"`{played.action}` was played for the bot, the default is `{state.default_action()}`")
    if played.source is Source.FORCED and list(state.options()) != [step.action]:
        yield Difference(where, f"`{played.action}` is stored as forced, but there was a choice")
    if played.source is Source.STRIKE and not _has_strike(record, step):
        yield Difference(where, f"it spent a strike of seat {played.seat}, but no such fault is stored")
    if played.source in (Source.BOT, Source.STRIKE) and not _is_asked(record, played):
        yield Difference(where, f"it answers request {played.request}, which seat {played.seat} never had")


def _has_strike(record: Record, step: Step) -> bool:
    return any(
        not fault.forfeits and fault.seat == step.played.seat and fault.action_number == step.index
        for fault in record.faults
    )


def _is_asked(record: Record, played: PlayedAction) -> bool:
    return 0 <= played.request < len(record.requests) and record.requests[played.request].seat == played.seat


def _check_end(record: Record, state: State) -> Iterator[Difference]:
    digest = state.digest()
    if record.digest != digest:
        yield Difference("digest", f"{record.digest} is stored, the replay ends in {digest}")
    if record.termination is Termination.VOID:
        return
    live = live_seats(record, len(record.actions))
    termination = _termination(state, live)
    if record.termination is not termination:
        ends = termination.value if termination else "in the middle"
        yield Difference("termination", f"{record.termination.value} is stored, the replay ends {ends}")
    outcome = state.standing().with_forfeits([seat for seat in range(state.seats) if seat not in live])
    for name in ("places", "scores", "categories"):
        stored, replayed = getattr(record, name), getattr(outcome, name)
        if stored != replayed:
            yield Difference(name, f"{stored} is stored, the replay gives {replayed}")


def _termination(state: State, live: list[Seat]) -> Termination | None:
    if state.to_act is None:
        return Termination.FINISHED
    if len(live) > 1:
        return None
    return Termination.FORFEIT if live else Termination.ABANDONED
