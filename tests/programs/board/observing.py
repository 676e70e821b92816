"""The cells of a tool: audits in its environment, values on real runs, and whether the source agrees."""

import json
import math
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from crosscheck.auditing.calls import parse_call
from crosscheck.axes import axes
from crosscheck.conventions import conventions
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.explain.doubts import on_synthetic, same_everywhere
from crosscheck.explain.labels import NOT_REPEATABLE
from crosscheck.names import parse_measure
from tests.programs.board import Expected, Package
from tests.programs.board.asking import BUDGET, TIMEOUT
from tests.programs.board.environments import Installed, installed
from tests.programs.board.record import Cell, Corpus, Shown
from tests.support.cases import CORPUS, ROOT


def arguments(target: str, expected: Expected) -> list[str]:
    """The command that audits a function, after ``crosscheck``."""
    call = ["--call", expected.call] if expected.call else []
    return ["audit", target, "-m", expected.measure, *call, f"--timeout={TIMEOUT}", f"--budget={BUDGET}"]


def audited(one: Expected, tool: Installed, folder: Path) -> Cell:
    """The cell from its own command, run in ``folder``, which is away from the cases of this checkout."""
    target, answer = one.backend or f"{one.package.file}:{one.function}", folder / "answer.json"
    command = ["-m", "crosscheck", *arguments(target, one), "--quiet", "--report", f"json={answer}"]
    done = tool.run(command, folder)
    if not answer.exists():
        raise RuntimeError(f"the audit of {one.id} left no answer: {done.stderr[-500:]}")
    return _cell(one, json.loads(answer.read_text("utf-8"))["audit"], None)


def observe(package: Package, environments: Path, folder: Path, *, fresh: bool = False) -> tuple[str, str]:
    """Install a tool, audit the functions that have no answer yet, all with ``fresh``, and try them on real
    runs: a word, and what contradicts the source."""
    try:
        tool = installed(package, environments)
    except RuntimeError:
        return "not installed", ""
    asked = [one for one in package.expected.values() if fresh or _missing(one, folder)]
    if asked:
        command = ["-m", "tests.programs.board.asking", str(folder), *(one.id for one in asked)]
        done = tool.run(command, folder, str(ROOT))
        if done.returncode:
            raise RuntimeError(done.stderr[-500:])
    cells = [(one, kept(one, folder)) for one in package.expected.values()]
    wrong = [told_of(one, folder) for one, cell in cells if cell and cell.source == "wrong"]
    return "wrong" if wrong else "right", "; ".join(wrong)


def _missing(one: Expected, folder: Path) -> bool:
    """Whether something is left to ask: values on real runs too, where these are at hand."""
    had = _answer(one, folder)
    return not had or (not had["corpus"] and had["audit"]["verdict"] != "uncallable" and CORPUS.is_dir())


def _answer(one: Expected, folder: Path) -> dict[str, Any]:
    """What an earlier run found with the same code; nothing otherwise."""
    file = one.answer(folder)
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found if found.get("of") == one.key else {}


def told_of(one: Expected, folder: Path) -> str:
    """A line on a cell that is kept, beside what its source says."""
    cell = kept(one, folder)
    if cell is None:
        return f"{one.id}: no cell"
    said = ", ".join([*(f"{axis}={value}" for axis, value in cell.conventions.items()), *cell.causes])
    source = f"{one.conventions} {sorted(one.labels)}"
    return f"{cell.id} {cell.measure}: {cell.verdict} {said}: {cell.source} ({source}); {cell.corpus}"


def kept(one: Expected, folder: Path) -> Cell | None:
    """The cell from what an earlier run found with the same code."""
    had = _answer(one, folder)
    return _cell(one, had["audit"], had["corpus"], had["date"]) if had else None


def _cell(one: Expected, audit: Any, corpus: Any, date: str | None = None) -> Cell:
    as_told = ("measure", "verdict", "call", "causes", "conventions", "strength", "message")
    # A backend gets what crosscheck has read, which refuses a document that occurs twice.
    unseen = {"duplicates"} if one.backend else set()
    decided = {found["axis"] for found in audit["fingerprint"] if found["status"] == "decided"}
    open_ties = "tie-breaking" in audit["causes"] and "ties" not in audit["conventions"]
    examples = audit["counterexamples"]
    return Cell(
        id=one.id,
        tool=one.package.name,
        function=one.function,
        release=one.package.requirement,
        command=shlex.join(["crosscheck", *arguments(one.target, one)]),
        date=date or datetime.now(UTC).date().isoformat(),
        alternatives=[other["conventions"] for other in audit["alternatives"]],
        observed=sorted(decided - unseen),
        arbitrary=NOT_REPEATABLE.label in audit["causes"] or open_ties,
        source=answer_of(audit, one).partition(" ")[0],
        profile=one.profile,
        shown=[_shown(of) for of in examples if sum(map(len, of["run"].values())) <= _MOST_LINES],
        corpus=msgspec.convert(corpus, Corpus | None),
        **{name: audit[name] for name in as_told if audit.get(name) is not None},
    )


#: Most lines of an example; the command of the cell prints larger ones.
_MOST_LINES = 500


def _shown(found: dict[str, Any]) -> Shown:
    """An example; scores are text if JSON has no such number."""
    run = {
        query: {docno: score if math.isfinite(score) else str(score) for docno, score in lines.items()}
        for query, lines in found["run"].items()
    }
    same = {name: found[name] for name in ("cause", "measure", "qrels", "query", "explanation")}
    return Shown(run=run, reference=found["reference_value"], candidate=found["candidate_value"], **same)


def answer_of(audit: dict[str, Any], expected: Expected) -> str:
    """``right``, ``wrong`` or ``unexplained``, with what the source says unless it is right.

    Two sets of conventions that give the same values everywhere are spellings of one. What the source does
    and no axis holds is counted as unexplained, even where the audit says so, unless the audit has the label
    that the words of the source begin with.
    """
    causes, told = set(audit["causes"]), expected.conventions
    unexplained = "unexplained" in causes or audit["verdict"] == "uncallable"
    if isinstance(told, str):
        right, source = any(label in told for label in causes), told
    else:
        of_axes = {axes()[axis].label for axis in audit["conventions"]}
        found = [audit["conventions"], *(other["conventions"] for other in audit["alternatives"])]
        by_query = not audit["call"] or parse_call(audit["call"]).by_query
        right = not unexplained and causes - of_axes == expected.labels
        right = right and any(same_values(expected.measure, told, one, by_query=by_query) for one in found)
        source = ", ".join([f"{k}={v}" for k, v in told.items()] + sorted(expected.labels)) or "as trec_eval"
    return "right" if right else f"{'unexplained' if unexplained else 'wrong'} (the source: {source})"


def same_values(name: str, one: dict[str, Any], other: dict[str, Any], *, by_query: bool = True) -> bool:
    """Whether two sets of changes give a measure the same values, or else the same means as well."""
    if one == other:
        return True
    measure = parse_measure(name)
    base = with_measure_parameters(conventions("trec_eval-9.0.8"), measure)
    both = [base.with_changes(**each) for each in (one, other)]
    if not by_query:
        return same_everywhere(on_synthetic(measure, both[0]), both[0], both[1])
    left, right = (on_synthetic(measure, each).evaluated(each) for each in both)
    return bool(
        np.array_equal(left.present, right.present)
        and np.allclose(left.values[left.present], right.values[right.present], atol=1e-9, equal_nan=True)
    )
