"""What `arena doctor` knows."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from arena.cli.doctor import verb
from arena.referee.sandbox import bubblewrap
from arena.referee.sandbox.doctor import examine


def test_a_machine_with_the_top_rung_needs_nothing() -> None:
    report = examine()
    assert report.chosen == "bubblewrap"
    assert report.required
    assert report.advice == ()
    assert report.warning == ""
    assert report.rungs[0].holds["network"] == "blocked"
    assert report.rungs[-1].name == "rlimits"
    assert report.rungs[-1].holds["network"] == "reached"


def test_without_bubblewrap_it_is_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "candidates", lambda: iter(()))
    report = examine()
    assert report.chosen == "landlock"
    assert "apt-get install bubblewrap" in report.advice[0]


def test_a_broken_rung_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "candidates", lambda: iter(("/bin/false",)))
    first = examine().rungs[0]
    assert not first.usable
    assert first.problem == "exit code 1"
    assert first.holds == {}


def test_the_verb_shows_it_for_people_and_programs() -> None:
    text = CliRunner().invoke(verb, [], catch_exceptions=False)
    assert text.exit_code == 0
    assert re.search(r"host files +hidden", text.output)
    assert re.search(r"memory +seen every 50 ms", text.output)
    assert "limited by looking, not by the kernel" in text.output
    assert 'sandbox = "required"  can be met' in text.output
    values = json.loads(CliRunner().invoke(verb, ["--json"], catch_exceptions=False).output)
    assert values["rungs"][0]["holds"]["host files"] == "hidden"
