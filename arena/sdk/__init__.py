"""What a bot author imports: `Bot` and `run`, from the standard library only.

    from arena.sdk import Bot, Turn, run


    class First(Bot):
        def choose(self, turn: Turn) -> int:
            return 0


    if __name__ == "__main__":
        run(First)

The same class plays as a plugin (named by an entry point), as a program (this file, run by its command) and inside
another Python program. It imports in a few milliseconds, for it is started anew for every match.
"""

from arena.sdk.bot import Bot, Clock, End, Fault, Start, Turn
from arena.sdk.program import run

__all__ = ["Bot", "Clock", "End", "Fault", "Start", "Turn", "run"]
