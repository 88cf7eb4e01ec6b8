"""From a checked tournament file to an open run: every entrant is started once, the plan made, the store opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from arena.errors import EntrantError
from arena.referee.preflight import Unstartable, preflight
from arena.referee.rung import Rung
from arena.referee.sandbox.scratch import scratch_root
from arena.tournament.build import build_all
from arena.tournament.config import OnUnstartable, TournamentConfig
from arena.tournament.entrants import EntrantConfig
from arena.tournament.planning import make_plan, to_start
from arena.tournament.store import RunStore, stored_plan
from arena.wording import counted


class CannotStart(EntrantError):
    """Entrants can't be built or started, and nothing is played without them."""

    def __init__(self, failures: Sequence[Unstartable]) -> None:
        self.failures = tuple(failures)
        lines = []
        for failure in self.failures:
            advice = f" ({failure.advice})" if failure.advice else ""
            lines.append(f"{failure.entrant}: {failure.reason}{advice}")
            lines += [f"    | {line}" for line in failure.stderr_tail.splitlines()[-10:]]
        head = f"{counted(len(self.failures), 'entrant')} can't be started; nothing was played"
        super().__init__("\n  ".join([head, *lines]))


def open_run(
    config: TournamentConfig,
    folder: Path,
    rung: Rung,
    *,
    progress: Callable[[int, int], None] | None = None,
    slow: Callable[[EntrantConfig], None] | None = None,
    excluded: Callable[[Unstartable], None] | None = None,
) -> RunStore:
    """Begin the run of a tournament in `folder`, or go on with it; builds what has to be built. Main thread only.

    Args:
        config: the tournament.
        folder: of the run; made when it is missing.
        rung: of the sandbox.
        progress: told how many entrants of how many have been started.
        slow: told of each entrant whose build takes long.
        excluded: told of each entrant that the run goes on without.

    Raises:
        CannotStart: entrants can't be started and are not to be excluded.
        ConfigError: too few are left.
        ArchiveError: the run is played by another process, was begun with other settings, or can't be written.
    """
    stored = stored_plan(folder)
    with scratch_root() as scratch:
        started, failures = build_all(to_start(config, stored), folder, rung, scratch, slow=slow)
        entrants = [one.entrant for one in started]
        failures += preflight(
            entrants,
            config.settings,
            rung,
            scratch,
            at_once=max(2, os.cpu_count() or 1),
            progress=None if progress is None else lambda done: progress(done, len(entrants)),
        )
    if failures and config.on_unstartable is OnUnstartable.STOP:
        raise CannotStart(failures)
    if excluded is not None:
        known = stored.excluded if stored else {}
        unusable = [Unstartable(entrant=name, reason=why) for name, why in config.unusable.items() if name not in known]
        for failure in (*unusable, *failures):
            excluded(failure)
    reasons = {failure.entrant: failure.reason for failure in failures}
    built = {one.entrant.name: one for one in started}
    config = attrs.evolve(config, entrants=tuple(built.get(one.entrant.name, one) for one in config.entrants))
    return RunStore(folder, make_plan(config, excluded=reasons, stored=stored))
