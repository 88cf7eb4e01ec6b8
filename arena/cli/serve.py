"""`arena serve`: a run in the browser, also while it is played."""

from __future__ import annotations

import click

from arena import web
from arena.cli.output import warn
from arena.cli.runs import folder_of, run_argument


@click.command("serve")
@run_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0 lets others look.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any free one.")
def verb(run: str, host: str, port: int) -> None:
    """Show RUN in the browser: standings that change live, crosstable, seats, matches, entrants, and every replay.

    Nothing can be changed from there. It stops by Ctrl-C; the run does not notice.
    """
    web.check_installed()
    import trio

    from arena.web.live import dashboard
    from arena.web.serving import LOOPBACK, address, allowed_hosts, interrupted, listen, serve

    app = dashboard(folder_of(run), allowed_hosts(host))
    listener = listen(host, port)
    if host.lower() not in LOOPBACK:
        warn(f"everybody who reaches this machine at {host} can look at the run")
    click.echo(f"{run} is at {address(listener, host)} (Ctrl-C stops)")
    trio.run(serve, app, listener, interrupted)
