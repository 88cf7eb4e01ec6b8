"""Bots of different referees never share a user."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.referee import users
from arena.referee.users import BLOCKS, BOTS_WITH_OWN_USERS, FIRST_BOT_UID, first_uid
from tests.referee.sandbox.starting import entrant, line_of, running

SLOT = 200  #: that no other referee of this machine is likely to have
OTHER = """
import sys
from arena.referee.users import first_uid
print(first_uid(int(sys.argv[1])), flush=True)
sys.stdin.read()
"""


def other_referee(slot: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", OTHER, str(slot)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_referees_with_the_same_slot_take_different_users_and_give_them_back() -> None:
    mine = first_uid(SLOT)
    assert first_uid(SLOT) == mine
    others = [other_referee(SLOT) for _ in range(3)]
    theirs = [int(other.stdout.readline()) for other in others if other.stdout is not None]
    assert len({mine, *theirs}) == 4
    for uid in (mine, *theirs):
        assert FIRST_BOT_UID <= uid < FIRST_BOT_UID + BLOCKS * BOTS_WITH_OWN_USERS
        assert (uid - FIRST_BOT_UID) % BOTS_WITH_OWN_USERS == 0
    for other in others:
        other.kill()
        other.communicate()
    with other_referee((min(theirs) - FIRST_BOT_UID) // BOTS_WITH_OWN_USERS) as next_one:
        assert next_one.stdout is not None
        assert int(next_one.stdout.readline()) == min(theirs)
        next_one.communicate("")


def test_users_are_shared_when_none_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users, "BLOCKS", 1)
    first_uid.cache_clear()
    try:
        taken = first_uid(0)
        first_uid.cache_clear()
        assert first_uid(0) == taken == FIRST_BOT_UID
    finally:
        first_uid.cache_clear()


FORK_40 = """
import os, sys, time
try:
    for n in range(40):
        if os.fork() == 0: time.sleep(99)
except OSError: pass
print(n + 1, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only a root referee drops its bots to other users")
def test_a_bot_does_not_starve_the_bot_of_another_referee() -> None:
    referee = f"""
from tests.referee.sandbox.starting import *
with running(entrant({FORK_40!r}), "bubblewrap") as process:
    print(line_of(process), flush=True)
"""
    with running(entrant(FORK_40), "bubblewrap") as process:
        assert line_of(process) == "40"
        done = subprocess.run([sys.executable, "-c", referee], capture_output=True, text=True, check=True)
        assert done.stdout == "40\n"
