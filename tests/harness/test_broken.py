"""Crosscheck's own measures, broken on purpose: the report says which, and names no cause."""

import math
import shutil
from collections.abc import Sequence
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from crosscheck.backends.pytrec_eval_backend import PytrecEval
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, exit_code, run_with
from crosscheck.harness.accept import accept_mismatches
from crosscheck.harness.document import merged
from crosscheck.measures import families
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import parse_measure
from crosscheck.report import RenderOptions, render
from crosscheck.report.json_report import load
from crosscheck.results import Document
from tests.harness.data import told, write_case
from tests.programs.faults.measures import FAULTS, Fault, fault, lower
from tests.support.cases import FIXTURES
from tests.support.kept import examples


class Remembered(PytrecEval):
    """pytrec_eval in this process, asked once for the values of a run."""

    isolated = False

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        return _values(qrels.source, run.source, tuple(measures))


@cache
def _values(qrels: str, run: str, measures: tuple[Measure, ...]) -> dict[Measure, MeasureValues]:
    from crosscheck.formats.trec import read_qrels, read_run

    return PytrecEval().evaluate(read_qrels(qrels), read_run(run), measures)


def compared(*cases: str, **settings: object) -> Document:
    """Cases of fixtures/, with native measures and saved values only."""
    chosen = {"backends": ("native",), "given": {"pytrec_eval": Remembered()}} | settings
    return run_with(find_cases([str(FIXTURES / case) for case in cases]), Settings(**chosen))  # type: ignore[arg-type]


CASES = {
    parse_measure(name).family: case
    for case in ("preferences", "subtopics", "levels", "pytrec_eval")
    for name in find_cases([str(FIXTURES / f"families-{case}")])[0].measures
}
EVERY = [
    *(pytest.param(family, wrong, id=name) for name, (family, wrong) in FAULTS.items()),
    *(pytest.param(family, lower(), id=f"{family} is too low") for family in families()),
    *(pytest.param(family, lower(3), id=f"{family} of the last query is too low") for family in families()),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("family", "wrong"), EVERY)
def test_a_broken_measure_is_said_first_and_no_cause_is_named(family, wrong):
    """Each family has a case that finds it out: exit code 1, its name in the first line, no label."""
    with fault(family, wrong):
        document = compared(f"families-{CASES[family]}")
    assert exit_code(document) == 1
    assert {parse_measure(one.measure).family for one in document.broken} == {family}
    first = render(document, "text", RenderOptions(width=200)).partition("\n")[0]
    assert first.startswith(f"✗ crosscheck's own {document.broken[0].measure} is broken: ")
    for c in document.comparisons:
        if parse_measure(c.measure).family != family:
            assert c.outcome in ("match", "unsupported")
        elif c.diagnosis:
            assert (c.diagnosis.strength, c.diagnosis.causes, c.expected) == ("none", ["unexplained"], False)
            assert not c.diagnosis.trusted


@pytest.fixture(scope="module")
def distrusted() -> Document:
    """nDCG is wrong in query 4 only, which one of two cases has; the other is a tool's gain."""
    with fault("nDCG", lower(3)):
        return compared("label-gain", "families-pytrec_eval")


def test_every_report_begins_with_it(distrusted):
    """Text, Markdown and HTML in the verdict, JUnit as a failure, GitHub as the first annotation."""
    said = "crosscheck's own nDCG is broken: 0."
    for format in ("text", "markdown", "html", "junit", "github"):
        assert said in unescape(str(render(distrusted, format))), format
    assert render(distrusted, "github").startswith(f"::error title=crosscheck::{said}")
    assert '<failure type="broken" message="crosscheck\'s own nDCG is broken' in render(distrusted, "junit")


def test_parts_of_a_run_are_distrusted_together(distrusted):
    """The part that found it out and the part that had a label; the JSON holds all that is needed."""
    with fault("nDCG", lower(3)):
        parts = [compared(case) for case in ("families-pytrec_eval", "label-gain")]
    assert parts[1].summary.causes == {"gain": 1}
    read = [load(render(part, "json")) for part in parts]
    whole = merged(read, ["a", "b"])
    assert (whole.broken, whole.comparisons) == (distrusted.broken, distrusted.comparisons)


def test_mismatches_of_a_broken_measure_cannot_be_declared(tmp_path):
    """--accept writes nothing, --accept-unexplained neither."""
    case = shutil.copytree(FIXTURES / "label-gain", tmp_path / "case")
    before = (case / "case.toml").read_bytes()
    with fault("nDCG", lower()):
        document = run_with(find_cases([str(tmp_path)]), Settings(backends=("native",)))
        _, declared = accept_mismatches(document, find_cases([str(tmp_path)]), "known", unexplained=True)
    assert (declared, (case / "case.toml").read_bytes()) == (0, before)


def said(document: Document) -> str:
    """What is broken, and what is told of each comparison that does not agree."""
    apart = [c for c in document.comparisons if c.outcome not in ("match", "unsupported")]
    first = render(document, "text", RenderOptions(width=200)).partition("\n")[0]
    about = f"{len(document.evidence)} with evidence, causes {document.summary.causes}, trusted "
    about += ", ".join(str(c.diagnosis is not None and c.diagnosis.trusted) for c in apart)
    broken = [f"broken: {one.measure} beside {one.backend}, query {one.query}" for one in document.broken]
    shown = told(replace(document, comparisons=apart, inputs=[])).replace(str(FIXTURES), "FIXTURES")
    return "\n".join([first, *broken, about, shown])


def of_cases(family: str, wrong: Fault, *cases: str) -> str:
    with fault(family, wrong):
        return said(compared(*cases))


def saved(conventions: str) -> str:
    """A tool's exponential gain, of which case.toml says that it follows these conventions."""
    case = Path(shutil.copytree(FIXTURES / "label-gain", "case"))
    with (case / "case.toml").open("a") as config:
        config.write(f'\n[recorded]\n"recorded.tool.json" = "{conventions}"\n')
    return said(run_with(find_cases(["."]), Settings(backends=("native",), reference="native")))


def undefined() -> str:
    rows = [("1", "d1", 1.0), ("1", "d2", math.nan), ("1", "d3", 3.0), ("1", "d4", 2.0)]
    write_case(Path("case"), {"1": {"d1": 1, "d4": 1}}, rows, "strict = false\n")
    with fault("AP", lower()):
        document = run_with(find_cases(["."]), Settings(measures=("AP",), backends=("native",)))
    (found,) = document.comparisons
    assert found.diagnosis
    return f"{len(document.broken)} broken; {found.diagnosis.explanation}"


#: No diagnosis of a broken measure is trusted; tools of other conventions are not held against us.
test_examples = examples(globals(), str)
