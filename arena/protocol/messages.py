"""The messages of protocol version 1 as values, and their one line of JSON.

To the bot go `Hello`, `Start`, `Act`, `End` and `Quit`; from it come `Ready`, `ActionMessage` and `Note`.
Decoding is strict about types and ranges and indifferent to unknown keys, which later versions may add. A key
whose value is None is left out. See docs/protocol.md; the JSON Schema is made from these classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

from arena.errors import RemoteProtocolError
from arena.protocol.framing import BOM, FORMAT_ADVICE, LINE_ADVICE, quote, stray_output

PROTOCOL_VERSION = 1

Want: TypeAlias = Literal["options", "view", "actions"]
OptionValue: TypeAlias = "bool | int | str"
Id: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1, description="number of a request, rising within a match")]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=63, description="0-based")]
Millis: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1, description="milliseconds")]
SignedMillis: TypeAlias = Annotated[int, Meta(ge=-(2**53), le=2**53 - 1, description="milliseconds")]

DEFAULT_WANTS: tuple[Want, ...] = ("options",)


class _Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", gc=False):
    """What all messages share. A default is left out of the line, so that only what may be missing has one: None."""

    type: ClassVar[str]


class Hello(_Message, frozen=True, kw_only=True, tag="hello"):
    """Opens the conversation; the bot answers with `Ready` within the start-up limit."""

    type: ClassVar[str] = "hello"
    protocol: Annotated[int, Meta(ge=1, description="version of the protocol")]
    arena: Annotated[str, Meta(description="version of castell-arena")]
    game: Annotated[str, Meta(description="name of the game that will be played")]


class ClockFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The time control, as told in `Start`; a limit that does not exist is left out."""

    kind: Annotated[str, Meta(description="`wall` or `cpu`: what is counted")]
    startup_ms: Millis
    per_action_ms: Millis | None = None
    bank_ms: Millis | None = None
    increment_ms: Millis
    margin_ms: Millis
    strikes: Annotated[int, Meta(ge=0)]


class Start(_Message, frozen=True, kw_only=True, tag="start"):
    """Opens a match; the bot answers with `Ready` within the start-up limit."""

    type: ClassVar[str] = "start"
    match: Annotated[str, Meta(description="id of the match; tells nothing about its deal")]
    seat: SeatNumber
    seats: Annotated[int, Meta(ge=1, le=64)]
    names: Annotated[tuple[str, ...], Meta(description="of the entrants, by seat")]
    game_options: Mapping[str, OptionValue]
    options: Annotated[Mapping[str, OptionValue], Meta(description="of this entrant")]
    clock: ClockFacts
    bot_seed: Annotated[int, Meta(ge=0, le=2**63 - 1, description="the only randomness a deterministic bot needs")]


class Act(_Message, frozen=True, kw_only=True, tag="act"):
    """Asks for an action. The clock starts when the arena begins to write it."""

    type: ClassVar[str] = "act"
    id: Id
    count: Annotated[int, Meta(ge=0, description="number of options; comes with them")] | None = None
    options: Annotated[Sequence[str], Meta(description="texts of sensible legal actions")] | None = None
    view: Annotated[Mapping[str, Any], Meta(description="what the seat may see")] | None = None
    actions: Annotated[Sequence[str], Meta(description="played since the last request, as `SEAT TEXT`")] | None = None
    bank_ms: Annotated[SignedMillis, Meta(description="left on the bank")] | None = None
    limit_ms: Annotated[Millis, Meta(description="for this request, margin not included")] | None = None
    last_ms: Annotated[Millis, Meta(description="what the referee measured for the last request")] | None = None


class EndFault(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Why the seat forfeited, as told to it in `End`."""

    verdict: str
    reason: str
    advice: str = ""


class End(_Message, frozen=True, kw_only=True, tag="end"):
    """Closes a match; not answered. Another `Start` or `Quit` follows."""

    type: ClassVar[str] = "end"
    places: Annotated[tuple[int, ...], Meta(description="by seat, 1 is best; empty when the match is void")]
    scores: Annotated[tuple[int, ...], Meta(description="by seat; empty when the match is void")]
    categories: Annotated[Mapping[str, tuple[int, ...]], Meta(description="points by category, each by seat")]
    termination: Annotated[str, Meta(description="`finished`, `forfeit`, `abandoned` or `void`")]
    fault: EndFault | None = None


class Quit(_Message, frozen=True, kw_only=True, tag="quit"):
    """Closes the conversation; the bot ends by itself, or is ended."""

    type: ClassVar[str] = "quit"


class Ready(_Message, frozen=True, kw_only=True, tag="ready"):
    """Answers `Hello` and `Start`. `wants` counts in the answer to `Hello`; None stands for `DEFAULT_WANTS`."""

    type: ClassVar[str] = "ready"
    name: str | None = None
    version: str | None = None
    wants: Annotated[tuple[Want, ...], Meta(description="what `act` shall carry")] | None = None


class ActionMessage(_Message, frozen=True, kw_only=True, tag="action"):
    """Answers `Act` by exactly one of `option`, `action` and `actions`."""

    type: ClassVar[str] = "action"
    id: Id
    option: Annotated[int, Meta(ge=0, le=2**53 - 1, description="0-based place in `options`")] | None = None
    action: Annotated[str, Meta(description="text of one action")] | None = None
    actions: (
        Annotated[
            tuple[str, ...],
            Meta(min_length=1, description="texts, played in order while it is still this seat's turn"),
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        given = self.option is not None
        if given + (self.action is not None) + (self.actions is not None) != 1:
            raise ValueError("an action message needs exactly one of `option`, `action` and `actions`")


class Choice(_Message, frozen=True, kw_only=True, tag="action", forbid_unknown_fields=True):
    """The commonest `ActionMessage`: an option and nothing else. For those who are in a hurry."""

    type: ClassVar[str] = "action"
    id: Id
    option: Annotated[int, Meta(ge=0, le=2**53 - 1)]


class Note(_Message, frozen=True, kw_only=True, tag="note"):
    """A text for the record and the viewer; legal at any time."""

    type: ClassVar[str] = "note"
    text: str


RefereeMessage: TypeAlias = Hello | Start | Act | End | Quit
BotMessage: TypeAlias = Ready | ActionMessage | Note
Message: TypeAlias = RefereeMessage | BotMessage

FROM_REFEREE: tuple[type[RefereeMessage], ...] = (Hello, Start, Act, End, Quit)
FROM_BOT: tuple[type[BotMessage], ...] = (Ready, ActionMessage, Note)


class _Head(msgspec.Struct):
    type: str


Decoders: TypeAlias = Mapping[str, "msgspec.json.Decoder[Any]"]
REFEREE_DECODERS: Decoders = {kind.type: msgspec.json.Decoder(kind) for kind in FROM_REFEREE}
BOT_DECODERS: Decoders = {kind.type: msgspec.json.Decoder(kind) for kind in FROM_BOT}

_encode = msgspec.json.Encoder().encode
_decode_head = msgspec.json.Decoder(_Head).decode
decode_choice = msgspec.json.Decoder(Choice).decode


def encode(message: Message) -> bytes:
    """Return `message` as one line of JSON, newline included: `type` first, the other keys as in its class."""
    return _encode(message) + b"\n"


def decode_from_bot(line: bytes, chunk: bytes = b"") -> BotMessage:
    """Return the message in one line of a bot; raise `RemoteProtocolError` with the path to what is wrong in it.

    Args:
        line: without its newline; not blank.
        chunk: the bytes it came with, for a fuller quotation of stack traces.
    """
    message: BotMessage = _decode(line, BOT_DECODERS, chunk)
    return message


def decode_from_referee(line: bytes, chunk: bytes = b"") -> RefereeMessage:
    """Return the message in one line of the referee; raise `RemoteProtocolError` like `decode_from_bot`."""
    message: RefereeMessage = _decode(line, REFEREE_DECODERS, chunk)
    return message


def _decode(line: bytes, decoders: Decoders, chunk: bytes) -> Any:
    if not line.isascii():
        line = line.removeprefix(BOM)
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            raise stray_output(line, chunk) from None
    if not line.lstrip().startswith(b"{"):
        raise stray_output(line, chunk)
    try:
        decoder = decoders.get(kind := _decode_head(line).type)
        if decoder is None:
            raise _unknown_type(kind, line, decoders)
        return decoder.decode(line)
    except msgspec.ValidationError as error:
        wrong = str(error)[:300]  # it may repeat the whole value that is wrong
        reason = f"sent a message that breaks the format: {wrong}: {quote(line)}"
        advice = "known wants are " + ", ".join(get_args(Want)) if "$.wants" in str(error) else FORMAT_ADVICE
        raise RemoteProtocolError(reason, advice=advice) from None
    except RecursionError:
        raise RemoteProtocolError(f"sent JSON that is nested too deeply: {quote(line)}") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise RemoteProtocolError(f"sent broken JSON ({error}): {quote(line)}", advice=LINE_ADVICE) from None


def _unknown_type(kind: str, line: bytes, decoders: Decoders) -> RemoteProtocolError:
    known = ", ".join(sorted(decoders))
    near = get_close_matches(kind[:40], decoders, n=1)
    return RemoteProtocolError(
        f"sent a message of unknown type {quote(kind.encode())}: {quote(line)}",
        advice=f"did you mean `{near[0]}`?" if near else f"known types are {known}",
    )
