"""`arena hosts`: on which machines a run was played, and whether one of them is odd."""

from __future__ import annotations

import click

from arena.cli.output import as_json, dim, print_json, print_table, warn
from arena.cli.runs import opened, run_argument
from arena.report.hosts import HostRow, host_rows

EVENTS = ("host", "lost", "set aside")
LATEST = 20  #: events shown


@click.command("hosts")
@run_argument
@as_json
def verb(run: str, as_json: bool) -> None:
    """Show on which machines RUN was played: matches, speed, losses by time, what came and went.

    A host is called odd when more bots lose by time there than luck explains, or when a bot does better or worse there
    than its ratings explain. Nothing is left out for that.
    """
    with opened(run) as reader:
        rows = host_rows(reader.rows(), reader.played_on())
        events = [event for event in reader.events() if event.kind in EVENTS]
    if as_json:
        print_json({"hosts": rows, "events": events})
        return
    print_table(
        ["host", "matches", "slots", "mean s", "time losses", "speed", "cores", "sandbox", "processor"],
        [_told(row) for row in rows],
    )
    for row in rows:
        for sentence in row.odd:
            warn(f"{row.machine} is odd: {sentence}")
    for event in events[-LATEST:]:
        click.echo(dim(f"{event.at}  {event.text}"))


def _told(row: HostRow) -> list[object]:
    low, high = row.speed
    speed = f"{low:g}" if low == high else f"{low:g}-{high:g}"
    return [
        row.machine or "(unnamed)",
        f"{row.matches:,}",
        row.slots,
        f"{row.mean_s:.2f}",
        row.time_losses,
        speed,
        row.cores,
        ", ".join(row.rungs),
        row.processor,
    ]
