"""docs/protocol.md is true: its conversation, its Bash bot, its tables."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import attrs
import pytest

from arena.games.connect_four import ConnectFour
from arena.protocol import ActionMessage, BotConnection, BotMessage, Message, Note, Quit, Ready, RefereeConnection
from arena.protocol.connection import TRANSITIONS
from arena.protocol.messages import FROM_BOT, FROM_REFEREE, decode_from_bot, encode
from arena.protocol.schema import schema
from arena.referee.match import Ask, Commands, Match, Phase, Send
from arena.referee.record import Verdict
from arena.referee.settings import BotKind, Clock, Entrant, Fixture, Limits, Settings
from tests.sdk.talk import HELLO, act, match, talk

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")


def block(kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def section(title: str) -> str:
    found = re.search(rf"^#+ {title}\n(.*?)(?=^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def rows(title: str) -> dict[str, list[str]]:
    """Return the cells of a section's tables by their first cell."""
    cells = [[cell.strip().strip("`") for cell in line.split("|")[1:-1]] for line in section(title).splitlines()]
    return {row[0]: row[1:] for row in cells if row and not row[0].startswith("---")}


def conversation() -> list[tuple[str, bytes]]:
    lines = block("text").splitlines()
    return [(line[0], line[2:].encode() + b"\n") for line in lines]


def test_the_conversation_is_what_both_ends_say() -> None:
    referee, bot = RefereeConnection(), BotConnection()
    for side, line in conversation():
        message: Message | None
        if side == ">":
            bot.receive_data(line)
            message = bot.next_event()
            assert message is not None
            assert not isinstance(message, BotMessage)
            assert referee.send(message) == line
        else:
            referee.receive_data(line)
            message = referee.next_event()
            assert isinstance(message, BotMessage)
            assert bot.send(message) == line
    assert referee.state is bot.state


class Table:
    """The referee's own match, with the conversation's bot at seat 0 and a scripted one at seat 1."""

    CLOCK = Clock(per_action_ms=1000, bank_ms=5000, increment_ms=20, margin_ms=50)

    def __init__(self) -> None:
        settings = Settings(game="connect-four", game_options={"opening": 0}, seats=2, clock=self.CLOCK)
        names = ("stacker", "random")
        fixture = Fixture(
            match_id="r0-l000-b0-m0",
            number=0,
            line_up=names,
            deal=0,
            block="b",
            rotation=0,
            key="00" * 16,
            bot_seeds=(6148914691236517205, 1),
        )
        entrants = [Entrant(name=name, kind=BotKind.COMMAND) for name in names]
        self.match = Match(ConnectFour(), settings, entrants, fixture, arena="0.1.0")
        self.connection = RefereeConnection()
        self.said: list[tuple[str, bytes]] = []
        self.script = iter([decode_from_bot(line) for side, line in conversation() if side == "<"])
        self.others = iter(["2", "3", "4"])
        self.now_us = 0

    def play(self) -> None:
        for seat in (0, 1):
            self.carry_out(self.match.spawned(seat, self.now_us))
        self.say(Quit())

    def carry_out(self, commands: Commands) -> None:
        for command in commands:
            if command.seat == 1:
                self.answer_for_the_other(command)
            elif isinstance(command, Ask):
                self.write(self.connection.ask(self.match.request()))
                self.carry_out(self.match.written(self.now_us))
                self.answer()
            else:
                assert isinstance(command, Send)
                self.say(command.message)
                if self.match.phase is not Phase.OVER:
                    self.answer()

    def say(self, message: Any) -> None:
        self.write(self.connection.send(message))

    def write(self, line: bytes) -> None:
        self.said.append((">", line))

    def answer(self) -> None:
        """Let the conversation's bot answer after 2 ms."""
        self.now_us += 2000
        message: BotMessage = Note(text="")
        while isinstance(message, Note):
            message = next(self.script)
            line = encode(message)
            self.said.append(("<", line))
            self.connection.receive_data(line)
            assert self.connection.next_event() == message
        if isinstance(message, Ready):
            self.carry_out(self.match.ready(0, message, self.now_us))
        else:
            assert isinstance(message, ActionMessage)
            self.carry_out(self.match.answered(0, message, self.now_us))

    def answer_for_the_other(self, command: Any) -> None:
        if isinstance(command, Ask):
            self.carry_out(self.match.written(self.now_us))
            number = self.match.request().id
            message = ActionMessage(id=number, action=next(self.others))
            self.carry_out(self.match.answered(1, message, self.now_us))
        elif command.message.type in ("hello", "start"):
            self.carry_out(self.match.ready(1, Ready(), self.now_us))


def test_the_referee_holds_the_conversation_byte_for_byte() -> None:
    table = Table()
    table.play()
    assert table.said == conversation()


def test_the_conversation_is_valid_by_the_schema() -> None:
    import jsonschema

    for _, line in conversation():
        jsonschema.validate(json.loads(line), schema())


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_bash_bot_plays(tmp_path: Path) -> None:
    script = tmp_path / "bot.sh"
    script.write_text(block("bash"))
    bash = shutil.which("bash")
    assert bash is not None
    said = talk([bash, str(script)], [HELLO, *match(3), *match(1), act(1), Quit()])
    assert (said.status, said.stderr) == (0, "")
    assert said.lines == [
        '{"type":"ready"}',
        '{"type":"ready"}',
        *(f'{{"type":"action","id":{number},"option":0}}' for number in range(3)),
        '{"type":"ready"}',
        '{"type":"action","id":0,"option":0}',
        '{"type":"action","id":1,"option":0}',
    ]


def test_the_order_is_the_table_of_the_code() -> None:
    table = rows("Order")
    kinds = [kind.strip("`") for kind in table.pop("state")]
    for state, transitions in TRANSITIONS.items():
        shown = {kind: after for kind, after in zip(kinds, table.pop(state.value), strict=True) if after}
        assert shown == {kind: after.value for kind, after in transitions.items()}
    assert not table


@pytest.mark.parametrize(("title", "kinds"), [("To the bot", FROM_REFEREE), ("From the bot", FROM_BOT)])
def test_every_message_is_listed_with_its_keys(title: str, kinds: tuple[type, ...]) -> None:
    table = rows(title)
    table.pop("type")
    shown = {kind: re.findall(r"`?(\w+)`", cells[0] + "`") for kind, cells in table.items() if cells[0]}
    expected = {kind.type: list(kind.__struct_fields__) for kind in kinds}  # type: ignore[attr-defined]
    assert {kind: [key for key in keys if key in expected[kind]] for kind, keys in shown.items()} == {
        kind: keys for kind, keys in expected.items() if keys
    }


@pytest.mark.parametrize(("title", "settings"), [("Clock", Clock()), ("Limits", Limits())])
def test_defaults_are_those_of_the_code(title: str, settings: Clock | Limits) -> None:
    table = rows(title)
    table.pop("setting")
    expected = {name: "none" if value is None else str(value) for name, value in attrs.asdict(settings).items()}
    assert {name: cells[0] for name, cells in table.items()} == expected


def test_every_verdict_on_a_bot_is_explained() -> None:
    table = rows("Faults")
    table.pop("verdict")
    assert set(table) == {verdict.value for verdict in Verdict if verdict is not Verdict.REFEREE_ERROR}
