from __future__ import annotations

import itertools

import pytest

from arena.errors import LocalProtocolError, RemoteProtocolError
from arena.protocol import (
    Act,
    ActionMessage,
    BotConnection,
    BotMessage,
    Message,
    Note,
    Quit,
    Ready,
    RefereeConnection,
    State,
)
from arena.protocol.connection import TRANSITIONS
from arena.protocol.messages import encode
from tests.protocol.examples import ACT, ALL, END, HELLO, NOTE, OPTION, READY, START, Pair, deliver, referee_in

STATES = list(State)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("message", ALL, ids=lambda message: message.type)
def test_every_message_in_every_state(state: State, message: Message) -> None:
    pair = Pair(state)
    if message.type in TRANSITIONS[state] or (isinstance(message, Note) and state is not State.CLOSED):
        assert pair.pass_on(message) == message
        after = TRANSITIONS[state].get(message.type, state)
        assert pair.referee.state is pair.bot.state is after
        return
    if isinstance(message, Note):
        pair.bot.send(message)  # nobody listens any more
        assert pair.pass_on(message) is None
        return
    sender: RefereeConnection | BotConnection = pair.bot if isinstance(message, BotMessage) else pair.referee
    with pytest.raises(LocalProtocolError):
        sender.send(message)  # type: ignore[arg-type]
    assert sender.state is state
    _assert_refused(pair, message)


def _assert_refused(pair: Pair, message: Message) -> None:
    """The receiving end refuses what the sending end would not send; the bot's end once hung up hears nothing."""
    receiver: RefereeConnection | BotConnection = pair.referee if isinstance(message, BotMessage) else pair.bot
    deaf = receiver.state is State.CLOSED
    superseding = isinstance(receiver, BotConnection) and receiver.state is State.ASKED and isinstance(message, Act)
    receiver.receive_data(encode(Act(id=1) if superseding else message))
    if deaf:
        assert receiver.next_event() is None
    elif superseding:
        assert receiver.next_event() == Act(id=1)
    else:
        with pytest.raises(RemoteProtocolError) as caught:
            receiver.next_event()
        assert caught.value.verdict == "protocol"


def conversation() -> list[Message]:
    return [
        HELLO, NOTE, READY,
        START, Ready(), ACT, NOTE, OPTION, Act(id=5), NOTE, ActionMessage(id=5, action="move girona"), END,
        START, Ready(), ACT, OPTION, END, Quit(),
    ]  # fmt: skip


def bot_side() -> tuple[RefereeConnection, list[BotMessage], bytes]:
    """A referee's connection in ASKED, what the bot now says, and its bytes."""
    said: list[BotMessage] = [NOTE, OPTION, Note(text="zwölf"), Note(text="")]
    return referee_in(State.ASKED), said, b"".join(map(encode, said))


@pytest.mark.parametrize("chunk", [1, 2, 7, 1000])
def test_a_whole_conversation_in_pieces(chunk: int) -> None:
    pair = Pair(chunk=chunk)
    for message in conversation():
        assert pair.pass_on(message) == message
    assert pair.referee.state is pair.bot.state is State.CLOSED


@pytest.mark.lesson(16)
@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"  \n", b"\n\n \t\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_every_split_gives_the_same_events(ends: bytes, start: bytes) -> None:
    _, said, data = bot_side()
    data = start + data.replace(b"\n", ends)
    for cut in range(len(data) + 1):
        connection = referee_in(State.ASKED)
        connection.receive_data(data[:cut])
        connection.receive_data(data[cut:])
        assert events(connection) == said


def events(connection: RefereeConnection) -> list[BotMessage]:
    return list(iter(connection.next_event, None))


def test_every_truncation_gives_the_beginning_and_waits() -> None:
    _, said, data = bot_side()
    for cut in range(len(data)):
        connection = referee_in(State.ASKED)
        connection.receive_data(data[:cut])
        assert events(connection) == said[: data[:cut].count(b"\n")]
        assert connection.unfinished == data[:cut].rpartition(b"\n")[2]


def test_every_byte_replaced_by_rubbish_is_a_fault_or_harmless() -> None:
    _, said, data = bot_side()
    for place, rubbish in itertools.product(range(len(data)), (0, 10, 34, 255)):
        connection = referee_in(State.ASKED)
        connection.receive_data(data[:place] + bytes([rubbish]) + data[place + 1 :])
        try:
            assert len(events(connection)) <= len(said)
        except RemoteProtocolError as error:
            assert str(error)  # noqa: PT017 - either outcome is fine


def test_events_before_a_fault_come_first_and_the_fault_comes_each_time() -> None:
    connection = referee_in(State.ASKED)
    connection.receive_data(encode(NOTE) + encode(OPTION) + b"oops\n" + encode(NOTE))
    assert [connection.next_event(), connection.next_event()] == [NOTE, OPTION]
    for _ in range(2):
        with pytest.raises(RemoteProtocolError, match="'oops'"):
            connection.next_event()
    connection.receive_data(encode(NOTE))
    with pytest.raises(RemoteProtocolError, match="'oops'"):
        connection.next_event()


def expect_fault(connection: RefereeConnection, line: bytes, reason: str) -> RemoteProtocolError:
    connection.receive_data(line)
    with pytest.raises(RemoteProtocolError, match=reason) as caught:
        connection.next_event()
    return caught.value


def test_answering_twice() -> None:
    connection = referee_in(State.ASKED)
    connection.receive_data(encode(OPTION))
    assert connection.next_event() == OPTION
    error = expect_fault(connection, encode(OPTION), r"request 0 was answered already: '{\"type\"")
    assert error.advice == "answer each request once, by its id"


def test_answering_twice_in_one_piece() -> None:
    connection = referee_in(State.ASKED)
    connection.receive_data(encode(OPTION) * 2)
    assert connection.next_event() == OPTION
    expect_fault(connection, b"", "answered already")


def test_answering_an_earlier_request_again() -> None:
    connection = referee_in(State.ASKED)
    connection.receive_data(encode(OPTION))
    assert connection.next_event() == OPTION
    connection.ask(Act(id=4))
    expect_fault(connection, encode(OPTION), "request 0 was answered already")


def test_answering_before_the_question_even_when_it_is_looked_at_later() -> None:
    connection = referee_in(State.PLAYING)
    connection.receive_data(encode(OPTION))
    connection.ask(Act(id=0))
    with pytest.raises(RemoteProtocolError, match="request 0 was never asked"):
        connection.next_event()


@pytest.mark.parametrize("asked", [1, 3])
def test_answering_an_id_that_was_never_asked(asked: int) -> None:
    connection = referee_in(State.PLAYING)
    connection.ask(Act(id=2))
    expect_fault(connection, encode(ActionMessage(id=asked, option=0)), f"request {asked} was never asked")


def test_a_late_answer_is_dropped_once() -> None:
    connection = referee_in(State.ASKED)
    connection.expire(0)
    assert connection.state is State.PLAYING
    connection.ask(Act(id=1))
    connection.receive_data(encode(OPTION))
    assert connection.next_event() is None
    assert connection.open_id == 1
    second = ActionMessage(id=1, option=1)
    connection.receive_data(encode(second))
    assert connection.next_event() == second
    expect_fault(connection, encode(OPTION), "request 0 was answered already")


def test_a_late_answer_after_the_end_is_dropped_until_the_next_match_is_under_way() -> None:
    connection = referee_in(State.ASKED)
    connection.send(END)
    connection.send(START)
    connection.receive_data(encode(OPTION) + encode(Ready()))
    assert connection.next_event() == Ready()
    connection.ask(Act(id=0))
    connection.receive_data(encode(OPTION))
    assert connection.next_event() == OPTION


def test_an_answer_owed_to_the_last_match_does_not_answer_this_one() -> None:
    connection = referee_in(State.ASKED)
    connection.send(END)
    connection.send(START)
    connection.receive_data(encode(Ready()))
    assert connection.next_event() == Ready()
    expect_fault(connection, encode(OPTION), "never asked")


def test_a_ready_that_crosses_the_end_is_dropped() -> None:
    connection = referee_in(State.STARTING)
    connection.send(END)
    with pytest.raises(LocalProtocolError, match="`ready` to the one before is missing"):
        connection.send(START)
    connection.receive_data(encode(Ready()))
    assert connection.next_event() is None
    connection.send(START)
    connection.receive_data(encode(Ready()))
    assert connection.next_event() == Ready()


def test_a_bot_that_reads_late_still_may_answer_what_it_was_asked() -> None:
    connection = BotConnection()
    connection.receive_data(encode(HELLO))
    assert connection.next_event() == HELLO
    connection.send(READY)
    connection.receive_data(encode(START))
    assert connection.next_event() == START
    connection.send(Ready())
    connection.receive_data(b"".join(encode(message) for message in (Act(id=0), Act(id=1), END, Quit())))
    assert [connection.next_event() for _ in range(4)] == [Act(id=0), Act(id=1), END, Quit()]
    assert connection.send(OPTION) == encode(OPTION)
    assert connection.send(ActionMessage(id=1, option=0))
    with pytest.raises(LocalProtocolError, match="answered already"):
        connection.send(OPTION)


def test_ids_rise_within_a_match() -> None:
    connection = referee_in(State.ASKED)
    connection.receive_data(encode(OPTION))
    assert connection.next_event() == OPTION
    with pytest.raises(LocalProtocolError, match="request 0 does not come after request 0"):
        connection.ask(Act(id=0))
    connection.send(END)
    connection.send(START)
    connection.receive_data(encode(Ready()))
    assert connection.ask(Act(id=0)) == b'{"type":"act","id":0}\n'


def test_only_the_open_request_expires() -> None:
    connection = referee_in(State.ASKED)
    with pytest.raises(LocalProtocolError, match="request 1 is not open"):
        connection.expire(1)


def test_ask_says_what_send_says() -> None:
    one, other = referee_in(State.PLAYING), referee_in(State.PLAYING)
    assert one.send(ACT) == other.ask(ACT)
    assert one.open_id == other.open_id == 0


def test_each_side_sends_its_own_messages_only() -> None:
    with pytest.raises(LocalProtocolError, match="a referee does not send `ready`"):
        RefereeConnection().send(Ready())  # type: ignore[arg-type]
    with pytest.raises(LocalProtocolError, match="a bot does not send `quit`"):
        BotConnection().send(Quit())  # type: ignore[arg-type]


def test_too_many_lines_between_requests_blank_ones_included() -> None:
    connection = referee_in(State.ASKED, lines_between_requests=4)
    connection.receive_data(encode(NOTE) + b"\n \n" + encode(OPTION))
    assert events(connection) == [NOTE, OPTION]
    connection.ask(Act(id=1))  # counts anew
    connection.receive_data(encode(NOTE) * 4)
    assert events(connection) == [NOTE] * 4
    error = expect_fault(connection, b"\n", "sent more than 4 lines since the last request")
    assert error.verdict == "output limit"


@pytest.mark.lesson(12)
def test_a_flood_is_cut_short() -> None:
    connection = referee_in(State.ASKED, lines_between_requests=100)
    connection.receive_data(encode(NOTE) * 10_000)
    assert [connection.next_event() for _ in range(100)] == [NOTE] * 100
    with pytest.raises(RemoteProtocolError, match="more than 100 lines"):
        connection.next_event()


@pytest.mark.lesson(12)
@pytest.mark.parametrize("chunk", [1, 50, 1000])
def test_an_oversize_line_is_a_fault_before_it_ends(chunk: int) -> None:
    connection = referee_in(State.ASKED, line_bytes=100)
    deliver(connection, b'{"type":"note","text":"' + b"x" * 100, chunk)
    with pytest.raises(RemoteProtocolError, match="more than 100 bytes") as caught:
        connection.next_event()
    assert caught.value.verdict == "output limit"


def test_nothing_is_heard_after_quit() -> None:
    connection = referee_in(State.CLOSED)
    connection.receive_data(b"oops\n" + b"x" * 1_000_000)
    assert connection.next_event() is None
    assert connection.unfinished == b""
