"""The JSON Schema of protocol version 1, made from the message classes; shipped as docs/protocol.schema.json."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from arena.protocol.messages import FROM_BOT, FROM_REFEREE, PROTOCOL_VERSION, ActionMessage

_PREFIX = "#/$defs/"


def schema() -> dict[str, Any]:
    """Return the schema as JSON values.

    It holds for any one line of the conversation; those of one side alone are `#/$defs/from-referee` and
    `#/$defs/from-bot`. Unknown keys are allowed everywhere.
    """
    kinds = (*FROM_REFEREE, *FROM_BOT)
    _, definitions = msgspec.json.schema_components(kinds, ref_template=_PREFIX + "{name}")
    for kind in kinds:
        definition = definitions[kind.__name__]
        described = {"type": {"const": kind.type}}
        definition["properties"] = described | {name: definition["properties"][name] for name in kind.__struct_fields__}
        definition["required"] = ["type", *(name for name in definition.get("required", ()) if name != "type")]
    exclusive = ("option", "action", "actions")
    definitions[ActionMessage.__name__]["oneOf"] = [
        {"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in exclusive
    ]
    definitions["from-referee"] = {"anyOf": [_reference(kind) for kind in FROM_REFEREE]}
    definitions["from-bot"] = {"anyOf": [_reference(kind) for kind in FROM_BOT]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"castell-arena protocol, version {PROTOCOL_VERSION}",
        "description": "One line of the conversation between the arena and a bot.",
        "anyOf": [{"$ref": _PREFIX + "from-referee"}, {"$ref": _PREFIX + "from-bot"}],
        "$defs": definitions,
    }


def schema_text() -> str:
    """Return the schema as the text of docs/protocol.schema.json."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _reference(kind: type) -> dict[str, str]:
    return {"$ref": _PREFIX + kind.__name__}
