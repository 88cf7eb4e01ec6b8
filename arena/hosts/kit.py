"""What a run sends to its hosts, made from its tournament and plan."""

from __future__ import annotations

import functools
import hashlib
import secrets
from collections.abc import Callable, Iterable

import attrs

from arena.errors import ConfigError, Problem
from arena.hosts.bundle import pack
from arena.hosts.versions import versions
from arena.hosts.wire import Kit, KitEntrant
from arena.tournament.entrants import EntrantConfig
from arena.tournament.plan import Plan


def make_kit(plan: Plan, entrants: Iterable[EntrantConfig], cores_per_match: int = 1) -> Kit:
    """Return the kit of one start of a run.

    Args:
        plan: of the run.
        entrants: of its tournament, as the file has them: with the folders that they are built from.
        cores_per_match: how many slots of a host a match takes.

    Raises:
        ConfigError: traces are asked for, which stay where a match is played.
    """
    if plan.settings.trace:
        raise ConfigError([Problem("--trace", "traces are kept on the machine that plays; leave --on or --trace out")])
    files = {one.entrant.name: one for one in entrants}
    return Kit(
        run=hashlib.blake2b(bytes.fromhex(plan.secret), person=b"run", digest_size=16).hexdigest(),
        session=secrets.token_hex(8),
        versions=versions(plan.settings),
        settings=plan.settings,
        entrants=tuple(
            KitEntrant(
                attrs.evolve(files[planned.name].entrant, content_hash=planned.content_hash),
                files[planned.name].build,
            )
            for planned in plan.entrants
        ),
        cores_per_match=cores_per_match,
    )


def bundler(kit: Kit) -> Callable[[str], bytes]:
    """Return what packs the bot with a content hash; each is packed once."""
    by_hash = {one.entrant.content_hash: one for one in kit.entrants}

    @functools.cache
    def packed(content_hash: str) -> bytes:
        return pack(by_hash[content_hash])

    return packed
