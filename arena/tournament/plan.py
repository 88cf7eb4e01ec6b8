"""The plan of a run as a value: everything that decides which matches are played and how.

Same plan, same fixtures, byte for byte. It is stored before the first match and compared when the same
command is given again: what changed is either a sound continuation or refused with the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

import attrs
import msgspec

from arena.errors import ArchiveError
from arena.games.api import Json
from arena.referee.settings import Entrant, Fixture, Settings
from arena.tournament import formats
from arena.tournament.formats.api import DONE, WAIT, Field, Format, Pairing, Schedule, SettingValue, StaticFormat
from arena.tournament.keys import bot_seed, deal_key

PLAN_VERSION = 1
FindFormat = Callable[[str], Format]


@attrs.frozen(kw_only=True)
class Stage:
    """What the format plays with: entrants and settings. A continued run has several, each adding matches."""

    entrants: tuple[str, ...]
    settings: Mapping[str, SettingValue]


@attrs.frozen(kw_only=True)
class Plan:
    """Everything that decides about the matches of a run."""

    version: int = PLAN_VERSION
    name: str
    settings: Settings
    fingerprint: str  #: of the rules and data in force, see `Game.fingerprint`
    arena: str  #: version of castell-arena
    entrants: tuple[Entrant, ...]  #: those who play, in the order of the file
    excluded: Mapping[str, str] = attrs.field(factory=dict)  #: those who could not be started, with the reason
    format: str
    stages: tuple[Stage, ...]
    bots: Mapping[str, str] = attrs.field(factory=dict)  #: entrant to bot, where one bot may not sit twice at a table
    disable_after: int | None = None  #: lost matches by its own faults, after which an entrant plays no more
    seed: int | None = None  #: the explicit seed, if one was given
    anchor: str | None = None  #: the entrant whose rating is the fixed point of tables; decides about no match
    secret: str  #: hex; never shown while the run goes on

    def fields(self) -> list[Field]:
        """Return the field of each stage."""
        return [
            Field(entrants=stage.entrants, seats=self.settings.seats, settings=stage.settings, bots=self.bots)
            for stage in self.stages
        ]

    def schedule(self, find: FindFormat = formats.find) -> Schedule:
        """Return a new schedule at its beginning.

        Raises:
            ConfigError: there is no such format.
            ArchiveError: the stages of this plan don't follow from each other.
        """
        schedule = find(self.format).continued(self.fields())
        if schedule is None:
            raise ArchiveError("plan", "its stages don't follow from each other; the plan was changed by hand")
        return schedule

    def fixture(self, number: int, pairing: Pairing) -> Fixture:
        """Return the fixture of the pairing that came as the `number`-th, from 0."""
        secret = bytes.fromhex(self.secret)
        return Fixture(
            match_id=pairing.match_id,
            number=number,
            line_up=pairing.line_up,
            deal=pairing.deal,
            block=pairing.block,
            rotation=pairing.rotation,
            key=deal_key(secret, pairing.deal).hex(),
            bot_seeds=tuple(bot_seed(secret, pairing.match_id, seat) for seat in range(len(pairing.line_up))),
        )


def encode(plan: Plan) -> bytes:
    """Return the plan as JSON; equal plans give equal bytes."""
    return msgspec.json.encode(plan, order="deterministic")


def decode(data: bytes | str, *, file: str = "plan") -> Plan:
    """Return the plan in `data`; raise `ArchiveError` naming `file` when it is none or of another version."""
    try:
        version = msgspec.json.decode(data, type=dict[str, Any]).get("version")
        if version != PLAN_VERSION:
            raise ArchiveError(
                file, f"the plan has version {version}, this arena reads {PLAN_VERSION}; use the arena that wrote it"
            )
        return msgspec.json.decode(data, type=Plan)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ArchiveError(file, f"not the plan of a run: {error}") from None


@attrs.frozen(kw_only=True)
class Preview:
    """The pairings that are certain before the first match."""

    pairings: tuple[Pairing, ...]
    whole: bool  #: False: what follows depends on results
    may_stop: bool = False  #: the results may make the later ones needless

    def lines(self) -> list[str]:
        """Return one line for each match, in the order of the plan, and a last one when more may follow."""
        width = len(str(max(len(self.pairings) - 1, 0)))
        lines = [
            f"{number:>{width}}  {pairing.match_id}  deal {pairing.deal}  {' '.join(pairing.line_up)}"
            for number, pairing in enumerate(self.pairings)
        ]
        if not self.whole:
            lines.append("what follows depends on the results")
        elif self.may_stop:
            lines.append("at most: it stops by itself as soon as the results allow")
        return lines


def preview(plan: Plan, find: FindFormat = formats.find) -> Preview:
    """Return what `--dry-run` lists."""
    schedule = plan.schedule(find)
    static = isinstance(find(plan.format), StaticFormat)
    pairings = []
    while isinstance(answer := schedule.next(), Pairing):
        pairings.append(answer)
    assert answer in (WAIT, DONE)
    return Preview(pairings=tuple(pairings), whole=answer is DONE, may_stop=not static)


@attrs.frozen(kw_only=True)
class Difference:
    """One setting that is not as it was when the run began."""

    path: str
    was: Json
    now: Json

    def __str__(self) -> str:
        if self.path.endswith(".content_hash"):
            return f"{self.path.removesuffix('.content_hash')}: the bot's code has changed"
        return f"{self.path}: was {_shown(self.was)}, now {_shown(self.now)}"


def _shown(value: Json) -> str:
    return "absent" if value is None else msgspec.json.encode(value).decode()


ORDER = "order of entrants"


def differences(was: Plan, now: Plan) -> list[Difference]:
    """Return what differs and would change matches, sorted by path; where bots and runs stand on disk doesn't."""
    old, new = _facts(was), _facts(now)
    return [
        Difference(path=path, was=old.get((path, name)), now=new.get((path, name)))
        for path, name in sorted(old.keys() | new.keys())
        if old.get((path, name)) != new.get((path, name))
    ]


def resume(was: Plan, now: Plan, find: FindFormat = formats.find) -> Plan | None:
    """Return the plan that carries the begun run `was` on as `now` asks, or None when that is not sound.

    Sound is what changes nothing, and what adds matches behind those already planned: more deals, one more
    entrant. The secret stays that of `was`; where bots stand on disk is taken from `now`.
    """
    added = {entrant.name for entrant in now.entrants} - {entrant.name for entrant in was.entrants}
    allowed = {ORDER, *(path for path, name in _facts(now) if name in added)}
    differing = [
        difference
        for difference in differences(was, now)
        if difference.path not in allowed and not difference.path.startswith("format.")
    ]
    if differing:
        return None
    stages = was.stages if now.stages[-1] == was.stages[-1] else (*was.stages, *now.stages)
    carried = attrs.evolve(now, stages=stages, secret=was.secret, seed=was.seed, excluded=was.excluded)
    return carried if find(was.format).continued(carried.fields()) is not None else None


def _facts(plan: Plan) -> dict[tuple[str, str], Json]:
    """Return what decides about matches, by path and the entrant it is about ("" for none)."""
    stage = plan.stages[-1]
    facts: dict[str, Json] = {
        "name": plan.name,
        "arena": plan.arena,
        "fingerprint": plan.fingerprint,
        "format": plan.format,
        "disable_after": plan.disable_after,
        ORDER: list(stage.entrants),
    }
    if plan.seed is not None:
        facts["seed"] = plan.seed
    settings: dict[str, Any] = msgspec.to_builtins(plan.settings)
    del settings["trace"]  # what is kept beside a record changes no match
    facts |= _flat(settings)
    facts |= {f"format.{key}": msgspec.to_builtins(value) for key, value in stage.settings.items()}
    by_name: dict[tuple[str, str], Json] = {(path, ""): value for path, value in facts.items()}
    by_name |= {(f"allow_self_play.{name}", name): bot for name, bot in plan.bots.items()}
    for entrant in plan.entrants:
        for key, value in _entrant_facts(entrant).items():
            by_name[f"entrants.{entrant.name}.{key}", entrant.name] = value
    return by_name


def _flat(settings: Mapping[str, Any]) -> dict[str, Json]:
    flat: dict[str, Json] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            flat[name] = value
    return flat


def _entrant_facts(entrant: Entrant) -> dict[str, Json]:
    facts: dict[str, Any] = msgspec.to_builtins(entrant)
    for where in ("name", "folder", "search_path", "runtime"):
        del facts[where]
    if entrant.argv:  # the same program may stand elsewhere on another day
        facts["argv"] = [PurePath(entrant.argv[0]).name, *entrant.argv[1:]]
    return facts
