"""Entrants that never start, answer nothing, answer rubbish or leave: each gets its verdict, the others their table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.referee.record import Verdict
from tests.end_to_end.command import arena, processes_in, records_of

GOOD = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "start"):
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "act":
        ANSWER
"""
ANSWERS = {
    "good": "print(json.dumps({'type': 'action', 'id': message['id'], 'option': 0}), flush=True)",
    "silent": "pass",
    "rubbish": "print('Traceback (most recent call last): oh no', flush=True)",
    "leaves": "print('I have had enough', file=sys.stderr); sys.exit(7)",
}
HEAD = """
name = "misfits"
game = "connect-four"
seats = 2
on_unstartable = "exclude"
[format]
name = "round-robin"
deals = 1
[game_options]
opening = 2
[clock]
startup_ms = 5000
per_action_ms = 200
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("misfits")
    tables = [HEAD]
    for name, answer in ANSWERS.items():
        (folder / name).mkdir()
        (folder / name / "bot.py").write_text(GOOD.replace("ANSWER", answer))
        tables.append(f'[[entrants]]\nname = "{name}"\ncommand = ["python3", "bot.py"]\nfolder = "{name}"')
    (folder / "ghost").mkdir()
    tables.append('[[entrants]]\nname = "ghost"\ncommand = ["./nothing"]\nfolder = "ghost"')
    tables.append('[[entrants]]\nname = "better"\ncommand = ["python3", "bot.py"]\nfolder = "good"')
    (folder / "misfits.toml").write_text("\n".join(tables))
    return folder, arena("run", "misfits.toml", "--slots", "2", "--oversubscribe", folder=folder)


def test_the_one_that_cannot_be_started_is_left_out_before_match_1(played: tuple[Path, str]) -> None:
    folder, said = played
    assert "ghost" in said
    assert "nothing" in said
    assert not any("ghost" in record.line_up for record in records_of(folder / "runs" / "misfits").values())


@pytest.mark.lesson(11)
@pytest.mark.parametrize(
    ("name", "verdict", "words"),
    [
        ("silent", Verdict.TIMEOUT, "no answer to request"),
        ("rubbish", Verdict.PROTOCOL, "stack trace"),
        ("leaves", Verdict.CRASH, "exit code 7"),
    ],
)
def test_each_gets_its_verdict_with_the_reason(
    played: tuple[Path, str], name: str, verdict: Verdict, words: str
) -> None:
    folder, said = played
    mine = [record for record in records_of(folder / "runs" / "misfits").values() if name in record.line_up]
    for record in mine:
        faults = [fault for fault in record.faults if record.line_up[fault.seat] == name]
        asked = any(request.seat == record.line_up.index(name) for request in record.requests)
        assert [fault.verdict for fault in faults] == [verdict] * asked
        assert all(words in fault.reason for fault in faults)
    assert name in said
    assert words in said


def test_the_table_of_the_others_is_right(played: tuple[Path, str]) -> None:
    folder, _ = played
    table = json.loads(arena("table", "misfits", "--json", folder=folder))
    rows = {row["entrant"]: row for row in table["standings"]}
    assert set(rows) == {"good", "better", "silent", "rubbish", "leaves"}
    for name in ("good", "better"):
        assert rows[name]["forfeits"] == 0
        assert rows[name]["wins"] >= 6
    for row in rows.values():
        assert row["wins"] + row["ties"] + row["losses"] == row["matches"] == 8


def test_nothing_is_left_behind(played: tuple[Path, str]) -> None:
    assert processes_in(played[0]) == []
