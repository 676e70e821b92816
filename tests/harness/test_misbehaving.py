"""Metrics that raise, crash, hang and lie: one outcome each, and never the end of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.backends.base import Options
from crosscheck.harness import ExitCode, Settings, exit_code, run_with
from crosscheck.results import Document
from tests.harness import misbehaving
from tests.harness.data import case_of, comparison, write_case

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}, "3": {"e": 1, "f": 0}, "4": {"g": 1}}
ROWS = {"1": [("a", 1), ("b", 1)], "2": [("c", 3), ("z", 2), ("d", 1)], "3": [("f", 2), ("e", 1)]}
RUN = [(query, doc, float(score)) for query, row in ROWS.items() for doc, score in row]
#: Metric -> words of its message.
FAILING = {
    "raises_on_a_topic": ["ZeroDivisionError: division by zero"],
    "aborts": ["SIGABRT", "assertion failed: k > 0"],
    "exits": ["I am done"],
    "returns_none": ["returned None instead of a dict"],
    "returns_text": ["returned a str for query '1'"],
    "invents_a_query": ["'no such query'"],
}
#: Metric and measure -> the cells that differ without a known cause, mean, and queries that match.
UNEXPLAINED = {
    ("nan", "P@1"): ({"2": (1.0, "NaN")}, "NaN", 2),
    ("infinite", "P@10"): (
        {q: (v, "Infinity") for q, v in {"1": 0.1, "2": 0.2, "3": 0.1}.items()},
        "Infinity",
        0,
    ),
    ("drops_a_query", "P@1"): ({"2": (1.0, None)}, 0.0, 2),
    ("off_on_one_query", "P@10"): ({"2": (0.2, 0.2 + 0.013)}, pytest.approx(0.413 / 3), 2),
}
HARMLESS = ("prints", "destroys_its_input")


def run(folder: Path, *functions: str, timeout: float = 60.0) -> Document:
    """P@1 and P@10 of the functions, and of ``native``."""
    backends = (*(f"python:{misbehaving.__file__}:{name}" for name in functions), "native")
    settings = Settings(measures=("P@1", "P@10"), backends=backends, options=Options(timeout=timeout))
    return run_with([case_of(write_case(folder / "case", QRELS, RUN))], settings)


def test_a_failing_metric_is_an_error_with_what_it_said(tmp_path):
    """No number at all; the others are compared all the same. A batch that fails is asked again one by one,
    so only the guilty measure is an error; the exit code says that not everything could be compared."""
    document = run(tmp_path, *FAILING, "raises_on_a_measure")
    for function, words in FAILING.items():
        for measure in ("P@1", "P@10"):
            found = comparison(document, measure, f":{function}")
            assert (found.outcome, found.expected) == ("error", False)
            assert all(word in (found.message or "") for word in words), found.message
            nothing = (found.mean.candidate_value, found.max_abs_diff, found.diagnosis, found.cells)
            assert nothing == (None, None, None, [])
            assert comparison(document, measure, "native").outcome == "match"
    assert comparison(document, "P@1", ":raises_on_a_measure").outcome == "match"
    guilty = comparison(document, "P@10", ":raises_on_a_measure")
    assert "no \\x1b[31mP@10\\x1b[0m today" in (guilty.message or "")
    assert exit_code(document) is ExitCode.INCONCLUSIVE
    assert (document.summary.error, document.summary.mismatch) == (13, 0)


def test_a_metric_that_hangs_is_ended_after_the_timeout(tmp_path):
    """It is an error that names the time it had; nothing else waits for it."""
    document = run(tmp_path, "hangs", timeout=2.0)
    for measure in ("P@1", "P@10"):
        found = comparison(document, measure, ":hangs")
        assert (found.outcome, "did not answer within 2 s" in (found.message or "")) == ("error", True)
        assert comparison(document, measure, "native").outcome == "match"


def test_wrong_values_differ_and_get_no_invented_cause(tmp_path):
    """NaN is neither 0.0 nor absent, a dropped query is missing and not zero, infinity travels as such; noise
    and emptied inputs change no value, of this metric or of any other."""
    document = run(tmp_path, *(name for name, _ in UNEXPLAINED), "ties_ascending", *HARMLESS)
    for (function, measure), (cells, mean, matches) in UNEXPLAINED.items():
        found = comparison(document, measure, f":{function}")
        assert found.diagnosis is not None
        assert (found.diagnosis.strength, found.diagnosis.causes) == ("none", ["unexplained"])
        assert {cell.query: (cell.reference_value, cell.candidate_value) for cell in found.cells} == cells
        assert {cause for cell in found.cells for cause in cell.causes} == {"unexplained"}
        assert (found.mean.candidate_value, found.matches) == (mean, matches)
        missing = [cell.query for cell in found.cells if cell.outcome == "missing-in-candidate"]
        assert (found.missing, found.mismatches) == (len(missing), len(cells) - len(missing))
        assert missing == (["2"] if function == "drops_a_query" else [])
    assert comparison(document, "P@10", ":infinite").max_abs_diff == "Infinity"
    for function in (*HARMLESS, "native"):
        assert {comparison(document, m, function).outcome for m in ("P@1", "P@10")} == {"match"}
    # The one query with a tie across the cutoff differs, by the relevant document that crosses it.
    tied = comparison(document, "P@1", ":ties_ascending")
    assert tied.diagnosis is not None
    assert (tied.diagnosis.strength, tied.diagnosis.causes) == ("consistent", ["tie-breaking"])
    (cell,) = tied.cells
    assert (cell.query, cell.reference_value, cell.candidate_value) == ("1", 0.0, 1.0)
    (shown,) = cell.documents
    assert (shown.docno, shown.reference_rank, shown.candidate_rank) == ("a", 2, 1)
    assert (shown.reference_adds, shown.candidate_adds) == (0.0, 1.0)
    assert comparison(document, "P@10", ":ties_ascending").outcome == "match"
