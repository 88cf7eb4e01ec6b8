"""A hundred matches with a bot that dies in every tenth: a hundred results, and the run ends by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.referee.record import Verdict
from tests.end_to_end.command import arena, records_of

#: In a shell, which starts in a millisecond. Of ten deals it dies in one, each time in another way.
BOT = r"""
while read -r line; do
  case $line in
  *'"type":"hello"'*) echo '{"type":"ready"}' ;;
  *'"type":"start"'*)
    case $1$line in
    fragile*'"match":"l000-d'?'05-s0"'*) exit 3 ;;
    fragile*'"match":"l000-d'?'15-s0"'*) how='exit 4' ;;
    fragile*'"match":"l000-d'?'25-s0"'*) how='kill -KILL $$' ;;
    fragile*'"match":"l000-d'?'35-s0"'*) how='kill -SEGV $$' ;;
    fragile*'"match":"l000-d'?'45-s0"'*) how='sleep 60 & exit' ;;
    fragile*'"match":"l000-d'?'05-s1"'*) how='exec >&-; sleep 60' ;;
    fragile*'"match":"l000-d'?'15-s1"'*) how='echo rubbish; kill -KILL $$' ;;
    fragile*'"match":"l000-d'?'25-s1"'*) how='printf {; exit' ;;
    fragile*'"match":"l000-d'?'35-s1"'*) how='kill -STOP $$' ;;
    fragile*'"match":"l000-d'?'45-s1"'*) how='kill -ABRT $$' ;;
    *) how= ;;
    esac
    echo '{"type":"ready"}' ;;
  *'"type":"act"'*)
    [ -z "$how" ] || eval "$how"
    id=${line#*'"id":'}
    echo "{\"type\":\"action\",\"id\":${id%%[,\}]*},\"option\":0}" ;;
  *'"type":"quit"'*) exit ;;
  esac
done
"""
CUP = """
name = "cup"
game = "connect-four"
format = { deals = 50 }
clock = { per_action_ms = 1000 }
game_options = { opening = 4 }  # after 6, the other bot may win before this one is asked
[[entrants]]
name = "fragile"
folder = "bot"
command = ["sh", "bot.sh", "fragile"]
[[entrants]]
name = "sound"
folder = "bot"
command = ["sh", "bot.sh", "sound"]
"""


@pytest.mark.lesson(2)
def test_a_hundred_matches_with_a_bot_that_dies_in_a_tenth_of_them(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.sh").write_text(BOT)
    (tmp_path / "cup.toml").write_text(CUP)
    said = arena("run", "cup.toml", "--slots", "2", "--oversubscribe", folder=tmp_path)  # which must end within 90 s
    assert "complete: 100 matches in runs/cup" in said
    records = records_of(tmp_path / "runs/cup")
    assert sorted(records) == [f"l000-d{deal:03}-s{place}" for deal in range(50) for place in range(2)]
    lost = {match_id: record for match_id, record in records.items() if record.faults}
    assert sorted(lost) == [f"l000-d{deal:03}-s{place}" for deal in (5, 15, 25, 35, 45) for place in range(2)]
    blamed = {
        fault.seat for record in lost.values() for fault in record.faults if record.line_up[fault.seat] != "fragile"
    }
    assert blamed == set()
    verdicts = {match_id[-7:]: record.faults[0].verdict for match_id, record in lost.items()}
    assert verdicts.pop("d005-s0") is Verdict.FAILED_TO_START
    assert verdicts.pop("d015-s1") is Verdict.PROTOCOL
    assert verdicts.pop("d035-s1") is Verdict.TIMEOUT
    assert verdicts.pop("d005-s1") in (Verdict.CRASH, Verdict.TIMEOUT)  # bubblewrap holds its stdout, too
    assert set(verdicts.values()) == {Verdict.CRASH}
    rows = json.loads(arena("table", "cup", "--json", folder=tmp_path))["standings"]
    assert {row["entrant"]: (row["matches"], row["forfeits"]) for row in rows} == {
        "fragile": (100, 10), "sound": (100, 0)
    }  # fmt: skip
    # The same command again has nothing left to play.
    assert "complete: 100 matches" in arena("run", "cup.toml", "--slots", "2", "--oversubscribe", folder=tmp_path)
    assert records_of(tmp_path / "runs/cup") == records
