"""A referee that plays nothing and misbehaves by the id of a match; run as a program by the tests of the pool.

`die-N` kills it N times (counted in a file), `stall` makes it silent, `lie` makes it return another match,
`babble` makes it write a line that is no message, `void` makes the game break, `think-MS-…` takes so long and keeps a
book of it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def misbehave(match_id: str, folder: Path) -> None:
    kind, _, number = match_id.partition("-")
    if kind == "die":
        marks = folder / match_id
        done = len(marks.read_text()) if marks.exists() else 0
        if done < int(number):
            marks.write_text("x" * (done + 1))
            say(type="alive", match_id=match_id, last_seat=1)
            os._exit(9)
    if kind == "babble":
        print("debug: here we are", flush=True)
    if kind == "stall":
        time.sleep(60)
    if kind == "think":
        begun_s = time.monotonic()
        time.sleep(int(number.partition("-")[0]) / 1000)
        with (folder / "spells").open("a") as book:
            book.write(f"{match_id} {begun_s} {time.monotonic()}\n")


def main() -> None:
    folder = Path(sys.argv[1])
    if not json.loads(sys.stdin.readline())["entrants"]:
        say(type="failed", problem="no sandbox here")
        return
    say(type="ready", host={})
    for line in sys.stdin:
        for fixture in json.loads(line)["fixtures"]:
            match_id = fixture["match_id"]
            say(type="started", match_id=match_id)
            misbehave(match_id, folder)
            with (folder / "log").open("a") as log:
                log.write(match_id + "\n")
            row = {
                "match_id": "other" if match_id == "lie" else match_id,
                "line_up": fixture["line_up"],
                "places": [] if match_id == "void" else [1, 2],
                "scores": [] if match_id == "void" else [1, 0],
                "block": fixture["block"],
                "deal": 0,
                "termination": "finished",
            }
            fault = {"seat": 0, "verdict": "referee error", "reason": "KeyError: 3", "action_number": 0, "at_ms": 0}
            strike = fault | {"verdict": "timeout", "reason": "late", "forfeits": False}
            faults = [strike, fault | {"forfeits": False}] if match_id == "void" else []
            say(type="record", summary=row, faults=faults, record={"match_id": match_id})


main()
