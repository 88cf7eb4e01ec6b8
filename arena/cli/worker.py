"""`arena worker`: this machine plays matches of runs that other machines direct."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import click

from arena.cli.hosting import tls_of, tls_options
from arena.errors import ConfigError, Problem
from arena.hosts.engine import address_of, dask
from arena.hosts.station import own_folder
from arena.hosts.work import default_folder
from arena.hosts.worker import Offer, serve
from arena.tournament.cores import available
from arena.wording import counted


@click.command("worker")
@click.argument("scheduler", metavar="ADDRESS")
@click.option("--slots", type=click.IntRange(min=1), help="Matches at a time; one for each core unless given.")
@click.option("--oversubscribe", is_flag=True, help="Allow more slots than cores; clocks will suffer.")
@click.option("--name", help="What this host is called in records; its network name unless given.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where bots are kept, from run to run.")
@click.option("--listen", metavar="HOST", help="Address of this machine that the scheduler can reach.")
@tls_options
def verb(scheduler: str, slots: int | None, folder: Path | None, **options: Any) -> None:
    """Play matches for runs that use the Dask scheduler at ADDRESS (tcp://HOST:PORT, or a scheduler file).

    Start the scheduler anywhere with `dask scheduler`. Whoever reaches its port can run programs on this machine
    as you: use a network of your own, or TLS. A lost scheduler is waited for; Ctrl-C ends the worker.
    """
    dask()
    cores = len(available()) or 1
    if slots is not None and slots > cores and not options["oversubscribe"]:
        problem = f"{counted(slots, 'slot')} on {counted(cores, 'core')} would spoil the clocks; take at most {cores}"
        raise ConfigError([Problem("slots", f"{problem}, or insist with --oversubscribe")])
    address = address_of(scheduler)
    place = (folder or default_folder()).absolute()
    own_folder(place)
    offer = Offer(
        address=address,
        slots=slots or cores,
        name=options["name"] or platform.node(),
        folder=place,
        tls=tls_of(options, address),
        listen=options["listen"],
    )
    serve(offer, click.echo)
