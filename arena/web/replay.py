"""A record as everything that the replay viewer shows, as plain values: states, sentences, points, clock use.

Frame *k* is the state after *k* actions. Only the first frame is whole: of the others the top-level keys are kept
whose value changed, which makes a match of Castell a tenth as large. Pure, and tested without a browser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from arena.games.api import Game, Json, Seat, State
from arena.referee.record import Fault, Record
from arena.referee.verify import deal, replay

REPLAY_VERSION = 1


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One action, as the viewer tells it."""

    seat: Seat
    action: str
    say: str  #: a sentence without a subject
    source: str = "bot"
    request: int = -1
    turn: bool = False  #: whether another seat acts than before
    round: bool = False  #: whether a round begins with it


class Replay(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One match for the viewer."""

    version: int = REPLAY_VERSION
    match: str
    game: str
    options: Mapping[str, Any]
    names: tuple[str, ...]  #: entrants by seat
    bots: tuple[str, ...]  #: what the programs called themselves, by seat
    steps: tuple[Step, ...]
    scenes: tuple[Json, ...] = ()  #: frames for the game's own drawing, as changes; empty without one
    texts: tuple[str | None, ...] = ()  #: frames as text, None where nothing changed; empty with a drawing
    categories: tuple[str, ...]  #: of points; `points` when the game has none
    points: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...]  #: frame, and from it on by seat points by category
    requests: tuple[tuple[Seat, int, int], ...]  #: seat, wall us, cpu us
    faults: tuple[Mapping[str, Any], ...]
    notes: tuple[Mapping[str, Any], ...]
    termination: str
    places: tuple[int, ...]
    scores: tuple[int, ...]
    digest: str
    facts: tuple[str, ...]  #: sentences about where it was played


def make_replay(record: Record, game: Game) -> Replay:
    """Return the replay of a record.

    Raises:
        ArchiveError: the record can't be replayed by this game.
    """
    frames, points, steps = Frames(game), _Points(), list[Step]()
    state = deal(record, game)
    frames.add(state)
    points.add(0, state)
    for step in replay(record, game):
        state = step.state
        if step.index:
            frames.add(state)
            points.add(step.index, state)
        steps.append(
            Step(
                seat=step.played.seat,
                action=step.played.action,
                say=game.tell(state, step.action),
                source=step.played.source.value,
                request=step.played.request,
                turn=not steps or steps[-1].seat != step.played.seat,
                round=frames.round_begins() or not step.index,
            )
        )
    if steps:
        frames.add(state)
        points.add(len(steps), state)
    return Replay(
        match=record.match_id,
        game=game.name,
        options=dict(record.game_options),
        names=record.line_up,
        bots=tuple(f"{bot.name} {bot.version}".strip() for bot in record.bots),
        steps=tuple(steps),
        scenes=tuple(frames.scenes),
        texts=tuple(frames.texts),
        categories=points.categories,
        points=tuple(points.changes),
        requests=tuple((one.seat, one.wall_us, one.cpu_us) for one in record.requests),
        faults=tuple(fault_facts(fault) for fault in record.faults),
        notes=tuple({"seat": note.seat, "at": note.action_number, "text": note.text} for note in record.notes),
        termination=record.termination.value,
        places=record.places,
        scores=record.scores,
        digest=record.digest,
        facts=tuple(_facts(record)),
    )


def fault_facts(fault: Fault) -> dict[str, Any]:
    """Return a fault as the viewer shows it."""
    return {
        "seat": fault.seat,
        "at": fault.action_number,
        "verdict": fault.verdict.value,
        "reason": fault.reason,
        "advice": fault.advice,
        "forfeits": fault.forfeits,
        "stderr": fault.stderr_tail,
        "exit": fault.exit_status,
    }


def _facts(record: Record) -> Iterator[str]:
    host = record.host
    if host.started_at:
        yield f"played {host.started_at[:19].replace('T', ' ')} UTC in {host.wall_ms / 1000:.1f} s"
    if host.rung:
        yield f"sandbox: {host.rung}"
    if host.in_process:
        yield "bots in the referee's own process"
    yield f"deal {record.deal}, block {record.block}"
    yield record.fingerprint


class Frames:
    """Collects states as frames, each kept as what changed since the one before."""

    def __init__(self, game: Game, seat: Seat | None = None) -> None:
        """Collect what `seat` may see; None: everything that a replay shows."""
        self._game = game
        self._seat = seat
        self._draws = bool(game.drawing())
        self.scenes: list[Json] = []  #: for the game's own drawing
        self.texts: list[str | None] = []  #: for games without one; None: as before
        self._scene: dict[str, bytes] = {}
        self._text = ""
        self._round: Json = None
        self._told_round: Json = None

    def add(self, state: State) -> None:
        """Keep a state."""
        if self._draws:
            scene = self._game.scene(state, self._seat)
            self._round = scene.get("round")
            self.scenes.append(self._changes(scene))
        else:
            text = self._game.draw(state)
            self.texts.append(text if text != self._text else None)
            self._text = text

    def round_begins(self) -> bool:
        """Whether the last frame is of another round than when this was asked last."""
        begins = self._round != self._told_round
        self._told_round = self._round
        return begins

    def _changes(self, scene: Mapping[str, Json]) -> dict[str, Json]:
        encoded = {key: msgspec.json.encode(value) for key, value in scene.items()}
        changed = {key: scene[key] for key, text in encoded.items() if self._scene.get(key) != text}
        self._scene = encoded
        return changed


class _Points:
    """Collects points by category: where they changed."""

    def __init__(self) -> None:
        self.categories: tuple[str, ...] = ()
        self.changes: list[tuple[int, tuple[tuple[int, ...], ...]]] = []

    def add(self, frame: int, state: State) -> None:
        standing = state.standing()
        kinds = dict(standing.categories) or {"points": standing.scores}
        self.categories = tuple(kinds)
        by_seat = tuple(zip(*kinds.values(), strict=True))
        if not self.changes or self.changes[-1][1] != by_seat:
            self.changes.append((frame, by_seat))
