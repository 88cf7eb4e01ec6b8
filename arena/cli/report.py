"""`arena report`: a run as a folder of pages that opens from disk."""

from __future__ import annotations

from pathlib import Path

import click

from arena import web
from arena.cli.output import as_json as as_json_option
from arena.cli.output import dim, print_json
from arena.cli.runs import folder_of, opened, run_argument
from arena.wording import counted


@click.command("report")
@run_argument
@click.option(
    "--out", type=click.Path(path_type=Path), help="The folder to write; `report` in the run's folder if not."
)
@click.option("--replays", type=click.IntRange(min=0), default=500, show_default=True, help="At most so many replays.")
@as_json_option
def verb(run: str, out: Path | None, replays: int, as_json: bool) -> None:
    """Write RUN as pages: standings, crosstable, seats, matches, entrants and replays.

    They need no server: open `index.html`, or put the folder on any web host.
    """
    web.check_installed()
    from arena.web.export import write_report

    folder = out or folder_of(run) / "report"
    with opened(run) as reader:
        written = write_report(reader, folder, replays=replays)
    if as_json:
        print_json({"folder": str(folder), "pages": written.pages, "replays": written.replays})
        return
    click.echo(f"{counted(written.pages, 'page')} in {folder}; open {folder / 'index.html'}")
    if written.left_out:
        left_out = counted(written.left_out, "match has", "matches have")
        click.echo(dim(f"{left_out} no replay: `--replays` says how many may have one, forfeits and upsets come first"))
