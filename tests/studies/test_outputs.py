"""What studies say of small inputs; ``python -m tests.studies.test_outputs`` writes the kept answers anew.

A call is an expression in Python, with the names of ``examples.py`` and ``samples.py``: of a document the
whole text is kept, of an error the message, of anything else the value. Other lines give names for later.
"""

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from msgspec.structs import replace

from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure
from crosscheck.native import evaluate
from crosscheck.report import RenderOptions, render
from crosscheck.report.json_report import load
from crosscheck.report.kinds import page_of
from crosscheck.report.page import Chart, walk
from crosscheck.studies.agreement import agreement
from crosscheck.studies.base import StudyDocument
from crosscheck.studies.compare import compare, letter
from crosscheck.studies.describe import describe
from crosscheck.studies.diff import diff
from crosscheck.studies.gate import gate
from crosscheck.studies.impact import impact
from crosscheck.studies.pool import pool
from crosscheck.studies.rundiff import rundiff
from crosscheck.studies.ties import ties
from crosscheck.studies.tools import Prediction, prediction, tools
from crosscheck.studies.why import _in_part, why
from tests.report import samples
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


def predicted(qrels: examples.Qrels, run: examples.Run, measure: str, spec: str) -> Prediction:
    """What a tool with these conventions is expected to print, in full precision."""
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    return prediction(Recomputer(rankings, parse_measure(measure), Conventions()), conventions(spec))


#: What the calls may name, beside what examples.py and samples.py hold.
_FUNCTIONS = (
    *(agreement, compare, describe, diff, gate, impact, pool, rundiff, ties, tools, why),
    *(_in_part, charts, evaluate, kappa, letter, lint, load, parse_measure, predicted, qrels_from_dict),
    *(render, replace, written, random.Random, Path),
)


@contextlib.contextmanager
def session() -> Iterator[Answer]:
    """An empty folder, in which the lines of a block are called one after the other."""
    names = vars(samples) | vars(examples) | {function.__name__: function for function in _FUNCTIONS}

    def show(found: Any) -> str:
        text = isinstance(found, StudyDocument)
        return render(found, "text", RenderOptions(verbose=True)) if text else repr(found)

    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        yield expressions(names, show)


@cases(*OUTPUTS, slow=("A number without decimals", "Where nothing is likelier"))
def test_a_study_says_what_was_read_and_found_good(block):
    holds(block, session)


if __name__ == "__main__":
    write(OUTPUTS, session)
