"""The cells of a tool: its functions are audited in its environment, and tried on real runs."""

import ast
import hashlib
import json
import math
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from crosscheck.explain.labels import NOT_REPEATABLE
from tests.programs.board import Expected, Package
from tests.programs.board.answers import answer_of
from tests.programs.board.asking import BUDGET, TIMEOUT, Job, Known
from tests.programs.board.environments import Installed, installed
from tests.programs.board.record import Cell, Corpus, Shown
from tests.support.cases import CORPUS, ROOT


def arguments(target: str, expected: Expected) -> list[str]:
    """The command that audits a function, after ``crosscheck``."""
    call = ["--call", expected.call] if expected.call else []
    return ["audit", target, "-m", expected.measure, *call, f"--timeout={TIMEOUT}", f"--budget={BUDGET}"]


def audited(package: Package, function: str, tool: Installed, folder: Path) -> Cell:
    """The cell from its own command, run in ``folder``, which is away from the cases of this checkout."""
    expected, answer = package.expected[function], folder / "answer.json"
    target = expected.target or f"{package.file}:{function}"
    command = ["-m", "crosscheck", *arguments(target, expected), "--quiet", "--report", f"json={answer}"]
    done = tool.run(command, folder)
    if not answer.exists():
        raise RuntimeError(f"the audit of {package.id(function)} left no answer: {done.stderr[-500:]}")
    return _cell(package, function, json.loads(answer.read_text("utf-8"))["audit"], None)


def observe(package: Package, environments: Path, folder: Path, *, fresh: bool = False) -> tuple[str, str]:
    """Install a tool, audit the functions that have no answer yet, all with ``fresh``, and try them on real
    runs: a word, and what contradicts the source."""
    try:
        tool = installed(package, environments)
    except RuntimeError:
        return "not installed", ""
    jobs = [job for name in package.expected if (job := _job(package, name, folder, fresh)) is not None]
    if jobs:
        command = ["-m", "tests.programs.board.asking", str(package.file), msgspec.json.encode(jobs).decode()]
        done = tool.run(command, folder, str(ROOT))
        if done.returncode:
            raise RuntimeError(done.stderr[-500:])
    for job in jobs:
        if job.known is not None:
            _join(Path(job.answer))
    cells = {name: kept(package, name, folder) for name in package.expected}
    wrong = [name for name, cell in cells.items() if cell and cell.source == "wrong"]
    return "wrong" if wrong else "right", "; ".join(told_of(package, name, folder) for name in wrong)


def _file(package: Package, function: str, folder: Path) -> Path:
    return folder / f"{package.id(function)}.answer.json"


def _answer(package: Package, function: str, folder: Path) -> dict[str, Any] | None:
    """What an earlier run found with the same code."""
    file = _file(package, function, folder)
    found = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found if found.get("of") == _key(package, function) else None


def _job(package: Package, function: str, folder: Path, fresh: bool) -> Job | None:
    """What is still to be asked about a function."""
    expected, had = package.expected[function], _answer(package, function, folder)
    known, file = None, _file(package, function, folder)
    if had is not None and not fresh:
        if had["corpus"] is not None or had["audit"]["verdict"] == "uncallable" or not CORPUS.is_dir():
            return None
        known, file = msgspec.convert(had["audit"], Known), file.with_suffix(".corpus")
    asked = {
        "function": function,
        "measure": expected.measure,
        "call": expected.call,
        "target": expected.target,
    }
    return Job(**asked, answer=str(file), key=_key(package, function), known=known)


def _join(corpus: Path) -> None:
    """Add what was found on real runs to the answer that lacked it."""
    answer = corpus.with_suffix(".json")
    had, more = (json.loads(file.read_text("utf-8")) for file in (answer, corpus))
    answer.write_text(json.dumps(had | {"corpus": more["corpus"]}), "utf-8")


def told_of(package: Package, function: str, folder: Path) -> str:
    """A line on a cell that is kept, beside what its source says."""
    cell = kept(package, function, folder)
    if cell is None:
        return f"{package.id(function)}: no cell"
    expected = package.expected[function]
    said = ", ".join([*(f"{axis}={value}" for axis, value in cell.conventions.items()), *cell.causes])
    source = f"{expected.conventions} {sorted(expected.labels)}"
    return f"{cell.id} {cell.measure}: {cell.verdict} {said}: {cell.source} ({source}); {cell.corpus}"


def kept(package: Package, function: str, folder: Path) -> Cell | None:
    """The cell from what an earlier run found with the same code."""
    had = _answer(package, function, folder)
    return had and _cell(package, function, had["audit"], had["corpus"], had.get("date"))


def _key(package: Package, function: str) -> str:
    """What a cell depends on: the code of its file, what is installed, the measure and the call."""
    tree = ast.parse(package.text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body[0] = ast.Pass()
    expected = package.expected[function]
    about = [ast.dump(tree), *package.alone, *package.dependencies, expected.measure, expected.call]
    return hashlib.sha256("\n".join(about).encode()).hexdigest()


def _cell(package: Package, function: str, audit: Any, corpus: Any, date: str | None = None) -> Cell:
    expected = package.expected[function]
    return Cell(
        id=package.id(function),
        tool=package.name,
        function=function,
        release=package.requirement,
        measure=audit["measure"],
        verdict=audit["verdict"],
        command=shlex.join(["crosscheck", *arguments(package.target(function), expected)]),
        date=date or datetime.now(UTC).date().isoformat(),
        call=audit["call"],
        causes=audit["causes"],
        conventions=audit["conventions"],
        strength=audit.get("strength"),
        alternatives=[other["conventions"] for other in audit["alternatives"]],
        # A backend gets what crosscheck has read, which refuses a document that occurs twice.
        observed=sorted(
            f["axis"]
            for f in audit["fingerprint"]
            if f["status"] == "decided" and not (expected.target and f["axis"] == "duplicates")
        ),
        # No rule says the order of ties, or the same call gives other values.
        arbitrary=NOT_REPEATABLE.label in audit["causes"]
        or ("tie-breaking" in audit["causes"] and "ties" not in audit["conventions"]),
        source=answer_of(audit, expected).partition(" ")[0],
        profile=expected.profile,
        message=audit.get("message") or "",
        shown=[_shown(one) for one in audit["counterexamples"] if _is_small(one["run"])],
        corpus=msgspec.convert(corpus, Corpus | None),
    )


#: Most lines of an example; the command of the cell prints larger ones.
_MOST_LINES = 500


def _is_small(run: dict[str, Any]) -> bool:
    return sum(map(len, run.values())) <= _MOST_LINES


def _shown(found: dict[str, Any]) -> Shown:
    return Shown(
        **{name: found[name] for name in ("cause", "measure", "qrels", "query", "explanation")},
        run={query: dict(map(_written, lines.items())) for query, lines in found["run"].items()},
        reference=found["reference_value"],
        candidate=found["candidate_value"],
    )


def _written(line: tuple[str, float]) -> tuple[str, float | str]:
    """A document and its score, as text if JSON has no such number."""
    docno, score = line
    return docno, score if math.isfinite(score) else str(score)
