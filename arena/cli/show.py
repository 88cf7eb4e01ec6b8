"""`arena show`: a stored match replayed as readable text, or the list of a run's matches."""

from __future__ import annotations

from pathlib import Path

import attrs
import click

from arena import web
from arena.cli.output import as_json, dim, print_json, print_table
from arena.cli.runs import game_of, opened, record_of, run_argument
from arena.cli.telling import Teller
from arena.errors import ArenaError
from arena.games.api import Game
from arena.referee.record import Record
from arena.referee.summary import MatchRow
from arena.tournament.store import RunReader
from arena.wording import counted


@click.command("show")
@run_argument
@click.argument("match", required=False)
@click.option("--steps", is_flag=True, help="Draw the board before every action, not only at the start and the end.")
@click.option("--deal", "deal_only", is_flag=True, help="Draw the opening of the match only.")
@click.option("--at", type=click.IntRange(min=0), help="Draw the board after so many actions only.")
@click.option("--seat", type=click.IntRange(min=0), help="Tell the actions of this seat only.")
@click.option("--entrant", help="Without MATCH: only matches of this entrant.")
@click.option("--faults", is_flag=True, help="Without MATCH: only matches in which a bot forfeited.")
@click.option("--of-deal", type=click.IntRange(min=0), help="Without MATCH: only matches of the deal of this number.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write the replay as one page.")
@as_json
def verb(
    run: str,
    match: str | None,
    steps: bool,
    deal_only: bool,
    at: int | None,
    seat: int | None,
    entrant: str | None,
    faults: bool,
    of_deal: int | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Replay the MATCH of a RUN as text: every action told, faults and notes where they came, the final board.

    Without MATCH the matches of the run are listed.
    """
    if html is not None and match is None:
        raise ArenaError("--html writes the replay of one match; name it")
    with opened(run) as reader:
        if match is None:
            rows = [row for row in reader.rows() if _wanted(row, entrant, faults, of_deal)]
            _list(reader, rows, as_json)
            return
        record, game = record_of(reader, match), game_of(reader)
        over = not as_json or reader.director().complete
    if html is not None:
        _write_page(record, game, html)
        return
    if as_json:
        print_json(record if over else attrs.evolve(record, key=""))
        return
    if at is not None and at > len(record.actions):
        raise ArenaError(f"{match} has {len(record.actions)} actions, not {at}")
    if seat is not None and seat >= len(record.line_up):
        raise ArenaError(f"{match} has seats 0 to {len(record.line_up) - 1}, no seat {seat}")
    teller = Teller(record, game)
    if deal_only or at is not None:
        click.echo(game.draw(teller.state_after(at or 0)))
    else:
        teller.tell(steps=steps, only_seat=seat)


def _write_page(record: Record, game: Game, path: Path) -> None:
    web.check_installed()
    from arena.web.export import single_page

    try:
        path.write_text(single_page(record, game), encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{path} can't be written: {error.strerror or error}") from None
    click.echo(f"wrote {path}; any browser opens it")


def _wanted(row: MatchRow, entrant: str | None, faults: bool, deal: int | None) -> bool:
    return (
        (entrant is None or entrant in row.line_up)
        and (not faults or bool(row.forfeited))
        and (deal is None or row.deal == deal)
    )


def _list(reader: RunReader, rows: list[MatchRow], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo("no match is stored that fits")
        return
    print_table(["match", "deal", "by seat: entrant, place and score", ""], [_row(row) for row in rows])
    click.echo(dim(f"{counted(len(rows), 'match', 'matches')}; `arena show {reader.path.parent} MATCH` replays one"))


def _row(row: MatchRow) -> list[str]:
    if row.void:
        return [row.match_id, str(row.deal), ", ".join(row.line_up), "void"]
    seats = zip(row.line_up, row.places, row.scores, strict=True)
    result = ", ".join(f"{name} {place}. ({score})" for name, place, score in seats)
    return [row.match_id, str(row.deal), result, "; ".join(_fault(row, seat) for seat in row.forfeited)]


def _fault(row: MatchRow, seat: int) -> str:
    return f"{row.line_up[seat]}: {row.verdicts[seat]}"
