"""A host gets ready for a run, or says in a sentence why it can't take part; then it plays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import msgspec
import pytest

from arena import plugins
from arena.errors import ConfigError, Problem
from arena.hosts import readying
from arena.hosts.bundle import pack
from arena.hosts.readying import Task
from arena.hosts.station import Station
from arena.hosts.versions import versions
from arena.hosts.wire import NOT_READY, Job, Kit, KitEntrant, Missing, Ready, Unfit
from arena.options import complete_options
from arena.referee.record import decode
from arena.referee.rung import Rung
from arena.referee.settings import BotKind, Clock, Entrant, Fixture, SandboxPolicy, Settings
from arena.tournament.content import content_hash

BOT = "from arena.sdk import Bot, run\nclass B(Bot):\n    def choose(self, turn):\n        return 0\nrun(B)\n"


def kit_of(folder: Path, *, command: tuple[str, ...] = ("python3", "bot.py"), build: tuple[str, ...] = ()) -> Kit:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (home / ("source.txt" if build else "bot.py")).write_text(BOT)
    game = plugins.game("connect-four")
    settings = Settings(
        game=game.name,
        game_options=complete_options(game, {}),
        seats=2,
        clock=Clock(per_action_ms=None),
        sandbox=SandboxPolicy.OFF,
    )
    entrant = Entrant(name="ann", kind=BotKind.COMMAND, argv=command, folder=str(home))
    entrants = tuple(
        KitEntrant(attrs.evolve(entrant, name=name, content_hash=content_hash(entrant, build)), build)
        for name in ("ann", "bob")
    )
    return Kit(run="run", session="s1", versions=versions(settings), settings=settings, entrants=entrants)


def fixture(number: int) -> Fixture:
    return Fixture(
        match_id=f"m{number}", number=number, line_up=("ann", "bob"), deal=0, block="b", rotation=0, key="00" * 16,
        bot_seeds=(1, 2),
    )  # fmt: skip


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    one = Station(tmp_path / "host", 1, machine="lab-1")
    yield one
    one.close()


def get_ready(station: Station, kit: Kit) -> Ready | Unfit:
    """Answer the first question with the bots that are missing."""
    missing = station.ready(kit, {})
    assert missing == Missing((kit.entrants[0].entrant.content_hash,)), "two entrants of one bot: it is sent once"
    answer = station.ready(kit, {missing.bots[0]: pack(kit.entrants[0])})
    assert not isinstance(answer, Missing)
    return answer


def test_a_host_that_was_sent_the_bots_plays(station: Station, tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    ready = get_ready(station, kit)
    assert isinstance(ready, Ready)
    assert ready.facts.machine == "lab-1"
    assert ready.facts.speed > 0
    result = station.play(Job("s1", (fixture(0), fixture(1))))
    assert [match.summary.match_id for match in result.played] == ["m0", "m1"]
    assert (result.lost, result.problem) == (None, "")
    record = decode(bytes(result.played[0].record))
    assert (record.host.machine, record.host.speed, record.host.rung) == ("lab-1", ready.facts.speed, "off")
    assert record.faults == ()
    assert msgspec.json.encode(result)
    assert isinstance(station.ready(with_session(kit, "s2"), {}), Ready), "it keeps its bots"
    assert station.play(Job("s1", (fixture(2),))).problem == NOT_READY, "an earlier start of the run is over"


def with_session(kit: Kit, session: str) -> Kit:
    return msgspec.structs.replace(kit, session=session)


def test_a_bot_with_a_build_step_is_built_on_the_host(station: Station, tmp_path: Path) -> None:
    kit = kit_of(tmp_path, build=("cp", "source.txt", "bot.py"))
    assert isinstance(get_ready(station, kit), Ready)
    assert not (tmp_path / "home" / "bot.py").exists()
    result = station.play(Job("s1", (fixture(0),)))
    assert result.played[0].faults == ()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"arena": "9.9"}, "it has castell-arena .*, the run 9.9"),
        ({"code": "beef"}, "has other files .*, the run's beef"),
        ({"rules": "other"}, "its connect-four has other rules or data .*, the run's other"),
    ],
)
def test_a_host_of_another_version_says_what_differs(
    station: Station, tmp_path: Path, change: dict[str, str], sentence: str
) -> None:
    kit = kit_of(tmp_path)
    other = msgspec.structs.replace(kit, versions=msgspec.structs.replace(kit.versions, **change))
    answer = station.ready(other, {})
    assert isinstance(answer, Unfit)
    assert re.search(sentence, answer.reason)


def test_a_host_without_the_game_says_so(station: Station, tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    settings = attrs.evolve(kit.settings, game="chess")
    lost = msgspec.structs.replace(kit, settings=settings, versions=msgspec.structs.replace(kit.versions, game="chess"))
    answer = station.ready(lost, {})
    assert isinstance(answer, Unfit)
    assert answer.reason.startswith("it can't play chess")


def test_a_host_without_a_runtime_takes_no_matches(station: Station, tmp_path: Path) -> None:
    answer = get_ready(station, kit_of(tmp_path, command=("no-such-runtime", "bot.py")))
    assert isinstance(answer, Unfit)
    assert answer.reason.startswith("ann can't be started there, and 1 other entrant: ")
    assert "no-such-runtime" in answer.reason


def test_a_host_is_not_asked_twice_for_a_damaged_bot(station: Station, tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    answer = station.ready(kit, {kit.entrants[0].entrant.content_hash: b"noise"})
    assert isinstance(answer, Unfit)
    assert "did not arrive as it was sent" in answer.reason


def test_a_host_without_the_sandbox_that_a_run_requires_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Rung:
        raise ConfigError([Problem("sandbox", "no rung of the sandbox that is required holds here")])

    monkeypatch.setattr(readying, "choose_rung", refuse)
    task = Task(settings=kit_of(tmp_path).settings, entrants=(), builds=(), folder=str(tmp_path), machine="lab")
    assert readying.carry_out(task) == Unfit("sandbox: no rung of the sandbox that is required holds here")
