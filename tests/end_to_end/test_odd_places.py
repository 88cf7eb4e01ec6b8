"""Files from another system, and folders that a shell would trip over: everything works, from any working directory."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.end_to_end.command import arena, records_of

BOT = """\
import json, os, sys
print(f"at home in {os.path.basename(os.getcwd())}", file=sys.stderr)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "start"):
        print('\\ufeff{"type":"ready"}  ' if message["type"] == "hello" else '{"type":"ready"}', end="\\r\\n")
    elif message["type"] == "act":
        print(json.dumps({"type": "action", "id": message["id"], "option": 0}), end=" \\t\\r\\n")
"""
CUP = """\
name = "cup"
game = "connect-four"
sandbox = "SANDBOX"
format = { deals = 1 }
[[entrants]]
name = "named"
folder = "all bots/a bot"
command = ["python3", "my bot.py", "two words"]
[[entrants]]
glob = "all bots/sub missions/*"
"""
BOT_FILE = """\
name = "handed-in"
command = ["python3", "main.py"]
"""


@pytest.mark.lesson(16)
@pytest.mark.parametrize("sandbox", ["auto", "off"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_spaces_in_every_path_and_files_of_another_system(sandbox: str, line_end: str, tmp_path: Path) -> None:
    mark = "\ufeff" if line_end == "\r\n" else ""

    def write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(mark + text, "utf-8", newline=line_end)

    cups, elsewhere = tmp_path / "my cups", tmp_path / "some where else"
    elsewhere.mkdir()
    write(cups / "the cup.toml", CUP.replace("SANDBOX", sandbox))
    write(cups / "all bots/a bot/my bot.py", BOT)
    write(cups / "all bots/sub missions/her bot/main.py", BOT)
    write(cups / "all bots/sub missions/her bot/arena.toml", BOT_FILE)
    file = os.path.relpath(cups / "the cup.toml", elsewhere)
    said = arena("run", file, "--out", "../an out/of bounds", "--slots", "1", folder=elsewhere)
    run = tmp_path / "an out/of bounds"
    assert "complete: 2 matches in ../an out/of bounds" in said
    records = records_of(run)
    assert all(record.faults == () for record in records.values())
    assert {name for record in records.values() for name in record.line_up} == {"named", "handed-in"}
    tails = {bot.stderr_tail for record in records.values() for bot in record.bots}
    assert tails == {"at home in a bot", "at home in her bot"}
    assert "2 matches replayed, every one equal" in arena("verify", str(run), folder=tmp_path)
    again = arena("run", str(cups / "the cup.toml"), "--out", str(run), "--json", "--slots", "1", folder=tmp_path)
    assert json.loads(again[again.index("{") :].partition("\ncomplete")[0])["ending"]["complete"]
