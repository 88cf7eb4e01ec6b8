"""`arena serve` as a process: it answers, streams, and stops without a word."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from arena.cli import execute
from arena.errors import ArenaError
from arena.web.serving import LOOPBACK, address, allowed_hosts, listen


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_streams_and_stops_cleanly_with_streams_open(four_run: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-W", "error", "-m", "arena", "serve", str(four_run), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            streams = [urllib.request.urlopen(f"{found[0]}/events", timeout=20) for _ in range(5)]
            for stream in streams:
                assert [stream.readline() for _ in range(2)] == [b"event: stored\n", b"data: 12\n"]
            process.send_signal(how)
            assert process.wait(timeout=20) == 0
            assert process.stderr.read() == ""
            for stream in streams:
                stream.close()
        finally:
            process.kill()


def test_a_taken_port_is_a_sentence(four_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert execute(["serve", str(four_run), "--port", str(port)]) == 2
    assert f"can't listen on 127.0.0.1 port {port}" in capsys.readouterr().err


def test_a_missing_run_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["serve", str(tmp_path)]) == 2
    assert "there is no run" in capsys.readouterr().err


def test_hosts_are_checked_on_loopback_alone() -> None:
    assert allowed_hosts("127.0.0.1") == allowed_hosts("localhost") == LOOPBACK
    assert allowed_hosts("0.0.0.0") is None
    with listen("127.0.0.1", 0) as listener:
        assert address(listener, "::1").startswith("http://[::1]:")
    with pytest.raises(ArenaError, match=r"no\.such\.host"):
        listen("no.such.host.invalid", 0)
