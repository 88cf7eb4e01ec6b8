"""Two machines with a network of their own each, as far apart as one kernel allows. Heavy; needs root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from tests.end_to_end.command import TOURNAMENTS, arena
from tests.end_to_end.test_signature import DIGEST, signature
from tests.hosts.lab import Lab

pytest.importorskip("distributed", reason="Dask is not installed")
pytestmark = [pytest.mark.heavy, pytest.mark.timeout(300)]
NAMES = ("left", "right")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def networks() -> Iterator[dict[str, tuple[str, str, str]]]:
    """Yield namespace, address here and address there of a cable to each machine."""
    if os.geteuid() or which("ip") is None:
        pytest.skip("network namespaces take root and the program ip")
    mark = os.getpid() % 10_000
    made: dict[str, tuple[str, str, str]] = {}
    try:
        for number, name in enumerate(NAMES):
            space, cable = f"arena-{name}-{mark}", f"ar{number}{mark}"
            here, there = f"10.211.{number}.1", f"10.211.{number}.2"
            try:
                ip("netns", "add", space)
                made[name] = (space, here, there)
                ip("link", "add", f"{cable}a", "type", "veth", "peer", "name", f"{cable}b", "netns", space)
                ip("address", "add", f"{here}/24", "dev", f"{cable}a")
                ip("link", "set", f"{cable}a", "up")
                for words in (["address", "add", f"{there}/24", "dev", f"{cable}b"], ["link", "set", f"{cable}b", "up"],
                              ["link", "set", "lo", "up"], ["route", "add", "default", "via", here]):  # fmt: skip
                    ip("-n", space, *words)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"no network namespaces here: {error.stderr.decode().strip()}")
        yield made
    finally:
        for space, _, _ in made.values():
            ip("netns", "delete", space)


def test_two_machines_on_networks_of_their_own_play_the_signature_plan(
    networks: dict[str, tuple[str, str, str]], tmp_path: Path
) -> None:
    lab = Lab(tmp_path, host=networks["left"][1])
    try:
        lab.start_scheduler()
        for name, (space, _, there) in networks.items():
            lab.start_worker(name, listen=there, within=["ip", "netns", "exec", space])
        for name in NAMES:
            lab.wait_for(name)
        arena("run", str(TOURNAMENTS / "signature.toml"), "--out", "far", "--on", lab.address, folder=tmp_path)
    finally:
        lab.close()
    assert signature(tmp_path / "far") == DIGEST
    table = arena("hosts", "far", folder=tmp_path)
    assert "left" in table
    assert "right" in table
