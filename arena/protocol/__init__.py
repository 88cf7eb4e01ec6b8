"""The protocol between referee and bot, version 1, without I/O. See docs/protocol.md."""

from arena.protocol.connection import BotConnection, RefereeConnection, State
from arena.protocol.messages import (
    DEFAULT_WANTS,
    PROTOCOL_VERSION,
    Act,
    ActionMessage,
    BotMessage,
    ClockFacts,
    End,
    EndFault,
    Hello,
    Message,
    Note,
    Quit,
    Ready,
    RefereeMessage,
    Start,
    Want,
)

__all__ = [
    "DEFAULT_WANTS",
    "PROTOCOL_VERSION",
    "Act",
    "ActionMessage",
    "BotConnection",
    "BotMessage",
    "ClockFacts",
    "End",
    "EndFault",
    "Hello",
    "Message",
    "Note",
    "Quit",
    "Ready",
    "RefereeConnection",
    "RefereeMessage",
    "Start",
    "State",
    "Want",
]
