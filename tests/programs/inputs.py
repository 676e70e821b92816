"""``python -m tests.programs.inputs``: edited inputs of every reader; each is read, or refused clearly.

Files of ``fixtures/``, of every form that is read, and saved documents lose, repeat and change bytes and
words, among them numbers of 5,000 digits, tables that are nested a thousand deep, half surrogates and digits
of other alphabets. What can be read is then used, or changed and read again. ``tests/formats/test_inputs.py``
tries a few of each.
"""

import argparse
import contextlib
import gzip
import json
import random
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

from crosscheck import evaluate, why
from crosscheck.conventions import conventions
from crosscheck.errors import CrosscheckError, InputError, InputWarning, UsageError
from crosscheck.formats.cases import read_config
from crosscheck.formats.expectations import accept, remove
from crosscheck.formats.recorded import read_recorded, write_recorded
from crosscheck.formats.topics import read_topics
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.harness.settings import read_project
from crosscheck.model import Expectation
from crosscheck.names import conventions_for, parse_measures
from crosscheck.report import RenderOptions, render
from crosscheck.report.json_report import load
from tests.cli.command import FIXTURES
from tests.programs.frame import Case, main, of_seeds
from tests.programs.fuzz import WORDS, damaged, example
from tests.report.snapshots import DOCUMENTS, document
from tests.support.kept import Kept

_OF_A_SEED = 100
_DEEP = 1000
_ODD = (
    *(b"9" * 5000, b"-" + b"9" * 5000, b"0." + b"3" * 5000, b"1e999", b"-0", b"nan", b"inf", b"1_0"),
    *(b"[" * _DEEP, b"{" * _DEEP, b'{"a":' * _DEEP, b"a." * _DEEP, b"[" * _DEEP + b"]" * _DEEP, b"(" * _DEEP),
    *(b'"\\ud800"', b"\xed\xa0\x80", b"\0", b"\xff", b"\x1b[31m", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\r"),
    *("².٣".encode(), "１２".encode(), b'"""', b"'''", b"null", b"true", b"[]", b"{}", b"[1]", b'""'),
    *(b"1979-05-27", b"0", b"-1", b"18446744073709551616", b"1e308", b"all", b"=", b"@", b",", b"x" * 300),
    *(b"0x1p3", b"", b'"x"', b"#"),
)  # fmt: skip
_WORDS = re.compile(rb"[^\s,=:\[\]{}\"'@()]+|[\[\]{}]")


@cache
def _files(pattern: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(FIXTURES.glob(pattern)) if path.stat().st_size < 4000]


def _edited(rng: random.Random, text: bytes) -> bytes:
    """The text with one to three words changed, or damaged as any file is."""
    if rng.random() < 0.3:
        return damaged(rng, text)
    for _ in range(rng.choice([1, 1, 2, 3])):
        words = list(_WORDS.finditer(text))
        if not words:
            break
        one, other = rng.choice(words), rng.choice(words)
        odd = rng.choice(_ODD)
        new = rng.choice([odd, odd, other[0], one[0] + b" " + other[0], one[0][:-1]])
        text = text[: one.start()] + new + text[one.end() :]
    return text


def _written(rng: random.Random, folder: Path, name: str, text: bytes) -> str:
    path = folder / name
    text = _edited(rng, text)
    path.write_bytes(gzip.compress(text)[: rng.choice([None, None, 40])] if rng.random() < 0.03 else text)
    return str(path)


def _case(rng: random.Random, folder: Path) -> None:
    path = _written(rng, folder, "case.toml", rng.choice(_files("*/case.toml")))
    case = read_config(path, ["run.txt"], ["recorded.tool.json"])
    parse_measures(case.measures)
    more = Expectation(candidate="x", measure="AP", causes=("gain",), reason="known")
    accept(path, [*case.expectations[:1], more], str, lambda *_: None)
    remove(path, [more], str, lambda *_: None)
    assert len(read_config(path, ["run.txt"], ["recorded.tool.json"]).expectations) == len(case.expectations)


def _topics(rng: random.Random, folder: Path) -> None:
    ending, text = rng.choice(list(WORDS["topics"].items()))
    read_topics(_written(rng, folder, f"topics.{ending}", text.encode()))


def _texts(listed: str, use: Callable[[str], object]) -> Callable[[random.Random, Path], None]:
    """Uses an edited text of a list."""

    def tried(rng: random.Random, folder: Path) -> None:
        use(_edited(rng, rng.choice(WORDS[listed]).encode()).decode("utf-8", "surrogateescape"))

    return tried


_SMALL = {"1": {"a": 1, "b": 2}}, {"1": {"a": 1.0, "c": 0.5}}


def _conventions(text: str) -> None:
    conventions(text)
    conventions_for(text, *parse_measures(["nDCG@10"]))
    evaluate(*_SMALL, ["nDCG@10"], conventions=text)


def _recorded(rng: random.Random, folder: Path) -> None:
    texts = _files("*/recorded.*.json") + _files("*/recorded.*.txt")
    read = read_recorded(_written(rng, folder, "recorded.tool", rng.choice(texts)))
    again = folder / "recorded.json"
    with contextlib.suppress(UsageError):
        write_recorded(str(again), read.values, read.means)
        assert read_recorded(str(again)).values.keys() == read.values.keys()


def _inputs(rng: random.Random, folder: Path) -> None:
    """Judgements and a run, as text, JSON or columns."""
    one = example(rng)
    columns, subtopics = WORDS["columns"].encode(), WORDS["subtopics"].encode()
    others = [*_files("*/qrels"), subtopics, columns.replace(b"score", b"rel")]
    qrels = rng.choice([one.qrels, one.qrels, *others])
    run = rng.choice([one.run, one.run, *_files("*/run.txt"), *_files("*/run*.json"), columns])
    paths = _written(rng, folder, "qrels", qrels), _written(rng, folder, "run", run)
    strict, comments = rng.random() < 0.5, rng.random() < 0.5
    for needs in ("levels", "subtopics", "preferences"):
        with contextlib.suppress(InputError):
            read_qrels(paths[0], strict=strict, comments=comments, needs=needs)
    with contextlib.suppress(InputError):
        read_run(paths[1], strict=strict, comments=comments)
    evaluate(*paths, ["AP", "nDCG@10", "alpha_nDCG@5"])


def _settings(rng: random.Random, folder: Path) -> None:
    _written(rng, folder, "pyproject.toml", WORDS["settings"].encode())
    with contextlib.chdir(folder):
        read_project(lambda said: None, quiet=False)


def _forms(rng: random.Random, folder: Path) -> None:
    read, content = rng.choice(_contents())
    read(_written(rng, folder, "file", content if isinstance(content, bytes) else content.encode()))


@cache
def _contents() -> list[tuple[Callable[[str], object], str | bytes]]:
    """What the examples of forms read, each with its reader."""
    from tests.formats import test_forms

    found: list[tuple[Callable[[str], object], str | bytes]] = []
    noting = {
        name: lambda content, form="", read=read: found.append((read, content))
        for name, read in (("run", read_run), ("qrels", read_qrels))
    }
    others = dict.fromkeys(("noun", "evaluated", "piped"), lambda *_: "")
    Kept(test_forms.__file__, within=(noting, others), arrow=test_forms.arrow).anew()
    return found


_KINDS = [name for name in DOCUMENTS if name not in ("many", "fixtures")]
_ODD_VALUES: list[object] = [None, True, 0, 1, -1, 0.5, 1e308, 10**30]
_ODD_VALUES += ["", "x", "NaN", "-Infinity", "\0", "\u202e", "1"]
_ODD_VALUES += ["P@10", [], {}, [1], {"a": 1}, [[]], [None]]
Place = tuple[str | int, ...]


@cache
def _content(name: str) -> tuple[Any, list[Place]]:
    """Its content and all paths in it."""
    content = json.loads(render(document(name), "json"))
    return content, [path for path in _paths(content) if path]


def _paths(value: Any, path: Place = ()) -> Iterator[Place]:
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _paths(part, (*path, key))


def _at(value: Any, path: Place) -> Any:
    for key in path:
        value = value[key]
    return value


def _edit(content: Any, paths: list[Place], rng: random.Random) -> None:
    """Change a document in one place, unless it is gone after an earlier change."""
    path, other = rng.choice(paths), rng.choice(paths)
    alike = rng.choice([one for one in paths if type(one[-1]) is type(path[-1])])
    with contextlib.suppress(KeyError, IndexError, TypeError):
        holder, key = _at(content, path[:-1]), path[-1]
        old = holder[key]
        match rng.randrange(6):
            case 0:
                del holder[key]
            case 1:
                holder[key] = rng.choice(_ODD_VALUES)
            case 2:
                holder[key] = deepcopy(_at(content, rng.choice([other, alike])))
            case 3 if isinstance(holder, list):
                holder.insert(rng.randrange(len(holder) + 1), deepcopy(old))
            case 4 if isinstance(old, list):
                rng.shuffle(old)
            case _ if isinstance(old, int | float):
                holder[key] = rng.choice([0, -old, old + 1, 1000 * old, 1e308])
            case _ if isinstance(old, str):
                holder[key] = rng.choice([old + "x", old[:-1], old.upper()])


def _edited_document(rng: random.Random) -> Any:
    """The content of one of the documents after one to three edits."""
    held, paths = _content(rng.choice(_KINDS))
    content = deepcopy(held)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        _edit(content, paths, rng)
    return content


def _documents(rng: random.Random, folder: Path) -> None:
    """A saved document with some parts changed, as a person or a script would edit it."""
    edited = load(json.dumps(_edited_document(rng)))
    for form in ("text", "markdown", "html"):
        render(edited, form, RenderOptions(verbose=rng.random() < 0.5, width=rng.choice([40, 80])))


READERS: dict[str, Callable[[random.Random, Path], None]] = {
    "case.toml": _case,
    "topics": _topics,
    "measure names": _texts(
        "measures", lambda text: [evaluate(*_SMALL, [str(m)]) for m in parse_measures([text])]
    ),
    "conventions": _texts("conventions", _conventions),
    "numbers of why": _texts("numbers", lambda text: why(*_SMALL, text).to_text()),
    "saved values": _recorded,
    "qrels and runs": _inputs,
    "pyproject.toml": _settings,
    "files of every form": _forms,
    "documents": _documents,
}


def tried(reader: str, seed: int, of_a_seed: int = _OF_A_SEED) -> tuple[str, str]:
    """How edited inputs ended, and the first that was neither read nor refused."""
    words = Counter[str]()
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy's would stand on stderr
        warnings.simplefilter("ignore", InputWarning)
        for number in range(of_a_seed):
            try:
                READERS[reader](random.Random(f"{seed} {number}"), Path(name))
                words["read"] += 1
            except CrosscheckError as error:
                words["refused"] += 1
                str(error).encode()  # it can be printed
            except BaseException as error:
                where = extract_tb(error.__traceback__)[-1]
                said = f"{type(error).__name__}: {str(error)[:200]} at {where.filename}:{where.lineno}"
                return "broken", f"example {number}: {said}"
    return " and ".join(sorted(words)), ""


def _cases(given: argparse.Namespace) -> Iterator[Case]:
    for reader in READERS:
        yield from of_seeds(f"{reader}, {_OF_A_SEED} each", partial(tried, reader), given)


if __name__ == "__main__":
    sys.exit(main("tests.programs.inputs", __doc__, _cases, each=60))
