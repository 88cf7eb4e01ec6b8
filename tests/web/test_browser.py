"""The pages in a real Chromium: live standings, replays, a match played by clicking alone, hostile texts as text."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena import plugins
from arena.options import complete_options
from arena.referee import inprocess
from arena.referee import record as records
from arena.referee.record import Record
from arena.referee.verify import deal
from arena.sdk.bot import Bot, Turn
from arena.tournament.store import RunReader
from arena.web.background import serving
from arena.web.export import single_page, write_report
from arena.web.live import dashboard
from arena.web.seat import seats
from arena.web.table import WebPerson, WebTable
from tests.web.making import EVIL, EVIL_END

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SIZES = {"phone": (390, 844), "laptop": (1366, 860), "hall": (1920, 1080)}
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium; where there is none the tests are skipped, but where one is promised that is a failure."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing = "the package playwright is not installed"
    else:
        missing = "" if CHROMIUM else "there is no chromium on the path, and $CHROMIUM names none"
    if missing:
        if os.environ.get("ARENA_BROWSER_TESTS") == "required":
            pytest.fail(f"browser tests are required, but {missing}")
        pytest.skip(missing)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any, served: Any) -> Iterator[Any]:
    """A page that reports no error, and asks nobody but our own server and the disk; it goes before its server."""
    del served
    context = browser.new_context(viewport={"width": 1366, "height": 860}, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    shown, errors = context.new_page(), []
    shown.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    shown.on("pageerror", lambda error: errors.append(str(error)))
    shown.on("request", lambda request: None if local(request.url) else errors.append(f"asked {request.url}"))
    yield shown
    context.close()
    assert errors == []


def local(address: str) -> bool:
    return address.startswith(("http://127.0.0.1:", "file:///", "data:", "about:"))


@pytest.fixture
def served() -> Iterator[Callable[[Path], str]]:
    """Serve a run; return its address."""
    with serving("127.0.0.1", 0) as server:

        def serve(folder: Path) -> str:
            server.app = dashboard(folder, server.hosts)
            return server.address

        yield serve


def test_the_live_table_changes_as_matches_end(
    page: Any, served: Any, growing: tuple[Path, Callable[[], int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.snapshot.REST", 0)
    monkeypatch.setattr("arena.web.snapshot.LEAST_REST_S", 0)
    monkeypatch.setattr("arena.web.live.EACH_WATCHER_S", 0.01)
    monkeypatch.setattr("arena.web.live.LOOK_EVERY_S", 0.05)
    folder, play = growing
    page.goto(served(folder))
    page.wait_for_selector("html[data-connected=yes]")
    assert page.inner_text("#stored") == "2"
    table = page.inner_text(".standings")
    for number in (3, 4):
        play()
        page.wait_for_selector(f"#stored:text-is('{number}')")
    assert page.inner_text(".standings") != table
    assert page.locator(".facts b").first.inner_text() == "4"


def one_record(folder: Path) -> Record:
    with RunReader(folder) as reader:
        return records.decode(next(data for _, data in reader.records()))


@pytest.mark.parametrize("run", ["castell_run", "four_run"])
def test_the_replay_shows_the_records_state_at_every_action(
    page: Any, served: Any, run: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(run)
    record = one_record(folder)
    game = plugins.game(record.game)
    page.goto(f"{served(folder)}/match/{record.match_id}")
    state = deal(record, game)
    told = page.evaluate(
        """() => Array.from({ length: arena.shown.last + 1 }, (_, k) => { arena.shown.show(k);
        return [arena.shown.frames.scenes[k], document.getElementById("saying").textContent,
                document.querySelectorAll("#stage svg").length]; })"""
    )
    assert len(told) == len(record.actions) + 1
    for number, (scene, _, drawings) in enumerate(told):
        assert scene == game.scene(state)
        assert drawings > 0
        if number < len(record.actions):
            action = game.parse(record.actions[number].action)
            assert game.tell(state, action) in told[number + 1][1]
            state.apply(action)


def test_the_castell_board_draws_what_is_there(page: Any, served: Any, castell_run: Path) -> None:
    record = one_record(castell_run)
    game = plugins.game("castell")
    state = deal(record, game)
    at = len(record.actions) // 2
    for played in record.actions[:at]:
        state.apply(game.parse(played.action))
    scene: Any = game.scene(state)
    page.goto(f"{served(castell_run)}/match/{record.match_id}#step={at}")
    page.wait_for_selector(f"#viewer[data-step='{at}']")
    assert page.locator(".map .person").count() == sum(map(len, scene["castellers"]))
    assert page.locator(".map .tile").count() == sum(map(len, scene["tiles"]))
    assert page.locator(".map .pawn").count() == sum(pawn is not None for pawn in scene["pawns"])
    assert page.locator(".map .token").count() == sum(map(sum, scene["laid"]))
    assert page.locator(".team .person").count() == sum(map(sum, scene["teams"]))
    assert page.locator(".player h3 b").all_inner_texts() == [str(sum(points)) for points in scene["points"]]


def test_keys_step_by_action_turn_and_round(page: Any, served: Any, castell_run: Path) -> None:
    record = one_record(castell_run)
    page.goto(f"{served(castell_run)}/match/{record.match_id}#step=5")
    page.wait_for_selector("#viewer[data-step='5']")

    def step() -> int:
        return int(page.get_attribute("#viewer", "data-step"))

    for key, expected in [("ArrowRight", 6), ("ArrowLeft", 5), ("End", len(record.actions)), ("Home", 0)]:
        page.keyboard.press(key)
        assert step() == expected
    page.keyboard.press("Shift+ArrowRight")
    turn = step()
    assert record.actions[turn].seat != record.actions[turn - 1].seat
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    assert page.locator(".wheel .round").text_content() == "3"
    assert page.evaluate("location.hash") == f"#step={step()}"


def test_hostile_names_notes_and_stderr_are_text(page: Any, served: Any, castell_run: Path, four_run: Path) -> None:
    for folder in (castell_run, four_run):
        with RunReader(folder) as reader:
            faulty = next(row.match_id for row in reader.rows() if row.forfeited)
        base = served(folder)
        for path in ("/", "/crosstable", "/matches", f"/match/{faulty}"):
            page.goto(base + path)
            assert page.locator("img").count() == 0
        page.wait_for_selector("#log")
        assert EVIL_END in page.inner_text("#log")
        assert EVIL in page.inner_text("#viewer")
        assert page.evaluate("typeof boom") == "undefined"


def test_the_report_and_the_single_page_open_from_disk(page: Any, castell_run: Path, tmp_path: Path) -> None:
    page.context.set_offline(True)
    with RunReader(castell_run) as reader:
        write_report(reader, tmp_path)
    record = one_record(castell_run)
    (tmp_path / "one.html").write_text(single_page(record, plugins.game("castell")))
    page.goto(f"file://{tmp_path}/index.html")
    page.click("nav >> text=Matches")
    page.click(f"text={record.match_id}")
    page.wait_for_selector(".map .person")
    page.goto(f"file://{tmp_path}/one.html#step=9")
    page.wait_for_selector("#viewer[data-step='9'] .map .person")


class First(Bot):
    """Takes the first option."""

    def choose(self, turn: Turn) -> int:
        del turn
        return 0


@pytest.mark.parametrize("name", ["connect-four", "castell"])
def test_a_match_is_played_by_clicking_alone(page: Any, name: str) -> None:
    game, key = plugins.game(name), bytes(31) + b"\x05"
    options = complete_options(game, {})
    names, found = ("human", EVIL), list[Record]()
    table = WebTable(game, game.deal(2, key, options), names, [0])

    def play() -> None:
        bots: list[Bot] = [WebPerson(table, 0), First()]
        found.append(inprocess.play(game, bots, key=key, options=options, names=names))
        table.end(found[0], wait_s=10)

    with serving("127.0.0.1", 0) as server:
        server.app = seats(table, server.hosts)
        thread = threading.Thread(target=play)
        thread.start()
        (token,) = table.tokens
        page.goto(f"{server.address}/seat/{token}")
        clicks = {"castell": castell_clicks, "connect-four": four_clicks}[name]
        while page.wait_for_selector("html[data-asked=yes], html[data-over=yes]") and not over(page):
            frame = page.get_attribute("html", "data-frame")
            clicks(page)
            page.wait_for_selector(f'html:not([data-frame="{frame}"]), html[data-over=yes]')
        thread.join(20)
    assert table._replay is not None
    page.wait_for_selector("#viewer #timeline")
    assert page.evaluate("arena.shown.data.steps.map((step) => step.action)") == [
        played.action for played in found[0].actions
    ]
    if name == "castell":
        assert any(" perform " in one.action or "compete" in one.action for one in found[0].actions if one.seat == 0)


def over(page: Any) -> bool:
    return bool(page.locator("html[data-over=yes]").count())


def four_clicks(page: Any) -> None:
    page.locator("circle.lit").last.click()


def castell_clicks(page: Any) -> None:
    """Build where a tower can be built, recruit once a turn, move first; else end the turn."""
    for lit in ("#compete", ".tile.lit", ".person.lit"):
        if page.locator(lit).count():
            page.locator(lit).first.click()
            break
    else:
        regions = page.locator("rect.lit")
        if page.locator(".pawn").count() < 2 and regions.count():
            regions.first.click()
        else:
            page.locator('[data-action="end"], [data-action="decline"]').first.click()
    if page.locator("dialog[open]:not(.builder) button").count():
        page.locator("dialog[open]:not(.builder) button").first.click()
    if page.locator("dialog.builder").count():
        build_by_keys(page)


def build_by_keys(page: Any) -> None:
    """Let the page show a tower, take it down again, build it by keys, and see the judge's sentence change."""
    page.click("text=Show me one")
    page.wait_for_selector(".judge.stands")
    shown = page.get_attribute(".site svg", "aria-label").removeprefix("So far: ")
    page.locator("dialog.builder").press("Backspace")
    page.wait_for_selector(".judge:not(.stands)")
    while page.get_attribute(".site svg", "aria-label") != "Nobody stands yet":
        page.locator("dialog.builder").press("Backspace")
    for number, level in enumerate(shown.split("/")):
        if number:
            page.locator("dialog.builder").press("/")
        for size in level.split():
            page.locator("dialog.builder").press("0" if size == "10" else size)
    page.wait_for_selector(".judge.stands")
    page.locator("dialog.builder").press("Enter")


@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("laptop", "dark"), ("hall", "light")])
def test_nothing_is_wider_than_the_screen(
    browser: Any, served: Any, castell_run: Path, size: str, scheme: str, tmp_path: Path
) -> None:
    wide, high = SIZES[size]
    context = browser.new_context(viewport={"width": wide, "height": high}, color_scheme=scheme)
    page, base = context.new_page(), served(castell_run)
    match_id = one_record(castell_run).match_id
    for path in ("/", "/crosstable", "/seats", "/matches", "/entrant/ann", f"/match/{match_id}#step=40"):
        page.goto(base + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= wide, path
        assert page.evaluate("getComputedStyle(document.body).fontFamily")
    colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (sum(map(int, colour[4:-1].split(","))) < 200) is (scheme == "dark")
    context.close()
