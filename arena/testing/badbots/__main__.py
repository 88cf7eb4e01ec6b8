"""`python -m arena.testing.badbots [RUNG]`: play the table of bad bots, print what became of each and what it cost."""

from __future__ import annotations

import argparse
import sys

from tabulate import tabulate

from arena.errors import ConfigError
from arena.games.connect_four import ConnectFour
from arena.referee.sandbox import choose_rung, forced
from arena.referee.sandbox.choice import NAMES
from arena.referee.settings import SandboxPolicy
from arena.terminal import let_go_of_stdout, passing
from arena.testing.badbots.playing import complaints, play
from arena.testing.badbots.table import BAD_BOTS

REASON_CHARACTERS = 70


def main(words: list[str]) -> int:
    """Print the table; return 1 when anything is not as promised, 2 when the words make no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m arena.testing.badbots",
        description="Play the table of bad bots; print what became of each and what it cost.",
    )
    parser.add_argument("rung", nargs="?", choices=NAMES, help="of the sandbox; without, the one that `auto` takes")
    name = parser.parse_args(words).rung
    try:
        rung = forced(name) if name else choose_rung(SandboxPolicy.AUTO)
    except ConfigError as error:
        parser.error(str(error))
    rows, wrong = [], []
    for number, bad in enumerate(BAD_BOTS, start=1):
        if bad.full_pipe or (bad.litters and rung.name in ("rlimits", "off")):
            continue
        passing(f"{number} of {len(BAD_BOTS)}: {bad.name}")
        for played in play(bad, ConnectFour(), rung):
            wrong += [f"{bad.name}: {complaint}" for complaint in complaints(bad, played, rung.name)]
            fault, notes = played.fault, played.record.notes
            said = fault.reason if fault else notes[0].text if notes else ""
            verdict = fault.verdict.value if fault else "-"
            cost = [f"{played.wall_ms:.0f}", f"{bad.cost_ms}", f"{played.growth_bytes / 2**20:.1f}", len(played.left)]
            rows.append([bad.name, verdict, *cost, said[:REASON_CHARACTERS]])
    passing("")
    headers = ["bad bot", "verdict", "ms", "of them its limit", "MiB we grew", "left", "reason or note"]
    print(f"rung: {rung.name}, user {rung.user}\n")
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print("\n".join(["", *wrong]) if wrong else "\nall as promised", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except BrokenPipeError:
        let_go_of_stdout()
        code = 1
    sys.exit(code)
