"""Examples with their whole results; ``python -m tests.support.kept tests.ROOM.test_MODULE`` writes these.

``tests/ROOM/outputs/MODULE.txt`` holds Python after ``>>>``, in the names that ``tests/ROOM/test_MODULE.py``
gives it. The indented lines below are the value as text, or the error; what is not printable is <U+0000>.
"""

import re
import sys
from collections.abc import Callable
from contextlib import chdir
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import Any

from crosscheck.errors import CrosscheckError

REMEDY = "run `python -m tests.support.kept` with the name of this module, read what changed, and commit it"
_EXAMPLE = re.compile(r"^>>> (.*(?:\n\.\.\..*)*)\n(?:    .*\n)*", re.MULTILINE)
#: Behind these words another library speaks, in each version with other words.
_FOREIGN = re.compile(
    r"(data is corrupt|invalid (?:JSON|TOML|CSV|table)|(?:file|JSON) cannot be read|not a file name)"
    r": (?!the text is not)[^\n]+"
)
_ASSIGNMENT = re.compile(r"\w+ = ")


class Absent(Exception):
    """What an example needs is not installed: its results stay as they are."""


class Kept:
    """The examples of a test module, which gives its file, other errors than ours, and the names in use."""

    def __init__(self, module: str, *errors: type[Exception], **names: Any) -> None:
        path = Path(module)
        self.path = path.parent / "outputs" / f"{path.stem.removeprefix('test_')}.txt"
        self._errors, self._names = (CrosscheckError, *errors), names

    def read(self) -> str:
        """The file as it is."""
        return self.path.read_text("utf-8")

    def anew(self) -> str:
        """The file with all results as they are now; each example is evaluated in an empty folder."""
        names = dict(self._names)

        def example(found: re.Match[str]) -> str:
            try:
                said = self._said(re.sub(r"\n\.\.\. ?", "\n", found[1]), names)
            except Absent:
                return found[0]
            shown = "".join(
                c if c.isprintable() or c == "\n" else f"<U+{ord(c):04X}>" for c in said.rstrip("\n")
            )
            return f">>> {found[1]}\n" + indent(shown, "    ", bool) + "\n" * bool(shown)

        return _EXAMPLE.sub(example, self.read())

    def _said(self, source: str, names: dict[str, Any]) -> str:
        with TemporaryDirectory() as folder, chdir(folder):
            if _ASSIGNMENT.match(source):
                exec(source, names)
                return ""
            try:
                return str(eval(source, names))
            except self._errors as error:
                return _FOREIGN.sub(r"\1: <words of a library>", f"{type(error).__name__}: {error}")


def each(read: Callable[[Any], object], *given: object) -> str:
    """What each of these is read as, in lines."""
    return "\n".join(f"{repr(one)[:60]}: {read(one)!r}" for one in given)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        kept: Kept = import_module(name).EXAMPLES
        kept.path.write_text(kept.anew(), "utf-8")
