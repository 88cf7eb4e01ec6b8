from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.discovery import InstalledBot
from arena.errors import ConfigError
from arena.games.connect_four import ConnectFour
from arena.hookspecs import BotPlugin
from arena.referee.settings import BotKind, Clock, ClockKind, Limits, SandboxPolicy
from arena.tournament.config import OnUnstartable, TournamentConfig, load
from tests.referee.pile import Pile

GAMES = {game.name: game for game in (ConnectFour(), Pile())}
BOTS = {
    "random": InstalledBot(name="random", target="some.bots:Random", search_path=("/plugins",)),
    "three": InstalledBot(name="three", target="some.bots:Three", seats=(3,)),
    "other": InstalledBot(name="other", target="some.bots:Other", games=("chess",)),
}
GAME = 'game = "connect-four"\n'
TWO = """
[[entrants]]
bot = "random"
[[entrants]]
bot = "random"
name = "again"
"""


def _load(folder: Path, text: str) -> TournamentConfig:
    path = folder / "cup.toml"
    path.write_text(text)
    return load(path, GAMES, BOTS)


def _problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        _load(folder, text)
    return [str(problem) for problem in caught.value.problems]


def test_a_short_file_is_enough(tmp_path: Path) -> None:
    config = _load(tmp_path, 'game = "connect-four"\n' + TWO)
    assert config.name == "cup"
    assert config.settings.seats == 2  # the game has no other
    assert config.settings.clock == Clock()
    assert config.settings.limits == Limits()
    assert config.settings.fresh
    assert config.settings.game_options == {"opening": 0}
    assert config.format == "round-robin"
    assert config.format_settings == {"deals": 4, "max_matches": 0}
    assert [one.entrant.name for one in config.entrants] == ["random", "again"]
    assert config.entrants[0].entrant.search_path == ("/plugins",)
    assert [config.seed, config.slots, config.anchor, config.disable_after] == [None] * 4
    assert config.on_unstartable is OnUnstartable.STOP


def test_everything_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.py").touch()
    (tmp_path / "node").mkdir()
    config = _load(
        tmp_path,
        """
        name = "grand"
        game = "connect-four"
        seats = 2
        seed = 0
        slots = 3
        cores_per_match = 2
        fresh = false
        trace = true
        sandbox = "required"
        on_unstartable = "exclude"
        disable_after = 5
        anchor = "mine"
        allow_self_play = false
        [game_options]
        opening = 2
        [format]
        name = "gauntlet"
        deals = 7
        challengers = ["mine"]
        [clock]
        kind = "cpu"
        startup_ms = 2000
        per_action_ms = "none"
        bank_ms = 60000
        increment_ms = 100
        margin_ms = 0
        strikes = 2
        [limits]
        memory_mb = 256
        off_turn_cpu_percent = 0
        [[entrants]]
        name = "mine"
        command = ["python3", "bot.py", "--fast"]
        folder = "mine"
        build = ["make"]
        memory_mb = 100
        processes = 4
        runtime = ["node"]
        env = { DEPTH = 3, MODE = "x" }
        options = { depth = 4, wild = true, style = "calm" }
        [[entrants]]
        bot = "random"
        """,
    )
    settings, (mine, _) = config.settings, config.entrants
    assert (config.name, config.seed, config.slots, config.cores_per_match) == ("grand", 0, 3, 2)
    assert (settings.fresh, settings.trace, settings.sandbox) == (False, True, SandboxPolicy.REQUIRED)
    assert (config.disable_after, config.anchor, config.allow_self_play) == (5, "mine", False)
    assert settings.clock.kind is ClockKind.CPU
    assert (settings.clock.per_action_ms, settings.clock.bank_ms, settings.clock.margin_ms) == (None, 60000, 0)
    assert (settings.limits.memory_mb, settings.limits.off_turn_cpu_percent) == (256, 0)
    assert settings.game_options == {"opening": 2}
    assert config.format_settings == {"deals": 7, "max_matches": 0, "challengers": ("mine",)}
    entrant = mine.entrant
    assert entrant.kind is BotKind.COMMAND
    assert entrant.argv == ("python3", "bot.py", "--fast")
    assert entrant.folder == str(tmp_path / "mine")
    assert entrant.env == {"DEPTH": "3", "MODE": "x"}
    assert entrant.options == {"depth": 4, "wild": True, "style": "calm"}
    assert entrant.runtime == (str(tmp_path / "node"),)
    assert (entrant.memory_mb, entrant.processes, mine.build) == (100, 4, ("make",))


def test_all_problems_come_together_each_with_its_path(tmp_path: Path) -> None:
    found = _problems(
        tmp_path,
        """
        name = "a b"
        game = "conect-four"
        seats = "2"
        sed = 3
        sandbox = "requird"
        slots = 0
        [clock]
        per_action_ms = 0
        startup_ms = "none"
        increment_ms = 5
        bank = 3
        [limits]
        memory_mb = true
        [format]
        name = "round-robbin"
        [[entrants]]
        bot = "randm"
        [[entrants]]
        bot = "random"
        command = ["x"]
        [[entrants]]
        bot = "random"
        nam = "x"
        [[entrants]]
        bot = "random"
        name = "Random"
        """,
    )
    by_path = {problem.split(": ", 1)[0]: problem.split(": ", 1)[1] for problem in found}
    assert by_path == {
        "name": "'a b' won't do as a folder's name; for example 'a-b'",
        "game": "there is no game 'conect-four'; did you mean 'connect-four'?",
        "seats": "expected a whole number, got '2'",
        "sed": "there is no such key; did you mean 'seed'?",
        "sandbox": "'requird' is not known; did you mean 'required'?",
        "slots": "must be at least 1, not 0",
        "clock.per_action_ms": "must be at least 1, not 0",
        "clock.startup_ms": "expected a whole number, got 'none'",
        "clock.increment_ms": "adds to a bank, but there is no bank_ms",
        "clock.bank": "there is no such key; did you mean 'bank_ms'?",
        "limits.memory_mb": "expected a whole number, got True",
        "format.name": "there is no format 'round-robbin'; did you mean 'round-robin'?",
        "entrants[1].bot": "there is no bot 'randm'; did you mean 'random'?; `arena bots` lists them",
        "entrants[2]": "an entrant has exactly one of bot, command and glob; this has bot and command",
        "entrants[3].nam": "there is no such key; did you mean 'name'?",
        "entrants[4].name": "'Random' is taken by entrants[3]; give one of them another name",
    }
    assert len(found) == len(by_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "game: is missing; there is connect-four and pile"),
        (GAME + "seats = 3\n" + TWO, "seats: connect-four is played at 2 seats, not 3"),
        (GAME + '[[entrants]]\nbot = "random"', "2 seats need at least 2 entrants, there are 1"),
        (GAME + "[game_options]\nopenin = 1" + TWO, "game_options.openin: there is no option"),
        (GAME + '[game_options]\nopening = "x"' + TWO, "expected a whole number, got 'x'"),
        (
            GAME + 'anchor = "rando"' + TWO,
            "anchor: there is no entrant 'rando'; did you mean 'random'?",
        ),
        (GAME + "[format]\ndeals = 0" + TWO, "format.deals: must be at least 1, not 0"),
        (GAME + "[format]\ndeals = 1.5" + TWO, "format.deals: expected a whole number, got 1.5"),
        (GAME + "[format]\nrounds = 1" + TWO, "format.rounds: there is no such key"),
        (
            GAME + '[format]\nname = "sprt"\nelo1 = -3' + TWO,
            "format.elo1: must be above elo0 = 0, not -3",
        ),
        (GAME + '[format]\nname = "sprt"\nelo1 = nan' + TWO, "format.elo1: must be a number, not nan"),
        (
            GAME + '[format]\nname = "gauntlet"\nchallengers = ["agan"]' + TWO,
            "format.challengers: there is no entrant 'agan'; did you mean 'again'?",
        ),
        (GAME + "entrants = [1]", "entrants[1]: expected a table ([[entrants]]), got 1"),
        (GAME + "clock = 5" + TWO, "clock: expected a table, got 5"),
        (GAME + '[[entrants]]\nbot = "other"' + TWO, "other does not play connect-four, only chess"),
        (GAME + '[[entrants]]\nbot = "three"' + TWO, "three does not play at 2 seats, only at 3"),
        (GAME + '[[entrants]]\nname = "-x"\nbot = "random"' + TWO, "entrants[1].name: '-x' won't do"),
        (GAME + '[[entrants]]\nname = "a\\u001bb"\nbot = "random"' + TWO, "for example 'a-b'"),
        (GAME + "[[entrants]]\ncommand = []" + TWO, "entrants[1].command: names no program"),
        (GAME + '[[entrants]]\ncommand = "x y"' + TWO, "expected a list in brackets, got 'x y'"),
        (GAME + '[[entrants]]\ncommand = ["python3", "no.py"]' + TWO, "no word of it is a file below"),
        (
            GAME + '[[entrants]]\ncommand = ["x"]\nfolder = "no"' + TWO,
            "entrants[1].folder: there is no",
        ),
        (GAME + '[[entrants]]\nglob = "no/*"' + TWO, "no folder below"),
        (GAME + '[[entrants]]\nglob = "/*"' + TWO, "is no pattern relative to the file"),
        (GAME + '[[entrants]]\nglob = "./"' + TWO, "entrants[1].glob: './' is the folder of the file itself"),
        (GAME + '[[entrants]]\nglob = ""' + TWO, "entrants[1].glob: must not be empty"),
        (GAME + "[[entrants]]\nglob = 3" + TWO, "entrants[1].glob: expected a text in quotes, got 3"),
        (GAME + '[[entrants]]\nbot = "random"\nname = "x"\nbuild = ["make"]' + TWO, "leave build out"),
        (GAME + '[[entrants]]\nbot = "random"\nname = "x"\nenv = { A = [1] }' + TWO, "entrants[1].env.A: expected"),
    ],
)
def test_each_problem_is_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    found = _problems(tmp_path, text)
    assert any(said in problem for problem in found), found
    assert text == "" or len(found) == 1


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.toml: there is no such file"):
        load(tmp_path / "no.toml", GAMES, BOTS)
    for content, said in ((b"name =", "is not TOML"), (b"\xff\xfe", "can't be read")):
        path = tmp_path / "bad.toml"
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=said):
            load(path, GAMES, BOTS)
    with pytest.raises(ConfigError, match="can't be read"):
        load(tmp_path, GAMES, BOTS)


def test_a_command_brings_the_folder_of_its_script(tmp_path: Path) -> None:
    (tmp_path / "b ots").mkdir()
    script = tmp_path / "b ots" / "my bot.py"
    script.touch()
    text = """
    game = "connect-four"
    [[entrants]]
    command = ["python3", "-u", "b ots/my bot.py", "x"]
    [[entrants]]
    name = "direct"
    command = ["b ots/my bot.py"]
    """
    one, other = _load(tmp_path, text).entrants
    assert (one.entrant.argv, one.entrant.folder) == (("python3", "-u", "my bot.py", "x"), str(script.parent))
    assert (other.entrant.argv, other.entrant.folder) == (("./my bot.py",), str(script.parent))
    assert other.entrant.name == "direct"


def _folders(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


GLOB = """
game = "connect-four"
on_unstartable = "exclude"
[[entrants]]
glob = "submissions/*"
memory_mb = 100
options = { depth = 1, style = "calm" }
"""


def test_a_glob_enters_a_folder_of_bots(tmp_path: Path) -> None:
    _folders(
        tmp_path / "submissions",
        {
            "anna/main.py": "",
            "ben/arena.toml": 'command = ["./run", "x"]\nbuild = ["make"]\nmemory_mb = 900\noptions = { depth = 2 }',
            "carla/bot.js": "",
            "d e/only.rb": "",
            "eve/readme.txt": "",
            "fred/arena.toml": "command = 5",
            "gina/arena.toml": "not toml",
            "hugo/arena.toml": 'command = ["x"]\nmemory = 3',
            ".git/main.py": "",
            "_old/main.py": "",
            "notes.txt": "",
        },
    )
    config = _load(tmp_path, GLOB)
    found = {one.entrant.name: one.entrant for one in config.entrants}
    assert {name: one.argv for name, one in found.items()} == {
        "anna": ("python3", "main.py"),
        "ben": ("./run", "x"),
        "carla": ("node", "bot.js"),
        "d-e": ("ruby", "only.rb"),
    }
    assert found["d-e"].folder == str(tmp_path / "submissions" / "d e")
    assert found["anna"].options == {"depth": 1, "style": "calm"}
    assert found["ben"].options == {"depth": 2, "style": "calm"}
    assert found["ben"].memory_mb == 100  # an author can't lift the organiser's cap
    assert config.entrants[1].build == ("make",)
    assert sorted(config.unusable) == ["eve", "fred", "gina", "hugo"]
    assert "no file called main, bot or run" in config.unusable["eve"]
    assert "did you mean 'memory_mb'?" in config.unusable["hugo"]


def test_without_excluding_every_bad_folder_is_a_problem(tmp_path: Path) -> None:
    _folders(tmp_path / "submissions", {"a/main.py": "", "b/main.py": "", "c/x.txt": "", "d/arena.toml": "x ="})
    found = _problems(tmp_path, GLOB.replace("exclude", "stop"))
    assert [problem.split(": ")[0] for problem in found] == ["entrants[1].glob c", "entrants[1].glob d"]


def test_no_stranger_takes_a_name_that_another_has(tmp_path: Path) -> None:
    wish = 'command = ["x"]\nname = "ANNA"'
    folders = {"a b/main.py": "", "a-b/main.py": "", "ben/arena.toml": wish, "carl/arena.toml": wish}
    _folders(tmp_path / "submissions", folders)
    own = '[[entrants]]\nname = "anna"\ncommand = ["/bin/true"]\nfolder = "submissions/ben"\n'
    config = _load(tmp_path, GLOB + own)
    assert [one.entrant.name for one in config.entrants] == ["a-b", "a-b-2", "ben", "carl", "anna"]


def test_a_stranger_cannot_open_folders_of_the_host(tmp_path: Path) -> None:
    asks = 'command = ["x"]\nruntime = ["/home"]'
    _folders(tmp_path / "submissions", {"a/arena.toml": asks, "b/main.py": "", "c/main.py": ""})
    config = _load(tmp_path, GLOB)
    assert "which only the organiser opens" in config.unusable["a"]
    assert all(one.entrant.runtime == () for one in config.entrants)


def test_entrants_of_one_bot_are_known_when_they_must_not_meet(tmp_path: Path) -> None:
    text = 'game = "connect-four"\nallow_self_play = false\n' + TWO + '[[entrants]]\nbot = "other"\n'
    any_game: dict[str, Any] = {**BOTS, "other": InstalledBot(name="other", target="some.bots:Other")}
    path = tmp_path / "x.toml"
    path.write_text(text)
    config = load(path, GAMES, any_game)
    assert config.bots() == {"random": "random", "again": "random", "other": "other"}


def test_any_plugin_bot_will_do() -> None:
    assert isinstance(BOTS["random"], BotPlugin)
