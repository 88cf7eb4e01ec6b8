"""Bad bots: programs that misbehave in one way each, with the verdict that each deserves. For tests of any game.

`BAD_BOTS` is the table. Play each against `good_bot()` by `settings_for(...)`, and the referee should find
`verdict` with `evidence` in its reason, in at most the limit that applies and 1 s more.
"""

from arena.testing.badbots.table import BAD_BOTS, BadBot, Needs, Opponent, good_bot, settings_for, slow_bot

__all__ = ["BAD_BOTS", "BadBot", "Needs", "Opponent", "good_bot", "settings_for", "slow_bot"]
