"""The command `arena`: one verb a file, imported when it is used.

Whatever goes wrong leaves as one sentence on stderr and an exit code (`ExitCode`); a traceback is a bug.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from enum import IntEnum
from importlib import import_module
from typing import NoReturn

import click

from arena import __version__
from arena.errors import ArenaError, EntrantError
from arena.terminal import let_go_of_stdout
from arena.wording import nearest


class ExitCode(IntEnum):
    """What the shell is told."""

    COMPLETE = 0
    INTERRUPTED = 1
    FAILED = 1  #: `arena verify` or `arena check` found something wrong
    USAGE = 2  #: the command line or a file is wrong
    ENTRANT = 3  #: an entrant could not be built or started, or failed under `--strict`
    SET_ASIDE = 4  #: complete, but for matches that were set aside
    BUG = 70


#: An error of the system with one of these numbers is nobody's bug; what to do about it.
NO_BUG = {
    errno.ENOSPC: "free some space and give the same command again",
    errno.EDQUOT: "free some space and give the same command again",
    errno.EROFS: "choose a place that can be written",
    errno.EACCES: "look at who may read and write it",
    errno.EPERM: "look at who may read and write it",
}
#: Every verb with the line that `arena --help` shows; the function `verb` in `arena.cli.VERB` carries it out.
VERBS = {
    "run": "Play a tournament file to its table; the same command again goes on with it.",
    "play": "Play a match between bots, or against them, and watch it.",
    "table": "Show the standings of a run.",
    "show": "Replay a stored match as readable text, or list a run's matches.",
    "serve": "Show a run in the browser, also while it is played.",
    "report": "Write a run as a folder of pages that opens from disk.",
    "course": "Keep a class: submissions in, rounds, pages for each student and grades out.",
    "worker": "Offer this machine's cores to runs on several machines.",
    "hosts": "Show on which machines a run was played, and whether one of them is odd.",
    "verify": "Re-referee every stored match from its actions.",
    "export": "Write a run as CSV, JSON lines or Parquet.",
    "new": "Make the folder of a first bot, in the language of your choice.",
    "check": "Play a bot as a tournament would, and say which rules it breaks.",
    "bots": "List the installed bots.",
    "games": "List the installed games and their options.",
    "doctor": "Show what this machine can enforce on bots.",
    "schema": "Print the JSON Schema of the protocol.",
    "perft": "Count action sequences from a deal, to compare implementations of the rules.",
}


class Verbs(click.Group):
    """A group that imports a verb when it is called, and none for its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the verbs in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a verb's file; None when there is no such verb."""
        if cmd_name not in VERBS:
            return None
        verb: click.Command = import_module(f"arena.cli.{cmd_name}").verb
        return verb

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, and name the nearest one when there is none."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            near = nearest(args[0], VERBS)
            hint = f"did you mean `arena {near}`?" if near else "`arena --help` lists them"
            ctx.fail(f"there is no verb {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`arena VERB --help` explains a verb.",
)
@click.version_option(__version__, prog_name="arena")
@click.pass_context
def group(ctx: click.Context) -> None:
    """Let bots play board games against each other: fair, reproducible, impossible to hang."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def execute(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line (`sys.argv` if None) and return the exit code."""
    try:
        code = group.main(list(arguments) if arguments is not None else None, "arena", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else ExitCode.COMPLETE
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return ExitCode.USAGE
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "arena"
        return _complain(f"{_sentence(error.format_message())} (`{path} --help` explains it)")
    except click.ClickException as error:
        return _complain(_sentence(error.format_message()))
    except ArenaError as error:
        return _complain(str(error), ExitCode.ENTRANT if isinstance(error, EntrantError) else ExitCode.USAGE)
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        let_go_of_stdout()
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last line of defence
        if isinstance(error, OSError) and error.errno in NO_BUG:
            if error.filename is None:
                let_go_of_stdout()
            where = error.filename or "can't write"
            return _complain(f"{where}: {error.strerror}; {NO_BUG[error.errno]}")
        traceback.print_exc()
        return _complain("that was a bug in the arena or in a plugin; please report the lines above", ExitCode.BUG)


def main() -> NoReturn:
    """Carry out the command line and leave the process; a polite end is a Ctrl-C, so that everything is cleared up."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(execute())


def _sentence(text: str) -> str:
    text = text.strip().removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _complain(sentence: str, code: ExitCode = ExitCode.USAGE) -> ExitCode:
    click.echo(f"{click.style('arena:', fg='red', bold=True)} {sentence}", err=True)
    return code
