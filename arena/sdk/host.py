"""The process of a plugin bot: imports one `module:attr` and plays with it.

Run by path, so that a sandbox has to show no more than Python, this folder and the bot's search path:

    python -I -S .../arena/sdk/host.py --target module:attr --path FOLDER --path FOLDER ...

`-S` leaves out the start of `site-packages`; a bot that needs packages has their folder on its search path. This
file is compiled anew at each start, so it is short, and it imports nothing that it can do without.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arena.sdk.bot import Bot

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
_USAGE = "usage: host.py --target MODULE:ATTR [--path FOLDER]..."


def main(argv: list[str]) -> int:
    """Play until `quit`; return the exit status, after a traceback on stderr if the bot raised."""
    pairs = list(zip(argv[::2], argv[1::2], strict=False))
    targets = [value for name, value in pairs if name == "--target"]
    paths = [value for name, value in pairs if name == "--path"]
    if len(targets) != 1 or len(targets) + len(paths) != len(argv) / 2 or ":" not in targets[0]:
        print(_USAGE, file=sys.stderr)
        return 2
    sys.path.append(_ROOT)
    from arena.sdk.program import run  # our own, before the bot's folders can offer another

    sys.path[-1:] = [*paths, _ROOT]
    try:
        run(lambda: load(targets[0])())
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException:  # noqa: BLE001 - whatever the bot raises is shown, and is its end
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def load(target: str) -> type[Bot]:
    """Return the class that `module:attr` names; raise `TypeError` when it is no `Bot`."""
    from arena.sdk.bot import Bot

    module, _, attr = target.partition(":")
    __import__(module)
    found: object = sys.modules[module]
    for name in attr.split("."):
        found = getattr(found, name)
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise TypeError(f"{target} is {found!r}, not a subclass of arena.sdk.Bot")
    return found


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # whatever threads the bot left running
