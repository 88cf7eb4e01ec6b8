"""Matches told in the terminal."""

from __future__ import annotations

import click
import pytest

from arena import plugins
from arena.cli.telling import LiveTelling, Teller, tell_picture, told_options
from arena.referee.record import Record
from arena.testing.records import fixture_of, random_record


@pytest.fixture(scope="module")
def record() -> Record:
    """A match of Castell with three seats, one of which forfeits in the middle."""
    return random_record(plugins.game("castell"), fixture_of(("ann", "bob", "cy")), forfeits={20: 1})


def test_a_match_of_castell_is_told_whole(record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    Teller(record, plugins.game("castell")).tell()
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    numbers = [line.split()[0] for line in lines if line and line.split()[0].isdigit()]
    assert set(map(str, range(len(record.actions)))) <= set(numbers)
    assert any(line.startswith("bob forfeits: crash") for line in lines)
    assert any("(played for it after its forfeit)" in line for line in lines)
    assert lines[-4].split()[:3] == ["place", "entrant", "score"]


def test_a_tower_is_drawn_below_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    game = plugins.game("castell")
    tell_picture(game, game.parse("special perform #12 10 10 9/7 7/4"), 3)
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [["4"], ["7", "7"], ["10", "10", "9"]]
    tell_picture(game, game.parse("end"), 3)
    assert not capsys.readouterr().out


def test_a_match_is_told_alike_while_it_is_played(record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    game = plugins.game("castell")
    opening = game.deal(3, bytes.fromhex(record.key), record.game_options)
    live = LiveTelling(game, opening, record.line_up)
    live.hear(record.actions[:9])
    live.hear(record.actions[9:10], silent=True)
    live.hear(record.actions[10:])
    assert live.told == len(record.actions)
    assert live.state.digest() == record.digest
    told = capsys.readouterr().out.splitlines()
    Teller(record, game).tell()
    whole = capsys.readouterr().out.splitlines()
    silent = [line for line in whole if line.strip().startswith("9  ")]
    assert set(map(click.unstyle, told)) <= set(map(click.unstyle, whole)) - set(silent)


def test_options_are_told_without_empty_ones() -> None:
    assert told_options({"side": "standard", "edition": "", "loud": False}) == " (side standard, loud False)"
    assert told_options({}) == ""
