"""Verbs that take a bot build it first, as a tournament does: kits that are compiled, fresh from `arena new`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from arena.cli import ExitCode, execute
from arena.kits import LANGUAGES, make
from arena.tournament import build
from tests.kits.conftest import need

COMPILED = [name for name in LANGUAGES if "build = [" in make("my-bot", name).files.get("arena.toml", "")]
PATIENT = ["--limit", "20000"]  # a busy machine must not decide these tests


def fresh(language: str, folder: Path) -> tuple[str, list[str]]:
    """Return a kit as `arena new` makes it, and what else is to be typed because of where its compiler stands."""
    need(language)
    assert execute(["new", "mine", "--language", language, "--in", str(folder)]) == ExitCode.COMPLETE
    if language == "rust" and build.out_of_sight("rustc"):
        sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True)
        return str(folder / "mine"), [*PATIENT, "--runtime", sysroot.stdout.strip()]
    return str(folder / "mine"), PATIENT


def test_some_kits_are_compiled() -> None:
    assert set(COMPILED) == {"java", "cpp", "rust"}


@pytest.mark.parametrize("language", COMPILED)
def test_a_kit_is_checked_as_it_comes(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit, more = fresh(language, tmp_path)
    before = sorted(Path(kit).iterdir())
    assert execute(["check", kit, *more]) == ExitCode.COMPLETE, capsys.readouterr().out
    assert "mine passes" in capsys.readouterr().out
    assert sorted(Path(kit).iterdir()) == before


@pytest.mark.parametrize("language", COMPILED)
def test_a_kit_plays_against_itself_as_it_comes_and_is_built_once(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kit, more = fresh(language, tmp_path)
    capsys.readouterr()
    monkeypatch.setattr(build, "SLOW_S", 0.0)  # so that every build is told of
    assert execute(["play", kit, kit, *more, "--json"]) == ExitCode.COMPLETE
    told = capsys.readouterr()
    (record,) = json.loads(told.out)
    assert record["line_up"] == ["mine", "mine-2"]
    assert not record["faults"]
    assert told.err.count("building mine: ") == 1


def test_a_person_plays_against_a_kit_as_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kit, more = fresh("cpp", tmp_path)
    typed = iter("1234567" * 6)
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    assert execute(["play", "human", kit, "--game", "connect-four", *more]) == ExitCode.COMPLETE


def test_a_build_that_fails_shows_the_compilers_last_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit, more = fresh("cpp", tmp_path)
    Path(kit, "bot.cpp").write_text("int main() { return nothing; }\n")
    by_hand = f"by hand it is (cd {kit} && g++ -std=c++17 -O2 -o bot bot.cpp)"
    capsys.readouterr()
    assert execute(["play", kit, "random", *more]) == ExitCode.ENTRANT
    said = capsys.readouterr().err
    assert "1 entrant can't be started; nothing was played" in said
    assert "mine: build failed: `g++ -std=c++17 -O2 -o bot bot.cpp` ended with exit code 1" in said
    assert by_hand in said
    assert "    | bot.cpp:1:" in said
    assert "was not declared in this scope" in said
    assert execute(["check", kit, *more]) == ExitCode.FAILED
    told = capsys.readouterr().out
    assert "failed to start: build failed: `g++" in told
    assert by_hand in told
    assert "stderr: " in told


def test_a_compiler_that_the_sandbox_hides_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = tmp_path / "sdk" / "bin" / "my-compiler"
    hidden.parent.mkdir(parents=True)
    hidden.write_text("#!/bin/sh\nprintf '#!/bin/sh\\nexit 0\\n' > bot && chmod +x bot\n")
    hidden.chmod(0o755)
    monkeypatch.setenv("PATH", str(hidden.parent), prepend=":")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "arena.toml").write_text('build = ["my-compiler"]\ncommand = ["./bot"]\n')
    command = ["check", str(tmp_path / "mine"), "--game", "connect-four"]
    assert execute(command) == ExitCode.FAILED
    told = capsys.readouterr().out
    assert f"my-compiler is {hidden}; name the folder that holds its bin/: by --runtime" in told
    execute([*command, "--runtime", str(tmp_path / "sdk")])
    assert "build failed" not in capsys.readouterr().out
