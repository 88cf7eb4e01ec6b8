"""Kits: a folder with a first bot in some language, which plays at once and better than at random.

`make` is a pure function; whoever calls it writes the files.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

import attrs

from arena.errors import ConfigError, Problem
from arena.wording import unknown

_SUFFIX = ".tmpl"  #: of the templates, so that no tool takes them for what they are not yet
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME_AT_MOST = 40
_BUILT = """
Both build it first, as a tournament does: from a copy, in the sandbox, as `arena.toml` says. By hand, to see what the
compiler thinks of it, that is `{build}` in this folder.
"""  #: in the page of a kit that is compiled


@attrs.frozen(kw_only=True)
class Language:
    """A language in which a kit can be made."""

    name: str  #: as typed after `--language`
    title: str  #: as people write it
    source: str  #: the file to look into, in the kit's folder
    programs: tuple[str, ...]  #: what must be installed, found on the search path by these names


LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        Language(name="python", title="Python", source="src/@MODULE@/bot.py", programs=()),
        Language(name="python-file", title="Python", source="bot.py", programs=("python3",)),
        Language(name="javascript", title="JavaScript", source="bot.js", programs=("node",)),
        Language(name="java", title="Java", source="Bot.java", programs=("javac", "java")),
        Language(name="cpp", title="C++", source="bot.cpp", programs=("g++",)),
        Language(name="rust", title="Rust", source="bot.rs", programs=("rustc",)),
        Language(name="perl", title="Perl", source="bot.pl", programs=("perl",)),
        Language(name="bash", title="Bash", source="bot.sh", programs=("bash",)),
    )
}
ALIASES: Mapping[str, str] = {"js": "javascript", "node": "javascript", "c++": "cpp", "py": "python", "sh": "bash"}


@attrs.frozen(kw_only=True)
class Kit:
    """A first bot, not yet written anywhere."""

    files: Mapping[str, str]  #: text by path, relative to the bot's folder, with `/`
    programs: tuple[str, ...]  #: what must be installed
    steps: tuple[str, ...]  #: the commands to type next, in the folder that holds the bot's


def make(name: str, language: str) -> Kit:
    """Return the kit of a bot.

    Args:
        name: of the bot and its folder: lower-case words of letters and digits, joined by dashes.
        language: a key of `LANGUAGES` or of `ALIASES`.

    Raises:
        ConfigError: with everything that is wrong with the two.
    """
    chosen = LANGUAGES.get(ALIASES.get(language, language))
    problems = [Problem("name", why)] if (why := _name_problem(name)) else []
    if chosen is None:
        problems.append(Problem("language", unknown("language", language, LANGUAGES)))
    if problems or chosen is None:
        raise ConfigError(problems)
    marks = {"NAME": name, "FOLDER": name, "MODULE": name.replace("-", "_")}
    marks |= {"CLASS": "".join(word.title() for word in name.split("-")), "TITLE": chosen.title}
    marks["SOURCE"] = _filled(chosen.source, marks)
    templates = files(__package__) / "templates"
    made = {_filled(path, marks): _filled(text, marks) for path, text in _texts(templates / chosen.name)}
    if "arena.toml" not in made:  # a distribution, known by its name once it is installed
        return Kit(files=made, programs=(), steps=(f"pip install -e ./{name}", *_plays(name)))
    build, command = words(made["arena.toml"], "build"), words(made["arena.toml"], "command")
    marks["BUILD"] = _BUILT.format(build=" ".join(build)) if build else ""
    marks["BUILD_KEY"] = f"\n    build = {_toml(build)}" if build else ""
    marks["COMMAND"] = _toml(command)
    made["README.md"] = _filled((templates / f"README.md{_SUFFIX}").read_text("utf-8"), marks)
    return Kit(files=made, programs=chosen.programs, steps=_plays(f"./{name}"))


def _plays(bot: str) -> tuple[str, str]:
    return f"arena play {bot} greedy random", f"arena check {bot}"


def _name_problem(name: str) -> str:
    if not _NAME.fullmatch(name) or len(name) > _NAME_AT_MOST:
        rule = f"at most {_NAME_AT_MOST} lower-case letters and digits, words joined by single dashes"
        return f"{name!r} won't do as a bot's name; it has {rule}, and begins with a letter: my-bot"
    return ""


def _texts(folder: Traversable, under: str = "") -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _texts(entry, f"{under}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            yield under + entry.name.removesuffix(_SUFFIX), entry.read_text("utf-8")


def _filled(text: str, marks: Mapping[str, str]) -> str:
    return re.sub("@([A-Z_]+)@", lambda match: marks.get(match[1], match[0]), text)


def words(toml: str, key: str) -> list[str]:
    """Return the command under `key` of a kit's `arena.toml`, [] where there is none."""
    return list(tomllib.loads(toml).get(key, []))


def _toml(words: list[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"
