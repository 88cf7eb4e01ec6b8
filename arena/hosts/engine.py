"""The door to Dask: nothing else of the arena is needed when it is missing, and it is imported when it is used."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import msgspec

from arena.errors import ArenaError, ConfigError, Problem

INSTALL = "matches on other machines need Dask: pip install 'castell-arena[dask]'"
LOCAL = "local"  #: as an address: a cluster on this machine for the time of the run
RESOURCE = "slots"  #: what workers offer and batches take


@attrs.frozen(kw_only=True)
class Tls:
    """Files of a TLS set-up; with them nobody without a certificate of the same authority gets in."""

    ca: Path
    cert: Path
    key: Path


class _SchedulerFile(msgspec.Struct):
    address: str


def dask() -> Any:
    """Return the module `distributed`; raise `ArenaError` when it is not installed."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise ArenaError(INSTALL) from None


def quiet(*, waits_s: float = 10.0) -> None:
    """Set Dask up for our use: no log lines between ours, bots may be large, a lost scheduler is noticed soon."""
    dask()
    config: Any = importlib.import_module("dask.config")
    config.set(
        {
            "distributed.admin.large-graph-warning-threshold": "2GB",
            "distributed.comm.timeouts.connect": f"{waits_s:.0f}s",
            "distributed.deploy.lost-worker-timeout": "1s",
        }
    )
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def security(tls: Tls | None) -> Any:
    """Return Dask's value for a TLS set-up, None without one."""
    if tls is None:
        return None
    missing = [str(path) for path in (tls.ca, tls.cert, tls.key) if not path.is_file()]
    if missing:
        raise ConfigError([Problem("tls", f"{path} is no file") for path in missing])
    pair = {
        f"tls_{role}_{part}": str(path)
        for role in ("client", "worker", "scheduler")
        for part, path in (("cert", tls.cert), ("key", tls.key))
    }
    return dask().Security(require_encryption=True, tls_ca_file=str(tls.ca), **pair)


def address_of(text: str) -> str:
    """Return the scheduler's address: as given, or out of the scheduler file of that name.

    Raises:
        ConfigError: it is neither.
    """
    if text.startswith(("tcp://", "tls://", "ucx://", "ws://", "inproc://")):
        return text
    file = Path(text)
    if file.is_file():
        try:
            return msgspec.json.decode(file.read_bytes(), type=_SchedulerFile).address
        except msgspec.DecodeError as error:
            raise ConfigError([Problem("--on", f"{file} is no scheduler file of Dask: {error}")]) from None
    problem = f"{text!r} is neither an address such as tcp://lab-1:8786, nor a scheduler file, nor `{LOCAL}`"
    raise ConfigError([Problem("--on", problem)])


@contextmanager
def local_cluster(slots: int) -> Iterator[Any]:
    """Yield the address of a cluster on this machine, with one host of so many slots; it is gone afterwards."""
    quiet()
    with dask().LocalCluster(
        n_workers=1,
        threads_per_worker=slots + 1,
        processes=True,
        resources={RESOURCE: slots},
        memory_limit=0,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
    ) as cluster:
        yield cluster.scheduler_address
