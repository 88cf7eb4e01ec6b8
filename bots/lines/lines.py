"""A bot without the SDK: it speaks the protocol by itself, in nothing but the standard library.

Every message is one line of JSON. It plays any game; of Castell it knows which kinds of actions tend to pay.
"""

from __future__ import annotations

import json
import random
import sys

#: What an action's notation may begin with, the best first; what is not listed comes after all that is.
LIKED = ("compete", "special perform", "wheel perform", "train", "wheel recruit", "recruit", "move", "end")


def liking(option: str) -> tuple[int, int]:
    """Return how good an option is, less is better: by its beginning, and two castellers before one."""
    rank = next((i for i, words in enumerate(LIKED) if option.startswith(words)), len(LIKED))
    return rank, -len(option.split()) if option.startswith("recruit") else 0


def main() -> None:
    """Answer the referee until it says `quit` or is gone."""
    rng = random.Random(0)
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            answer = {"type": "ready", "name": "lines", "version": "1", "wants": ["options"]}
        elif kind == "start":
            rng.seed(message["bot_seed"])
            answer = {"type": "ready"}
        elif kind == "act":
            likings = [liking(option) for option in message["options"]]
            best = min(likings)
            choice = rng.choice([i for i, value in enumerate(likings) if value == best])
            answer = {"type": "action", "id": message["id"], "option": choice}
        elif kind == "quit":
            return
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
