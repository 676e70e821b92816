"""Changes the code in small ways and says which changes no test notices.

    python -m tests.programs.mutation [--room ROOM ...] [--count N] [--seed N] [--tests PATH ...] [--map FILE]

Works on a copy. First the tests run once under coverage (``--map`` keeps what reaches which line), then each
mutant meets the quickest tests that reach its line. Mutants are drawn by a seed, from each room by its size.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from math import ceil
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
#: What a copy needs beside the package and its tests.
_COPIED = (
    "crosscheck",
    "tests",
    "fixtures",
    "docs",
    "reports",
    "pyproject.toml",
    "README.md",
    "ARCHITECTURE.md",
)
#: A mutant meets so many tests at most, of different functions first.
_MOST_TESTS = 60

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}


class Mutant(NamedTuple):
    """One change: the file, the place in it, the text before and after, and whether it is in a function."""

    path: Path
    line: int
    start: int
    end: int
    before: str
    after: str
    in_function: bool

    @property
    def room(self) -> str:
        parts = self.path.relative_to(ROOT / "crosscheck").parts
        return parts[0] if len(parts) > 1 else "(top level)"

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.before} -> {self.after}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Every change of a file."""
    data = path.read_bytes()
    tree = ast.parse(data)
    begins = [0]
    for line in data.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    for node, other, inside in _changes(tree):
        start = begins[node.lineno - 1] + node.col_offset
        end = begins[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before, after = data[start:end].decode(), ast.unparse(other)
        if before != after:
            text = f"({after})" if isinstance(other, ast.expr) else after
            yield Mutant(path, node.lineno, start, end, before, text, inside)


def _changes(tree: ast.AST) -> Iterator[tuple[Any, ast.AST, bool]]:
    """Nodes, each with one that is put in its place, and whether in a function; annotations stay."""
    waiting = [(tree, False)]
    left = {"annotation", "returns", "decorator_list", "type_params", "bases"}
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        for name, value in ast.iter_fields(node):
            if name not in left and not (name == "keywords" and isinstance(node, ast.ClassDef)):
                body = isinstance(node, ast.FunctionDef | ast.Lambda) and name == "body"
                values = value if isinstance(value, list) else [value]
                waiting += [(v, inside or body) for v in values if isinstance(v, ast.AST)]
        yield from ((node, other, inside) for other in _others(node))


def _others(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left, [op], comparators):
            yield ast.Compare(left, [_COMPARED[type(op)]()], comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield values[0]
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, op, right) if (
            type(op) in _COMPUTED and not _is_text(left) and not _is_text(right)
        ):
            yield ast.BinOp(left, _COMPUTED[type(op)](), right)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
            if value > 1:
                yield ast.Constant(value * 100)
        case ast.Call(ast.Name(name), arguments, keywords) if name in _CALLED and len(arguments) > 0:
            kept = [] if name == "sorted" else keywords
            yield ast.Call(ast.Name(_CALLED[name]), arguments, kept)
        case ast.IfExp(_, body, orelse):
            yield body
            yield orelse
        case ast.Expr(ast.Call()) | ast.Raise() | ast.AugAssign():
            yield ast.Pass()
        case ast.Return(value) if value is not None and not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def drawn(rooms: list[str], count: int, seed: int) -> list[Mutant]:
    """Mutants of some rooms, or of all, from each by its size; none of a line twice."""
    by_room: dict[str, list[Mutant]] = {}
    for path in sorted((ROOT / "crosscheck").rglob("*.py")):
        for mutant in mutants(path):
            by_room.setdefault(mutant.room, []).append(mutant)
    if unknown := [room for room in rooms if room not in by_room]:
        raise SystemExit(f"no room {', '.join(unknown)}; there are {', '.join(sorted(by_room))}")
    chosen = {room: found for room, found in sorted(by_room.items()) if not rooms or room in rooms}
    total = sum(map(len, chosen.values()))
    drawn: list[Mutant] = []
    for room, found in chosen.items():
        rng = random.Random(f"{seed} {room}")
        rng.shuffle(found)
        lines = {(mutant.path, mutant.line): mutant for mutant in reversed(found)}
        kept = [mutant for mutant in found if lines[mutant.path, mutant.line] is mutant]
        drawn += kept[: ceil(count * len(found) / total)]
    random.Random(seed).shuffle(drawn)
    return drawn[:count]


# The tests, once under coverage: this module is pytest's plugin there.

_coverage: Any = None
_seconds: dict[str, float] = {}


def pytest_configure() -> None:
    global _coverage
    if folder := os.environ.get("CROSSCHECK_MUTATION_MAP"):
        _coverage = import_module("coverage").Coverage(f"{folder}/coverage", include=["*/crosscheck/*"])
        _coverage.start()


def pytest_runtest_logstart(nodeid: str) -> None:
    if _coverage is not None:
        _coverage.switch_context(nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    if report.passed and report.when == "call":
        _seconds[report.nodeid] = report.duration


def pytest_unconfigure() -> None:
    if _coverage is not None:
        _coverage.stop()
        data, reached = _coverage.get_data(), {}
        for path in data.measured_files():
            name = path.rpartition("/crosscheck/")[2]
            reached[name] = {line: tests for line, tests in data.contexts_by_lineno(path).items() if tests}
        Path(os.environ["CROSSCHECK_MUTATION_MAP"], "map.json").write_text(json.dumps([reached, _seconds]))


class Map:
    """What reaches each line, and how long it takes."""

    def __init__(self, path: Path) -> None:
        self.reached, self.seconds = json.loads(path.read_text())

    def tests(self, mutant: Mutant) -> list[str]:
        """The quickest tests that reach a line, of different functions first.

        What runs when a module is imported is reached by every test that reaches the module.
        """
        lines = self.reached.get(str(mutant.path.relative_to(ROOT / "crosscheck")), {})
        of_line = lines.get(str(mutant.line), [])
        reaching = of_line if mutant.in_function else {test for tests in lines.values() for test in tests}
        tests = [test for test in reaching if test in self.seconds]
        tests.sort(key=lambda test: (self.seconds[test], test))
        of_function: Counter[str] = Counter()
        ranked = []
        for test in tests:
            of_function[test.partition("[")[0]] += 1
            ranked.append((of_function[test.partition("[")[0]], self.seconds[test], test))
        return [test for _, _, test in sorted(ranked)[:_MOST_TESTS]]


def _copy(folder: Path) -> Path:
    for name in _COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def _pytest(folder: Path, arguments: list[str], seconds: float | None = None, **settings: str) -> int | None:
    """The exit code; None after the time. All processes of the tests end with it."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **settings}
    running = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        return running.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, 9)
        running.wait()
        return None


def verdict(mutant: Mutant, known: Map, folder: Path) -> str:
    """``killed``, ``survived``, ``timeout``, or ``unreached`` by any test."""
    tests = known.tests(mutant)
    if not tests:
        return "unreached"
    path = folder / mutant.path.relative_to(ROOT)
    data = mutant.path.read_bytes()
    path.write_bytes(data[: mutant.start] + mutant.after.encode() + data[mutant.end :])
    try:
        code = _pytest(folder, ["-x", *tests], 30 + 5 * sum(known.seconds[test] for test in tests))
    finally:
        path.write_bytes(data)
    return {None: "timeout", 0: "survived"}.get(code, "killed")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.mutation", description=__doc__)
    parser.add_argument(
        "--room", nargs="*", default=[], help="all by default; '(top level)' for single files"
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--tests", nargs="*", help="tests/ROOM of the rooms and tests/test_*.py by default, or all"
    )
    parser.add_argument("--map", type=Path, help="a file to keep what reaches which line, or to read it from")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    chosen = drawn(given.room, given.count, given.seed)
    tests = (
        given.tests
        or [f"tests/{room}" for room in given.room if (ROOT / "tests" / room).is_dir()]
        or ["tests"]
    )
    with tempfile.TemporaryDirectory(prefix="crosscheck-mutation-") as scratch:
        folders: SimpleQueue[Path] = SimpleQueue()
        for number in range(given.jobs):
            folders.put(_copy(Path(scratch, str(number))))
        kept = given.map or Path(scratch, "map.json")
        if not kept.exists():
            begin, folder = time.perf_counter(), folders.get()
            _pytest(folder, ["-p", "tests.programs.mutation", *tests], CROSSCHECK_MUTATION_MAP=scratch)
            folders.put(folder)
            if given.map:
                shutil.move(Path(scratch, "map.json"), kept)
            print(f"tests under coverage: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
        known, counted = Map(kept), Counter[str]()

        def tried(mutant: Mutant) -> str:
            folder = folders.get()
            try:
                return verdict(mutant, known, folder)
            finally:
                folders.put(folder)

        with ThreadPoolExecutor(given.jobs) as pool:
            for mutant, word in zip(chosen, pool.map(tried, chosen), strict=True):
                counted[word] += 1
                if word != "killed":
                    print(f"{word}: {mutant.room}: {mutant}", flush=True)
                print(f"\r{counted.total()} of {len(chosen)}", end="", file=sys.stderr, flush=True)
    print(f"\n{dict(counted)} of {len(chosen)} mutants, seed {given.seed}")
    return int(counted["survived"] + counted["unreached"] > 0.05 * len(chosen))


if __name__ == "__main__":
    sys.exit(main())
