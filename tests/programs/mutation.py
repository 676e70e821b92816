"""Changes the code in small ways and says which changes no test notices.

    python -m tests.programs.mutation [--room ROOM ...] [--count N] [--seed N] [--tests PATH ...] [--map FILE]

Works on copies. First the tests run once under coverage (``--map`` keeps what reaches which line), then each
mutant meets the quickest tests that reach its line, in a fork of a process that has imported other packages
already. Mutants are drawn by a seed, from each room by its size. Survivors are printed with what is promised
where they are: that is what a user would lose. Fails if more than one in twenty survive.
"""

import ast
import compileall
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from itertools import chain
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from tests.programs.frame import Case, options, tried

ROOT = Path(__file__).resolve().parents[2]
#: What no copy needs.
_LEFT = shutil.ignore_patterns("__pycache__", ".git", ".*cache", ".hypothesis", "*.egg-info", ".venv", "site")
#: A mutant meets so many tests at most, of so many seconds; the first few of them before all others.
_MOST_TESTS, _MOST_SECONDS, _FEW = 400, 120.0, 8
#: A test of commands or processes reaches fewer lines of the package in its own process.
_LITTLE = 40
#: Seconds without any work after which tests sleep for ever.
_MOST_SLEEP = 180
#: Bytes that a mutant's tests may take.
_MOST_MEMORY = 8 << 30
_PLAIN = ("-p", "no:cacheprovider")
#: pytest would rewrite its plugins' asserts, and warns of those that are imported already.
_FORKED = (*_PLAIN, "-q", "-n0", "-W", "ignore::pytest.PytestAssertRewriteWarning")
#: What most tests import from elsewhere, without threads of its own.
_WARM = (
    *("numpy", "pandas", "scipy.stats", "hypothesis", "jsonschema", "click", "rich.console", "msgspec"),
    *("tomlkit", "markupsafe", "pytrec_eval", "ir_measures", "xdist", "yaml"),
)

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
#: Functions in which a change would end processes that are none of ours.
_DEADLY = ("_end_orphans",)
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
        return room_of(self.path)

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.before} -> {self.after}"


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT / "crosscheck").parts
    return parts[0] if len(parts) > 1 else "(top level)"


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
        if isinstance(node, ast.FunctionDef) and node.name in _DEADLY:
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip(): it would raise, and does not
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
        case ast.BinOp(left, op, right) if type(op) in _COMPUTED and not any(map(_is_text, (left, right))):
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
        case ast.Return(value) if value is not None and ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _is_text(node: ast.AST) -> bool:
    constant = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return constant or isinstance(node, ast.JoinedStr)


def drawn(rooms: list[str], count: int, seed: int) -> list[Mutant]:
    """Mutants of some rooms, or of all, from each by its size; none of a line twice."""
    files = sorted((ROOT / "crosscheck").rglob("*.py"))
    if unknown := {*rooms} - (known := {*map(room_of, files)}):
        raise SystemExit(f"no room {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    chosen: dict[str, list[Mutant]] = {}
    for path in files:
        if not rooms or room_of(path) in rooms:
            chosen.setdefault(room_of(path), []).extend(mutants(path))
    total, drawn = sum(map(len, chosen.values())), list[Mutant]()
    for room, found in chosen.items():
        random.Random(f"{seed} {room}").shuffle(found)
        of_lines = {(mutant.path, mutant.line): mutant for mutant in found}
        drawn += [*of_lines.values()][: ceil(count * len(found) / total)]
    random.Random(seed).shuffle(drawn)
    return drawn[:count]


# The tests, once under coverage: this module is pytest's plugin there.

_coverage: Any = None
_seconds: dict[str, float] = {}


def pytest_configure(config: Any) -> None:
    global _coverage
    if "CROSSCHECK_MUTATION_MAP" in os.environ and not getattr(config.option, "numprocesses", None):
        _coverage = import_module("coverage").Coverage(None, include=["*/crosscheck/*"])
        _coverage.start()


def pytest_runtest_logstart(nodeid: str) -> None:
    if _coverage is not None:
        _coverage.switch_context(nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    if report.passed and report.when == "call":
        _seconds[report.nodeid] = report.duration


def pytest_sessionfinish() -> None:
    if _coverage is not None:  # later, a worker that still writes would be killed
        _coverage.stop()
        data, reached = _coverage.get_data(), {}
        for path in data.measured_files():
            name = path.rpartition("/crosscheck/")[2]
            reached[name] = {line: tests for line, tests in data.contexts_by_lineno(path).items() if tests}
        part = Path(os.environ["CROSSCHECK_MUTATION_MAP"], f"part.{os.getpid()}.json")
        part.write_text(json.dumps([reached, _seconds]))


class Map:
    """What reaches each line, and how long it takes."""

    def __init__(self, path: Path) -> None:
        self.reached, self.seconds = json.loads(path.read_text())
        lines = (of.values() for of in self.reached.values())
        self._size = Counter(test for tests in chain(*lines) for test in tests)

    def tests(self, mutant: Mutant) -> list[str]:
        """Tests that reach a line: those first that are about its file, as most lines that they reach are in
        it, and of different functions; then the quickest.

        What runs when a module is imported is reached by every test that reaches the module, and what few
        tests reach, as what is cached after the first call, by those of its file as well. Last come the tests
        of the room that reach next to nothing in this process: they work in others.
        """
        lines = self.reached.get(str(mutant.path.relative_to(ROOT / "crosscheck")), {})
        of_line = lines.get(str(mutant.line), [])
        reaching = of_line if mutant.in_function else {test for tests in lines.values() for test in tests}
        own = f"test_{mutant.path.stem}.py"
        folders = (f"tests/{mutant.room}/", f"tests/test_{mutant.room}.py", f"tests/{own}")
        sure = {test for test in reaching if test in self.seconds}
        tests = sure | {test for test in self.seconds if len(sure) < _FEW and f"/{own}" in test}
        tests = tests or {test for test in self.seconds if test.startswith(folders)}
        of_file = Counter(test for tests in lines.values() for test in tests)
        of_function, ranked = Counter[str](), []
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            function = test.partition("[")[0]
            of_function[function] += 1
            about = of_file[test] / (self._size[test] or 1)
            ranked.append((test not in sure, of_function[function], -about, self.seconds[test], test))
        chosen, left = list[str](), _MOST_SECONDS
        for *_, seconds, test in sorted(ranked)[:_MOST_TESTS]:
            if seconds <= left or not chosen:
                chosen.append(test)
                left -= seconds
        others = [test for test in self.seconds if test.startswith(folders) and self._size[test] < _LITTLE]
        return [*dict.fromkeys((*chosen, *others))]


_map = cache(Map)


def measured(folder: Path, jobs: int, tests: list[str]) -> list[dict[str, Any]]:
    """The content of a map: all tests once under coverage."""
    with tempfile.TemporaryDirectory() as parts:
        spread = ["-n", str(jobs), "--dist", "worksteal"] if jobs > 1 else ["-n0"]
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *_PLAIN, *spread, "-p", "tests.programs.mutation", *tests],
            cwd=folder, env={**_environment(folder), "CROSSCHECK_MUTATION_MAP": parts},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        reached: dict[str, dict[str, list[str]]] = {}
        seconds: dict[str, float] = {}
        for part in Path(parts).glob("part.*.json"):
            lines_of, of_part = json.loads(part.read_text())
            seconds |= of_part
            for name, lines in lines_of.items():
                for line, reaching in lines.items():
                    reached.setdefault(name, {}).setdefault(line, []).extend(reaching)
    if not seconds:
        raise SystemExit(f"no test of {', '.join(tests)} passes")
    return [reached, seconds]


@cache
def copied(scratch: Path) -> Path:
    """This process's copy of the checkout, with the bytecode of its modules, so that only the changed one is
    compiled."""
    folder = scratch / str(os.getpid())
    shutil.copytree(ROOT, folder, ignore=_LEFT)
    compileall.compile_dir(folder / "crosscheck", quiet=2)
    return folder


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder), "OPENBLAS_NUM_THREADS": "1"}


def forked(folder: Path, tests: list[str], seconds: float) -> tuple[int | None, list[str]]:
    """The exit code of pytest, None after so many seconds of a processor, and the tests that failed. Each
    call is a fork of a process that has imported what tests import from elsewhere."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    forks, record = get_context("forkserver"), folder / "failed"
    forks.set_forkserver_preload(list(_WARM))
    record.write_text("")
    process = forks.Process(target=_in_a_fork, args=(folder, record, tests, seconds))
    process.start()
    # On a busy machine only processor time tells an endless loop. What sleeps for ever uses none.
    used, slept, left = "", 0, 6 * seconds
    while process.is_alive() and left > 0 and slept < _MOST_SLEEP:
        process.join(10)
        before, used, left = used, _processor_time(process.pid), left - 10
        slept = slept + 10 if used == before else 0
    code = process.exitcode
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.join()
    return None if code == -signal.SIGXCPU else code, record.read_text().splitlines()


def _processor_time(pid: int | None) -> str:
    """The time that a process has used, in the words of the system; empty if it has ended."""
    with contextlib.suppress(OSError):
        return " ".join(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15])
    return ""


def _in_a_fork(folder: Path, record: Path, tests: list[str], seconds: float) -> NoReturn:
    os.setsid()
    os.chdir(folder)
    sys.path[:] = [str(folder), *(path for path in sys.path if Path(path).resolve() != ROOT)]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "crosscheck")]:
        del sys.modules[name]  # of the checkout: the copy has its own
    sys.dont_write_bytecode = True
    os.environ.update(_environment(folder), PYTHONDONTWRITEBYTECODE="1")
    for number in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), ceil(seconds) + 5))
    import pytest

    class Failed:
        """A plugin that writes down what failed."""

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                with record.open("a") as file:
                    file.write(report.nodeid + "\n")

        pytest_collectreport = pytest_runtest_logreport

    os._exit(int(pytest.main([*_FORKED, *tests], plugins=[Failed()])))


@cache
def _passes(folder: Path, test: str, seconds: float) -> bool:
    """Whether a test passes without a mutant."""
    return forked(folder, [test], seconds)[0] == 0


def trial(mutant: Mutant, map_file: Path, scratch: Path) -> tuple[str, str]:
    """``killed``, ``survived``, ``timeout``, or ``unreached`` by any test; and what is lost with a survivor.

    A fork that cannot run any test would kill all mutants: the quickest must pass without one, and so must a
    test that kills, else the mutant is tried again without that test.
    """
    known, folder = _map(map_file), copied(scratch)
    quickest = min(known.seconds, key=lambda test: known.seconds[test])
    if not _passes(folder, quickest, 60):
        raise RuntimeError(f"{quickest} fails without a mutant")
    tests = known.tests(mutant)
    word, by = _met(mutant, tests, known, folder)
    while by and not _passes(folder, by, 60 + 5 * known.seconds.get(by, 60)):
        tests = [test for test in tests if test != by]
        word, by = _met(mutant, tests, known, folder)
    return word, promise(mutant) if word in ("survived", "unreached") else ""


def _met(mutant: Mutant, tests: list[str], known: Map, folder: Path) -> tuple[str, str]:
    """What comes of a mutant, and the test that kills it: the first few tests come before all others, so that
    most mutants need no more."""
    path, data = folder / mutant.path.relative_to(ROOT), mutant.path.read_bytes()
    before = path.stat()
    path.write_bytes(data[: mutant.start] + mutant.after.encode() + data[mutant.end :])
    try:
        for some in filter(None, (tests[:_FEW], tests[_FEW:])):
            code, failed = forked(folder, ["-x", *some], 20 + 5 * sum(known.seconds[test] for test in some))
            if code:
                return "killed", failed[0] if failed else ""
            if code is None:
                return "timeout", ""
    finally:
        path.write_bytes(data)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return "survived" if tests else "unreached", ""


def promise(mutant: Mutant) -> str:
    """The functions and classes around a mutant, and the first line that documents one: what a user loses."""
    tree = ast.parse(mutant.path.read_bytes())
    named = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef))
    around = [node for node in named if node.lineno <= mutant.line <= (node.end_lineno or 0)]
    documented = [ast.get_docstring(node) for node in (*reversed(around), tree)]
    text = next((text for text in documented if text), "").partition("\n")[0]
    return f"{'.'.join(node.name for node in around) or 'module'}: {text}"


def main() -> int:
    parser = options("tests.programs.mutation", __doc__)
    parser.add_argument("--room", nargs="*", default=[], help="all by default; '(top level)' for files")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--tests", nargs="*", help="tests/ROOM of the rooms by default, or all")
    parser.add_argument("--map", type=Path, help="a file to keep what reaches which line, or to read it from")
    given = parser.parse_args()
    rooms = [f"tests/{room}" for room in given.room if (ROOT / "tests" / room).is_dir()]
    tests = given.tests or rooms or ["tests"]
    with tempfile.TemporaryDirectory(prefix="crosscheck-mutation-") as scratch:
        kept = given.map or Path(scratch, "map.json")
        if not kept.exists():
            kept.write_text(json.dumps(measured(copied(Path(scratch)), given.jobs, tests)))
        chosen = drawn(given.room, given.count, given.seed)
        rows = tried([Case(m.room, str(m), partial(trial, m, kept, Path(scratch))) for m in chosen], given)
    return int(sum(bool(row.wrong) for row in rows) > 0.05 * len(rows))


if __name__ == "__main__":
    sys.exit(main())
