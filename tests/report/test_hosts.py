"""An odd machine is found, an even one is not, and nothing is dropped."""

from __future__ import annotations

import random
from collections.abc import Mapping

from arena.ratings import MatchRow
from arena.referee.record import Host
from arena.report.hosts import host_rows
from arena.tournament.store import PlayedOn


def played(
    rng: random.Random, blocks: int, *, slow: Mapping[str, float], favours: str = ""
) -> tuple[list[MatchRow], dict[str, PlayedOn]]:
    """Return matches of a field of three on three machines; on `favours` ann always wins."""
    rows, places = [], {}
    for number in range(2 * blocks):
        block, machine = number // 2, f"lab-{number // 2 % 3}"
        one, other = rng.sample(["ann", "bob", "cy"], 2)
        late = rng.random() < slow.get(machine, 0.02)
        first = one == "ann" if machine == favours and "ann" in (one, other) else rng.random() < 0.5
        rows.append(
            MatchRow(
                match_id=f"m{number}", line_up=(one, other), places=(1, 2) if first or late else (2, 1),
                scores=(1, 0), block=f"b{block}", deal=block, termination="finished",
                forfeited=(1,) if late else (), verdicts=("", "timeout") if late else (),
            )
        )  # fmt: skip
        host = Host(machine=machine, processor="x", speed=20.0 + number % 2, rung="bubblewrap", machine_cores=4)
        places[f"m{number}"] = PlayedOn(host, number % 4, 1500)
    return rows, places


def test_even_machines_are_not_called_odd() -> None:
    false = sum(bool(row.odd) for seed in range(20) for row in host_rows(*played(random.Random(seed), 90, slow={})))
    assert false <= 3


def test_a_machine_on_which_bots_lose_by_time_is_called_odd() -> None:
    rows = host_rows(*played(random.Random(1), 90, slow={"lab-1": 0.2}))
    assert [row.machine for row in rows if any("losses by time" in sentence for sentence in row.odd)] == ["lab-1"]


def test_a_machine_that_favours_a_bot_is_called_odd() -> None:
    rows = host_rows(*played(random.Random(2), 120, slow={}, favours="lab-2"))
    (odd,) = [row for row in rows if row.odd]
    assert odd.machine == "lab-2"
    assert any(sentence.startswith("ann wins more here") for sentence in odd.odd)


def test_every_match_is_counted_on_its_machine() -> None:
    rows, places = played(random.Random(3), 50, slow={"lab-0": 0.3})
    found = host_rows(rows, places)
    assert sum(row.matches for row in found) == 100
    assert sum(row.time_losses for row in found) == sum(row.verdicts.count("timeout") for row in rows)
    assert {row.speed for row in found} == {(20.0, 21.0)}
    assert all(row.mean_s == 1.5 for row in found)


def test_a_run_on_one_machine_is_never_odd() -> None:
    rows, places = played(random.Random(4), 60, slow={})
    same = {match_id: PlayedOn(Host(machine="here"), 0, 10) for match_id in places}
    (only,) = host_rows(rows, same)
    assert only.odd == ()
