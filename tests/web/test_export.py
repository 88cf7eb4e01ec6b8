"""The static report, and a match as one file."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from pathlib import Path

import attrs
import pytest

from arena import plugins
from arena.cli import execute
from arena.errors import ArenaError
from arena.games.connect_four import ConnectFour
from arena.referee import record as records
from arena.tournament.store import RunReader
from arena.web.export import Written, single_page, slug, write_report
from tests.web.making import EVIL, EVIL_END

ADDRESS = re.compile(r'(?:href|src)="([^"#]+)"')


@pytest.fixture(scope="module", params=["castell", "four"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    folder = tmp_path_factory.mktemp("report") / "pages"
    with RunReader(request.getfixturevalue(f"{request.param}_run")) as reader:
        return folder, write_report(reader, folder)


def test_every_link_of_every_page_leads_to_a_file(report: tuple[Path, Written]) -> None:
    folder, written = report
    pages = list(folder.glob("*.html"))
    assert len(pages) == written.pages
    reached = set()
    for page in pages:
        for address in ADDRESS.findall(page.read_text()):
            if address != "data:,":
                assert (folder / address).is_file(), f"{page.name} links to {address}"
                reached.add(address)
    assert {page.name for page in pages} == {name for name in reached if name.endswith(".html")}


def test_pages_carry_their_policy_and_nothing_hostile(report: tuple[Path, Written]) -> None:
    for page in report[0].glob("*.html"):
        text = page.read_text()
        assert "Content-Security-Policy" in text
        assert "default-src 'none'" in html.unescape(text)
        assert EVIL not in text
        assert EVIL_END not in text


def test_the_same_run_gives_the_same_bytes(four_run: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        with RunReader(four_run) as reader:
            write_report(reader, tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "two").iterdir())
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in files)


def test_forfeits_get_a_replay_before_others(four_run: Path, tmp_path: Path) -> None:
    with RunReader(four_run) as reader:
        written = write_report(reader, tmp_path, replays=1)
        (faulty,) = [row.match_id for row in reader.rows() if row.forfeited]
    assert (written.replays, written.left_out) == (1, 11)
    assert [path.name for path in tmp_path.glob("match-*.html")] == [f"match-{faulty}.html"]


@pytest.mark.parametrize("text", ["ann", EVIL, "../../x", "", "ü", "a b", ".."])
def test_names_of_files_are_plain(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]+", slug(text, 7))
    assert slug(text, 7) != slug(text, 8) or slug(text, 7) == text


@pytest.mark.parametrize("run", ["castell_run", "four_run"])
def test_a_single_page_carries_exactly_the_scripts_its_policy_names(run: str, request: pytest.FixtureRequest) -> None:
    with RunReader(request.getfixturevalue(run)) as reader:
        game = plugins.game(reader.plan.settings.game)
        record = records.decode(next(data for _, data in reader.records()))
    text = single_page(record, game)
    assert not [address for address in ADDRESS.findall(text) if not address.startswith("data:")]
    carried = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", text, re.DOTALL)
    for part in carried:
        assert base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() in text
    assert len(carried) == 4
    assert EVIL not in text
    assert EVIL_END not in text


class Wild(ConnectFour):
    def drawing(self) -> str:
        return "const text = '</SCRIPT>';"


def test_a_drawing_that_would_end_its_element_is_refused(four_run: Path) -> None:
    with RunReader(four_run) as reader:
        record = records.decode(next(data for _, data in reader.records()))
    with pytest.raises(ArenaError, match="no page can carry it"):
        single_page(attrs.evolve(record), Wild())


def test_the_verbs_write_what_they_say(four_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = tmp_path / "out", tmp_path / "one.html"
    assert execute(["report", str(four_run), "--out", str(out), "--replays", "2"]) == 0
    assert str(out / "index.html") in capsys.readouterr().out
    with RunReader(four_run) as reader:
        match = reader.rows()[0].match_id
    assert execute(["show", str(four_run), match, "--html", str(page)]) == 0
    assert "<!doctype html>" in page.read_text()
    assert execute(["show", str(four_run), "--html", str(page)]) == 2
    assert "name it" in capsys.readouterr().err


def test_what_can_not_be_written_is_a_sentence(four_run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with RunReader(four_run) as reader, pytest.raises(ArenaError, match="can't be written"):
        write_report(reader, tmp_path / "file")


def test_without_the_extra_the_sentence_names_what_to_install(
    four_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.web.find_spec", lambda name: None if name == "starlette" else object())
    assert execute(["report", str(four_run)]) == 2
    assert capsys.readouterr().err.strip() == (
        "arena: pages for the browser need starlette; install with `make web` in a checkout, else"
        " `pip install castell-arena[web]`"
    )
