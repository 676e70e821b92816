"""Cases of programs: each is tried, what is wrong is said, stopped programs go on, a table ends them."""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple


class Case(NamedTuple):
    """A trial returns a word that is counted in its group, and what is wrong ("" if nothing), as all is that
    it raises. Its name is unlike all others of the program."""

    group: str
    name: str
    trial: Callable[[], tuple[str, str]]


class Row(NamedTuple):
    """The outcome of a case; all of it can be JSON."""

    group: str
    name: str
    word: str
    wrong: str
    seconds: float


def options(module: str, doc: str | None) -> argparse.ArgumentParser:
    """A parser with what every program takes."""
    parser = argparse.ArgumentParser(prog=f"python -m {module.removesuffix('.__main__')}", description=doc)
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose group and name hold it")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="cases that are in it are not tried again")
    return parser


def tried(cases: Iterable[Case], given: argparse.Namespace) -> list[Row]:
    """Try the cases that are asked for; wrong ones and a table of words go to stdout, progress to stderr."""
    chosen = [case for case in cases if given.only in f"{case.group} {case.name}"]
    if not chosen:
        raise SystemExit(f"no case holds {given.only!r}")
    kept = {}
    if given.kept and given.kept.exists():
        kept = {row.name: row for row in map(Row._make, map(json.loads, given.kept.read_text().splitlines()))}
    rows = []
    for row in _rows(chosen, kept, given.jobs):
        rows.append(row)
        if given.kept and row.name not in kept:
            with given.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        if row.wrong:
            print(f"WRONG  {row.group}: {row.name}: {row.word}: {row.wrong}", flush=True)
        print(f"\r{len(rows)} of {len(chosen)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(_counted(rows))
    return rows


def of_seeds(
    group: str, trial: Callable[[int], tuple[str, str]], given: argparse.Namespace
) -> Iterator[Case]:
    """A case for each of ``given.each`` seeds, other ones for another ``given.seed``."""
    for seed in range(1_000_000 * given.seed, 1_000_000 * given.seed + given.each):
        yield Case(group, f"{group}: seed {seed}", partial(trial, seed))


def main(
    module: str, doc: str | None, cases: Callable[[argparse.Namespace], Iterable[Case]], each: int = 0
) -> int:
    """A program that fails if a case is wrong; ``each`` is how many cases of a kind it tries by default."""
    parser = options(module, doc)
    if each:
        parser.add_argument("--each", type=int, default=each, metavar="N", help="cases of each kind")
    given = parser.parse_args()
    return int(any(row.wrong for row in tried(cases(given), given)))


def _rows(cases: list[Case], kept: dict[str, Row], jobs: int) -> Iterator[Row]:
    if jobs == 1:
        yield from map(partial(_row, kept), cases)
        return
    # Not max_tasks_per_child: with it Python 3.11 may wait for ever (gh-115634).
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(_row, kept), cases)


def _row(kept: dict[str, Row], case: Case) -> Row:
    if case.name in kept:
        return kept[case.name]
    begin = time.perf_counter()
    try:
        word, wrong = case.trial()
    except Exception as error:  # one line, and the other cases go on
        word, wrong = "failed", f"{type(error).__name__}: {error}"
    return Row(case.group, case.name, word, wrong, round(time.perf_counter() - begin, 2))


def _counted(rows: list[Row]) -> str:
    """A line for each group: its cases by word, its seconds."""
    lines = []
    for group in dict.fromkeys(row.group for row in rows):
        own = [row for row in rows if row.group == group]
        words = Counter(row.word for row in own).most_common()
        lines.append({
            "group": group, "cases": len(own), "wrong": sum(bool(row.wrong) for row in own),
            "slowest, s": max(row.seconds for row in own),
            "words": ", ".join(f"{count} {word}" for word, count in words),
        })  # fmt: skip
    return table("", lines)


def table(title: str, rows: Iterable[dict[str, Any]]) -> str:
    """Rows as a Markdown table, aligned as text; the first column to the left."""
    rows = list(rows)
    heads = list(dict.fromkeys(key for row in rows for key in row))
    cells = [heads, *([written(row.get(head)) for head in heads] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(heads))]
    cells[1:1] = [["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]]
    lines = [
        " | ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True)))
        for line in cells
    ]
    return "\n".join([*([title, ""] if title else []), *(f"| {line} |" for line in lines), ""])


def written(value: object) -> str:
    """A cell of a table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return str(value)
