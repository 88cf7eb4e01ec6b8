"""What a message costs: the referee's hot path, a bot's end, and the start of a plugin bot."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from arena.protocol import Act, ClockFacts, Hello, Ready, RefereeConnection, Start
from arena.protocol.messages import decode_from_bot, decode_from_referee, encode
from arena.sdk import wire

OPTIONS = ["1", "2", "3", "4", "5", "6", "7"]
BIG = Act(
    id=7,
    count=60,
    options=[f"move region-{number}" for number in range(60)],
    view={"map": "x" * 400, "teams": [list(range(15)) for _ in range(12)]},
    actions=["0 move girona", "1 end"],
    bank_ms=1000,
    limit_ms=50,
    last_ms=3,
)
ANSWER = b'{"type":"action","id":7,"option":3}'


SMALL = Act(id=7, count=7, options=OPTIONS, bank_ms=1000, limit_ms=50, last_ms=3)


def test_encode_small_act(benchmark: BenchmarkFixture) -> None:
    benchmark(encode, SMALL)


def test_encode_big_act(benchmark: BenchmarkFixture) -> None:
    benchmark(encode, BIG)


def test_encode_big_act_spliced(benchmark: BenchmarkFixture) -> None:
    options = msgspec.Raw(msgspec.json.encode(BIG.options))
    view = msgspec.Raw(msgspec.json.encode(BIG.view))
    benchmark(encode, Act(id=7, count=60, options=options, view=view, bank_ms=1000, limit_ms=50, last_ms=3))  # type: ignore[arg-type]


def test_decode_action(benchmark: BenchmarkFixture) -> None:
    benchmark(decode_from_bot, ANSWER)


def test_decode_action_of_a_hand_written_bot(benchmark: BenchmarkFixture) -> None:
    """Keys in another order: the type has to be looked up first."""
    benchmark(decode_from_bot, b'{"id": 7, "option": 3, "type": "action"}')


def test_decode_big_act(benchmark: BenchmarkFixture) -> None:
    benchmark(decode_from_referee, encode(BIG)[:-1])


def test_sdk_decodes_big_act(benchmark: BenchmarkFixture) -> None:
    benchmark(wire.loads, encode(BIG).decode())


def playing() -> RefereeConnection:
    connection = RefereeConnection()
    connection.send(Hello(protocol=1, arena="0.1.0", game="connect-four"))
    connection.receive_data(encode(Ready()))
    clock = ClockFacts(kind="wall", startup_ms=1000, increment_ms=0, margin_ms=0, strikes=0)
    start = Start(match="m", seat=0, seats=2, names=("a", "b"), game_options={}, options={}, clock=clock, bot_seed=1)
    connection.send(start)
    connection.receive_data(encode(Ready()))
    return connection


def test_ask_and_answer(benchmark: BenchmarkFixture) -> None:
    """100 requests with their answers through the referee's end of a conversation."""
    lines = [b'{"type":"action","id":%d,"option":3}\n' % number for number in range(100)]

    def setup() -> tuple[tuple[RefereeConnection], dict[str, object]]:
        return (playing(),), {}

    def hundred(connection: RefereeConnection) -> None:
        for number, line in enumerate(lines):
            connection.ask(Act(id=number, count=7, options=OPTIONS, bank_ms=1000, limit_ms=50, last_ms=3))
            connection.receive_data(line)
            connection.next_event()

    benchmark.pedantic(hundred, setup=setup, rounds=300)  # type: ignore[no-untyped-call]


MINIMAL = "from arena.sdk import Bot\nclass Minimal(Bot):\n def choose(self, turn):\n  return 0\n"
HOST = Path(wire.__file__).with_name("host.py")


def until_ready_s(argv: list[str]) -> float:
    """Return the time from starting a bot to its `ready`."""
    began = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(encode(Hello(protocol=1, arena="0.1.0", game="connect-four")))
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"type":"ready"')
        taken = time.perf_counter() - began
        process.stdin.close()
    return taken


def bare_s(argv: list[str]) -> float:
    """Return the time that a program takes from start to end."""
    began = time.perf_counter()
    subprocess.run(argv, check=True)
    return time.perf_counter() - began


def test_a_plugin_bot_is_ready_in_twice_the_time_of_a_bare_interpreter(tmp_path: Path) -> None:
    (tmp_path / "minimal.py").write_text(MINIMAL)
    python = [str(Path(sys.executable).resolve()), "-I", "-S"]
    host = [*python, str(HOST), "--target", "minimal:Minimal", "--path", str(tmp_path)]

    def best(measure: Callable[[list[str]], float], argv: list[str]) -> float:
        return min(measure(argv) for _ in range(25))

    bare, ready = best(bare_s, [*python, "-c", "pass"]), best(until_ready_s, host)
    print(f"bare interpreter {bare * 1000:.1f} ms, plugin bot ready {ready * 1000:.1f} ms, ratio {ready / bare:.2f}")
    if ready > 2 * bare:
        pytest.fail(f"a plugin bot is ready after {ready / bare:.2f} times a bare interpreter's {bare * 1000:.1f} ms")
