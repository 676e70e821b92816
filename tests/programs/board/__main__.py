"""Audit the metrics of real packages and compare each answer with what the source says.

    python -m tests.programs.board [--environments DIR] [--saved] [PACKAGE[.FUNCTION] ...]

Makes an environment per package (once), audits every function of its adapter from there, without
``--call``, and prints a table in Markdown. ``--saved`` shows the last audits again. Fails if an answer
contradicts the source, or if more than one in ten is unexplained.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from tests.programs.board import Expected, Package, packages
from tests.programs.board.answers import answer_of
from tests.programs.board.environments import python_of


class Row(NamedTuple):
    """One function: what was found, and whether the source says so."""

    package: str
    function: str
    measure: str
    call: str
    verdict: str
    conventions: str
    answer: str


def main(arguments: list[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.board")
    cache = os.environ.get("XDG_CACHE_HOME") or tempfile.gettempdir()
    parser.add_argument("--environments", type=Path, default=Path(cache) / "crosscheck-board")
    parser.add_argument("--saved", action="store_true")
    parser.add_argument("packages", nargs="*")
    asked = parser.parse_args(arguments)
    known = {package.name: package for package in packages()}
    chosen = [name.partition(".") for name in asked.packages or known]
    if unknown := [name for name, _, _ in chosen if name not in known]:
        parser.error(f"no package {', '.join(unknown)}; there are {', '.join(known)}")
    rows: list[Row] = []
    for name, _, function in chosen:
        package = known[name]
        print(package.requirement, file=sys.stderr, flush=True)
        try:
            rows += _rows(package, function, asked.environments.resolve(), saved=asked.saved)
        except RuntimeError as error:
            rows.append(
                Row(package.requirement, "", "", "", "not installed", str(error)[:200], "unexplained")
            )
    print(_table(rows))
    counts = {
        word: sum(row.answer.startswith(word) for row in rows) for word in ("right", "wrong", "unexplained")
    }
    print("\n" + ", ".join(f"{number} {word}" for word, number in counts.items()))
    return int(counts["wrong"] > 0 or 10 * counts["unexplained"] > len(rows))


def _rows(package: Package, only: str, environments: Path, *, saved: bool) -> list[Row]:
    """Those of one function, or of all."""
    found = []
    python = None if saved else python_of(package, environments)
    for function, expected in package.expected.items():
        if only not in ("", function):
            continue
        kept = environments / "answers" / f"{package.name}.{function}.json"
        if python is not None:
            _audit(python, package, function, expected, kept)
        if kept.exists():
            audit = json.loads(kept.read_text("utf-8"))["audit"]
            row = _row(package, function, expected, audit)
            print(f"  {row.function}: {row.answer}", file=sys.stderr, flush=True)
            found.append(row)
    return found


def _audit(python: Path, package: Package, function: str, expected: Expected, kept: Path) -> None:
    """Away from the cases of this checkout, which belong to other tools."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.unlink(missing_ok=True)
    target = f"{package.file}:{function}"
    command = [
        "-m",
        "crosscheck",
        "audit",
        target,
        "-m",
        expected.measure,
        "--quiet",
        "--timeout=120",
        "--report",
        f"json={kept}",
    ]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(python), *command], cwd=kept.parent, env=environ, capture_output=True, text=True, check=False
    )
    if not kept.exists():
        raise RuntimeError(f"the audit of {function} left no answer: {done.stderr[-500:]}")


def _row(package: Package, function: str, expected: Expected, audit: dict[str, Any]) -> Row:
    said = ", ".join(f"{axis}={value}" for axis, value in audit["conventions"].items())
    beside = [
        cause for cause in audit["causes"] if cause in ("refuses-input", "unexplained", "cross-query-leak")
    ]
    return Row(
        package.requirement,
        function,
        expected.measure,
        audit["call"],
        audit["verdict"],
        "; ".join(filter(None, [said, *beside])) or "as trec_eval",
        answer_of(audit, expected),
    )


def _table(rows: list[Row]) -> str:
    lines = [Row(*Row._fields), Row(*["---"] * len(Row._fields)), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |"
        for line in lines
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
