"""Whether a stored run tells the truth: every record against the rules, its plan and its own summary."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from arena.games.api import Game
from arena.referee import record as records
from arena.referee.record import Record
from arena.referee.summary import MatchRow, summarise
from arena.referee.verify import Difference, verify
from arena.tournament.keys import deal_key
from arena.tournament.plan import Plan
from arena.tournament.store import RunReader


@attrs.frozen(kw_only=True)
class Audited:
    """One match and everything that is wrong with it, which is hopefully nothing."""

    match_id: str
    differences: tuple[Difference, ...]


def audit(run: RunReader, game: Game) -> Iterator[Audited]:
    """Re-referee every stored match in the order of the plan; yields as it goes.

    Raises:
        ArchiveError: the run or a record can't be read at all.
    """
    plan, rows = run.plan, run.all_rows()
    for match_id, data in run.records():
        record = records.decode(data, file=match_id)
        differences = (*verify(record, game), *check_plan(record, plan), *check_summary(record, rows[match_id]))
        yield Audited(match_id=match_id, differences=differences)


def check_plan(record: Record, plan: Plan) -> list[Difference]:
    """Return everything in which a record is not of a match of `plan`: its deal, its game, who sat there."""
    key = deal_key(bytes.fromhex(plan.secret), record.deal).hex()
    names = {entrant.name for entrant in plan.entrants}
    strangers = [name for name in record.line_up if name not in names]
    found = []
    if record.key != key:
        found.append(Difference("key", f"it is not the key of deal {record.deal}"))
    if record.game_options != dict(plan.settings.game_options):
        found.append(Difference("game_options", f"{record.game_options} is stored, another was planned"))
    if strangers:
        found.append(Difference("line_up", f"{', '.join(strangers)} does not take part in this run"))
    return found


def check_summary(record: Record, row: MatchRow) -> list[Difference]:
    """Return a difference when the summary that tables are made of is not that of the record."""
    return [] if summarise(record) == row else [Difference("summary", "it is not what the record says")]
