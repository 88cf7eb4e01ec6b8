"""The frame of the command line: help, errors, exit codes."""

from __future__ import annotations

import ast
import errno
import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from arena import __version__, cli
from arena.cli import ExitCode, execute
from arena.errors import ArenaError

BUG = "arena: that was a bug in the arena or in a plugin; please report the lines above"


def test_help_lists_every_verb_without_importing_any() -> None:
    code = (
        "import sys; from arena.cli import execute; execute(['--help']); "
        "print([m for m in sys.modules if 'arena.cli.' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.endswith("[]\n")
    for verb in cli.VERBS:
        assert f"  {verb} " in done.stdout


@pytest.mark.parametrize("name", cli.VERBS)
def test_every_verb_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    verb = importlib.import_module(f"arena.cli.{name}").verb
    assert isinstance(verb, click.Command)
    assert verb.name == name
    assert verb.help
    assert execute([name, "--help"]) == ExitCode.COMPLETE
    assert f"Usage: arena {name}" in capsys.readouterr().out
    for parameter in verb.params:
        assert not isinstance(parameter, click.Option) or parameter.help, f"{parameter.name} has no help"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gams"], "there is no verb 'gams'; did you mean `arena games`?"),
        (["xyzzy"], "there is no verb 'xyzzy'; `arena --help` lists them"),
        (["bots", "--sets", "3"], "no such option '--sets'. Did you mean '--seats'?"),
        (["bots", "--seats", "0"], "invalid value for '--seats'"),
        (["games", "conect-four"], "there is no game 'conect-four'"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(arguments) == ExitCode.USAGE
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(f"arena: {sentence}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "last_line"),
    [
        (ArenaError("the disk is full"), ExitCode.USAGE, "arena: the disk is full"),
        (
            PermissionError(errno.EACCES, "Permission denied", "/closed/x"),
            ExitCode.USAGE,
            "arena: /closed/x: Permission denied; look at who may read and write it",
        ),
        (FileNotFoundError(errno.ENOENT, "No such file", "x"), ExitCode.BUG, BUG),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED, "arena: interrupted"),
        (RuntimeError("oops"), ExitCode.BUG, BUG),
    ],
)
def test_errors_end_in_a_sentence(
    error: BaseException,
    code: ExitCode,
    last_line: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("arena.plugins.bots", fail)
    assert execute(["bots"]) == code
    err = capsys.readouterr().err
    assert err.splitlines()[-1] == last_line
    assert ("Traceback" in err) == (code is ExitCode.BUG)


def test_a_closed_pipe_is_quiet() -> None:
    arena = subprocess.Popen([sys.executable, "-m", "arena", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert arena.stdout is not None
    assert arena.stderr is not None
    arena.stdout.close()
    assert arena.stderr.read() == b""
    arena.stderr.close()
    assert arena.wait(timeout=60) in (ExitCode.COMPLETE, ExitCode.INTERRUPTED)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_a_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arena", "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == ExitCode.USAGE
    assert done.stderr == (
        "arena: can't write: No space left on device; free some space and give the same command again\n"
    )


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "arena", "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"arena, version {__version__}\n")


def test_the_shell_completes_verbs_and_bots() -> None:
    def completed(words: str) -> list[str]:
        env = {
            **os.environ,
            "_ARENA_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        done = subprocess.run(
            [sys.executable, "-c", "from arena.cli import group; group(prog_name='arena')"],
            capture_output=True, text=True, timeout=60, env=env,
        )  # fmt: skip
        return [line.partition(",")[2] for line in done.stdout.splitlines()]

    assert completed("arena pl") == ["play"]
    assert completed("arena play hum") == ["human"]


def test_no_verb_hides_a_name_of_the_package() -> None:
    tree = ast.parse(Path(cli.__file__).read_text())
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert not defined & set(cli.VERBS), "importing the verb's file would replace it"


def test_a_ctrl_c_while_modules_are_read_is_quiet() -> None:
    interrupting = """\
import sys
class Interrupting:
    def find_spec(self, name, *more):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from arena.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", interrupting], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (ExitCode.INTERRUPTED, "", "arena: interrupted\n")
