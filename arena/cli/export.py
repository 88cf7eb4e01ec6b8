"""`arena export`: a run as CSV, JSON lines or Parquet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import attrs
import click

from arena.cli.runs import opened, run_argument
from arena.errors import ArenaError
from arena.referee import record as records
from arena.report.export import write_csv, write_parquet
from arena.tournament.store import RunReader

FORMATS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


@click.command("export")
@run_argument
@click.option("--format", "kind", type=click.Choice(["csv", "jsonl", "parquet"]), help="Else told by the file's name.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write; standard output unless given.")
def verb(run: str, kind: str | None, out: Path | None) -> None:
    """Write RUN for other programs.

    csv and parquet: one line for each seat of each match that counts. jsonl: one record, as it is stored, for each
    match that was played. The keys of deals are left out while the run is not over.
    """
    kind = kind or (FORMATS.get(out.suffix) if out else None) or "csv"
    with opened(run) as reader:
        if kind == "parquet":
            if out is None:
                raise ArenaError("Parquet is no text; name a file with --out FILE.parquet")
            number = write_parquet(reader.rows(), out)
        else:
            with _opened(out) as file:
                number = write_csv(reader.rows(), file) if kind == "csv" else _write_records(reader, file)
    if out is not None:
        click.echo(f"{number:,} lines in {out}")


def _write_records(reader: RunReader, file: IO[str]) -> int:
    over, count = reader.director().complete, 0
    for match_id, data in reader.records():
        shown = data if over else records.encode(attrs.evolve(records.decode(data, file=match_id), key=""))
        file.write(shown.decode() + "\n")
        count += 1
    return count


@contextmanager
def _opened(out: Path | None) -> Iterator[IO[str]]:
    if out is None:
        yield sys.stdout
        return
    try:
        with out.open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        raise ArenaError(f"{out} can't be written: {error.strerror or error}") from None
