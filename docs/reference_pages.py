"""The pages of the reference, made from the registries: ``python docs/reference_pages.py FOLDER``.

What stands in them is what the commands say: the help of each command, ``crosscheck explain`` of each measure
and label, the words of each axis, and the conventions of each known tool.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout, suppress
from pathlib import Path

import crosscheck
from crosscheck.axes import axes
from crosscheck.axes.base import Axis, Value
from crosscheck.cli import main
from crosscheck.cli.commands import _COMMANDS as COMMANDS
from crosscheck.conventions import profiles
from crosscheck.explain.labels import causes
from crosscheck.measures import families
from crosscheck.report.words import settings

#: Modules of the public interface beside the package itself.
MODULES = (
    *("testing", "vectors", "frames", "benchmark_metrics"),
    *("notebooks.s1", "notebooks.s2", "notebooks.s3", "ir_measures_provider"),
)


def write(folder: Path) -> None:
    """Write all pages, and remove those of an earlier build."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in pages().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


def pages() -> dict[str, str]:
    """Path in the folder of the reference -> Markdown."""
    made = {"commands.md": commands(), "python.md": python(), "profiles.md": tools()}
    made |= {f"measures/{name}.md": measure(name) for name in families()}
    made["measures/index.md"] = index("Measures", {name: f.summary for name, f in families().items()})
    made |= {f"axes/{name}.md": axis(known) for name, known in axes().items()}
    made["axes/index.md"] = index("Axes", {name: known.summary for name, known in axes().items()})
    made |= {f"labels/{name}.md": label(name) for name in causes()}
    made["labels/index.md"] = index("Labels", {name: cause.summary for name, cause in causes().items()})
    return made


def printed(*arguments: str) -> str:
    """What a command prints."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    os.environ["COLUMNS"] = "100"
    with redirect_stdout(out), suppress(SystemExit):
        main([*arguments])
    out.flush()
    return out.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined]


def block(text: str, kind: str = "text") -> str:
    return f"```{kind}\n{text.strip(chr(10))}\n```\n"


def plain(text: str) -> str:
    """A text that Markdown leaves as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>|^$#~" else c for c in text)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [[*heads], [], *map(list, rows)]
    lines[1] = ["---"] * len(lines[0])
    return "".join(f"| {' | '.join(cell.replace(chr(10), ' ') for cell in line)} |\n" for line in lines)


def index(title: str, summaries: Mapping[str, str]) -> str:
    """A table of all pages of a folder."""
    rows = ([f"[{plain(name)}](<{name}.md>)", plain(text)] for name, text in summaries.items())
    hidden = "\n".join([":hidden:", "", *summaries])
    return f"# {title}\n\n{table(('name', 'what it is'), rows)}\n{block(hidden, '{toctree}')}"


def commands() -> str:
    listed = [f"## {plain(name)}\n\n{block(printed(name, '--help'))}" for name in COMMANDS]
    return "\n".join(["# Commands\n", *listed])


def _kind(name: str) -> int:
    """Functions first, then classes, errors, and tables."""
    value = getattr(crosscheck, name)
    if isinstance(value, type):
        return 2 if issubclass(value, Exception) else 1
    return 0 if callable(value) else 3


def member(name: str) -> str:
    """The directive for a name of the package; a table has no docstring of its own."""
    value = getattr(crosscheck, name)
    if not callable(value):
        return f".. py:data:: crosscheck.{name}\n\n   As in pytrec_eval.\n"
    return f".. auto{'class' if isinstance(value, type) else 'function'}:: crosscheck.{name}\n"


def python() -> str:
    """The functions of the package, and the modules beside it, from their docstrings."""
    names = sorted((name for name in crosscheck.__all__ if name != "__version__"), key=_kind)
    made = [member(name) for name in names]
    modules = [
        f"## crosscheck.{plain(name)}\n\n"
        + block(f".. automodule:: crosscheck.{name}\n   :members:", "{eval-rst}")
        for name in MODULES
    ]
    return "\n".join(["# Python\n", "## crosscheck\n", block("\n".join(made), "{eval-rst}"), *modules])


def measure(name: str) -> str:
    """``crosscheck explain NAME``, and the axes that can change its values."""
    links = [
        f"[{plain(axis.name)}](<../axes/{axis.name}.md>)"
        for axis in axes().values()
        if axis.read_by(families()[name])
    ]
    text = f"# {plain(name)}\n\n{block(printed('explain', name))}\n"
    return text + (f"Axes that can change its values: {', '.join(links)}.\n" if links else "")


def axis(known: Axis[object]) -> str:
    """The values of an axis with their words, and the measures that read it."""
    rows = [
        [f"`{value}`", plain(known.phrase(value) or "")] for value in known.values if isinstance(value, Value)
    ]
    rows += [[f"`{text}`", plain(known.clause.format(words))] for text, words in known.words.items()]
    default = "none" if known.default is None else str(known.default)
    readers = [
        f"[{plain(name)}](<../measures/{name}.md>)" for name, f in families().items() if known.read_by(f)
    ]
    numbers = known.numbers
    least = "" if numbers is None or numbers.least is None else f" from {numbers.least} on"
    same = f"The label [{plain(known.label)}](<../labels/{known.label}.md>)"
    parts = [
        f"# {plain(known.name)}",
        plain(f"{known.summary[0].upper()}{known.summary[1:]}."),
        f"`{known.name}={default}` is trec\\_eval's value. {same} explains it, with an example.",
        *([f"It takes whole numbers{least}, written as `n` below."] if numbers else []),
        *([table(("value", "a tool with it"), rows)] if rows else []),
        f"Stage: {known.stage.name.lower()}. Measures that it can change: {', '.join(readers) or 'none'}.",
    ]
    return "\n\n".join(parts) + "\n"


def label(name: str) -> str:
    """``crosscheck explain LABEL``."""
    return f"# {plain(name)}\n\n{block(printed('explain', name))}"


def tools() -> str:
    """All known tools with their conventions, and how these are known."""
    default = next(iter(profiles().values())).conventions
    rows = []
    for profile in profiles().values():
        known = "observed by running it" if profile.evidence == "run" else "read in its source"
        changes = settings(profile.conventions.changes_from(default)) or "trec_eval's own"
        source = f"{known}: {plain(profile.source)}"
        rows.append([f"`{profile.name}`", plain(profile.description), source, plain(changes)])
    heads = ("profile", "what it is", "known how", "conventions that differ from trec\\_eval's")
    return f"# Profiles of tools\n\n{_BOARD}\n\n{table(heads, rows)}"


_BOARD = """\
Conventions of known tools, as `native:NAME` and `conventions="NAME"` take them.
`python -m tests.programs.board` installs the tools and observes them; a few were read only."""


if __name__ == "__main__":
    write(Path(sys.argv[1]))
