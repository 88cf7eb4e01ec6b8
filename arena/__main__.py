"""The command `arena`, also as `python -m arena`."""

import sys


def main() -> None:
    """Carry out the command line; a Ctrl-C while modules are still being read, here they are few, is no traceback."""
    try:
        from arena.cli import main as carry_out

        carry_out()
    except KeyboardInterrupt:
        sys.stderr.write("arena: interrupted\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
