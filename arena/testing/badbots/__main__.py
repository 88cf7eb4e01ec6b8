"""`python -m arena.testing.badbots [RUNG]`: play the table of bad bots, print what became of each and what it cost."""

from __future__ import annotations

import sys

from tabulate import tabulate

from arena.games.connect_four import ConnectFour
from arena.referee.sandbox import choose_rung, forced
from arena.referee.settings import SandboxPolicy
from arena.testing.badbots.playing import complaints, play
from arena.testing.badbots.table import BAD_BOTS

REASON_CHARACTERS = 70


def main(words: list[str]) -> int:
    """Print the table; return 1 when anything is not as promised."""
    rung = forced(words[0]) if words else choose_rung(SandboxPolicy.AUTO)
    rows, wrong = [], []
    for bad in BAD_BOTS:
        if bad.full_pipe or (bad.litters and rung.name in ("rlimits", "off")):
            continue
        for played in play(bad, ConnectFour(), rung):
            wrong += [f"{bad.name}: {complaint}" for complaint in complaints(bad, played, rung.name)]
            fault, notes = played.fault, played.record.notes
            said = fault.reason if fault else notes[0].text if notes else ""
            verdict = fault.verdict.value if fault else "-"
            cost = [f"{played.wall_ms:.0f}", f"{bad.cost_ms}", f"{played.growth_bytes / 2**20:.1f}", len(played.left)]
            rows.append([bad.name, verdict, *cost, said[:REASON_CHARACTERS]])
    headers = ["bad bot", "verdict", "ms", "of them its limit", "MiB we grew", "left", "reason or note"]
    print(f"rung: {rung.name}, user {rung.user}\n")
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print("\n".join(["", *wrong]) if wrong else "\nall as promised")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
