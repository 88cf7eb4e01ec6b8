"""The run folder: one SQLite file that everything else is derived from.

`RunStore` is the only writer, holds the run's lock for its life and commits in groups: when `insert_many` returns,
the matches are on disk. `RunReader` opens the same file read-only, also while the run goes on.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import attrs
import msgspec
from msgspec.structs import replace

from arena.errors import ArchiveError
from arena.referee.record import Host
from arena.referee.summary import MatchRow
from arena.tournament import formats
from arena.tournament import plan as plans
from arena.tournament.bulk import collector_paused
from arena.tournament.director import Director, Status, Unscored
from arena.tournament.lock import RunLock
from arena.tournament.plan import Difference, FindFormat, Plan

STORE_VERSION = 1
RUN_FILE = "run.sqlite"
_COMPRESSION = 6
#: In one transaction, so that a file either has all of it or is empty; `user_version` is `STORE_VERSION`.
_SCHEMA = """
BEGIN;
PRAGMA user_version = 1;
CREATE TABLE plans (stage INTEGER PRIMARY KEY, at TEXT NOT NULL, plan TEXT NOT NULL);
CREATE TABLE hosts (id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE);
CREATE TABLE matches (
    number INTEGER PRIMARY KEY, match_id TEXT NOT NULL UNIQUE, at TEXT NOT NULL,
    host INTEGER NOT NULL, slot INTEGER NOT NULL, wall_ms INTEGER NOT NULL, summary TEXT NOT NULL
);
CREATE TABLE records (number INTEGER PRIMARY KEY, record BLOB NOT NULL);
CREATE TABLE unscored (
    number INTEGER PRIMARY KEY, match_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, reason TEXT NOT NULL,
    blamed TEXT NOT NULL, line_up TEXT NOT NULL
);
CREATE TABLE events (id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL);
COMMIT;
"""


@attrs.frozen(kw_only=True)
class StoredMatch:
    """What is kept of one match."""

    number: int  #: of its fixture
    row: MatchRow
    record: bytes  #: the encoded `Record`, as it came from the referee


@attrs.frozen(kw_only=True)
class Event:
    """Something that happened in a run and is no result: a lost referee, a continuation, an interruption."""

    kind: str  #: one word, for example `lost`
    text: str  #: a sentence
    at: str = ""  #: ISO 8601, UTC; filled in by the store


@attrs.frozen
class PlayedOn:
    """Where a match was played."""

    host: Host  #: what it has in common with other matches of that machine: without slot, cores and times
    slot: int
    wall_ms: int  #: of the whole match, start-up included


class _Head(msgspec.Struct):
    host: Host


_row_decoder = msgspec.json.Decoder(MatchRow)
_head_decoder = msgspec.json.Decoder(_Head)


class _Run:
    """What readers and the writer share."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @contextmanager
    def _speaking(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection
        except sqlite3.Error as error:
            raise _explained(self.path, error) from None

    def _query(self, sql: str, *values: object) -> list[Any]:
        with self._speaking() as connection:
            return connection.execute(sql, values).fetchall()

    def stored_plans(self) -> list[Plan]:
        """Return the plan the run began with and each continuation, the one in force last."""
        rows = self._query("SELECT plan FROM plans ORDER BY stage")
        return [plans.decode(text, file=str(self.path)) for (text,) in rows]

    def rows(self) -> list[MatchRow]:
        """Return the matches that count, in the order of the plan."""
        return self._rows("WHERE number NOT IN (SELECT number FROM unscored)")

    def all_rows(self) -> dict[str, MatchRow]:
        """Return every stored match by its id, those that don't count included: what a director resumes from."""
        return {row.match_id: row for row in self._rows("")}

    def _rows(self, where: str) -> list[MatchRow]:
        texts = self._query(f"SELECT summary FROM matches {where} ORDER BY number")  # noqa: S608 - our own words
        try:
            with collector_paused():
                return [_row_decoder.decode(text) for (text,) in texts]
        except msgspec.DecodeError as error:
            raise ArchiveError(str(self.path), f"the summary of a match is damaged: {error}") from None

    def unscored(self) -> list[Unscored]:
        """Return the fixtures that were found not to count, in the order of the plan."""
        rows = self._query("SELECT number, match_id, status, reason, blamed, line_up FROM unscored ORDER BY number")
        try:
            return [
                Unscored(
                    number=number,
                    match_id=match_id,
                    status=Status(status),
                    reason=reason,
                    blamed=blamed,
                    line_up=msgspec.json.decode(line_up, type=tuple[str, ...]),
                )
                for number, match_id, status, reason, blamed, line_up in rows
            ]
        except (ValueError, msgspec.DecodeError) as error:
            raise ArchiveError(str(self.path), f"the list of unscored matches is damaged: {error}") from None

    def set_aside(self) -> dict[str, Unscored]:
        """Return the matches that killed their referee too often, by id."""
        return {one.match_id: one for one in self.unscored() if one.status is Status.SET_ASIDE}

    def record(self, match_id: str) -> bytes | None:
        """Return the encoded record of a match, None when it isn't stored."""
        found = self._query("SELECT record FROM records JOIN matches USING (number) WHERE match_id = ?", match_id)
        return self._inflated(found[0][0]) if found else None

    def records(self) -> Iterator[tuple[str, bytes]]:
        """Yield id and encoded record of every stored match in the order of the plan, one at a time."""
        for number, match_id in self._query("SELECT number, match_id FROM matches ORDER BY number"):
            ((blob,),) = self._query("SELECT record FROM records WHERE number = ?", number)
            yield match_id, self._inflated(blob)

    def hosts(self) -> list[Host]:
        """Return the distinct machines and set-ups that matches were played on."""
        return [msgspec.json.decode(facts, type=Host) for (facts,) in self._query("SELECT facts FROM hosts")]

    def played_on(self) -> dict[str, PlayedOn]:
        """Return where every stored match was played, by match id, in the order of the plan."""
        with collector_paused():
            hosts = {
                number: msgspec.json.decode(facts, type=Host)
                for number, facts in self._query("SELECT id, facts FROM hosts")
            }
            places = self._query("SELECT match_id, host, slot, wall_ms FROM matches ORDER BY number")
            return {match_id: PlayedOn(hosts[host], slot, wall_ms) for match_id, host, slot, wall_ms in places}

    def events(self) -> list[Event]:
        """Return what happened, in order."""
        return [
            Event(kind=kind, text=text, at=at)
            for kind, text, at in self._query("SELECT kind, text, at FROM events ORDER BY id")
        ]

    def count(self) -> int:
        """Return how many matches are stored."""
        ((number,),) = self._query("SELECT count(*) FROM matches")
        return int(number)

    def mean_match_s(self) -> float | None:
        """Return how long a stored match took on average, in seconds; None when there is none."""
        ((mean_ms,),) = self._query("SELECT avg(wall_ms) FROM matches")
        return None if mean_ms is None else mean_ms / 1000

    def _inflated(self, blob: bytes) -> bytes:
        try:
            return zlib.decompress(blob)
        except zlib.error as error:
            raise ArchiveError(str(self.path), f"a record is damaged: {error}") from None

    def _check_version(self) -> None:
        ((version,),) = self._query("PRAGMA user_version")
        if version == 0:
            what = (
                "the file is empty: the run was stopped while being made; start it again, with the same command"
                if _is_empty(self._connection)
                else "is not the file of a run, but another database; move it away"
            )
            raise ArchiveError(str(self.path), what)
        if version != STORE_VERSION:
            raise ArchiveError(
                str(self.path),
                f"the run has store version {version}, this arena reads {STORE_VERSION}; use the arena that wrote it",
            )

    def _is_untouched(self) -> bool:
        """Whether nothing but a plan is stored: then a changed plan contradicts nothing."""
        tables = ("matches", "unscored", "events")
        return not any(self._query(f"SELECT 1 FROM {table} LIMIT 1") for table in tables)  # noqa: S608 - our own words

    def close(self) -> None:
        """Close the file; once more does nothing."""
        self._connection.close()


class RunReader(_Run):
    """A run, read-only; may be opened while it is played."""

    def __init__(self, folder: Path) -> None:
        """Open the run in `folder`.

        Raises:
            ArchiveError: there is none, it is damaged or of another version.
        """
        path = folder / RUN_FILE
        if not path.is_file():
            raise ArchiveError(str(folder), f"there is no run here: no {RUN_FILE}")
        super().__init__(path, _connect_reader(path))
        try:
            self._check_version()
        except BaseException:
            self.close()
            raise

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        stored = self.stored_plans()
        if not stored:
            raise ArchiveError(str(self.path), "the run has no plan: it was stopped while being made; start it again")
        return stored[-1]

    def director(self) -> Director:
        """Return the director as the results leave it; until it is `complete`, nobody is shown the key of a deal."""
        director = Director(self.plan, self.all_rows(), self.set_aside())
        director.next_fixture()
        return director

    def __enter__(self) -> RunReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class RunStore(_Run):
    """A run that is being played: the one writer.

    Safe to be handed from thread to thread, but not to be used by two at once.
    """

    plan: Plan  #: in force: with the secret of the stored one
    continued: tuple[Difference, ...]  #: what a sound continuation changed, for people

    def __init__(self, folder: Path, plan: Plan, *, find: FindFormat = formats.find) -> None:
        """Begin the run of `plan` in `folder`, or go on with it.

        Raises:
            ArchiveError: another process plays this run; it was begun with other settings (says which); the folder
                can't be written; the file is damaged or of another version.
        """
        path = folder / RUN_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArchiveError(str(folder), f"can't be made: {error.strerror or error}") from None
        self._lock = RunLock(folder)
        self._host_ids: dict[Host, int] = {}
        try:
            # Nobody else's to read: it holds the secret, and bots may run as another user.
            path.touch(mode=0o600)
            super().__init__(path, sqlite3.connect(path, isolation_level=None, check_same_thread=False))
            with self._speaking() as connection:
                self._prepare(connection)
            self._check_version()
            self._begin_or_resume(plan, find)
        except OSError as error:
            self._lock.release()
            raise ArchiveError(str(path), f"can't be written: {error.strerror or error}") from None
        except BaseException:
            self.close()
            raise

    def insert_many(
        self, matches: Sequence[StoredMatch], unscored: Sequence[Unscored] = (), events: Sequence[Event] = ()
    ) -> None:
        """Store all of it in one transaction, on disk when this returns; what is stored already stays as it is.

        Raises:
            ArchiveError: the disk is full, the file can't be written, or a number belongs to another match. Nothing
                of this call is stored then, and everything before it is safe.
        """
        with self._transaction() as connection:
            for match in matches:
                self._insert(connection, match)
            connection.executemany(
                "INSERT INTO unscored (number, match_id, status, reason, blamed, line_up) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                [
                    (one.number, one.match_id, one.status, one.reason, one.blamed, _json(one.line_up))
                    for one in unscored
                ],
            )
            self._write_events(connection, events)

    def close(self) -> None:
        """Leave one self-contained file behind and give the lock back; once more does nothing."""
        if hasattr(self, "_connection"):
            with suppress(sqlite3.Error):  # a reader may be at it, or the disk full: the next opening tidies up
                self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.close()
        self._lock.release()

    def __enter__(self) -> RunStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @staticmethod
    def _prepare(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if _is_empty(connection):
            connection.executescript(_SCHEMA)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._speaking() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk has rolled back by itself
                    connection.execute("ROLLBACK")
                raise

    def _begin_or_resume(self, plan: Plan, find: FindFormat) -> None:
        stored = self.stored_plans()
        if stored and self._is_untouched():
            stored = self._forget_plans()
        self.plan, self.continued = _merged(self.path, stored[-1], plan, find) if stored else (plan, ())
        if not stored or self.continued or self.plan.anchor != stored[-1].anchor:
            with self._transaction() as connection:
                connection.execute(
                    "INSERT INTO plans (stage, at, plan) VALUES (?, ?, ?)",
                    (len(stored), _now(), plans.encode(self.plan).decode()),
                )
                sentences = "; ".join(map(str, self.continued))
                if sentences:
                    self._write_events(connection, [Event(kind="continued", text=sentences)])

    def _forget_plans(self) -> list[Plan]:
        with self._transaction() as connection:
            connection.execute("DELETE FROM plans")
        return []

    def _insert(self, connection: sqlite3.Connection, match: StoredMatch) -> None:
        host = _head_decoder.decode(match.record).host
        inserted = connection.execute(
            "INSERT INTO matches (number, match_id, at, host, slot, wall_ms, summary) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            (
                match.number,
                match.row.match_id,
                host.started_at,
                self._host_id(connection, host),
                host.slot,
                host.wall_ms,
                _json(match.row),
            ),
        ).rowcount
        if inserted:
            connection.execute(
                "INSERT INTO records (number, record) VALUES (?, ?)",
                (match.number, zlib.compress(match.record, _COMPRESSION)),
            )
            return
        known = connection.execute("SELECT match_id FROM matches WHERE number = ?", (match.number,)).fetchone()
        if known != (match.row.match_id,):
            raise ArchiveError(
                str(self.path), f"{match.row.match_id} can't be stored as number {match.number}: that is {known}"
            )

    def _host_id(self, connection: sqlite3.Connection, host: Host) -> int:
        """Return the row of what matches of this machine have in common."""
        common = replace(host, slot=0, cores=(), started_at="", wall_ms=0)
        if common in self._host_ids:
            return self._host_ids[common]
        facts = _json(common)
        connection.execute("INSERT INTO hosts (facts) VALUES (?) ON CONFLICT DO NOTHING", (facts,))
        found: tuple[int] = connection.execute("SELECT id FROM hosts WHERE facts = ?", (facts,)).fetchone()
        self._host_ids[common] = found[0]
        return found[0]

    @staticmethod
    def _write_events(connection: sqlite3.Connection, events: Sequence[Event]) -> None:
        connection.executemany(
            "INSERT INTO events (at, kind, text) VALUES (?, ?, ?)",
            [(event.at or _now(), event.kind, event.text) for event in events],
        )


def stored_plan(folder: Path) -> Plan | None:
    """Return the plan of the run in `folder`, None when nothing has been played there yet.

    Raises:
        ArchiveError: there is something else, or a run of another version.
    """
    path = folder / RUN_FILE
    if not path.is_file() or not path.stat().st_size:
        return None
    with RunReader(folder) as reader:
        stored = reader.stored_plans()
        return stored[-1] if stored and not reader._is_untouched() else None


def _merged(path: Path, was: Plan, now: Plan, find: FindFormat) -> tuple[Plan, tuple[Difference, ...]]:
    """Return the plan to go on with and what it changes."""
    differences = tuple(plans.differences(was, now))
    merged = plans.resume(was, now, find)
    if merged is None:
        listed = "".join(f"\n  {difference}" for difference in differences)
        raise ArchiveError(
            str(path.parent),
            "this run was begun with other settings; put them back, or give a new run another folder with --out"
            f"{listed}",
        )
    return merged, differences


def _is_empty(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,))


def _connect_reader(path: Path) -> sqlite3.Connection:
    """Open a run read-only, also from a medium on which nothing at all can be written."""
    uri = path.absolute().as_uri()
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        connection = None
        try:
            connection = sqlite3.connect(f"{uri}?{mode}", uri=True, check_same_thread=False)
            _is_empty(connection)
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            unfinished = path.with_name(f"{path.name}-wal")
            if mode != "mode=ro" or (unfinished.exists() and unfinished.stat().st_size):
                raise _explained(path, error) from None
        else:
            return connection
    raise AssertionError("one of the two modes returned or raised")


def _explained(path: Path, error: sqlite3.Error) -> ArchiveError:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    sentence = {
        sqlite3.SQLITE_FULL: "the disk is full; what is stored is safe: free some space and give the same command "
        "again",
        sqlite3.SQLITE_READONLY: "can't be written: the file, its folder or the file system is read-only",
        sqlite3.SQLITE_CANTOPEN: "can't be opened: it is gone, or may not be read or written by this user",
        sqlite3.SQLITE_IOERR: "the disk does not read or write as it should; what is stored is safe, free some space "
        "or check the disk, and give the same command again",
        sqlite3.SQLITE_NOTADB: "is not the file of a run",
        sqlite3.SQLITE_CORRUPT: "is damaged; recover it with SQLite's own `.recover`, or play the run again",
        sqlite3.SQLITE_BUSY: "is in use by another program that locks it; close that and try again",
    }.get(code, "can't be used")
    return ArchiveError(str(path), f"{sentence} ({error})")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
