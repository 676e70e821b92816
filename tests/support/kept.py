"""Examples with their whole results; ``python -m tests.support.kept tests.ROOM.test_MODULE`` writes these.

``tests/ROOM/outputs/MODULE.txt`` holds Python after ``>>>``, in the names that ``tests/ROOM/test_MODULE.py``
gives it and in those that it imports and assigns. The indented lines below are the value as text, or the
error; what is not printable is <U+0000>. After ``KEPT = Kept(__file__, ...)``, ``test_claim = KEPT.test()``
is a test whose cases are the examples, or a single case if some give names to others.

Sessions are blocks of calls that follow one another. A line that begins with ``#`` begins a block and says
what it shows, others that are not indented are calls. A room's ``test_outputs.py`` writes its sessions.
"""

import math
import re
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, chdir
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pprint import pformat
from tempfile import TemporaryDirectory
from textwrap import indent
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from msgspec import Struct, structs

import crosscheck
from crosscheck.errors import CrosscheckError

REMEDY = "is it right? then run `python -m tests.support.kept` with the name of this module, and commit it"
_EXAMPLE = re.compile(r"^>>> (.*(?:\n\.\.\..*)*)\n((?:    .*\n)*)", re.MULTILINE)
#: Behind these words another library speaks, in each version with other words.
_FOREIGN = re.compile(
    r"(data is corrupt|invalid (?:JSON|TOML|CSV|table)|(?:file|JSON) cannot be read|not a file name)"
    r": (?!the text is not)[^\n]+"
)
_STATEMENT = re.compile(r"\w+ = |from |import ")


class Absent(Exception):
    """What an example needs is not installed: its results stay as they are."""


def need(packages: str) -> None:
    """Leave an example as it is where one of these packages is not installed."""
    if not all(map(find_spec, packages.split())):
        raise Absent


class Kept:
    """The examples of a test module.

    Args:
        module: its file.
        errors: errors that are results, beside ours.
        within: names that examples use, as they are when an example is tried.
        show: how a value is written.
        part: of the name, where a module has several files.
        names: more names.
    """

    def __init__(
        self,
        module: str,
        *errors: type[Exception],
        within: Sequence[Mapping[str, Any]] = (),
        show: Callable[[Any], str] = str,
        part: str = "",
        **names: Any,
    ) -> None:
        path = Path(module)
        self.path = path.parent / "outputs" / f"{path.stem.removeprefix('test_')}{part}.txt"
        self._errors: tuple[type[Exception], ...] = (CrosscheckError, *errors)
        self._show, self._within, self._names = show, within, names

    def read(self) -> str:
        """The file as it is."""
        return self.path.read_text("utf-8")

    def anew(self) -> str:
        """The file with all results as they are now; assignments and imports hold for what follows them."""
        names = self._all_names()
        return _EXAMPLE.sub(lambda found: f">>> {found[1]}\n{self._result(found, names)}", self.read())

    def each(self, usual: Sequence[str] = ()) -> pytest.MarkDecorator:
        """The examples as cases of a test with the argument ``given``; ``usual`` is as for :meth:`test`."""
        found = [*_EXAMPLE.finditer(self.read())]
        assert len({one[1] for one in found}) == len(found), f"an example stands twice in {self.path}"
        held = [next(one for one in found if word in one[1]) for word in usual] or found
        assert len(held) == len({id(one) for one in held}), f"two words are of one example in {self.path}"
        marks = [[] if one in held else [pytest.mark.whole] for one in found]
        cases = (pytest.param(one, id=one[1], marks=of) for one, of in zip(found, marks, strict=True))
        return pytest.mark.parametrize("given", [*cases])

    def holds(self, given: re.Match[str]) -> None:
        """Fails unless the result of one example is the one that is kept."""
        assert self._result(given, self._all_names()) == given[2], REMEDY

    def test(self, one_in: int = 1, usual: Sequence[str] = ()) -> Callable[..., None]:
        """A test whose cases are the examples. Examples that give names to those after them are one case.

        Args:
            one_in: where examples are slow, usual runs hold one in so many.
            usual: or they hold those in which these words stand, one of each, which were chosen so that
                together they reach most of the code that no other test reaches.
        """
        if any(_STATEMENT.match(example[1]) for example in _EXAMPLE.finditer(self.read())):

            def together() -> None:
                assert self.anew() == self.read(), REMEDY

            return together

        @pytest.mark.one_in(one_in)
        @self.each(usual)
        def alone(given: re.Match[str]) -> None:
            self.holds(given)

        return alone

    def _all_names(self) -> dict[str, Any]:
        return dict(ChainMap(self._names, *map(dict, self._within)))

    def _result(self, found: re.Match[str], names: dict[str, Any]) -> str:
        """The lines below an example, which is evaluated in an empty folder."""
        try:
            said = self._said(re.sub(r"\n\.\.\. ?", "\n", found[1]), names).rstrip("\n")
        except Absent:
            return found[2]
        text = "".join(c if c.isprintable() or c == "\n" else f"<U+{ord(c):04X}>" for c in said)
        return indent(re.sub("(?m) +$", "", text), "    ", bool) + "\n" * bool(text)

    def _said(self, source: str, names: dict[str, Any]) -> str:
        with TemporaryDirectory() as folder, chdir(folder):
            names["folder"] = Path(folder)
            if _STATEMENT.match(source):
                exec(source, names)
                return ""
            try:
                return self._show(eval(source, names)).replace(folder, "FOLDER")
            except self._errors as error:
                said = f"{type(error).__name__}: {error}".replace(folder, "FOLDER")
                return _FOREIGN.sub(r"\1: <words of a library>", said)


def frame(library: str, columns: Mapping[str, Any]) -> Any:
    """A data frame of a library; the table of pyarrow."""
    if not find_spec(library):
        raise Absent
    module = import_module(library)
    return (getattr(module, "DataFrame", None) or module.table)(columns)


def examples(
    names: dict[str, Any], show: Callable[[Any], str] | None = None, *within: ModuleType
) -> Callable[..., None]:
    """The test that the examples of a module hold: each by itself, or all in turn where some give names to
    those after them.

    Args:
        names: the ``globals()`` of the module, which examples may use; within: modules whose names they use.
    """
    usual = {"crosscheck": crosscheck, "each": each, "math": math, "np": np}
    held = (names, *map(vars, within), usual)
    kept = Kept(names["__file__"], TypeError, ValueError, within=held, show=show or shown)
    test = kept.test()
    vars(test)["kept"] = kept
    return test


def each(read: Callable[[Any], object], *given: object) -> str:
    """What each of these is read as, in lines."""
    return "\n".join(f"{repr(one)[:60]}: {read(one)!r}" for one in given)


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


#: A call -> what came of it.
Answer = Callable[[str], str]


def blocks(path: Path) -> list[str]:
    """The blocks of a file."""
    first, *others = path.read_text("utf-8").rstrip("\n").split("\n\n# ")
    return [first, *(f"# {other}" for other in others)]


def cases(*paths: Path, slow: Sequence[str] = ()) -> pytest.MarkDecorator:
    """The blocks of these files as cases of a test with the argument ``block``; those in whose first line one
    of the words of ``slow`` stands are left to whole runs."""
    named = [(path.stem, block) for path in paths for block in blocks(path)]
    ids = [f"{name}: {block.partition(chr(10))[0][2:]}" for name, block in named]
    assert len(ids) == len(set(ids)), "two blocks have the same claim"
    marks = [[pytest.mark.whole] * any(word in id for word in slow) for id in ids]
    assert sum(map(bool, marks)) == len(slow), "a word is of one block"
    every = zip(named, ids, marks, strict=True)
    return pytest.mark.parametrize("block", [pytest.param(b, id=id, marks=of) for (_, b), id, of in every])


def answered(block: str, answer: Answer) -> str:
    """A block with the answers of today."""
    made: list[str] = []
    for line in block.split("\n"):
        if line and not line.startswith("    "):
            made.append(line)
            said = "" if line.startswith("#") else answer(line).rstrip("\n")
            made += [f"    {one}" for one in said.split("\n") if said]
    return "\n".join(made)


def expressions(names: dict[str, Any], show: Callable[[Any], str] = repr) -> Answer:
    """Calls in Python: of an expression its value is kept, or the error; a statement gives names to the calls
    after it."""

    def said(call: str) -> str:
        try:
            code = compile(call, "call", "eval")
        except SyntaxError:
            exec(call, names)
            return ""
        try:
            found = eval(code, names)
        except CrosscheckError as error:
            return f"{type(error).__name__}: {error}"
        return found if isinstance(found, str) else show(found)

    return said


def holds(block: str, answers: Callable[[], AbstractContextManager[Answer]]) -> None:
    """Fails unless the answers in a block are those of today."""
    with answers() as answer:
        assert answered(block, answer) == block, "is it right? then run this module, and commit it"


def write(paths: Iterable[Path], answers: Callable[[], AbstractContextManager[Answer]]) -> None:
    """Write the files anew, of which the command line may name some; the calls of a block are answered one
    after the other."""
    for path in (one for one in paths if one.stem in sys.argv or not sys.argv[1:]):
        made = []
        for block in blocks(path):
            with answers() as answer:
                made.append(answered(block, answer))
        path.write_text("\n\n".join(made) + "\n", "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for one in [*vars(import_module(name)).values()]:
            kept = getattr(one, "kept", one)
            if type(kept).__name__ == Kept.__name__:  # here it is another class than in the module
                kept.path.write_text(kept.anew(), "utf-8")
