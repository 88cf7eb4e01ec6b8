"""How Dask is reached: addresses, scheduler files, TLS, and the sentence when it is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from arena.cli import ExitCode, execute
from arena.errors import ArenaError, ConfigError
from arena.hosts.cluster import Cluster, News, SchedulerLost
from arena.hosts.engine import Tls, address_of, dask, security


def test_an_address_is_taken_as_it_is_and_a_scheduler_file_is_read(tmp_path: Path) -> None:
    assert address_of("tcp://lab-1:8786") == "tcp://lab-1:8786"
    file = tmp_path / "scheduler.json"
    file.write_text('{"type": "Scheduler", "address": "tls://10.0.0.1:99", "workers": {}}')
    assert address_of(str(file)) == "tls://10.0.0.1:99"
    file.write_text("{}")
    with pytest.raises(ConfigError, match="is no scheduler file of Dask"):
        address_of(str(file))
    with pytest.raises(ConfigError, match="'lab-1' is neither an address such as tcp://"):
        address_of("lab-1")


def test_a_missing_dask_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ArenaError, match=r"pip install 'castell-arena\[dask\]'"):
        dask()
    assert execute(["worker", "tcp://127.0.0.1:1"]) == ExitCode.USAGE
    assert capsys.readouterr().err.splitlines() == [
        "arena: matches on other machines need Dask: pip install 'castell-arena[dask]'"
    ]


def test_a_scheduler_that_is_not_there_is_one_sentence() -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    with pytest.raises(SchedulerLost, match="there is no Dask scheduler at nowhere"):
        Cluster("nowhere://").drive(lambda news: None)


def certificates(folder: Path) -> Tls:
    """Make a certificate that signed itself, so that it is its own authority."""
    ca, key, cert = folder / "ca.pem", folder / "key.pem", folder / "cert.pem"
    files = ["-keyout", str(key), "-out", str(cert)]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=lab", *files]
    subprocess.run(command, check=True, capture_output=True)
    ca.write_bytes(cert.read_bytes())
    return Tls(ca=ca, cert=cert, key=key)


@pytest.mark.skipif(which("openssl") is None, reason="there is no openssl to make certificates with")
def test_with_tls_only_who_has_a_certificate_gets_in(tmp_path: Path) -> None:
    distributed: Any = pytest.importorskip("distributed", reason="Dask is not installed")
    guard = security(certificates(tmp_path))
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        protocol="tls://",
        security=guard,
    ) as lab:
        assert lab.scheduler_address.startswith("tls://")
        inside: list[News] = []
        cluster = Cluster(lab.scheduler_address, guard)

        def tell(news: list[News]) -> None:
            inside.extend(news)
            cluster.end("none")

        cluster.drive(tell)
        assert len(inside) == 1
        with pytest.raises(SchedulerLost):
            Cluster(lab.scheduler_address, None).drive(tell)


def test_half_a_tls_set_up_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    command = ["worker", "tls://127.0.0.1:1", "--slots", "1", "--folder", str(tmp_path / "host"), "--tls-ca", "ca.pem"]
    assert execute(command) == ExitCode.USAGE
    assert "--tls-cert, --tls-key is missing: TLS takes all three files" in capsys.readouterr().err
    assert execute(command[:-2]) == ExitCode.USAGE, "an address of TLS alone"
    with pytest.raises(ConfigError, match="is no file"):
        security(Tls(ca=tmp_path / "a", cert=tmp_path / "b", key=tmp_path / "c"))
