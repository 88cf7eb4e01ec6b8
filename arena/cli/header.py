"""What `arena run` says before the first match: the settings in force, and what to be warned of."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path

import attrs

from arena import __version__
from arena.cli.progress import duration
from arena.cli.telling import told_options
from arena.referee.settings import Clock, ClockKind, Settings
from arena.tournament.keys import SEED_WARNING
from arena.tournament.plan import Plan
from arena.tournament.pool import Slot
from arena.wording import counted, listed


@attrs.frozen(kw_only=True)
class Setting:
    """One line of the header."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"  {self.name:9}  {self.value}"


def header(
    plan: Plan,
    folder: Path,
    *,
    total: int | None,
    stored: int,
    mean_match_s: float | None,
    slots: Iterable[Slot],
    sandbox: str,
    user: str,
    hosts: str = "",
) -> list[str]:
    """Return the header, line by line.

    Args:
        plan: of the run.
        folder: of the run.
        total: matches of the plan, None where that depends on results.
        stored: matches that were played before.
        mean_match_s: how long one of them took.
        slots: where it is played.
        sandbox: the rung that holds.
        user: `dropped` or `kept`, see `Host.user`.
        hosts: where the scheduler of other machines is, instead of `slots`.
    """
    settings = plan.settings
    game = f"{settings.game}{told_options(settings.game_options)}, {counted(settings.seats, 'seat')}"
    names = listed(entrant.name for entrant in plan.entrants)
    matches = "as many as it takes" if total is None else f"{total:,}"
    already = f", of which {stored:,} are played already" if stored else ""
    places = list(slots)
    lines = [
        Setting(name="game", value=game),
        Setting(name="entrants", value=f"{len(plan.entrants)}: {names}"),
        *([Setting(name="left out", value=f"{len(plan.excluded)}: {listed(plan.excluded)}")] if plan.excluded else []),
        Setting(name="matches", value=f"{matches} by {plan.format}{already}"),
        Setting(name="duration", value=_duration(total, stored, mean_match_s, len(places))),
        Setting(name="clock", value=told_clock(settings.clock)),
        Setting(name="limits", value=_limits(settings)),
        Setting(name="sandbox", value=f"{sandbox}{', bots run as another user' if user == 'dropped' else ''}"),
        Setting(name="restart", value=_restart(settings)),
        Setting(name="slots", value=f"those of the hosts at {hosts}" if hosts else _slots(places)),
        Setting(name="secret", value=_secret(plan)),
        Setting(name="versions", value=_versions()),
        Setting(name="machine", value=_machine()),
        Setting(name="folder", value=str(folder)),
    ]
    return [f"{plan.name}", *map(str, lines)]


def _duration(total: int | None, stored: int, mean_match_s: float | None, slots: int) -> str:
    """Return how long what is left will take, as far as earlier matches of this very run tell."""
    if mean_match_s is None or total is None or not slots:
        return "told after the first matches: it depends on the bots"
    return f"about {duration(max(0, total - stored) * mean_match_s / slots)} for what is left"


def told_clock(clock: Clock) -> str:
    """Return a time control as people say it."""
    if not clock.limited:
        return f"no limit on thinking, start-up {_seconds(clock.startup_ms)}"
    parts = []
    if clock.per_action_ms is not None:
        parts.append(f"{_seconds(clock.per_action_ms)} a request")
    if clock.bank_ms is not None:
        increment = f" + {_seconds(clock.increment_ms)} a request" if clock.increment_ms else ""
        parts.append(f"bank {_seconds(clock.bank_ms)}{increment}")
    parts.append(f"margin {clock.margin_ms} ms")
    if clock.strikes:
        parts.append(counted(clock.strikes, "strike"))
    kind = "CPU time" if clock.kind is ClockKind.CPU else "wall time"
    return f"{', '.join(parts)}, counted in {kind}; start-up {_seconds(clock.startup_ms)}"


def warnings(plan: Plan, slots: int) -> list[str]:
    """Return what an organiser should know before the run begins."""
    found = []
    if plan.seed is not None:
        found.append(SEED_WARNING)
    if not plan.settings.fresh:
        found.append("fresh = false: bots live on between matches and may remember a deal they have seen")
    needed_mb, have_mb = memory_needed_mb(plan, slots), _memory_mb()
    if have_mb and needed_mb > have_mb:
        found.append(
            f"{counted(slots, 'slot')} of {counted(plan.settings.seats, 'bot')} may use {needed_mb:,} MB of memory by"
            f" their caps, this machine has {have_mb:,} MB; use fewer slots or lower memory_mb"
        )
    return found


def memory_needed_mb(plan: Plan, slots: int) -> int:
    """Return how much memory the bots may hold at once by their caps: the greediest line-up in every slot."""
    caps = sorted((entrant.memory_mb or plan.settings.limits.memory_mb for entrant in plan.entrants), reverse=True)
    return slots * sum(caps[: plan.settings.seats])


def _memory_mb() -> int:
    """Return the memory of this machine, 0 where it can't be told."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (ValueError, OSError, AttributeError):
        return 0


def _limits(settings: Settings) -> str:
    limits = settings.limits
    return f"{limits.memory_mb} MB and {limits.processes} processes a bot, scratch {limits.scratch_mb} MB"


def _restart(settings: Settings) -> str:
    return "new bot processes for every match" if settings.fresh else "bots live on between matches"


def _slots(slots: list[Slot]) -> str:
    cores = [str(core) for slot in slots for core in slot.cores]
    pinned = f" on {'core' if len(cores) == 1 else 'cores'} {listed(cores)}" if cores else ", not pinned"
    return f"{counted(len(slots), 'match', 'matches')} at a time{pinned}"


def _secret(plan: Plan) -> str:
    return f"from the seed {plan.seed}" if plan.seed is not None else "random, not shown while the run goes on"


def _versions() -> str:
    return f"arena {__version__}, Python {platform.python_version()}, {platform.system()} {platform.release()}"


def _machine() -> str:
    memory = f", {_memory_mb() / 1024:.1f} GB" if _memory_mb() else ""
    return f"{counted(os.cpu_count() or 1, 'core')}{memory}, {_processor()}"


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open() as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _seconds(ms: int) -> str:
    return f"{ms / 1000:g} s" if ms >= 1000 else f"{ms} ms"
