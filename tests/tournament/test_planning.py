from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from arena.errors import ConfigError
from arena.referee.settings import BotKind, Entrant
from arena.tournament import content
from arena.tournament.config import TournamentConfig, load
from arena.tournament.content import content_hash
from arena.tournament.keys import secret_of_seed
from arena.tournament.plan import encode
from arena.tournament.planning import make_plan, to_start
from tests.tournament.test_config import BOTS, GAMES


def _entrant(folder: Path) -> Entrant:
    return Entrant(name="x", kind=BotKind.COMMAND, argv=("python3", "main.py"), folder=str(folder))


def _config(folder: Path, names: str = "abc", extra: str = "") -> TournamentConfig:
    for name in names:
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "main.py").write_text(name)
    path = folder / "cup.toml"
    path.write_text(f'game = "connect-four"\n{extra}\n[[entrants]]\nglob = "[a-z]"\n')
    return load(path, GAMES, BOTS)


def test_the_hash_follows_the_code_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("one")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "part.py").write_text("two")
    first = content_hash(_entrant(tmp_path))
    for skipped in (".git/x", "__pycache__/main.pyc", "lib/__pycache__/x", ".venv/y", "main.pyc", "main.py~"):
        (tmp_path / skipped).parent.mkdir(exist_ok=True)
        (tmp_path / skipped).write_text("noise")
    assert content_hash(_entrant(tmp_path)) == first
    (tmp_path / "lib" / "part.py").write_text("three")
    second = content_hash(_entrant(tmp_path))
    (tmp_path / "lib" / "part.py").rename(tmp_path / "lib" / "other.py")
    third = content_hash(_entrant(tmp_path))
    (tmp_path / "main.py").chmod(0o755)
    assert len({first, second, third, content_hash(_entrant(tmp_path))}) == 4


def test_the_hash_of_a_plugin_is_that_of_its_package(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.py").write_text("one")
    (tmp_path / "alone.py").write_text("one")
    package = Entrant(name="x", kind=BotKind.PLUGIN, target="mine.bot:Bot", search_path=("/none", str(tmp_path)))
    module = attrs.evolve(package, target="alone:Bot")
    first, second = content_hash(package), content_hash(module)
    (tmp_path / "mine" / "other.py").touch()
    assert content_hash(package) != first
    assert content_hash(module) == second
    with pytest.raises(ConfigError, match=r"the code of no\.such:Bot was not found in /none"):
        content_hash(attrs.evolve(package, target="no.such:Bot"))


def test_a_home_folder_is_no_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.py").touch()
    with pytest.raises(ConfigError, match="has more than 3 files; put the bot into a folder of its own"):
        content_hash(_entrant(tmp_path))


def test_a_plan_has_all_that_decides(tmp_path: Path) -> None:
    plan = make_plan(_config(tmp_path, extra="disable_after = 3"))
    assert [entrant.name for entrant in plan.entrants] == ["a", "b", "c"] == list(plan.stages[0].entrants)
    assert all(entrant.content_hash for entrant in plan.entrants)
    assert plan.fingerprint.startswith("connect-four")
    assert plan.disable_after == 3
    assert plan.seed is None


def test_the_secret_is_random_unless_a_seed_is_given(tmp_path: Path) -> None:
    config = _config(tmp_path)
    assert make_plan(config).secret != make_plan(config).secret
    seeded = attrs.evolve(config, seed=7)
    assert encode(make_plan(seeded)) == encode(make_plan(seeded))
    assert make_plan(seeded).secret == secret_of_seed(7).hex()


def test_who_cannot_be_started_stays_out_of_the_plan_for_good(tmp_path: Path) -> None:
    config = _config(tmp_path, "abcd", 'on_unstartable = "exclude"')
    plan = make_plan(config, excluded={"b": "no such program"})
    assert plan.stages[0].entrants == ("a", "c", "d")
    assert plan.excluded == {"b": "no such program"}
    assert [one.entrant.name for one in to_start(config, plan)] == ["a", "c", "d"]
    again = make_plan(config, stored=plan)  # b could be started now, but the run has begun without it
    assert again.stages == plan.stages


def test_too_few_who_can_be_started_are_refused(tmp_path: Path) -> None:
    config = _config(tmp_path, "ab")
    with pytest.raises(ConfigError, match="2 seats need 2 entrants, but only 1 can be started"):
        make_plan(config, excluded={"a": "x"})


def test_a_challenger_who_cannot_be_started_is_named(tmp_path: Path) -> None:
    config = _config(tmp_path, "abc", '[format]\nname = "gauntlet"\nchallengers = ["b"]')
    with pytest.raises(ConfigError, match=r"format\.challengers: b can't be started"):
        make_plan(config, excluded={"b": "x"})
