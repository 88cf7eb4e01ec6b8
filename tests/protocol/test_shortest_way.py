"""`receive_choice` hears exactly what `receive_data` hears."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from arena.errors import LocalProtocolError, RemoteProtocolError
from arena.protocol.connection import RefereeConnection
from arena.protocol.messages import Act, ActionMessage, Ready
from tests.protocol.examples import HELLO, START

PIECES = [
    b'{"type":"action","id":0,"option":0}\n',
    b'{"type":"action","id":1,"option":2}\n',
    b'{"type": "action", "id": 1, "action": "move girona"}\n',
    b'{"type":"action","id":2,"actions":["a","b"]}\r\n',
    b'{"type":"action","id":2}\n',
    b'{"id":1,"option":2}\n',
    b'{"option":1,"type":"action","id":0,"mood":"fine"}\n',
    b'{"type":"action","id":0,"option":1,"action":"x"}\n',
    b'{"type":"action","id":0,"option":1,"action":null}\n',
    b'{"type":"action","id":1,"option":-1}\n',
    b'{"type":"action","id":1,"option":99999999999999999999999}\n',
    b'{"type":"action","id":0,"action":"\xc3\xa9"}\n',
    b'{"type":"action","id":0,"action":"\xff"}\n',
    b'{"type":"action","id":0,"option":0}\n{"type":"note","text":"x"}\n',
    b'{"type":"action","id":0,',
    b'"option":0}\n',
    b'{"type":"note","text":"hello"}\n',
    b'{"type":"ready"}\n',
    b"\n",
    b"\xef\xbb\xbf",
    b"hello\n",
    b'{"type":"action","id":0,"action":"' + b"x" * 200 + b'"}\n',
]


def told(steps: list[bytes | int], *, short: bool) -> list[object]:
    connection = RefereeConnection(line_bytes=128, lines_between_requests=4)
    heard: list[object] = []

    def collect() -> None:
        try:
            while (message := connection.next_event()) is not None:
                heard.append(message)
        except RemoteProtocolError as error:
            heard.append((str(error), error.verdict, error.advice))

    for message in (HELLO, START):
        connection.send(message)
        connection.receive_data(b'{"type":"ready"}\n')
        assert connection.next_event() == Ready()
    for step in steps:
        if isinstance(step, int):
            try:
                connection.ask(Act(id=step))
            except LocalProtocolError as error:
                heard.append(str(error))
            continue
        request = connection.open_id
        if short and (choice := connection.receive_choice(step)) is not None:
            assert request is not None
            heard.append(ActionMessage(id=request, option=choice))
        elif not short:
            connection.receive_data(step)
        collect()
        heard.append((connection.state, connection.open_id, connection.unfinished))
    return heard


@example([0, *[b'{"type":"note","text":"x"}\n'] * 4, b'{"type":"action","id":0,"option":0}\n'])
@given(st.lists(st.sampled_from(PIECES) | st.integers(0, 2), max_size=12))
def test_both_ways_hear_the_same(steps: list[bytes | int]) -> None:
    assert told(steps, short=True) == told(steps, short=False)
