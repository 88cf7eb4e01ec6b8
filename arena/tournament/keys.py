"""Where all randomness of a run comes from: one secret, from which deals and bot seeds are derived one-way.

Who knows a bot seed or the key of one deal learns nothing about another deal. With an explicit seed the
secret can be guessed from the seed: rehearsals only.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

SECRET_BYTES = 16
SEED_WARNING = "an explicit seed gives every deal away to whoever knows it: use it for rehearsals only"


def new_secret() -> bytes:
    """Return 128 random bits."""
    return secrets.token_bytes(SECRET_BYTES)


def secret_of_seed(seed: int) -> bytes:
    """Return the secret that an explicit seed stands for; equal seeds give equal secrets everywhere."""
    return hashlib.sha256(f"castell-arena seed {seed}".encode()).digest()[:SECRET_BYTES]


def deal_key(secret: bytes, deal: int) -> bytes:
    """Return the 32-byte key of the deal with this number: equal for every line-up, so all play the same deals."""
    return hmac.digest(secret, f"deal {deal}".encode(), "sha256")


def bot_seed(secret: bytes, match_id: str, seat: int) -> int:
    """Return the seed, 63 bits, of the bot at `seat` in a match; it tells nothing of the deal."""
    digest = hmac.digest(secret, f"bot {seat} {match_id}".encode(), "sha256")
    return int.from_bytes(digest[:8], "big") >> 1
