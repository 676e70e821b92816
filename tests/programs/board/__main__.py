"""Audit the metrics of real packages and compare each answer with what the source says.

    python -m tests.programs.board [--environments DIR] [--only PACKAGE.FUNCTION]

Makes an environment per package (once), audits every function of its adapter from there, without
``--call``, and prints a line for each. Fails if an answer contradicts the source, or if more than one in ten
is unexplained.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.programs.board import Package, packages
from tests.programs.board.answers import answer_of
from tests.programs.board.environments import python_of
from tests.programs.frame import Case, options, tried

#: Causes that no axis has.
_BESIDE = ("refuses-input", "unexplained", "cross-query-leak")


def _audited(package: Package, function: str, environments: Path) -> tuple[str, str]:
    """Audit away from the cases of this checkout, which belong to other tools."""
    try:
        python = python_of(package, environments)
    except RuntimeError as error:
        print(f"{package.requirement} is not installed: {str(error)[:200]}", flush=True)
        return "unexplained", ""
    kept, expected = environments / "answers" / f"{package.name}.{function}.json", package.expected[function]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.unlink(missing_ok=True)
    command = [
        *(str(python), "-m", "crosscheck", "audit", f"{package.file}:{function}", "-m", expected.measure),
        *("--quiet", "--timeout=120", "--report", f"json={kept}"),
    ]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=kept.parent, env=environ, capture_output=True, text=True, check=False)
    if not kept.exists():
        raise RuntimeError(f"the audit left no answer: {done.stderr[-500:]}")
    audit = json.loads(kept.read_text("utf-8"))["audit"]
    answer = answer_of(audit, expected)
    said = [f"{axis}={value}" for axis, value in audit["conventions"].items()]
    said += [cause for cause in audit["causes"] if cause in _BESIDE]
    told = f"{audit['call']} {audit['verdict']}, {' '.join(said) or 'as trec_eval'}: {answer}"
    print(f"{package.requirement} {function} {expected.measure} {told}", flush=True)
    word = answer.partition(" ")[0]
    return word, told if word == "wrong" else ""


def main() -> int:
    parser = options("tests.programs.board", __doc__)
    cache = os.environ.get("XDG_CACHE_HOME") or tempfile.gettempdir()
    parser.add_argument("--environments", type=Path, default=Path(cache) / "crosscheck-board")
    given = parser.parse_args()
    cases = [
        Case(package.requirement, f"{package.name}.{function}", partial(_audited, package, function, folder))
        for folder in [given.environments.resolve()]
        for package in packages()
        for function in package.expected
    ]
    rows = tried(cases, given)
    unexplained = sum(row.word == "unexplained" for row in rows)
    return int(any(row.wrong for row in rows) or 10 * unexplained > len(rows))


if __name__ == "__main__":
    sys.exit(main())
