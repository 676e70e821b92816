"""Kept answers: a text file of inputs, and below each what came out of it, written by the program itself.

An input is a line that begins with ``> ``; the lines below it, up to the next, are its answer. A line that
begins with ``## `` is a remark on the inputs after it. A new input is one more line; ``python -m`` with the
module's name writes all answers anew: read what changed before you commit it.
"""

import re
import tempfile
from collections import ChainMap
from collections.abc import Callable, Mapping
from pathlib import Path
from pprint import pformat
from typing import Any

import numpy as np
import pytest
from msgspec import Struct, structs

from crosscheck.errors import CrosscheckError
from tests.support.cases import ROOT

_BLOCK = re.compile(r"((?:## .*\n)*)> (.*)\n((?:(?!> |## ).*\n)*)")


class Kept:
    """The answers beside a test module, in a file of its name.

    Args:
        module: the module's ``__file__``.
        answer: what comes out of an input, with a folder to work in.
        part: of the name, where a module has several files.
    """

    def __init__(self, module: str, answer: Callable[[str, Path], str], part: str = "") -> None:
        self.path, self.answer = Path(module).with_suffix(f"{part}.txt"), answer
        self.module = ".".join(Path(module).resolve().relative_to(ROOT).with_suffix("").parts)
        text = self.path.read_text("utf-8")
        self.blocks: list[tuple[str, str, str]] = _BLOCK.findall(text)
        assert "".join(f"{remark}> {given}\n{kept}" for remark, given, kept in self.blocks) == text, self.path
        self.answers = {given: kept for _, given, kept in self.blocks}
        assert len(self.answers) == len(self.blocks), f"an input stands twice in {self.path}"

    def each(self) -> pytest.MarkDecorator:
        """The inputs as cases of a test with the argument ``given``."""
        return pytest.mark.parametrize("given", self.answers)

    def holds(self, given: str, folder: Path) -> None:
        """Fails unless the answer is the one that is kept."""
        remedy = f"is it right? then run `python -m {self.module}` and commit it"
        assert self._written(given, folder) == self.answers[given], remedy

    def write(self) -> None:
        """Write all answers anew."""
        with tempfile.TemporaryDirectory() as folder:
            written = [
                f"{remark}> {given}\n{self._written(given, Path(folder))}" for remark, given, _ in self.blocks
            ]
        self.path.write_text("".join(written), "utf-8")

    def _written(self, given: str, folder: Path) -> str:
        lines = self.answer(given, folder).replace(str(folder), "FOLDER").splitlines()
        return "".join(f"  {line}".rstrip() + "\n" for line in lines)


def evaluated(*names: Mapping[str, Any]) -> Callable[[str, Path], str]:
    """Answers of Python expressions with these names, the first before others, and ``folder``: the value, or
    what was raised."""

    def answer(given: str, folder: Path) -> str:
        try:
            value = eval(given, dict(ChainMap({"folder": folder}, *map(dict, names))))
        except (CrosscheckError, TypeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"
        return shown(value)

    return answer


def shown(value: Any) -> str:
    """A value for a reader: text as it is, fields of records that are not usual, all others as Python writes
    them."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return shown(value.tolist())
    if isinstance(value, Struct):
        usual = {field.name: field.default for field in structs.fields(value)}
        held = ((name, getattr(value, name)) for name in usual)
        return "\n".join(f"{name}: {_in_record(of)}" for name, of in held if of not in (usual[name], [], {}))
    if isinstance(value, list | tuple) and value and all(isinstance(one, str | Struct) for one in value):
        return "\n".join(shown(one).replace("\n", "\n  ") for one in value)
    return pformat(value, width=106, sort_dicts=False)


def _in_record(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "; ".join(value)
    return shown(value).replace("\n", "\n  ")
