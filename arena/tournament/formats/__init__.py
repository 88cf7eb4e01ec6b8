"""Tournament formats: who meets whom. Ours come in through the same plugin door as anybody's."""

from __future__ import annotations

from arena import plugins
from arena.errors import PluginError
from arena.tournament.formats.api import Format


def find(name: str) -> Format:
    """Return the format called `name`.

    Raises:
        ConfigError: there is none; says the nearest name.
        PluginError: its plugin can't be loaded, or is no format.
    """
    target = plugins.format(name).target
    loaded = plugins.load_target(target)
    made = loaded() if isinstance(loaded, type) else loaded
    if not isinstance(made, Format):
        raise PluginError(target, f"is no Format but a {type(made).__name__}")
    return made
