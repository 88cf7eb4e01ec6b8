"""A Dask cluster inside the test's process, whose host plays with a fake referee."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.hosts import work
from arena.hosts.backend import HostsBackend
from arena.hosts.cluster import Cluster
from arena.hosts.readying import Prepared
from arena.hosts.station import Station
from arena.hosts.wire import Answer, Facts, Kit, KitEntrant, Ready, Versions
from arena.referee.settings import Entrant
from arena.tournament.backend import Backend
from tests.tournament.course import FAKE, SETTINGS

distributed: Any = pytest.importorskip("distributed", reason="Dask is not installed")


class EasyStation(Station):
    """A host that is ready at once."""

    def ready(self, kit: Kit, bundles: Mapping[str, bytes]) -> Answer:
        facts = Facts(machine="here")
        self._begin(kit, Prepared(tuple(one.entrant for one in kit.entrants), facts))
        return Ready(facts)


def kit_of(entrants: tuple[Entrant, ...]) -> Kit:
    return Kit(
        run="run",
        session="session",
        versions=Versions(arena="0", code="0", game="pile", rules="pile 1"),
        settings=SETTINGS,
        entrants=tuple(KitEntrant(entrant) for entrant in entrants),
    )


@contextmanager
def dask_backends(silent_for_s: float) -> Iterator[Callable[[Path, int, tuple[Entrant, ...]], Backend]]:
    """Yield what makes a backend on a new cluster with one host; what was made is closed at the end."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        stations: list[Station] = []
        stack.callback(lambda: list(map(Station.close, stations)))

        def make(folder: Path, slots: int, entrants: tuple[Entrant, ...]) -> Backend:
            def station(_: Path, slots: int, *, machine: str) -> Station:
                command = [sys.executable, "-I", str(FAKE), str(folder)]
                stations.append(EasyStation(folder, slots, machine=machine, command=command, silent_for_s=silent_for_s))
                return stations[-1]

            patch.setattr(work, "Station", station)
            cluster = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=1,
                    threads_per_worker=slots + 1,
                    processes=False,
                    resources={"slots": slots},
                    dashboard_address="127.0.0.1:0",
                    protocol="tcp",
                )
            )
            return HostsBackend(
                lambda: Cluster(cluster.scheduler_address),
                kit_of(entrants),
                lambda _: b"",
                note=lambda kind, text: None,
                no_host_for_s=0.0,
            )

        yield make
