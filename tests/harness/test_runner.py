"""A run from files to the result document: which comparisons are made, and with what."""

import re
from pathlib import Path
from typing import Any

import pytest

from crosscheck.backends import Options, make
from crosscheck.formats.cases import find_cases
from crosscheck.harness import ExitCode, Settings, exit_code, run_with
from crosscheck.harness.runner import planned
from crosscheck.model import Case
from crosscheck.names import DEFAULT_MEASURES, parse_measure
from crosscheck.report import render
from crosscheck.results import Document, Mean, TieInterval
from tests.harness import misbehaving
from tests.harness.data import (
    QRELS,
    RUN,
    Qrels,
    Rows,
    asked,
    case_of,
    compared,
    comparison,
    keys,
    run,
    told,
    write_case,
)
from tests.support.kept import REMEDY, Kept


def plan(config: str, *measures: str, **settings: Any) -> str:
    """The comparisons that are made; those that the candidate has, or case.toml expects, were planned."""
    write_case(Path("c"), QRELS, RUN, config)
    document = run(Path(), *measures, **settings)
    (case,) = find_cases(["."])
    assert sorted(planned(case, asked(*measures, **settings))) == sorted(
        (c.run, c.candidate, c.measure)
        for c in document.comparisons
        if c.outcome != "unsupported" or config or make(c.candidate).supports(parse_measure(c.measure))
    )
    return told(document)


def first_lines(*measures: str, qrels: Qrels, rows: Rows, **settings: Any) -> str:
    """What a report says before its tables."""
    write_case(Path("c"), qrels, rows)
    text = render(run(Path(), *measures, **settings), "text").partition("\n\n\n")[0]
    return re.sub(r"(pytrec_eval|crosscheck) [0-9.]+", r"\1 VERSION", text)


USED = (compared, plan, first_lines)
EXAMPLES = Kept(
    __file__, **{one.__name__: one for one in USED}, ODD="python:tests.harness.misbehaving:off_on_one_query"
)


def test_examples():
    """Comparisons that are made, each with its reference and outcome, or why there is none."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_several_runs_share_their_qrels(tmp_path):
    """A case without measures gets the default ones. Loose files of one name are told apart by their paths.
    All queries of one side only are counted, and the first twenty named; notes of files are handed on."""
    folder = write_case(tmp_path / "c", QRELS, RUN, second=[("3", "e", 1.0)])
    document = run(tmp_path)
    assert keys(document) == [(r, m, "native") for r in ("run", "run.second") for m in DEFAULT_MEASURES]
    about = {i.run: (i.queries, i.missing_queries, i.unjudged_queries) for i in document.inputs}
    assert about == {"run": (2, ["3"], ["9"]), "run.second": (1, ["1", "2"], [])}
    assert comparison(document, "RR", "native", "run.second").mean.candidate_value == 1.0
    qrels = {**QRELS, **{f"m{i:02}": {"x": 1} for i in range(25)}}
    other = write_case(tmp_path / "other", qrels, RUN)
    (other / "run").write_bytes(b"\xef\xbb\xbf" + (other / "run").read_bytes())
    paths = tuple(str(one / "run") for one in (folder, other))
    case = Case(name="loose", qrels=str(other / "qrels"), runs=paths)
    settings = Settings(measures=("RR",), backends=("native",), reference="native:trec_eval-10")
    document = run_with([case], settings)
    assert [c.run for c in document.comparisons] == [i.run for i in document.inputs] == list(paths)
    about_one, marked = document.inputs
    assert (about_one.queries, about_one.missing, about_one.unjudged) == (2, 26, 1)
    assert about_one.missing_queries == ["3", *(f"m{i:02}" for i in range(19))]
    assert (marked.unjudged, "byte order mark" in " ".join(marked.notes)) == (2, True)


# ---- metrics that raise, crash, hang and lie: one outcome each, and never the end of the run ----------

JUDGED = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}, "3": {"e": 1, "f": 0}, "4": {"g": 1}}
RETRIEVED = {"1": [("a", 1), ("b", 1)], "2": [("c", 3), ("z", 2), ("d", 1)], "3": [("f", 2), ("e", 1)]}
TIED = [(query, doc, float(score)) for query, row in RETRIEVED.items() for doc, score in row]
#: Metric and measure -> the cells that differ without a known cause, mean, and queries that match.
UNEXPLAINED = {
    ("nan", "P@1"): ({"2": (1.0, "NaN")}, "NaN", 2),
    ("infinite", "P@10"): ({q: (int(q) % 2 / -10 + 0.2, "Infinity") for q in "123"}, "Infinity", 0),
    ("drops_a_query", "P@1"): ({"2": (1.0, None)}, 0.0, 2),
    ("off_on_one_query", "P@10"): ({"2": (0.2, 0.2 + 0.013)}, pytest.approx(0.413 / 3), 2),
}


def misbehaved(folder: Path, *functions: str, timeout: float = 60.0) -> Document:
    """P@1 and P@10 of the functions, and of ``native``."""
    backends = (*(f"python:{misbehaving.__file__}:{name}" for name in functions), "native")
    settings = Settings(measures=("P@1", "P@10"), backends=backends, options=Options(timeout=timeout))
    return run_with([case_of(write_case(folder / "case", JUDGED, TIED))], settings)


def test_a_failing_metric_is_an_error_with_what_it_said(tmp_path):
    """No number at all; the others are compared all the same. A batch that fails is asked again one by one,
    so only the guilty measure is an error; the exit code says that not everything could be compared."""
    document = misbehaved(tmp_path, "aborts", "hangs", "raises_on_a_measure", timeout=5)
    for function, said in (("aborts", "SIGABRT"), ("hangs", "did not answer within 5 s")):
        for measure in ("P@1", "P@10"):
            found = comparison(document, measure, f":{function}")
            assert (found.outcome, found.expected) == ("error", False)
            assert said in (found.message or "")
            nothing = (found.mean.candidate_value, found.max_abs_diff, found.diagnosis, found.cells)
            assert (*nothing, found.queries, found.notes) == (None, None, None, [], 0, [])
            agreeing = comparison(document, measure, "native")
            assert agreeing.outcome == "match"
            assert found.mean == Mean(agreeing.mean.reference_value, None, False)
    assert comparison(document, "P@1", ":raises_on_a_measure").outcome == "match"
    guilty = comparison(document, "P@10", ":raises_on_a_measure")
    assert "no \\x1b[31mP@10\\x1b[0m today" in (guilty.message or "")
    assert exit_code(document) is ExitCode.INCONCLUSIVE
    assert (document.summary.error, document.summary.mismatch) == (5, 0)


def test_wrong_values_differ_and_get_no_invented_cause(tmp_path):
    """NaN is neither 0.0 nor absent, a dropped query is missing and not zero, infinity travels as such."""
    document = misbehaved(tmp_path, *(name for name, _ in UNEXPLAINED), "ties_ascending")
    for (function, measure), (cells, mean, matches) in UNEXPLAINED.items():
        found = comparison(document, measure, f":{function}")
        assert (found.diagnosis.strength, found.diagnosis.causes) == ("none", ["unexplained"])
        assert {cell.query: (cell.reference_value, cell.candidate_value) for cell in found.cells} == cells
        assert {cause for cell in found.cells for cause in cell.causes} == {"unexplained"}
        assert (found.mean.candidate_value, found.matches) == (mean, matches)
        missing = [cell.query for cell in found.cells if cell.outcome == "missing-in-candidate"]
        assert (found.missing, found.mismatches) == (len(missing), len(cells) - len(missing))
        assert missing == (["2"] if function == "drops_a_query" else [])
    assert comparison(document, "P@10", ":infinite").max_abs_diff == "Infinity"
    off = comparison(document, "P@10", ":off_on_one_query")
    size = 0.2 + 0.013 - 0.2, 468374361246532
    assert (off.max_abs_diff, off.max_ulp) == (off.cells[0].abs_diff, off.cells[0].ulp) == size
    # The one query with a tie across the cutoff differs, by the relevant document that crosses it.
    tied = comparison(document, "P@1", ":ties_ascending")
    assert (tied.diagnosis.strength, tied.diagnosis.causes) == ("consistent", ["tie-breaking"])
    (cell,) = tied.cells
    assert (cell.query, cell.reference_value, cell.candidate_value) == ("1", 0.0, 1.0)
    assert cell.ties == TieInterval(0.0, 1.0, 0.5)
    (shown,) = cell.documents
    assert (shown.docno, shown.reference_rank, shown.candidate_rank) == ("a", 2, 1)
    assert (shown.reference_adds, shown.candidate_adds) == (0.0, 1.0)
    assert comparison(document, "P@10", ":ties_ascending").outcome == "match"
