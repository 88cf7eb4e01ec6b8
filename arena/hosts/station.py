"""A host at work: gets ready for runs and plays their matches, each in a referee process, as everywhere.

Its methods are called by Dask on several threads at a time. Referees live on between batches and are
ended when they have been idle for a while, so that a run whose scheduler was killed leaves nothing behind.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
import trio

from arena.errors import ArenaError
from arena.hosts import bundle
from arena.hosts.readying import Prepared, Task, get_ready
from arena.hosts.stands import Stand, Stands
from arena.hosts.versions import difference
from arena.hosts.wire import NOT_READY, Answer, Job, Kit, LostReferee, Missing, Ready, Result, Unfit
from arena.referee.settings import Entrant, Fixture, Settings
from arena.referee.wire import Alive, MatchPlayed, MatchStarted, Play, Setup
from arena.tournament.pool import COMMAND, SILENT_FOR_S, Referee, RefereeLost

STARTS = 3  #: a host on which so many referees in a row can't be started is unfit
BOTS = "bots"  #: folder of a host


@attrs.define(eq=False)
class _Session:
    """A run that the host is ready for."""

    run: str
    settings: Settings
    entrants: tuple[Entrant, ...]
    speed: float
    cores_per_match: int
    stopped: bool = False
    playing: dict[trio.CancelScope, trio.lowlevel.TrioToken] = attrs.field(factory=dict)


class Station:
    """What one worker of a host has: a folder with bots, cores, referees."""

    def __init__(
        self,
        folder: Path,
        slots: int,
        *,
        machine: str,
        command: Sequence[str] = COMMAND,
        silent_for_s: float = SILENT_FOR_S,
    ) -> None:
        """Set up shop.

        Args:
            folder: for bots, kept from run to run; made when it is missing.
            slots: matches at a time.
            machine: what the host is called in records.
            command: starts a referee.
            silent_for_s: a referee that says nothing for so long in a match has stalled.
        """
        self._folder = folder
        self._machine = machine
        self._command = command
        self._silent_for_s = silent_for_s
        self._stands = Stands(slots)
        self._sessions: dict[str, _Session] = {}
        self._lock = threading.Lock()  #: for the sessions
        self._unpacking = threading.Lock()

    # -- getting ready ----------------------------------------------------------------------------------------

    def ready(self, kit: Kit, bundles: Mapping[str, bytes]) -> Answer:
        """Get ready for a run; `bundles` are the bots by their content hash that were missing when asked before."""
        reason = difference(kit.versions, kit.settings)
        if reason:
            return Unfit(reason)
        try:
            missing = self._missing(kit, bundles)
        except (ArenaError, OSError) as error:
            return Unfit(str(error))
        if missing:
            return Missing(missing)
        prepared = get_ready(
            Task(
                settings=kit.settings,
                entrants=tuple(bundle.placed(one, self._place(one.entrant)) for one in kit.entrants),
                builds=tuple(one.build for one in kit.entrants),
                folder=str(self._folder),
                machine=self._machine,
            )
        )
        if isinstance(prepared, Unfit):
            return prepared
        self._begin(kit, prepared)
        return Ready(prepared.facts)

    def _missing(self, kit: Kit, bundles: Mapping[str, bytes]) -> tuple[str, ...]:
        """Unpack what has come; return the hashes of what is still missing."""
        own_folder(self._folder)
        own_folder(self._folder / BOTS)
        missing: dict[str, None] = {}
        with self._unpacking:
            for one in kit.entrants:
                place, name = self._place(one.entrant), one.entrant.content_hash
                if bundle.is_there(one, place):
                    continue
                if name in bundles:
                    bundle.unpack(bundles[name], one, place)
                else:
                    missing[name] = None
        return tuple(missing)

    def _place(self, entrant: Entrant) -> Path:
        return self._folder.absolute() / BOTS / entrant.content_hash

    def _begin(self, kit: Kit, prepared: Prepared) -> None:
        session = _Session(kit.run, kit.settings, prepared.entrants, prepared.facts.speed, kit.cores_per_match)
        with self._lock:
            # A run is played by one scheduler at a time: an earlier start of it has been killed.
            earlier = [key for key, one in self._sessions.items() if one.run == kit.run and key != kit.session]
            self._sessions[kit.session] = session
        for key in earlier:
            self.stop(key)

    # -- playing ----------------------------------------------------------------------------------------------

    def play(self, job: Job) -> Result:
        """Play some matches in a slot, on the calling thread; called at most as often at a time as there are slots."""
        with self._lock:
            session = self._sessions.get(job.session)
        if session is None:
            return Result(played=(), seconds=0.0, problem=NOT_READY)
        stand = self._stands.take(job.session, session.cores_per_match)
        began_s = time.monotonic()
        played: list[MatchPlayed] = []
        lost, problem = None, ""
        try:
            lost = trio.run(self._play, session, stand, job.fixtures, played)
        except (ArenaError, OSError) as error:
            problem = str(error)
        finally:
            self._stands.give_back(stand)
        return Result(played=tuple(played), seconds=time.monotonic() - began_s, lost=lost, problem=problem)

    async def _play(
        self, session: _Session, stand: Stand, fixtures: Sequence[Fixture], played: list[MatchPlayed]
    ) -> LostReferee | None:
        """Append what was played; return how the referee was lost, None when it was not."""
        scope = trio.CancelScope()
        with self._lock:
            if session.stopped:
                return None
            session.playing[scope] = trio.lowlevel.current_trio_token()
        whole = False
        try:
            with scope:
                referee = stand.referee = stand.referee or await self._start(session, stand)
                lost = await self._results(referee, fixtures, played)
                if lost is not None:
                    stand.referee = None
                    await referee.kill()
                whole = lost is None
                return lost
            return None
        finally:
            with self._lock:
                del session.playing[scope]
            if not whole:
                await stand.dissolve()

    async def _start(self, session: _Session, stand: Stand) -> Referee:
        setup = Setup(
            settings=session.settings,
            entrants=session.entrants,
            slot=stand.number,
            cores=stand.cores,
            machine=self._machine,
            speed=session.speed,
        )
        for left in reversed(range(STARTS)):
            try:
                return await Referee.start(setup, self._command)
            except RefereeLost as lost:
                if not left:
                    raise ArenaError(f"no referee can be started: {lost}") from None
        raise AssertionError("the last try returned or raised")

    async def _results(
        self, referee: Referee, fixtures: Sequence[Fixture], played: list[MatchPlayed]
    ) -> LostReferee | None:
        try:
            await referee.send(Play(tuple(fixtures)), within_s=self._silent_for_s)
            for fixture in fixtures:
                match = await self._result(referee, fixture)
                played.append(match)
        except RefereeLost as lost:
            return LostReferee(str(lost), -1 if referee.last_seat is None else referee.last_seat)
        return None

    async def _result(self, referee: Referee, fixture: Fixture) -> MatchPlayed:
        while True:
            match await referee.receive(within_s=self._silent_for_s):
                case MatchStarted():
                    referee.last_seat = None
                case Alive() as alive:
                    referee.last_seat = alive.last_seat if alive.last_seat >= 0 else None
                case MatchPlayed() as match:
                    if match.summary.match_id != fixture.match_id:
                        raise RefereeLost(f"a referee returned {match.summary.match_id} for {fixture.match_id}")
                    referee.last_seat = None
                    return match
                case _ as other:
                    raise RefereeLost(f"a referee sent `{type(other).__name__}` in the middle of a match")

    # -- stopping ---------------------------------------------------------------------------------------------

    def stop(self, session_name: str) -> None:
        """Stop a session's matches and forget it; unknown ones change nothing."""
        with self._lock:
            session = self._sessions.pop(session_name, None)
            if session is None:
                return
            session.stopped = True
            for scope, token in session.playing.items():
                token.run_sync_soon(scope.cancel)
        self._stands.dissolve_idle(session_name)

    def close(self) -> None:
        """Stop everything."""
        with self._lock:
            names = list(self._sessions)
        for name in names:
            self.stop(name)
        self._stands.close()


def own_folder(folder: Path) -> None:
    """Make a folder that is this user's own; others can pass, because bots may run as another user.

    Raises:
        ArenaError: it is somebody else's, or can't be made.
    """
    try:
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        status = folder.stat(follow_symlinks=False)
    except OSError as error:
        raise ArenaError(f"{folder} can't be made: {error.strerror or error}") from None
    if status.st_uid != os.geteuid():
        raise ArenaError(f"{folder} belongs to another user; name another one with `arena worker --folder`")
