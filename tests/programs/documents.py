"""Edited documents: every kind loses, repeats, swaps or changes some of its parts."""

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache
from typing import Any

from crosscheck.report import render
from tests.report.snapshots import DOCUMENTS, document

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


def edit(content: Any, paths: list[Path], rng: random.Random) -> None:
    """Change a document in one place, unless it is gone after an earlier change."""
    path, other = rng.choice(paths), rng.choice(paths)
    alike = rng.choice([one for one in paths if type(one[-1]) is type(path[-1])])
    with suppress(KeyError, IndexError, TypeError):
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


def edited_document(rng: random.Random) -> Any:
    """The content of one of the documents after one to three edits."""
    held, paths = _document(rng.choice(_NAMES))
    content = deepcopy(held)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        edit(content, paths, rng)
    return content
