"""A person at a browser: the table they share with the referee, and what the server lets through."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence

import msgspec
import pytest

from arena import plugins
from arena.games.api import Game
from arena.options import complete_options
from arena.referee import inprocess
from arena.referee.record import Record, Termination
from arena.sdk.bot import Bot, Turn
from arena.web.seat import seats
from arena.web.serving import LOOPBACK
from arena.web.table import PersonLeft, WebPerson, WebTable
from tests.web.making import Answer, ask

KEY = bytes(range(32))


class Dice(Bot):
    """Plays at random."""

    def choose(self, turn: Turn) -> int:
        return self.rng.randrange(turn.count or len(turn.options))


class Sitting:
    """A match on a thread of its own, with people at some of its seats."""

    def __init__(self, game: Game, people: Sequence[int], seats_: int = 2) -> None:
        names = tuple("human" if seat in people else "dice" for seat in range(seats_))
        names = tuple(f"{name}-{seat}" for seat, name in enumerate(names))
        self.game = game
        options = complete_options(game, {})
        self.table = WebTable(game, game.deal(seats_, KEY, options), names, people)
        self.app = seats(self.table, LOOPBACK)
        self.tokens = {seat: token for token, seat in self.table.tokens.items()}
        self.record: Record | None = None
        self.left = False
        bots: list[Bot] = [WebPerson(self.table, seat) if seat in people else Dice() for seat in range(seats_)]

        def play() -> None:
            try:
                self.record = inprocess.play(game, bots, key=KEY, options=options, names=names)
                self.table.end(self.record, wait_s=0)
            except PersonLeft:
                self.left = True

        self.thread = threading.Thread(target=play)
        self.thread.start()

    def state(self, seat: int, first: int = 0) -> dict[str, object]:
        answer = ask(self.app, f"/seat/{self.tokens[seat]}/state?from={first}")
        assert answer.status == 200
        found: dict[str, object] = msgspec.json.decode(answer.text)
        return found

    def tell(self, seat: int, verb: str, body: dict[str, object]) -> Answer:
        path = f"/seat/{self.tokens[seat]}/{verb}"
        return ask(self.app, path, method="POST", body=msgspec.json.encode(body), content_type="application/json")

    def asked(self, seat: int) -> bool:
        """Wait until this seat is asked (True) or the match is over."""
        with self.table._changed:
            return self.table._changed.wait_for(lambda: self.table._asked == seat or self.table._replay, 20) is True

    def leave(self) -> None:
        self.table.leave()
        self.thread.join(20)


@pytest.mark.parametrize(("name", "people", "seats_"), [
    ("connect-four", [0], 2), ("connect-four", [0, 1], 2), ("castell", [1], 2), ("castell", [0, 2], 3),
])  # fmt: skip
def test_a_whole_match_through_the_pages_of_the_seats(name: str, people: list[int], seats_: int) -> None:
    sitting, dice, seen = Sitting(plugins.game(name), people, seats_), random.Random(4), 0
    while sitting.table._replay is None:
        with sitting.table._changed:
            assert sitting.table._changed.wait_for(
                lambda: sitting.table._asked is not None or sitting.table._replay is not None, 20
            )
            seat = sitting.table._asked
        if seat is None:
            break
        shown = sitting.state(seat)
        legal, frame = shown["legal"], len(shown["steps"])  # type: ignore[arg-type]
        assert isinstance(legal, list)
        assert len(shown["scenes"]) == frame + 1  # type: ignore[arg-type]
        assert all(sitting.state(other)["legal"] == [] for other in people if other != seat)
        assert sitting.tell(seat, "act", {"frame": frame, "action": dice.choice(legal)}).text == '{"problem":""}'
        seen += 1
    sitting.thread.join(20)
    assert sitting.record is not None
    assert sitting.record.termination is Termination.FINISHED
    assert seen == sum(request.seat in people for request in sitting.record.requests)
    replay = sitting.state(people[0])["replay"]
    assert isinstance(replay, dict)
    assert [step["action"] for step in replay["steps"]] == [one.action for one in sitting.record.actions]


def test_what_does_not_stand_is_said_in_a_sentence_and_changes_nothing() -> None:
    sitting = Sitting(plugins.game("castell"), [0])
    assert sitting.asked(0)
    before = sitting.state(0)
    for verb in ("judge", "act"):
        answer = sitting.tell(0, verb, {"frame": 0, "action": "compete 10 10 10/9 9/8/7"})
        assert "festival" in msgspec.json.decode(answer.text)["problem"]
    assert sitting.state(0) == before
    assert sitting.tell(0, "judge", {"action": "end"}).text == '{"problem":""}'
    sitting.leave()


def test_an_answer_to_an_old_question_is_refused() -> None:
    sitting = Sitting(plugins.game("connect-four"), [0])
    assert sitting.asked(0)
    assert sitting.tell(0, "act", {"frame": 0, "action": "1"}).text == '{"problem":""}'
    assert sitting.asked(0)
    assert "gone on" in sitting.tell(0, "act", {"frame": 0, "action": "1"}).text
    sitting.leave()
    assert sitting.left


def test_nobody_plays_for_another_seat() -> None:
    sitting = Sitting(plugins.game("connect-four"), [0, 1])
    assert sitting.asked(0)
    assert "not your turn" in sitting.tell(1, "act", {"frame": 0, "action": "1"}).text
    sitting.leave()


def test_without_a_token_nothing_is_there() -> None:
    sitting = Sitting(plugins.game("connect-four"), [0])
    assert sitting.asked(0)
    token = sitting.tokens[0]
    assert len(token) >= 32
    for path in ("/", "/seat/", "/seat/x", "/seat/x/state", f"/seat/{token[:-1]}", f"/seat/{token}x/events"):
        assert ask(sitting.app, path).status == 404
    for path in ("/seat/x/act", "/seat/x/leave", f"/seat/{token}/other"):
        body = b'{"action": "1", "frame": 0}'
        assert ask(sitting.app, path, method="POST", body=body, content_type="application/json").status == 404
    assert ask(sitting.app, f"/seat/{token}", host="evil.example").status == 421
    page = ask(sitting.app, f"/seat/{token}")
    assert page.status == 200
    assert page.headers["referrer-policy"] == "no-referrer"
    sitting.leave()


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"action": "1", "frame": 0}', "text/plain", 415),
        (b'{"action": 1}', "application/json", 400),
        (b'{"action": "1", "more": 2}', "application/json", 400),
        (b"\xff", "application/json", 400),
        (b'"' + b"x" * 20_000 + b'"', "application/json", 413),
    ],
)
def test_answers_that_are_none_are_refused(body: bytes, kind: str, status: int) -> None:
    sitting = Sitting(plugins.game("connect-four"), [0])
    assert sitting.asked(0)
    path = f"/seat/{sitting.tokens[0]}/act"
    assert ask(sitting.app, path, method="POST", body=body, content_type=kind).status == status
    assert sitting.state(0)["steps"] == []
    sitting.leave()


def test_frames_are_told_from_where_the_page_stands() -> None:
    sitting = Sitting(plugins.game("connect-four"), [0])
    assert sitting.asked(0)
    sitting.tell(0, "act", {"frame": 0, "action": "4"})
    assert sitting.asked(0)
    whole, rest = sitting.state(0), sitting.state(0, 1)
    assert whole["scenes"][1:] == rest["scenes"]  # type: ignore[index]
    assert whole["steps"] == rest["steps"]
    assert sitting.state(0, 3)["scenes"] == []
    sitting.leave()
