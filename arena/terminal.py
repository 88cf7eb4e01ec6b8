"""What every command of ours does to its terminal, whatever it prints besides."""

from __future__ import annotations

import os
import sys


def passing(text: str) -> None:
    """Show on a terminal what is being done, until the next call; "" takes it away."""
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def let_go_of_stdout() -> None:
    """See to it that the flush at exit fails on nothing: whoever read us has seen enough, or the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
