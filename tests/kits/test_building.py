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
    if language == "rust" and build.home_outside("rustc"):
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


def hidden(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> Path:
    """Install a program where no bot finds it, but a person does."""
    program = folder / "sdk" / "bin" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    return folder / "sdk"


def test_a_language_outside_usr_is_found_by_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)
    sdk = hidden(tmp_path, monkeypatch, "my-compiler", "#!/bin/sh\ncp bot.pl built.pl\n")
    hidden(tmp_path, monkeypatch, "my-runner", '#!/bin/sh\nexec perl "$@"\n')
    kit, more = fresh("perl", tmp_path)
    Path(kit, "arena.toml").write_text('build = ["my-compiler"]\ncommand = ["my-runner", "built.pl"]\n')
    capsys.readouterr()
    assert execute(["check", kit, *more]) == ExitCode.FAILED
    assert f"my-compiler is outside /usr; name its folder: --runtime {sdk} of `arena play`" in capsys.readouterr().out
    assert execute(["check", kit, *more, "--runtime", str(sdk)]) == ExitCode.COMPLETE, capsys.readouterr().out


def test_what_to_type_next_names_a_language_outside_usr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sdk = hidden(tmp_path, monkeypatch, "node", "#!/bin/sh\n")
    monkeypatch.setattr(build, "SYSTEM_PATH", "/nowhere")
    assert execute(["new", "mine", "-l", "js", "--in", str(tmp_path)]) == ExitCode.COMPLETE
    assert capsys.readouterr().out.splitlines()[-1] == f"    arena check ./mine --runtime {sdk}"
