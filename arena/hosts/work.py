"""What Dask calls on a worker, by name: bytes in, bytes out. One `Station` stands behind it for each worker."""

from __future__ import annotations

import os
import platform
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from arena.hosts.engine import RESOURCE, dask
from arena.hosts.station import Station
from arena.hosts.wire import Job, Kit
from arena.tournament.own_folder import own_folder

#: Told to a worker's process by `arena worker`.
FOLDER_VARIABLE = "ARENA_HOST_FOLDER"
NAME_VARIABLE = "ARENA_HOST_NAME"
_kit_decoder = msgspec.json.Decoder(Kit)
_job_decoder = msgspec.json.Decoder(Job)
_stations: WeakKeyDictionary[Any, Station] = WeakKeyDictionary()
_lock = threading.Lock()


def default_folder() -> Path:
    """Return where a host keeps bots unless told otherwise; raise `ArenaError` when somebody else made it."""
    return own_folder(Path(tempfile.gettempdir()) / f"castell-arena-host-{os.geteuid()}", mode=0o755)


def station_of(worker: Any) -> Station:
    """Return the station of a Dask worker, made when it is first asked for."""
    with _lock:
        found = _stations.get(worker)
        if found is None:
            found = _stations[worker] = Station(
                Path(os.environ.get(FOLDER_VARIABLE) or default_folder()),
                int(worker.state.total_resources.get(RESOURCE, 1)),
                machine=os.environ.get(NAME_VARIABLE) or platform.node(),
            )
        return found


def ready(kit: bytes, bundles: Mapping[str, bytes]) -> bytes:
    """Answer a kit; see `Station.ready`."""
    station = station_of(dask().get_worker())
    return msgspec.json.encode(station.ready(_kit_decoder.decode(kit), bundles))


def play(job: bytes) -> bytes:
    """Play a job; see `Station.play`."""
    station = station_of(dask().get_worker())
    return msgspec.json.encode(station.play(_job_decoder.decode(job)))


def stop(session: str, dask_worker: Any) -> None:
    """Stop a session; called by `Client.run`, which hands the worker over."""
    with _lock:
        station = _stations.get(dask_worker)
    if station is not None:
        station.stop(session)
