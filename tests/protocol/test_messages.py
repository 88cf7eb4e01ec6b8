from __future__ import annotations

import json

import msgspec
import pytest

from arena.errors import RemoteProtocolError
from arena.protocol import Act, ActionMessage, BotMessage, Message, Quit, Ready
from arena.protocol.messages import decode_from_bot, decode_from_referee, encode
from tests.protocol.examples import ALL, FORFEIT, START


def decode(message: Message, line: bytes) -> Message:
    return decode_from_bot(line) if isinstance(message, BotMessage) else decode_from_referee(line)


@pytest.mark.parametrize("message", ALL, ids=lambda message: message.type)
def test_messages_round_trip(message: Message) -> None:
    line = encode(message)
    assert line.endswith(b"}\n")
    assert line.startswith(b'{"type":"' + message.type.encode() + b'"')
    assert line.count(b"\n") == 1
    assert decode(message, line[:-1]) == message


@pytest.mark.parametrize("message", ALL, ids=lambda message: message.type)
@pytest.mark.parametrize("form", ['{"type": %s, %s}', '  {%s, "type": %s}  \r', '\ufeff{"later":[{}],"type":%s,%s}'])
def test_any_json_of_the_same_content_is_the_same(message: Message, form: str) -> None:
    fields = json.loads(encode(message))
    kind = json.dumps(fields.pop("type"))
    rest = json.dumps(fields, indent=None)[1:-1] or '"other": 1'
    text = form % ((rest, kind) if form.startswith("  ") else (kind, rest))
    assert decode(message, text.encode()) == message


def test_keys_come_in_a_fixed_order_without_the_absent() -> None:
    assert list(json.loads(encode(START))) == [
        "type", "match", "seat", "seats", "names", "game_options", "options", "clock", "bot_seed",
    ]  # fmt: skip
    assert list(json.loads(encode(START))["clock"]) == [
        "kind", "startup_ms", "per_action_ms", "increment_ms", "margin_ms", "strikes",
    ]  # fmt: skip
    assert encode(Act(id=3, bank_ms=7)) == b'{"type":"act","id":3,"bank_ms":7}\n'
    assert encode(Quit()) == b'{"type":"quit"}\n'
    assert encode(Ready()) == b'{"type":"ready"}\n'
    assert json.loads(encode(FORFEIT))["fault"] == {"verdict": "illegal", "reason": "column 8", "advice": "look"}


def test_raw_json_is_spliced_into_an_act() -> None:
    options, view, actions = ["1", "ä"], {"board": "x/o", "n": {"m": [None]}}, ["0 1"]
    act = Act(id=7, count=2, options=options, view=view, actions=actions, bank_ms=1, limit_ms=2, last_ms=3)
    raw = {name: msgspec.Raw(msgspec.json.encode(getattr(act, name))) for name in ("options", "view", "actions")}
    assert encode(msgspec.structs.replace(act, **raw)) == encode(act)
    assert decode_from_referee(encode(act)) == act


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"type":"action","id":"7","option":1}', r"Expected `int`, got `str` - at `\$.id`"),
        ('{"type":"action","id":7.5,"option":1}', r"Expected `int`, got `float` - at `\$.id`"),
        ('{"type":"action","id":true,"option":1}', r"Expected `int`, got `bool` - at `\$.id`"),
        ('{"type":"action","id":-1,"option":1}', r"`\$.id`"),
        ('{"type":"action","id":0,"option":-1}', r"`\$.option`"),
        ('{"type":"action","id":9007199254740992,"option":1}', r"`\$.id`"),
        ('{"type":"action","id":' + "9" * 30 + ',"option":1}', r"`\$.id`"),
        ('{"type":"action","id":1e999,"option":1}', r"\$.id|out of range"),
        ('{"type":"action","option":1}', "missing required field `id`"),
        ('{"type":"action","id":1}', "exactly one of"),
        ('{"type":"action","id":1,"option":1,"action":"2"}', "exactly one of"),
        ('{"type":"action","id":1,"actions":[]}', r"`\$.actions`"),
        ('{"type":"action","id":1,"actions":["a",2]}', r"Expected `str`, got `int` - at `\$.actions\[1\]`"),
        ('{"type":"ready","wants":["all"]}', r"`\$.wants\[0\]`"),
        ('{"type":"note","text":null}', r"`\$.text`"),
        ('{"type":7}', r"`\$.type`"),
        ('{"id":7}', "missing required field `type`"),
        ('{"type":"action","id":1', "broken JSON"),
        ('{"type":"action","id":1,"option":2} x', "broken JSON"),
        ("{'type':'action'}", "broken JSON"),
        ('{"type":"note","text":"\\ud800"}', "broken JSON"),
        ('["action"]', "no message"),
        ("7", "no message"),
        ('{"type":"action","id":' + "9" * 10_000 + ',"option":1}', "format|broken"),
    ],
)
def test_wrong_messages_are_refused_with_the_path(line: str, reason: str) -> None:
    with pytest.raises(RemoteProtocolError, match=reason) as caught:
        decode_from_bot(line.encode())
    assert caught.value.verdict == "protocol"
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("where", ["id", "later"])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_json_is_a_fault(where: str, opening: str, closing: str) -> None:
    deep = opening * 20_000 + "1" + closing * 20_000
    with pytest.raises(RemoteProtocolError):
        decode_from_bot(f'{{"type":"action","{where}":{deep},"option":1}}'.encode())


@pytest.mark.parametrize("where", ["type", "later"])
def test_invalid_utf8_is_a_fault_wherever_it_stands(where: str) -> None:
    line = b'{"type":"action","id":1,"option":1,"' + where.encode() + b'":"\xff"}'
    with pytest.raises(RemoteProtocolError, match="not UTF-8"):
        decode_from_bot(line)


def test_an_unknown_type_names_the_nearest() -> None:
    with pytest.raises(RemoteProtocolError, match="unknown type 'move'") as caught:
        decode_from_bot(b'{"type":"move"}')
    assert caught.value.advice == "known types are action, note, ready"
    with pytest.raises(RemoteProtocolError) as caught:
        decode_from_bot(b'{"type":"actions"}')
    assert caught.value.advice == "did you mean `action`?"


def test_types_of_the_other_side_are_unknown() -> None:
    with pytest.raises(RemoteProtocolError, match="unknown type 'quit'"):
        decode_from_bot(b'{"type":"quit"}')
    with pytest.raises(RemoteProtocolError, match="unknown type 'ready'"):
        decode_from_referee(b'{"type":"ready"}')


def test_null_is_the_same_as_absent() -> None:
    assert decode_from_bot(b'{"type":"action","id":1,"option":2,"action":null}') == ActionMessage(id=1, option=2)


def test_an_action_message_is_checked_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="exactly one of"):
        ActionMessage(id=1, option=1, action="end")


def test_a_wrong_value_is_not_repeated_whole() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_from_bot(b'{"type":"ready","wants":["' + b"x" * 200_000 + b'"]}')
    assert len(str(caught.value)) < 1_000
