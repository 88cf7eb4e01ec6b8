"""Pages as HTML: one set of templates for the live dashboard, the static report and the single file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Protocol
from urllib.parse import quote, urlencode

import attrs
import jinja2
import msgspec
from markupsafe import Markup

from arena import __version__
from arena.web.pages import Filter

#: What a page may do: scripts, styles and data from where it came from, nothing inline, nothing from elsewhere.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_TYPES = {"css": "text/css", "js": "text/javascript"}


class Links(Protocol):
    """Where the pages of a run stand, as seen from the page that is being drawn."""

    live: bool  #: whether pages change while they are looked at

    def standings(self) -> str:
        """Return the address of the first page."""

    def crosstable(self) -> str:
        """Return the address of the crosstable."""

    def seats(self) -> str:
        """Return the address of the seat effect."""

    def matches(self, chosen: Filter) -> str | None:
        """Return the address of a list of matches, None where there is no such page."""

    def entrant(self, name: str) -> str:
        """Return the address of an entrant's page."""

    def match(self, match_id: str) -> str | None:
        """Return the address of a match's page, None where there is none."""

    def asset(self, name: str) -> str:
        """Return the address of a style sheet or script."""


class LiveLinks:
    """Addresses on a server."""

    live = True

    def standings(self) -> str:
        """As in `Links`."""
        return "/"

    def crosstable(self) -> str:
        """As in `Links`."""
        return "/crosstable"

    def seats(self) -> str:
        """As in `Links`."""
        return "/seats"

    def matches(self, chosen: Filter) -> str:
        """As in `Links`."""
        query = urlencode(chosen.query())
        return f"/matches?{query}" if query else "/matches"

    def entrant(self, name: str) -> str:
        """As in `Links`."""
        return f"/entrant/{quote(name, safe='')}"

    def match(self, match_id: str) -> str:
        """As in `Links`."""
        return f"/match/{quote(match_id, safe='')}"

    def asset(self, name: str) -> str:
        """As in `Links`."""
        return f"/asset/{name}"


@attrs.frozen(kw_only=True)
class Head:
    """What stands above every page of a run."""

    run: str
    game: str
    stored: int
    over: bool | None = None  #: None: not known


def asset(name: str) -> str:
    """Return the text of one of our own style sheets or scripts; raise `KeyError` when there is none of this name."""
    known = _assets()
    return known[name]


def asset_type(name: str) -> str:
    """Return the media type of an asset."""
    return f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8"


@lru_cache(maxsize=1)
def _assets() -> Mapping[str, str]:
    folder = files(__package__).joinpath("static")
    return {one.name: one.read_text(encoding="utf-8") for one in folder.iterdir() if one.name.endswith((".css", ".js"))}


def asset_names() -> tuple[str, ...]:
    """Return the names of all assets, sorted."""
    return tuple(sorted(_assets()))


def render(template: str, links: Links, **values: Any) -> str:
    """Return a page; everything in `values` that is no markup is escaped."""
    return _environment().get_template(f"{template}.html").render(links=links, version=__version__, **values)


def data_block(value: Any) -> Markup:
    """Return a value as JSON that can stand inside a script element of a page, whatever it contains."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - no character is left that ends the element


def inline_policy(*texts: str) -> str:
    """Return the policy of a page that carries its scripts and styles itself: exactly these texts, by their hashes."""
    sources = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in texts
    )
    return (
        f"default-src 'none'; script-src {sources}; style-src {sources}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("arena.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(Filter=Filter, data_block=data_block, policy=POLICY)
    environment.filters["thousands"] = lambda value: f"{value:,}"
    environment.filters["ms"] = lambda value: (
        "-" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    )
    return environment
