"""Messages of every type, and a pair of joined connections."""

from __future__ import annotations

from arena.protocol import (
    Act,
    ActionMessage,
    BotConnection,
    BotMessage,
    ClockFacts,
    End,
    EndFault,
    Hello,
    Message,
    Note,
    Quit,
    Ready,
    RefereeConnection,
    RefereeMessage,
    Start,
    State,
)

HELLO = Hello(protocol=1, arena="0.1.0", game="connect-four")
START = Start(
    match="r0-l000-b0-m0",
    seat=1,
    seats=2,
    names=("Änne", "bob"),
    game_options={"opening": 2, "big": True, "map": "a b"},
    options={"depth": 3},
    clock=ClockFacts(kind="wall", startup_ms=10_000, per_action_ms=1000, increment_ms=0, margin_ms=50, strikes=0),
    bot_seed=2**63 - 1,
)
ACT = Act(
    id=0, count=2, options=["1", "2"], view={"board": "x", "n": [1, None]}, actions=["0 4"], limit_ms=5, last_ms=0
)
END = End(places=(1, 2), scores=(2, 0), categories={"wins": (2, 0)}, termination="finished")
FAULT = EndFault(verdict="illegal", reason="column 8", advice="look")
FORFEIT = End(places=(), scores=(), categories={}, termination="forfeit", fault=FAULT)
READY = Ready(name="b", version="1", wants=("options", "view"))
OPTION = ActionMessage(id=0, option=1)
TEXT = ActionMessage(id=0, action="move girona")
TEXTS = ActionMessage(id=0, actions=("move girona", "end"))
NOTE = Note(text="hm „so“")

FROM_REFEREE: list[RefereeMessage] = [HELLO, START, ACT, Act(id=0), END, FORFEIT, Quit()]
FROM_BOT: list[BotMessage] = [READY, Ready(), OPTION, TEXT, TEXTS, NOTE]
ALL: list[Message] = [*FROM_REFEREE, *FROM_BOT]

#: The messages that lead from the opening to each state.
WAYS: dict[State, list[Message]] = {
    State.OPENED: [],
    State.GREETED: [HELLO],
    State.WAITING: [HELLO, READY],
    State.STARTING: [HELLO, READY, START],
    State.PLAYING: [HELLO, READY, START, READY],
    State.ASKED: [HELLO, READY, START, READY, ACT],
    State.CLOSED: [HELLO, READY, START, READY, END, Quit()],
}


class Pair:
    """Both ends of one conversation; every message goes through both and must arrive as it was sent."""

    def __init__(self, state: State = State.OPENED, *, chunk: int = 1 << 20) -> None:
        self.referee = RefereeConnection()
        self.bot = BotConnection()
        self.chunk = chunk
        for message in WAYS[state]:
            self.pass_on(message)
        assert self.referee.state is self.bot.state is state

    def pass_on(self, message: Message) -> Message | None:
        """Send `message` from its side; return what arrives."""
        arrived: Message | None
        if isinstance(message, BotMessage):
            deliver(self.referee, self.bot.send(message), self.chunk)
            arrived = self.referee.next_event()
            assert self.referee.next_event() is None
        else:
            deliver(self.bot, self.referee.send(message), self.chunk)
            arrived = self.bot.next_event()
            assert self.bot.next_event() is None
        return arrived


def deliver(connection: RefereeConnection | BotConnection, data: bytes, chunk: int) -> None:
    """Hand `data` over in pieces of `chunk` bytes."""
    for start in range(0, len(data), chunk):
        connection.receive_data(data[start : start + chunk])


def referee_in(state: State, *, lines_between_requests: int = 256, line_bytes: int = 256 * 1024) -> RefereeConnection:
    """Return a referee's connection in `state`."""
    from arena.protocol.messages import encode

    connection = RefereeConnection(lines_between_requests=lines_between_requests, line_bytes=line_bytes)
    for message in WAYS[state]:
        if isinstance(message, BotMessage):
            connection.receive_data(encode(message))
            assert connection.next_event() == message
        else:
            connection.send(message)
    assert connection.state is state
    return connection
