"""Bad bots: programs that misbehave in one way each, with the verdict that each deserves. For tests of any game.

`BAD_BOTS` is the table. `arena.testing.badbots.playing` plays a row with your game and says what is not as promised:
the verdict with its evidence, at most the limit that applies and 1 s more, and nothing left alive.
"""

from arena.testing.badbots.table import BAD_BOTS, BadBot, Needs, Opponent, good_bot, settings_for, slow_bot

__all__ = ["BAD_BOTS", "BadBot", "Needs", "Opponent", "good_bot", "settings_for", "slow_bot"]
