"""Bots that misbehave in one way each, speaking the protocol by hand: `python lines.py NAME [ARGUMENT]...`.

Standard library only. Each plays the first option until its moment comes. They work with every game.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

Line = dict[str, Any]
BOTS: dict[str, Callable[..., object]] = {}
ARGUMENTS = sys.argv[2:]
FOR_EVER_S = 3600.0


def bot(function: Callable[..., object]) -> Callable[..., object]:
    """Register a bot under its function's name, with dashes."""
    BOTS[function.__name__.replace("_", "-")] = function
    return function


def say(**message: object) -> None:
    """Write one message."""
    write((json.dumps(message) + "\n").encode())


def write(data: bytes) -> None:
    """Write bytes to the referee, all of them."""
    while data:
        data = data[os.write(1, data) :]


def hear() -> Line:
    """Return the next message of the referee; end when there is none, or it says `quit`."""
    line = sys.stdin.readline()
    message: Line = json.loads(line) if line else {"type": "quit"}
    if message["type"] == "quit":
        raise SystemExit(0)
    return message


def answer(act: Line, **how: object) -> None:
    """Answer a request, by its first option unless told otherwise."""
    say(type="action", id=act["id"], **(how or {"option": 0}))


def play(on_act: Callable[[Line], object] = answer, on_start: Callable[[Line], object] | None = None) -> NoReturn:
    """Play as one should; `on_act` answers requests, `on_start` is called before `start` is answered."""
    while True:
        message = hear()
        if message["type"] == "act":
            on_act(message)
        elif message["type"] in ("hello", "start"):
            if message["type"] == "start" and on_start is not None:
                on_start(message)
            say(type="ready")


def sleep(*_: object) -> None:
    """Do nothing for an hour."""
    time.sleep(FOR_EVER_S)


def spin() -> NoReturn:
    """Burn CPU for ever."""
    while True:
        pass


# --- good ones, to play against ---


@bot
def good() -> None:
    """Play the first option."""
    play()


@bot
def slow() -> None:
    """Play the first option after ARGUMENT ms of sleep."""
    delay_s = int(ARGUMENTS[0]) / 1000

    def late(act: Line) -> None:
        time.sleep(delay_s)
        answer(act)

    play(late)


# --- the start ---


@bot
def exits_at_once() -> None:
    """End with status 0 before a word is said."""


@bot
def never_ready() -> None:
    """Read everything, say nothing."""
    while sys.stdin.readline():
        pass


@bot
def ready_but_never_starts() -> None:
    """Answer `hello`, but not `start`."""
    hear()
    say(type="ready")
    sleep()


@bot
def chats_instead_of_getting_ready() -> None:
    """Send a note every 20 ms instead of `ready`."""
    hear()
    drip(b'{"type":"note","text":"one moment"}\n')


@bot
def greets_without_a_line_end() -> None:
    """Answer `hello` without a newline."""
    hear()
    write(b'{"type":"ready"}')
    sleep()


@bot
def gets_ready_without_a_line_end() -> None:
    """Answer `start` without a newline."""
    hear()
    say(type="ready")
    hear()
    write(b'{"type":"ready"}')
    sleep()


# --- silence ---


@bot
def sleeps_for_ever() -> None:
    """Sleep when asked."""
    play(sleep)


@bot
def ignores_sigterm() -> None:
    """Sleep when asked, and ignore every signal that can be ignored."""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    play(sleep)


@bot
def stops_itself() -> None:
    """Stop by SIGSTOP when asked."""
    play(lambda _: os.kill(os.getpid(), signal.SIGSTOP))


@bot
def burns_its_time() -> None:
    """Compute for ever when asked."""
    play(lambda _: spin())


@bot
def never_reads() -> None:
    """Read nothing after `start`, from a pipe as small as can be, and want all that is to be had."""
    import fcntl

    fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
    hear_raw()
    say(type="ready", wants=["options", "view", "actions"])
    hear_raw()
    say(type="ready")
    sleep()


def hear_raw() -> None:
    """Read one line byte by byte, and nothing ahead."""
    while os.read(0, 1) not in (b"\n", b""):
        pass


@bot
def forgets_the_line_end() -> None:
    """Answer without a newline."""
    play(lambda act: write(b'{"type":"action","id":%d,"option":0}' % act["id"]))


# --- too much ---


def drip(data: bytes, descriptor: int = 1) -> NoReturn:
    """Write these bytes every 20 ms, for ever."""
    while True:
        os.write(descriptor, data)
        time.sleep(0.02)


@bot
def drips_harmless_lines() -> None:
    """Send a note every 20 ms instead of an answer."""
    play(lambda _: drip(b'{"type":"note","text":"still thinking"}\n'))


@bot
def drips_one_long_answer() -> None:
    """Send one byte every 20 ms of an answer without end."""
    play(lambda _: drip(b" "))


@bot
def drips_on_stderr() -> None:
    """Log a line every 20 ms instead of an answer."""
    play(lambda _: drip(b"still thinking\n", 2))


@bot
def floods_lines() -> None:
    """Send notes as fast as can be."""
    line = b'{"type":"note","text":"flood"}\n' * 1000

    def flood(_: Line) -> None:
        while True:
            write(line)

    play(flood)


@bot
def one_endless_line() -> None:
    """Send a line without an end."""

    def pour(_: Line) -> None:
        while True:
            write(b"x" * 65536)

    play(pour)


@bot
def a_gigabyte_on_stderr() -> None:
    """Write 1 GiB to stderr when asked, then answer."""

    def log(act: Line) -> None:
        for _ in range(1024 * 16):
            os.write(2, b"log line\n" * 7281)
        answer(act)

    play(log)


@bot
def allocates_without_end() -> None:
    """Take memory 8 MiB at a time."""

    def hoard(_: Line) -> None:
        held = []
        while True:
            held.append(b"x" * (8 * 2**20))

    play(hoard)


@bot
def fills_its_scratch_with_many_files() -> None:
    """Write files of 1 MiB each into the scratch folder, without end."""
    block = b"x" * 2**20

    def fill(_: Line) -> None:
        for number in itertools.count():
            with open(os.path.join(os.environ["HOME"], str(number)), "wb", buffering=0) as file:  # noqa: PTH118, PTH123
                file.write(block)

    play(fill)


@bot
def fills_its_scratch_with_deleted_files() -> None:
    """Write files of 8 MiB into the scratch folder, and hold them open without a name."""
    block = b"x" * (8 * 2**20)

    def fill(_: Line) -> None:
        held = []
        for number in range(100):
            path = os.path.join(os.environ["HOME"], str(number))  # noqa: PTH118
            held.append(open(path, "wb", buffering=0))  # noqa: PTH123, SIM115
            os.unlink(path)  # noqa: PTH108
            if held[-1].write(block) < len(block):
                raise OSError("No space left on device")
        sleep()

    play(fill)


@bot
def litters_its_scratch_with_empty_files() -> None:
    """Make empty files in closed folders of the scratch folder, without end."""

    def litter(_: Line) -> None:
        for number in itertools.count():
            folder = os.path.join(os.environ["HOME"], str(number))  # noqa: PTH118
            os.mkdir(folder, 0o300)  # noqa: PTH102
            for name in range(100):
                os.close(os.open(f"{folder}/{name}", os.O_CREAT))

    play(litter)


@bot
def hoards_in_sockets() -> None:
    """Fill the buffers of as many sockets as can be had, in four processes: memory that is nobody's."""

    def hoard(_: Line) -> None:
        for _count in range(2):
            os.fork()
        held = []
        with contextlib.suppress(OSError):
            while True:
                held.append(socket.socketpair())
                for end in held[-1]:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
                    end.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        while True:
                            end.send(b"x" * 65536)
        sleep()

    play(hoard)


# --- rubbish ---


@bot
def binary_rubbish() -> None:
    """Answer with all byte values."""
    play(lambda _: write(bytes(range(256)) + b"\n"))


@bot
def invalid_utf8() -> None:
    """Answer with a message that is not UTF-8."""
    play(lambda act: write(b'{"type":"action","id":%d,"action":"\xff\xfe"}\n' % act["id"]))


@bot
def prints_debug_output() -> None:
    """Print to stdout before answering."""

    def chat(act: Line) -> None:
        write(b"thinking hard...\n")
        answer(act)

    play(chat)


@bot
def traces_on_stdout() -> None:
    """Write a stack trace to stdout."""
    play(
        lambda _: write(b'Traceback (most recent call last):\n  File "bot.py", line 1\nZeroDivisionError: of course\n')
    )


@bot
def deep_json() -> None:
    """Send 50,000 brackets inside each other."""
    play(lambda _: write(b'{"type":"note","text":' + b"[" * 50_000 + b"]" * 50_000 + b"}\n"))


@bot
def huge_json() -> None:
    """Send one well-formed message of 2 MB."""
    play(lambda _: say(type="note", text="x" * 2_000_000))


@bot
def huge_numbers() -> None:
    """Answer a request whose number needs more than 64 bits."""
    play(lambda act: say(type="action", id=act["id"] + 2**70, option=0))


# --- legal, if odd ---


@bot
def crlf_and_bom() -> None:
    """Begin with a byte order mark, end lines by CRLF, send blank lines and trailing spaces: all legal."""
    write(b"\xef\xbb\xbf")

    def odd(act: Line) -> None:
        write(b'\r\n  \r\n{"type":"action","id":%d,"option":0}  \r\n' % act["id"])

    play(odd)


# --- the wrong answer ---


@bot
def answers_twice() -> None:
    """Answer each request two times."""

    def twice(act: Line) -> None:
        answer(act)
        answer(act)

    play(twice)


@bot
def answers_before_it_is_asked() -> None:
    """Send the answer to request 0 with its `ready`."""
    hear()
    say(type="ready")
    hear()
    write(b'{"type":"ready"}\n{"type":"action","id":0,"option":0}\n')
    play()


@bot
def answers_what_was_never_asked() -> None:
    """Answer with an id far ahead."""
    play(lambda act: say(type="action", id=act["id"] + 1000, option=0))


@bot
def illegal_action() -> None:
    """Play an action that no game has."""
    play(lambda act: answer(act, action="cheat"))


@bot
def option_out_of_range() -> None:
    """Choose the option after the last."""
    play(lambda act: answer(act, option=act["count"]))


@bot
def action_of_another_seat() -> None:
    """Try to act for its neighbour, in the notation of the log of actions."""
    seat: list[int] = []

    def meddle(act: Line) -> None:
        answer(act, action=f"{1 - seat[0] if seat[0] < 2 else 0} {act['options'][0]}")

    play(meddle, lambda start: seat.append(start["seat"]))


# --- the end ---


@bot
def dies_after_some_actions() -> None:
    """Play two actions, then end by a segmentation fault."""
    played: list[int] = []

    def die(act: Line) -> None:
        if len(played) == 2:
            os.kill(os.getpid(), signal.SIGSEGV)
        played.append(act["id"])
        answer(act)

    play(die)


@bot
def exits_when_asked() -> None:
    """End with status 3 and a last word on stderr."""

    def leave(_: Line) -> None:
        sys.stderr.write("I have had enough\n")
        raise SystemExit(3)

    play(leave)


@bot
def closes_stdout() -> None:
    """Close stdout when asked, and live on."""

    def close(_: Line) -> None:
        os.close(1)
        sleep()

    play(close)


@bot
def forks_a_child_and_exits() -> None:
    """Leave a child behind that holds all pipes open."""

    def leave(_: Line) -> None:
        if os.fork():
            os._exit(0)
        sleep()

    play(leave)


@bot
def daemonises() -> None:
    """Leave a daemon behind: forked twice, in a session of its own, deaf to signals, and end."""

    def leave(_: Line) -> None:
        if os.fork():
            os._exit(0)
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        if os.fork():
            os._exit(0)
        sleep()

    play(leave)


# --- CPU that is not theirs ---


@bot
def burns_off_turn_with_threads() -> None:
    """Burn CPU in four threads all the time; the answers come in time."""

    def start_burning(_: Line) -> None:
        for _count in range(4):
            threading.Thread(target=spin, daemon=True).start()

    play(answer, start_burning)


@bot
def burns_in_a_forked_child() -> None:
    """Burn CPU in a child, where a clock of the bot's own process does not see it."""

    def start_burning(_: Line) -> None:
        if os.fork() == 0:
            spin()

    play(answer, start_burning)


@bot
def burns_in_four_children() -> None:
    """Burn CPU in four children."""

    def start_burning(_: Line) -> None:
        for _count in range(4):
            if os.fork() == 0:
                spin()

    play(answer, start_burning)


# --- what is not theirs; they say in a note how far they came, and play on ---


@bot
def reads_another_bots_files() -> None:
    """Read the file ARGUMENT, of another bot."""

    def spy(_: Line) -> None:
        try:
            with open(ARGUMENTS[0], "rb") as file:  # noqa: PTH123
                file.read()
        except OSError as error:
            say(type="note", text=f"refused: {type(error).__name__}")
        else:
            say(type="note", text="reached")

    play(on_start=spy)


@bot
def closes_another_bots_files() -> None:
    """Take all rights to the file ARGUMENT, of another bot, away."""

    def close(_: Line) -> None:
        try:
            os.chmod(ARGUMENTS[0], 0)  # noqa: PTH101
        except OSError as error:
            say(type="note", text=f"refused: {type(error).__name__}")
        else:
            say(type="note", text="reached")

    play(on_start=close)


@bot
def opens_a_socket() -> None:
    """Call a server at port ARGUMENT of the host."""

    def call(_: Line) -> None:
        try:
            socket.create_connection(("127.0.0.1", int(ARGUMENTS[0])), timeout=1).close()
        except OSError as error:
            say(type="note", text=f"refused: {type(error).__name__}")
        else:
            say(type="note", text="reached")

    play(on_start=call)


@bot
def hoards_outside_processes() -> None:
    """Take 512 MiB that belong to no process: files without a name, and files in /dev/shm."""
    block, blocks = b"x" * 2**20, 512

    def hoard(_: Line) -> None:
        held = []
        try:
            for number in range(blocks):
                held.append(os.memfd_create(str(number)) if number % 2 else shared(number))
                os.write(held[-1], block)
        except OSError as error:
            say(type="note", text=f"refused after {len(held)} MiB: {type(error).__name__}")
        else:
            say(type="note", text="reached")
        for descriptor in held:
            os.close(descriptor)

    def shared(number: int) -> int:
        path = f"/dev/shm/{os.getpid()}-{number}"  # noqa: S108
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
        os.unlink(path)  # noqa: PTH108
        return descriptor

    play(on_start=hoard)


@bot
def remembers_earlier_matches() -> None:
    """Keep a diary in every folder it knows, to recognise a deal; say what an earlier match left there."""
    folders = [".", os.environ["HOME"], os.environ["TMPDIR"], "/tmp", "/var/tmp", "/dev/shm", *ARGUMENTS]  # noqa: S108
    name = "diary-of-a-bad-bot"

    def recall(start: Line) -> None:
        found = [folder for folder in folders if os.path.exists(os.path.join(folder, name))]  # noqa: PTH110, PTH118
        for folder in folders:
            try:
                with open(os.path.join(folder, name), "a") as file:  # noqa: PTH118, PTH123
                    file.write(start["match"])
            except OSError:
                continue
        say(type="note", text="reached" if found else "refused: nothing remembered")

    play(on_start=recall)


if __name__ == "__main__":
    BOTS[sys.argv[1]]()
