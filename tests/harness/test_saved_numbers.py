"""Numbers that come with a case, published or recorded: candidates like any other."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from crosscheck.harness import Settings, run_with
from tests.harness.data import QRELS, RUN, case_of, comparison, keys, recorded_case, run, write_case

ONE = {"1": {"a": 1, "b": 0, "c": 1}}
ONE_RUN = [("1", "b", 3.0), ("1", "a", 2.0), ("1", "c", 1.0)]


def test_a_number_printed_for_one_query_is_that_querys_value(tmp_path: Path) -> None:
    """Where there is a single query its value is compared, so that a mismatch names it."""
    entry = '[published]\nsource = "a book"\ndecimals = 2\n"P@3" = 0.67\n"RR" = 0.6\n'
    write_case(tmp_path / "c", ONE, ONE_RUN, entry)
    document = run(tmp_path)
    match = comparison(document, "P@3", "published")
    assert (match.outcome, match.queries, match.decimals, match.candidate_engine) == ("match", 1, 2, "a book")
    differs = comparison(document, "RR", "published")
    assert differs.outcome == "mismatch"
    assert [(cell.query, cell.reference, cell.candidate) for cell in differs.cells] == [("1", 0.5, 0.6)]


def test_a_number_printed_for_several_queries_is_a_mean(tmp_path: Path) -> None:
    """Only the means are compared; no query gets a value that nobody printed."""
    write_case(tmp_path / "c", QRELS, RUN, '[published]\n"RR" = 0.75\n"P@1" = 0.4\n')
    document = run(tmp_path)
    match = comparison(document, "RR", "published")
    assert (match.outcome, match.queries, match.cells) == ("match", 0, [])
    assert (match.mean.reference, match.mean.candidate) == (0.75, 0.75)
    assert comparison(document, "P@1", "published").outcome == "mismatch"


def test_a_geometric_mean_is_saved_as_logarithms_or_printed_as_itself(tmp_path: Path) -> None:
    """gm_map's values per query are logarithms: a file without means agrees in the mean, a printed mean is
    no value of a query."""
    folder = write_case(tmp_path / "c", ONE, ONE_RUN, '[published]\n"gm_map" = 0.583333\ndecimals = 6\n')
    (folder / "recorded.json").write_text(f'{{"1": {{"gm_map": {math.log((1 / 2 + 2 / 3) / 2)}}}}}')
    document = run(tmp_path)
    saved, printed = (comparison(document, "gm_map", name) for name in ("recorded.json", "published"))
    assert (saved.outcome, saved.queries, saved.mean.match) == ("match", 1, True)
    assert saved.mean.candidate == pytest.approx(7 / 12, abs=1e-15)
    assert (printed.outcome, printed.queries, printed.mean.match) == ("match", 0, True)


def test_a_printed_mean_can_have_its_cause_proved(tmp_path: Path) -> None:
    """The mean over all judged queries, printed alone, is missing-queries or query-set."""
    write_case(tmp_path / "c", QRELS, RUN, '[published]\n"RR" = 0.5\n')
    found = comparison(run(tmp_path), "RR", "published").diagnosis
    assert found is not None
    assert found.strength == "proved"
    assert found.causes == ["missing-queries"]
    assert ["query-set"] in [a.causes for a in found.alternatives]


def test_two_sources_for_one_measure_are_both_compared(tmp_path: Path) -> None:
    """No printed number replaces another."""
    entry = '[[published]]\nsource = "A"\n"RR" = 0.75\n[[published]]\nsource = "B"\n"RR" = 0.5\n"P@5" = 0.3\n'
    write_case(tmp_path / "c", QRELS, RUN, entry)
    found = {
        (c.candidate, c.measure): (c.outcome, c.candidate_engine)
        for c in run(tmp_path).comparisons
        if c.candidate != "native"
    }
    assert found == {
        ("published", "RR"): ("match", "A"),
        ("published-2", "RR"): ("mismatch", "B"),
        ("published", "P@5"): ("match", "B"),
    }


def test_a_number_printed_for_one_run_is_not_held_against_another(tmp_path: Path) -> None:
    """``run =`` chooses; without it every run is compared."""
    entry = '[[published]]\nrun = "run.second"\n"RR" = 1.0\n[[published]]\n"P@1" = 0.5\n'
    write_case(tmp_path / "c", QRELS, RUN, entry, second=[("3", "e", 1.0)])
    found = [(r, m) for r, m, candidate in keys(run(tmp_path)) if candidate == "published"]
    assert found == [("run", "P@1"), ("run.second", "RR"), ("run.second", "P@1")]


def test_printed_means_are_left_alone_when_only_some_queries_are_compared(tmp_path: Path) -> None:
    """A mean over three queries says nothing about one of them."""
    write_case(tmp_path / "c", QRELS, RUN, 'measures = ["RR"]\n[published]\n"RR" = 0.5\n')
    assert [c.candidate for c in run(tmp_path, queries=("1",)).comparisons] == ["native"]


def test_recorded_values_are_compared_with_their_own_mean(tmp_path: Path) -> None:
    """The mean in the file counts, and a measure that it does not hold is no comparison."""
    recorded_case(tmp_path / "c")
    document = run(tmp_path)
    assert [m for _, m, candidate in keys(document) if candidate == "recorded:recorded.txt"] == ["AP", "RR"]
    assert comparison(document, "AP", "recorded.txt").outcome == "match"
    differs = comparison(document, "RR", "recorded.txt")
    assert (differs.outcome, differs.matches, differs.mismatches) == ("mismatch", 2, 0)
    assert (differs.mean.reference, differs.mean.candidate, differs.mean.match) == (0.75, 0.5, False)
    assert differs.diagnosis is not None
    assert set(differs.diagnosis.causes) <= {"missing-queries", "query-set"}


def test_a_measure_asked_of_a_recorded_backend_is_unsupported_where_it_is_not_in_the_file(
    tmp_path: Path,
) -> None:
    """Asked for by name, a saved output that lacks a measure is told, not passed over."""
    folder = recorded_case(tmp_path / "c")
    document = run_with(
        [case_of(folder)],
        Settings(("AP", "P@5"), (f"recorded:{folder / 'recorded.txt'}",), "native"),
    )
    assert comparison(document, "AP", "recorded.txt").outcome == "match"
    lacking = comparison(document, "P@5", "recorded.txt")
    assert lacking.outcome == "unsupported"
    assert "does not have P@5" in (lacking.message or "")
