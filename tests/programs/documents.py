"""``python -m tests.programs.documents``: edited documents; each is shown, or refused with its path.

Every kind of document loses, repeats, swaps or changes some of its parts, as a person or a script would edit
them, and is then rendered as text, Markdown and HTML.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

from crosscheck.errors import InputError
from crosscheck.report import RenderOptions, render
from crosscheck.report.json_report import load
from tests.programs.frame import Case, main, of_seeds
from tests.report.snapshots import DOCUMENTS, document

_OF_A_SEED = 100
_NAMES = [name for name in DOCUMENTS if name not in ("many", "fixtures")]
_ODD = [None, True, 0, 1, -1, 0.5, 1e308, 10**30, "", "x", "NaN", "-Infinity", "\0", "\u202e", "1", "P@10"]
_ODD += [[], {}, [1], {"a": 1}, [[]], [None]]

Path = tuple[str | int, ...]


@cache
def _document(name: str) -> tuple[Any, list[Path]]:
    """Its content and all paths in it."""
    content = json.loads(render(document(name), "json"))
    return content, [path for path in _paths(content) if path]


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _paths(part, (*path, key))


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def edit(content: Any, paths: list[Path], rng: random.Random) -> str:
    """Change a document in one place and say how; the place may be gone after an earlier change."""
    path, other = rng.choice(paths), rng.choice(paths)
    alike = rng.choice([one for one in paths if type(one[-1]) is type(path[-1])])
    try:
        holder, key = _at(content, path[:-1]), path[-1]
        old = holder[key]
        match rng.randrange(6):
            case 0:
                del holder[key]
            case 1:
                holder[key] = rng.choice(_ODD)
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
    except (KeyError, IndexError, TypeError):
        return ""
    return ".".join(map(str, path))


def tried(seed: int, of_a_seed: int = _OF_A_SEED) -> tuple[str, str]:
    """How edited documents ended, and the first that was neither shown nor refused."""
    rng, words = random.Random(seed), Counter[str]()
    for _ in range(of_a_seed):
        name = rng.choice(_NAMES)
        held, paths = _document(name)
        content = deepcopy(held)
        edits = [edit(content, paths, rng) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        try:
            document = load(json.dumps(content))
            for form in ("text", "markdown", "html"):
                render(document, form, RenderOptions(verbose=rng.random() < 0.5, width=rng.choice([40, 80])))
            words["shown"] += 1
        except InputError:
            words["refused"] += 1
        except Exception as error:
            return "broken", f"{type(error).__name__}: {error}: {name}, {', '.join(edits)}"
    return " and ".join(sorted(words)), ""


def _cases(given: argparse.Namespace) -> Iterator[Case]:
    return of_seeds(f"{_OF_A_SEED} documents each", tried, given)


if __name__ == "__main__":
    sys.exit(main("tests.programs.documents", __doc__, _cases, each=500))
