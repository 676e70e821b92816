"""What studies say of small inputs; ``python -m tests.studies.test_outputs`` writes the kept answers anew.

A call is an expression in Python, with the names of ``examples.py``: of a document its whole text is kept, of
an error its message, of anything else its value. Other lines give names to what the calls after them use.
"""

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from crosscheck.formats.dicts import qrels_from_dict
from crosscheck.report import RenderOptions, render
from crosscheck.report.json_report import load
from crosscheck.report.kinds import page_of
from crosscheck.report.page import Chart, walk
from crosscheck.studies.agreement import agreement
from crosscheck.studies.base import StudyDocument
from crosscheck.studies.compare import compare, letter
from crosscheck.studies.gate import gate
from crosscheck.studies.impact import impact
from crosscheck.studies.pool import pool
from crosscheck.studies.rundiff import rundiff
from crosscheck.studies.ties import ties
from crosscheck.studies.tools import tools
from crosscheck.studies.why import why
from tests.statistics.test_agreement import kappa
from tests.studies import examples
from tests.support.kept import Answer, cases, expressions, holds, write

pytest.importorskip("scipy.stats", reason="scipy is not installed")

OUTPUTS = sorted((Path(__file__).parent / "outputs").glob("*.txt"))


def charts(document: Any) -> list[Chart]:
    """The charts of the page of a document."""
    return [block for block in walk(page_of(document).blocks) if isinstance(block, Chart)]


def written(name: str, text: str) -> str:
    """The path of a file with this text."""
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text)
    return name


def lint(qrels: examples.Qrels, run: Any, *measures: str) -> str:
    """What lint finds, a line each: measure, queries, value, what it says, and its effects."""
    found = tools(qrels, run, list(measures), find_causes=True).lint
    return "\n".join(f"{f.measure} {f.queries} {f.value} {f.says}: {dict(f.effects)}" for f in found or ())


#: What the calls may name, beside what examples.py holds.
_FUNCTIONS = (
    *(agreement, compare, gate, impact, pool, rundiff, ties, tools, why),
    *(charts, kappa, letter, lint, load, qrels_from_dict, render, written, random.Random, Path),
)


@contextlib.contextmanager
def session() -> Iterator[Answer]:
    """An empty folder, in which the lines of a block are called one after the other."""
    names = vars(examples) | {function.__name__: function for function in _FUNCTIONS}

    def show(found: Any) -> str:
        text = isinstance(found, StudyDocument)
        return render(found, "text", RenderOptions(verbose=True)) if text else repr(found)

    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        yield expressions(names, show)


@cases(*OUTPUTS)
def test_a_study_says_what_was_read_and_found_good(block):
    holds(block, session)


if __name__ == "__main__":
    write(OUTPUTS, session)
