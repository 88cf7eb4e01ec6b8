"""What `arena run --on` and `arena worker` share: how a Dask cluster is reached, and the backend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.errors import ConfigError, Problem
from arena.hosts.backend import NO_HOST_FOR_S, HostsBackend
from arena.hosts.cluster import Cluster
from arena.hosts.engine import LOCAL, Tls, address_of, local_cluster, security
from arena.hosts.kit import bundler, make_kit
from arena.tournament.config import TournamentConfig
from arena.tournament.cores import available
from arena.tournament.plan import Plan

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path)
LOCAL_READY_WITHIN_S = 15.0


def tls_options(command: _Command) -> _Command:
    """Add the options of a TLS set-up to a command."""
    for name, what in (("ca", "authority that signed all certificates"), ("cert", "certificate"), ("key", "key")):
        option = click.option(f"--tls-{name}", type=_FILE, help=f"With tls://: file of the {what}, PEM.")
        command = option(command)
    return command


def tls_of(options: dict[str, Any], address: str) -> Tls | None:
    """Return the TLS set-up that was asked for; raise `ConfigError` when a part of it is missing."""
    given = {name: options[f"tls_{name}"] for name in ("ca", "cert", "key")}
    if not any(given.values()) and not address.startswith("tls://"):
        return None
    missing = [f"--tls-{name}" for name, path in given.items() if path is None]
    if missing:
        raise ConfigError([Problem("tls", f"{', '.join(missing)} is missing: TLS takes all three files")])
    return Tls(**given)


@contextmanager
def hosts_backend(
    on: str, config: TournamentConfig, plan: Plan, options: dict[str, Any]
) -> Iterator[Callable[[Callable[[str, str], None]], HostsBackend]]:
    """Yield what makes the backend, given whom to tell about hosts.

    Raises:
        ConfigError: `on` is no address, or the run can't be played on hosts.
        ArenaError: Dask is not installed.
    """
    kit = make_kit(plan, config.entrants, config.cores_per_match)
    if on != LOCAL:
        address = address_of(on)
        guard = security(tls_of(options, address))

        def remote(note: Callable[[str, str], None]) -> HostsBackend:
            return HostsBackend(lambda: Cluster(address, guard), kit, bundler(kit), note=note)

        yield remote
        return
    slots = config.slots * config.cores_per_match if config.slots else max(1, len(available()))
    with local_cluster(slots) as cluster:

        def local(note: Callable[[str, str], None]) -> HostsBackend:
            limit_s = min(NO_HOST_FOR_S, LOCAL_READY_WITHIN_S)
            return HostsBackend(lambda: Cluster(cluster), kit, bundler(kit), note=note, no_host_for_s=limit_s)

        yield local
