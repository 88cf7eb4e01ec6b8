"""Reads tables of a TOML file into typed values and collects everything that is wrong with them, each with its path."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

import attrs

from arena.errors import Problem
from arena.wording import listed, nearest

_T = TypeVar("_T")
_E = TypeVar("_E", bound=Enum)
LARGEST = 2**31 - 1  #: of any whole number in a file: more than any machine or day has of anything
NONE = "none"  #: how a file says that there is no limit; TOML has no null
_WORDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text in quotes",
    list: "a list in brackets",
    dict: "a table",
}


class Table:
    """One table of a file; every key is taken once, and what was not taken is unknown."""

    def __init__(self, data: Mapping[str, Any], path: str, problems: list[Problem]) -> None:
        self._data = data
        self._path = path
        self._problems = problems
        self._known: set[str] = set()

    @property
    def here(self) -> str:
        """The path of the table itself."""
        return self._path

    def path(self, key: str) -> str:
        """Return the path of a key."""
        return f"{self._path}.{key}" if self._path else key

    def complain(self, key: str, problem: str) -> None:
        """Add a problem with a key, or with the whole table for "" ."""
        self._problems.append(Problem(self.path(key) if key else self._path, problem))

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def is_a(self, key: str, kind: type) -> bool:
        """Whether a key is there and its value of this type."""
        return type(self._data.get(key)) is kind

    def value(self, key: str, kind: type[_T], default: _T) -> _T:
        """Return the value of a key; `default` when it is absent or of another type, which is a problem.

        A whole number is a number, but true is no number.
        """
        self._known.add(key)
        if key not in self._data:
            return default
        value = self._data[key]
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is kind:
            return value
        self.complain(key, f"expected {_WORDS[kind]}, got {value!r}")
        return default

    def text(self, key: str, default: str = "") -> str:
        """Return a text that must not be empty when it is given."""
        value = self.value(key, str, default)
        if self._data.get(key) == "":
            self.complain(key, "must not be empty; leave the key out")
        return value

    def number(self, key: str, default: int | None, *, minimum: int = 0) -> int | None:
        """Return a whole number of at least `minimum`."""
        self._known.add(key)
        if key not in self._data:
            return default
        value = self.value(key, int, minimum)
        if not minimum <= value <= LARGEST:
            bound = f"at least {minimum}" if value < minimum else f"at most {LARGEST}"
            self.complain(key, f"must be {bound}, not {value}")
        return value

    def choice(self, key: str, kind: type[_E], default: _E) -> _E:
        """Return one of the values of an enum of texts."""
        value = self.value(key, str, str(default.value))
        words = [str(member.value) for member in kind]
        if value not in words:
            near = nearest(value, words)
            hint = f"did you mean {near!r}?" if near else f"it is {listed(map(repr, words), last='or')}"
            self.complain(key, f"{value!r} is not known; {hint}")
            return default
        return kind(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, () when it is absent."""
        values = self.value(key, list, [])
        wrong = [value for value in values if not isinstance(value, str)]
        if wrong:
            self.complain(key, f"expected a list of texts, but it has {wrong[0]!r}")
            return ()
        return tuple(values)

    def plain(self, key: str) -> dict[str, Any]:
        """Return a table of simple values (true or false, whole numbers, texts)."""
        values = self.value(key, dict, {})
        for name, value in values.items():
            if type(value) not in (bool, int, str):
                self.complain(f"{key}.{name}", f"expected true or false, a whole number or a text, got {value!r}")
        return {name: value for name, value in values.items() if type(value) in (bool, int, str)}

    def table(self, key: str) -> Table:
        """Return the table at a key, an empty one when it is absent."""
        return Table(self.value(key, dict, {}), self.path(key), self._problems)

    def tables(self, key: str) -> list[Table]:
        """Return the tables of an array of tables; they are counted from 1 in paths."""
        values = self.value(key, list, [])
        found = []
        for number, value in enumerate(values, start=1):
            path = f"{self.path(key)}[{number}]"
            if isinstance(value, dict):
                found.append(Table(value, path, self._problems))
            else:
                self._problems.append(Problem(path, f"expected a table ([[{key}]]), got {value!r}"))
        return found

    def into(self, kind: type[_T], *, may_be_zero: Iterable[str]) -> _T:
        """Return an attrs class of numbers and enums, filled from this table; absent keys keep their defaults.

        Numbers are at least 1, or 0 for `may_be_zero`; where None is allowed the file says "none".
        """
        values: dict[str, Any] = {}
        hints = typing.get_type_hints(kind)
        for field in attrs.fields(kind):  # type: ignore[arg-type]  # callers hand in attrs classes
            hint, name = hints[field.name], field.name
            if isinstance(hint, type) and issubclass(hint, Enum):
                values[name] = self.choice(name, hint, field.default)
            elif self._data.get(name) == NONE and type(None) in typing.get_args(hint):
                self._known.add(name)
                values[name] = None
            else:
                values[name] = self.number(name, field.default, minimum=0 if name in may_be_zero else 1)
        return kind(**values)

    def finish(self) -> None:
        """Complain about every key that nobody took."""
        for key in self._data:
            if key not in self._known:
                near = nearest(key, self._known)
                hint = f"did you mean {near!r}?" if near else f"known here: {listed(sorted(self._known), at_most=30)}"
                self.complain(key, f"there is no such key; {hint}")
