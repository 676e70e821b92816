"""Metrics that raise, crash, hang and lie: one outcome each, and never the end of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.backends.base import Options
from crosscheck.harness import ExitCode, Settings, exit_code, run_with
from crosscheck.results import Comparison, Document
from tests.harness import misbehaving
from tests.harness.data import case_of, comparison, write_case

QRELS = {
    "1": {"a": 1, "b": 0},
    "2": {"c": 2, "d": 1},
    "3": {"e": 1, "f": 0},
    "4": {"g": 1},
}
RUN = [
    ("1", "a", 1.0),
    ("1", "b", 1.0),
    ("2", "c", 3.0),
    ("2", "z", 2.0),
    ("2", "d", 1.0),
    ("3", "f", 2.0),
    ("3", "e", 1.0),
]
FAILING = (
    "raises_on_a_topic",
    "raises_on_a_measure",
    "aborts",
    "exits",
    "returns_none",
    "returns_text",
    "invents_a_query",
)
ANSWERING = (
    "nan",
    "infinite",
    "drops_a_query",
    "off_on_one_query",
    "ties_ascending",
    "prints",
    "destroys_its_input",
)


def run(folder: Path, functions: tuple[str, ...], timeout: float = 60.0) -> Document:
    """P@1 and P@10 of the functions, and of ``native``."""
    backends = (*(f"python:{misbehaving.__file__}:{name}" for name in functions), "native")
    settings = Settings(measures=("P@1", "P@10"), backends=backends, options=Options(timeout=timeout))
    return run_with([case_of(write_case(folder / "case", QRELS, RUN))], settings)


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return run(tmp_path_factory.mktemp("failing"), FAILING)


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return run(tmp_path_factory.mktemp("answering"), ANSWERING)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("raises_on_a_topic", "ZeroDivisionError: division by zero"),
        ("aborts", "SIGABRT"),
        ("aborts", "assertion failed: k > 0"),
        ("exits", "I am done"),
        ("returns_none", "returned None instead of a dict"),
        ("returns_text", "returned a str for query '1'"),
        ("invents_a_query", "'no such query'"),
    ],
)
def test_a_failing_metric_is_an_error_with_what_it_said(failing: Document, function: str, said: str) -> None:
    """Both of its comparisons have the outcome error, its message, and no number at all."""
    for measure in ("P@1", "P@10"):
        found = comparison(failing, measure, f":{function}")
        assert found.outcome == "error"
        assert said in (found.message or "")
        assert (found.mean.candidate_value, found.max_abs_diff, found.cells, found.diagnosis) == (
            None,
            None,
            [],
            None,
        )
        assert not found.expected


def test_a_metric_that_fails_on_one_measure_keeps_the_other(failing: Document) -> None:
    """A batch that fails is asked again one by one, so only the guilty measure is an error."""
    assert comparison(failing, "P@1", ":raises_on_a_measure").outcome == "match"
    guilty = comparison(failing, "P@10", ":raises_on_a_measure")
    assert guilty.outcome == "error"
    assert guilty.message is not None
    assert "no \\x1b[31mP@10\\x1b[0m today" in guilty.message


def test_failures_are_inconclusive_and_leave_the_others_alone(failing: Document) -> None:
    """``native`` is compared all the same, and the exit code says that not everything could be."""
    assert [comparison(failing, m, "native").outcome for m in ("P@1", "P@10")] == ["match", "match"]
    assert exit_code(failing) is ExitCode.INCONCLUSIVE
    assert failing.summary.error == 13
    assert failing.summary.mismatch == 0


def test_a_metric_that_hangs_is_ended_after_the_timeout(tmp_path: Path) -> None:
    """It is an error that names the time it had; nothing else waits for it."""
    document = run(tmp_path, ("hangs",), timeout=2.0)
    assert [c.outcome for c in document.comparisons if c.candidate == "native"] == ["match", "match"]
    for measure in ("P@1", "P@10"):
        found = comparison(document, measure, ":hangs")
        assert found.outcome == "error"
        assert "did not answer within 2 s" in (found.message or "")


def unexplained(found: Comparison) -> dict[str, tuple[object, object]]:
    """Its differing queries with both values, after checking that no cause is given."""
    assert found.outcome == "mismatch"
    assert found.diagnosis is not None
    assert (found.diagnosis.strength, found.diagnosis.causes) == ("none", ["unexplained"])
    assert all(cell.causes == ["unexplained"] for cell in found.cells)
    return {cell.query: (cell.reference_value, cell.candidate_value) for cell in found.cells}


def test_nan_is_a_number_that_differs(answering: Document) -> None:
    """NaN is neither 0.0 nor absent: one cell, a NaN mean, and no cause invented for it."""
    found = comparison(answering, "P@1", ":nan")
    assert unexplained(found) == {"2": (1.0, "NaN")}
    assert (found.mean.candidate_value, found.missing, found.mismatches, found.matches) == ("NaN", 0, 1, 2)


def test_infinite_values_differ(answering: Document) -> None:
    """Infinity travels as such, for the queries and for the mean."""
    found = comparison(answering, "P@10", ":infinite")
    assert unexplained(found) == {q: (v, "Infinity") for q, v in {"1": 0.1, "2": 0.2, "3": 0.1}.items()}
    assert found.mean.candidate_value == "Infinity"
    assert found.max_abs_diff == "Infinity"


def test_a_dropped_query_is_missing_and_not_zero(answering: Document) -> None:
    """A query that has hits and is left out is no known convention."""
    found = comparison(answering, "P@1", ":drops_a_query")
    assert unexplained(found) == {"2": (1.0, None)}
    assert found.cells[0].outcome == "missing-in-candidate"
    assert (found.missing, found.mismatches) == (1, 0)
    assert found.mean.candidate_value == 0.0


def test_a_wrong_value_on_one_query_is_a_suspected_bug(answering: Document) -> None:
    """One query of three that no convention gives is unexplained, and the others are counted as agreeing."""
    found = comparison(answering, "P@10", ":off_on_one_query")
    assert list(unexplained(found)) == ["2"]
    assert (found.matches, found.mismatches) == (2, 1)


def test_ties_ascending_are_tie_breaking_on_the_tied_query(answering: Document) -> None:
    """The one query with a tie across the cutoff differs, by the relevant document that crosses it."""
    found = comparison(answering, "P@1", ":ties_ascending")
    assert found.diagnosis is not None
    assert (found.diagnosis.strength, found.diagnosis.causes) == ("consistent", ["tie-breaking"])
    (cell,) = found.cells
    assert (cell.query, cell.reference_value, cell.candidate_value) == ("1", 0.0, 1.0)
    (document,) = cell.documents
    assert (document.docno, document.reference_rank, document.candidate_rank) == ("a", 2, 1)
    assert (document.reference_adds, document.candidate_adds) == (0.0, 1.0)
    assert comparison(answering, "P@10", ":ties_ascending").outcome == "match"


@pytest.mark.parametrize("function", ["prints", "destroys_its_input"])
def test_noise_and_side_effects_harm_nobody(answering: Document, function: str) -> None:
    """Garbage on stdout and emptied inputs change no value, of this metric or of any other."""
    assert {comparison(answering, m, f":{function}").outcome for m in ("P@1", "P@10")} == {"match"}
    assert {comparison(answering, m, "native").outcome for m in ("P@1", "P@10")} == {"match"}
