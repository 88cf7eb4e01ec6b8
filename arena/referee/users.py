"""The users that bots of a root referee are dropped to: a block of them for each referee of the machine (Linux).

The kernel counts processes, pipes and queued signals by user. Two referees whose bots shared one would let a bot of
the first starve a bot of the second.
"""

from __future__ import annotations

import functools
import socket

FIRST_BOT_UID = 58_000  #: up to 59919, which no distribution hands out
BOTS_WITH_OWN_USERS = 8
BLOCKS = 240

_claims: list[socket.socket] = []  # held for the life of this process


@functools.cache
def first_uid(slot: int) -> int:
    """Return the user of bot 0, claimed for this process and slot; those of the bots behind it follow.

    A claim is the name of a socket, which goes with the process however that ends. Where all blocks are taken, which
    another user of the machine could do on purpose, the one of the slot's number is shared.
    """
    for offset in range(BLOCKS):
        block = (slot + offset) % BLOCKS
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0castell-arena-bots-{block}")
        except OSError:
            claim.close()
            continue
        _claims.append(claim)
        return FIRST_BOT_UID + block * BOTS_WITH_OWN_USERS
    return FIRST_BOT_UID + slot % BLOCKS * BOTS_WITH_OWN_USERS
