"""docs/first-bot.md, typed through: every command it shows, with the files it shows, in an empty folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.cli import execute

PAGE = Path(__file__).parents[2] / "docs" / "first-bot.md"


def test_typed_through_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    told = {}
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        if language == "python":
            Path("better/bot.py").write_text(text)
        elif language == "toml":
            assert "deals = 10" in text
            Path("try.toml").write_text(text.replace("deals = 10", "deals = 1"))
        else:
            for command in text.splitlines():
                program, *arguments = command.split()
                assert program == "arena"
                more = ["--slots", "1"] if arguments[0] == "run" else []  # other tests may play, too
                assert execute([*arguments, *more]) == 0, capsys.readouterr()
                told[arguments[0]] = capsys.readouterr().out
    assert {"new", "play", "check", "run"} <= set(told)
    assert "my-bot passes" in told["check"]
    assert execute(["table", "try", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert all(name in told["run"] for name in ("greedy", "better", "my-bot"))
