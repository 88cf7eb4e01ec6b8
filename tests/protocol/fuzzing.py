"""Rubbish for connections. The invariant: rubbish gives a fault of the sender, nothing else."""

from __future__ import annotations

from random import Random

from arena.errors import RemoteProtocolError
from arena.protocol import ActionMessage, BotConnection, Note, Ready, State
from arena.protocol.connection import RefereeConnection
from arena.protocol.messages import encode
from tests.protocol.examples import ALL, WAYS, referee_in

LINES = [
    *(encode(message) for message in ALL),
    *(encode(ActionMessage(id=number, option=number)) for number in range(4)),
    b"\n", b"\r\n", b"\xef\xbb\xbf\n", b"thinking...\n", b"Traceback (most recent call last):\n", b"{}\n", b"[]\n",
    b'{"type":"action","id":99999999999999999999999,"option":0}\n', b'{"type":"action","id":1e400,"option":0}\n',
    b'{"type":"note","text":"' + b"n" * 300 + b'"}\n', b'{"type":"note","text":' + b"[" * 40 + b"\n",
    b'{"type":"note","text":"\\ud800"}\n', b'{"type":"ready","wants":["view","view"]}\n', b'{"type":"ready"}{}\n',
]  # fmt: skip
TOKENS = [
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\u",
    b"\\",
    b"\xff",
    b"\xc3",
    b"\0",
    b"1e9",
    b"-",
    b"null",
    b"\n",
]
REFEREE_CAP, LINES_CAP = 256, 8


def stream(random: Random) -> bytes:
    """Return a few lines, good and bad, perhaps cut, spliced, repeated or with bytes changed."""
    data = bytearray(b"".join(random.choice(LINES) for _ in range(random.randint(1, 5))))
    for _ in range(random.choice((0, 0, 1, 1, 2, 6))):
        place = random.randrange(len(data) + 1)
        match random.randrange(5):
            case 0:
                data[place:place] = random.choice(TOKENS)
            case 1:
                del data[place : place + random.randint(1, 8)]
            case 2:
                data[place : place + 1] = bytes([random.randrange(256)])
            case 3:
                data[place:place] = random.choice(LINES)[: random.randrange(40)]
            case _:
                data += data[place : place + 200]
    return bytes(data)


def feed(connection: RefereeConnection | BotConnection, data: bytes, pieces: int) -> tuple[list[object], str]:
    """Hand `data` over in so many pieces; return the events and the text of the fault, empty if there was none."""
    size = max(1, -(-len(data) // pieces))
    for start in range(0, len(data), size):
        connection.receive_data(data[start : start + size])
    seen: list[object] = []
    fault: RemoteProtocolError | None = None
    try:
        while (event := connection.next_event()) is not None:
            seen.append(event)
    except RemoteProtocolError as error:
        fault = error
    if fault is None:
        return seen, ""
    assert fault.verdict in ("protocol", "output limit")
    assert str(fault).isprintable()
    assert len(str(fault)) < 1500
    return seen, f"{fault.verdict}: {fault}"


def fuzz_one(random: Random) -> None:
    """Feed one stream, whole and in pieces, to a referee's end in some state, and to a bot's end."""
    data = stream(random)
    state = random.choice(list(State))
    whole, cut = (referee_in(state, line_bytes=REFEREE_CAP, lines_between_requests=LINES_CAP) for _ in range(2))
    events, fault = feed(whole, data, 1)
    events_cut, fault_cut = feed(cut, data, random.randint(2, 2 + len(data)))
    assert events == events_cut
    assert fault.split(":")[0] == fault_cut.split(":")[0]
    assert len(events) <= LINES_CAP
    assert all(isinstance(event, (Ready, ActionMessage, Note)) for event in events)
    assert len(whole.unfinished) < REFEREE_CAP
    assert whole.state is cut.state
    bot = BotConnection(line_bytes=2 * REFEREE_CAP)
    for message in WAYS[state]:
        if not isinstance(message, (Ready, ActionMessage, Note)):
            bot.receive_data(encode(message))
            bot.next_event()
        else:
            bot.send(message)
    feed(bot, data, 1)
