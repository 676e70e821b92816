"""Kept answers: a text file of calls, each with what came of it below; the program writes it, people read it.

A line that begins with ``#`` begins a block and says what it shows; a line that begins otherwise is a call;
what came of it is indented. A new call is written as a line alone, and :func:`write` fills in its answer.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from crosscheck.errors import CrosscheckError

#: A call -> what came of it.
Answer = Callable[[str], str]


def blocks(path: Path) -> list[str]:
    """The blocks of a file."""
    first, *others = path.read_text("utf-8").rstrip("\n").split("\n\n# ")
    return [first, *(f"# {other}" for other in others)]


def cases(*paths: Path) -> pytest.MarkDecorator:
    """The blocks of these files as cases of a test with the argument ``block``."""
    named = [(path.stem, block) for path in paths for block in blocks(path)]
    ids = [f"{name}: {block.partition(chr(10))[0][2:]}" for name, block in named]
    assert len(ids) == len(set(ids)), "two blocks have the same claim"
    return pytest.mark.parametrize("block", [block for _, block in named], ids=ids)


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


def write(paths: Iterable[Path], answers: Callable[[], AbstractContextManager[Answer]]) -> None:
    """Write the files anew; the calls of a block are answered one after the other."""
    for path in paths:
        made = []
        for block in blocks(path):
            with answers() as answer:
                made.append(answered(block, answer))
        path.write_text("\n\n".join(made) + "\n", "utf-8")
