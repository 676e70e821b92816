"""Reading TOML key by key, with errors that name the line of the key."""

from __future__ import annotations

import math
import re
import reprlib
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import EmptyInput, InputError, did_you_mean, quoted, safe_text
from crosscheck.formats.numerals import printed_number
from crosscheck.formats.source import read_input
from crosscheck.model import Printed


class TomlSection(Struct, frozen=True, kw_only=True):
    """A part of a TOML file that is TOML by itself: the text before all headers, or a header with its keys.

    Attributes:
        first_line: its line number in the file, counted from 1.
        text: the text with its line ends; comments before the next header belong to it.
        name: the header's name, such as ``tool.crosscheck``; empty for the text before all headers.
        content: the keys under the header.
    """

    first_line: int
    text: str
    name: str
    content: dict[str, Any]

    def line(self, key: str | None) -> int | None:
        """The line number of a key, or of the header if ``key`` is None; None if there is no such key."""
        if key is None:
            return self.first_line
        assignment = re.compile(rf"\s*([\"']?){re.escape(key)}\1\s*[=.]")
        numbered = enumerate(self.text.split("\n"), self.first_line)
        return next((number for number, line in numbered if assignment.match(line)), None)


def sections(text: str) -> list[TomlSection]:
    """The parts of TOML text, cut before every table header.

    Args:
        text: valid TOML; lines may end in ``\\r\\n``.
    """
    pieces = [""]
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        # If the piece so far is not valid TOML, the bracket is inside a multi-line string or array.
        if line.lstrip().startswith("[") and _parsed(pieces[-1]) is not None:
            pieces.append("")
        pieces[-1] += line
    first_lines = accumulate((piece.count("\n") for piece in pieces), initial=1)
    numbered = enumerate(zip(first_lines, pieces, strict=False))
    return [_section(line, piece, header=number > 0) for number, (line, piece) in numbered]


def _section(first_line: int, text: str, *, header: bool) -> TomlSection:
    content: Any = _parsed(text) or {}
    under: Any = _parsed(text.partition("\n")[0].removesuffix("\r")) if header else None
    names: list[str] = []
    while under:  # the header alone gives keys inside each other, one per level
        ((name, under),) = under.items()
        names.append(name)
        content = content[name]
        if isinstance(under, list):
            (under,), (content,) = under, content
    return TomlSection(first_line=first_line, text=text, name=".".join(names), content=content)


def _parsed(text: str) -> dict[str, Any] | None:
    with suppress(tomllib.TOMLDecodeError):
        return tomllib.loads(text)
    return None


_TOO_LONG = "an integer with thousands of digits"


def read_table(path: str) -> TomlTable:
    """Read a TOML file. Floats keep their printed digits.

    Raises:
        InputError: the file cannot be read, or is not TOML.
    """
    text = toml_text(path)
    return TomlTable(path=path, text=text, header="", index=0, content=parsed_toml(text, path, _literal))


def parsed_toml(text: str, path: str, parse_float: Callable[[str], float] = float) -> dict[str, Any]:
    """Parse TOML text. Where it is not valid, an InputError names the line."""
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"at line (\d+)", str(error))
        line = int(match[1]) if match else text.rstrip().count("\n") + 1  # no line is named for the end
        raise InputError(f"invalid TOML: {error}", path=path, line=line) from None
    except RecursionError:
        problem = "the TOML is nested too deeply"
        raise InputError(problem, path=path, expected="tables of texts and numbers") from None
    except ValueError:  # Python reads no integer of more than 4,300 digits.
        long_number = re.search(r"\d[\d_]{4300}", text)
        long = text.count("\n", 0, long_number.start()) + 1 if long_number else None
        raise InputError(_TOO_LONG, path=path, line=long, expected="a number such as 0.4993") from None


def _literal(text: str) -> float:
    """A TOML float with its printed digits. NaN and infinities become plain floats."""
    number = printed_number(text.replace("_", ""))
    return float(text) if number is None else number


def _whole(number: int) -> Printed | None:
    """A TOML integer as a printed number; None if it is too large for a float."""
    with suppress(OverflowError):
        return Printed(number, 0)
    return None


def _shown(value: object) -> str:
    """A value of the file, as text for a message."""
    with suppress(ValueError):
        return quoted(value) if isinstance(value, str) else reprlib.repr(value)
    return _TOO_LONG


def toml_text(path: str) -> str:
    """The text of a TOML file. Raises InputError if it cannot be read, or is not UTF-8."""
    try:
        data = read_input(path, "TOML")
    except EmptyInput:
        return ""  # an empty file is valid TOML
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("invalid TOML: the text is not UTF-8", path=path, line=line) from None


class TomlTable(Struct, frozen=True, kw_only=True):
    """One table of a TOML file. A method returns the value of a key, or raises InputError if it is wrong.

    Attributes:
        header: the header of the table; empty for the file as a whole.
        index: number of the table among the tables with the same header. Messages need both for the line.
    """

    path: str
    text: str
    header: str
    index: int
    content: dict[str, Any]

    def only(self, *allowed: str) -> None:
        for key in self.content:
            if key not in allowed:
                problem, hint = f"there is no key {quoted(key)} here", did_you_mean(key, allowed)
                self.wrong(key, f"one of {', '.join(allowed)}", problem=problem, hint=hint)

    def wrong(self, key: str | None, expected: str, *, problem: str = "", hint: str = "") -> NoReturn:
        """Raise InputError for a key, or for the table as a whole if ``key`` is None."""
        said = problem or f"{safe_text(key or '', 4096)}: {_shown(self.content.get(key or ''))}"
        raise InputError(said, path=self.path, line=self.line(key), expected=expected, hint=hint or None)

    def string(self, key: str) -> str | None:
        value = self.content.get(key)
        if value is not None and not isinstance(value, str):
            self.wrong(key, "a text")
        return value

    def required(self, key: str) -> str:
        value = self.string(key)
        if value is None:
            self.missing(key)
        if not value.strip():
            self.wrong(key, "a text that is not empty")
        return value

    def missing(self, key: str) -> NoReturn:
        self.wrong(None, f"{key} = ...", problem=f"[[{self.header}]] has no {key}")

    def strings(self, key: str) -> tuple[str, ...]:
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) and text.strip() for text in value):
            self.wrong(key, 'a list of texts, such as ["P@10", "nDCG@10"]')
        return tuple(value)

    def number(self, key: str) -> float | None:
        value = self.content.get(key)
        if value is None:
            return None
        value = _whole(value) if type(value) is int else value
        if not isinstance(value, float) or not math.isfinite(value):
            self.wrong(key, "a number")
        return float(value)

    def printed(self, key: str) -> Printed:
        """A number, or a text that spells one, with its digits in the file."""
        value = self.content[key]
        if isinstance(value, str):
            value = printed_number(value.strip())
        elif type(value) is int:
            value = _whole(value)
        if not isinstance(value, Printed):
            hint = "write the digits as they were printed, and 49.9% as 0.499"
            if isinstance(value, dict):
                hint = "put a name that contains a point in quotes"
            self.wrong(key, 'a number such as 0.4993 or "0.4993"', hint=hint)
        return value

    def boolean(self, key: str, *, default: bool) -> bool:
        value = self.content.get(key, default)
        if not isinstance(value, bool):
            self.wrong(key, "true or false")
        return value

    def choice(self, key: str, options: Sequence[str], what: str) -> str | None:
        value = self.string(key)
        if value is not None and value not in options:
            self.wrong(key, f"{what}: {', '.join(options)}", hint=did_you_mean(value, options))
        return value

    def tables(self, key: str, *, single: bool = False) -> list[TomlTable]:
        """The tables under ``[[key]]``. With ``single``, a table under ``[key]`` is accepted as well."""
        value = self.content.get(key, [])
        listed = [value] if single and isinstance(value, dict) else value
        if not isinstance(listed, list) or not all(isinstance(part, dict) for part in listed):
            self.wrong(key, f"tables [[{key}]]")
        header = f"{self.header}.{key}".lstrip(".")
        return [replace(self, header=header, index=index, content=part) for index, part in enumerate(listed)]

    def line(self, key: str | None) -> int | None:
        """The line number of a key, or of the header of this table if ``key`` is None; None if not found."""
        parts = sections(self.text)
        same = [part for part in parts if part.name == self.header]
        if line := same[self.index].line(key) if self.index < len(same) else None:
            return line
        # A key that is not set on a line of its own is the name of a table.
        tables = (part for part in parts if not self.header and part.name.partition(".")[0] == key)
        return next((part.first_line for part in tables), None)
