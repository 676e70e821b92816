"""Crosscheck's own measures, broken on purpose: the report says which, and names no cause."""

import math
import shutil
from collections.abc import Sequence
from functools import cache
from html import unescape

import pytest

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
from tests.harness.data import write_case
from tests.programs.faults.measures import FAULTS, fault, lower
from tests.support.cases import FIXTURES


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


def test_no_other_diagnosis_of_the_measure_is_trusted(distrusted):
    """What differs in gain where no value of ours is wrong is not called so either, and fails."""
    (found,) = [c for c in distrusted.comparisons if c.case == "label-gain" and c.outcome == "mismatch"]
    why = "The cause was not looked for, because crosscheck's own nDCG is broken."
    assert (found.diagnosis.explanation, found.diagnosis.conventions) == (why, {})
    assert (found.diagnosis.causes, found.expected) == (["unexplained"], False)
    assert [(cell.causes, cell.documents) for cell in found.cells] == [(["unexplained"], [])]
    assert (distrusted.evidence, distrusted.summary.causes) == ([], {"unexplained": 3})
    assert not any("nDCG" in (*tool.measures, *tool.rest) for tool in distrusted.tools)
    assert [one.measure for one in distrusted.broken] == ["nDCG", "nDCG@5"]


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


def test_where_only_queries_differ_one_is_named():
    """The values of two queries are exchanged: their mean says nothing."""
    with fault("AP", lambda right: lambda j, c, m: right(j, c, m)[[1, 0, 2, 3]]):
        document = compared("families-pytrec_eval")
    first = document.broken[0]
    assert (first.measure, first.query) == ("AP", "1")
    assert f" in query {first.query}." in render(document, "text", RenderOptions(width=200))


def test_mismatches_of_a_broken_measure_cannot_be_declared(tmp_path):
    """--accept writes nothing, --accept-unexplained neither."""
    case = shutil.copytree(FIXTURES / "label-gain", tmp_path / "case")
    before = (case / "case.toml").read_bytes()
    with fault("nDCG", lower()):
        document = run_with(find_cases([str(tmp_path)]), Settings(backends=("native",)))
        _, declared = accept_mismatches(document, find_cases([str(tmp_path)]), "known", unexplained=True)
    assert (declared, (case / "case.toml").read_bytes()) == (0, before)


def test_a_tool_of_other_conventions_is_not_held_against_us():
    """Declared differences stay what they are, under other conventions of the reference as well."""
    document = compared("label-gain", "label-duplicates", "value-ties", "label-score-precision")
    assert document.broken == []
    assert exit_code(document) == 0


@pytest.mark.parametrize("conventions", ["trec_eval-9.0.8", "gain=exponential"])
def test_saved_values_of_known_conventions_are_held_against_us(tmp_path, conventions):
    """[recorded] of case.toml: the tool's exponential gain is no fault of ours if the case says so."""
    case = shutil.copytree(FIXTURES / "label-gain", tmp_path / "case")
    with (case / "case.toml").open("a") as config:
        config.write(f'\n[recorded]\n"recorded.tool.json" = "{conventions}"\n')
    document = run_with(find_cases([str(tmp_path)]), Settings(backends=("native",), reference="native"))
    saved = "recorded:recorded.tool.json"
    assert [one.backend for one in document.broken] == [saved] * (conventions == "trec_eval-9.0.8")


def test_undefined_behaviour_breaks_nothing(tmp_path):
    """The order of scores that are no numbers is the C library's: no cause is known, and nobody is wrong."""
    rows = [("1", "d1", 1.0), ("1", "d2", math.nan), ("1", "d3", 3.0), ("1", "d4", 2.0)]
    write_case(tmp_path / "case", {"1": {"d1": 1, "d4": 1}}, rows, "strict = false\n")
    with fault("AP", lower()):
        document = run_with(find_cases([str(tmp_path)]), Settings(measures=("AP",), backends=("native",)))
    (found,) = document.comparisons
    assert document.broken == []
    assert "undefined" in found.diagnosis.explanation
