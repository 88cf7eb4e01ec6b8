from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from arena.protocol import BotMessage, Message
from arena.protocol.messages import encode
from arena.protocol.schema import schema, schema_text
from tests.protocol.examples import ALL

SHIPPED = Path(__file__).parents[2] / "docs" / "protocol.schema.json"


def validator(definition: str = "") -> Draft202012Validator:
    whole = schema()
    return Draft202012Validator({**whole, "anyOf": [{"$ref": f"#/$defs/{definition}"}]} if definition else whole)


def test_the_shipped_schema_is_the_one_that_is_made() -> None:
    assert SHIPPED.read_text("utf-8") == schema_text(), "run `arena schema > docs/protocol.schema.json`"


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("message", ALL, ids=lambda message: message.type)
def test_every_message_is_valid_for_its_side_only(message: Message) -> None:
    value = json.loads(encode(message))
    validator().validate(value)
    sides = {side: validator(side).is_valid(value) for side in ("from-bot", "from-referee")}
    assert sides == {"from-bot": isinstance(message, BotMessage), "from-referee": not isinstance(message, BotMessage)}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "action", "id": 1},
        {"type": "action", "id": "1", "option": 1},
        {"type": "action", "id": 1, "option": 1, "action": "end"},
        {"type": "action", "id": -1, "option": 1},
        {"type": "action", "id": 1, "actions": []},
        {"type": "ready", "wants": ["all"]},
        {"type": "note"},
        {"type": "move", "id": 1},
        {"id": 1, "option": 1},
    ],
)
def test_what_decoding_refuses_is_not_valid(value: dict[str, Any]) -> None:
    assert not validator().is_valid(value)


@pytest.mark.parametrize("null", ["action", "actions"])
def test_null_counts_as_absent(null: str) -> None:
    validator().validate({"type": "action", "id": 1, "option": 1, null: None})
