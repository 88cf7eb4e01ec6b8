"""The dashboard, asked as a browser would ask, without one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
import trio

from arena.web.live import HEADERS, Dashboard, dashboard
from arena.web.rendering import asset_names
from arena.web.serving import LOOPBACK
from arena.web.snapshot import Snapshots
from tests.web.making import EVIL, ask

PAGES = ["/", "/crosstable", "/seats", "/matches", "/matches?fault=any&upset=1", f"/entrant/{quote(EVIL, safe='')}"]
#: Everything a page may load, and every place for code that a strict policy forbids.
LOADED = re.compile(r"<(?:script|link|img|iframe)[^>]*?(?:src|href)=\"([^\"]*)\"")
INLINE = re.compile(
    r"<script(?![^>]*(?:src=|application/json))|<style|<[a-z][^<>]*\s(?:style|on\w+)=|<[^<>]*javascript:"
)


@pytest.fixture(scope="module", params=["castell", "four"])
def app(request: pytest.FixtureRequest) -> Any:
    return dashboard(request.getfixturevalue(f"{request.param}_run"), LOOPBACK)


def a_match(app: Any) -> str:
    found = re.search(r'href="(/match/[^"]+)"', ask(app, "/matches").text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("path", [*PAGES, "match", "/nothing", "/matches?deal=x", "/match/none"])
def test_pages_hold_nothing_hostile_and_nothing_inline(app: Any, path: str) -> None:
    answer = ask(app, a_match(app) if path == "match" else path)
    assert answer.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert EVIL not in answer.text
    assert "<img" not in answer.text
    assert not INLINE.search(answer.text)
    assert all(address.startswith(("/asset/", "data:,")) for address in LOADED.findall(answer.text))


@pytest.mark.parametrize(
    ("path", "status"),
    [*((path, 200) for path in PAGES), ("/nothing", 404), ("/match/none", 404), ("/entrant/none", 404),
     ("/matches?deal=x", 400), ("/asset/none.js", 404), ("/asset/..%2Flive.py", 404), ("/replay/none", 404)],
)  # fmt: skip
def test_every_address_has_its_status(app: Any, path: str, status: int) -> None:
    assert ask(app, path).status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_written(app: Any, method: str) -> None:
    assert {ask(app, path, method=method).status for path in [*PAGES, "/events", "/asset/style.css"]} == {405}


def test_hostile_names_are_shown_as_text(app: Any) -> None:
    assert "&lt;script&gt;boom()&lt;/script&gt;" in ask(app, "/").text


def test_another_host_is_refused_and_loopback_is_not(app: Any) -> None:
    assert ask(app, "/", host="evil.example").status == 421
    assert ask(app, "/", host="evil.example:8000").status == 421
    for host in ("localhost:8000", "127.0.0.1", "[::1]:9", "LOCALHOST"):
        assert ask(app, "/", host=host).status == 200


def test_a_dashboard_for_all_answers_to_any_host(four_run: Path) -> None:
    assert ask(dashboard(four_run), "/", host="hall.example").status == 200


def test_assets_and_the_games_drawing_are_there(app: Any) -> None:
    for name in [*asset_names(), "drawing.js"]:
        answer = ask(app, f"/asset/{name}")
        assert answer.status == 200
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        assert answer.headers["content-type"].startswith(kind)


def test_no_asset_loads_anything_from_elsewhere(app: Any) -> None:
    for name in [*asset_names(), "drawing.js"]:
        text = ask(app, f"/asset/{name}").text.replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "innerHTML =" not in text or name == "live.js"  # there it is the server's own, escaped text


def test_the_replay_is_there_as_json(app: Any) -> None:
    replay = msgspec.json.decode(ask(app, a_match(app).replace("/match/", "/replay/")).text)
    assert len(replay["scenes"]) == len(replay["steps"]) + 1


def test_neither_key_nor_secret_is_on_any_page(app: Any) -> None:
    texts = [ask(app, path).text for path in [*PAGES, a_match(app), a_match(app).replace("/match/", "/replay/")]]
    assert not any("ab" * 8 in text or re.search(r"[0-9a-f]{40}", text) for text in texts)


def test_a_match_that_comes_later_is_found(
    growing: tuple[Path, Callable[[], int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, play = growing
    app, newest = dashboard(folder), Snapshots(folder)
    ids = [row.match_id for row in newest.newest.rows]
    asked = f"{ids[0][:-1]}"
    assert ask(app, f"/match/{asked}nothing").status == 404
    monkeypatch.setattr(time, "monotonic", lambda: 10**9)  # long after the last count
    assert play() == 1
    assert newest.get().stored == 3
    assert all(ask(app, f"/match/{row.match_id}").status == 200 for row in newest.newest.rows)


def test_whoever_asks_too_soon_gets_the_last_count(
    growing: tuple[Path, Callable[[], int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    folder, play = growing
    snapshots = Snapshots(folder)
    play()
    assert snapshots.get().stored == 2
    now += 1000
    assert snapshots.get().stored == 3
    assert snapshots.get() is snapshots.newest


def test_events_tell_the_number_of_matches_and_when_it_grows(
    growing: tuple[Path, Callable[[], int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, play = growing
    monkeypatch.setattr("arena.web.snapshot.REST", 0)
    monkeypatch.setattr("arena.web.snapshot.LEAST_REST_S", 0)
    monkeypatch.setattr("arena.web.live.EACH_WATCHER_S", 0.01)
    monkeypatch.setattr("arena.web.live.LOOK_EVERY_S", 0.01)

    async def main() -> list[str]:
        stream = Dashboard(folder)._stream()
        with trio.fail_after(20):
            first = await anext(stream)
            play()
            second = await anext(stream)
        await stream.aclose()
        return [first, second]

    assert trio.run(main) == ["event: stored\ndata: 2\n\n", "event: stored\ndata: 3\n\n"]


def test_the_run_is_only_read(four_run: Path) -> None:
    before = {path.name: path.read_bytes() for path in four_run.iterdir()}
    app = dashboard(four_run)
    for path in PAGES:
        ask(app, path)
    assert {path.name: path.read_bytes() for path in four_run.iterdir()} == before
