"""Evidence for checks by hand in a document; and tools that only inform."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck import backends
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, exit_code, run_with
from crosscheck.harness.document import ExitCode
from crosscheck.results import Document
from tests.harness.data import write_case

QRELS = {"1": {"a": 1, "b": 3, "c": 0}, "2": {"d": 2}}
RUN = [("1", "a", 2.0), ("1", "c", 1.0), ("1", "b", 1.0), ("1", "e", 0.5), ("2", "d", 1.0)]


def compared(folder: Path, candidate: str, measure: str) -> Document:
    write_case(folder / "case", QRELS, RUN)
    settings = Settings(measures=(measure,), backends=(candidate,), reference="native")
    return run_with(find_cases([str(folder)]), settings)


def test_both_rankings_are_shown_with_what_each_place_adds(tmp_path):
    """c and b are tied: trec_eval has c first, input order too; ascending docnos have b first."""
    (found,) = compared(tmp_path, "native:ties=docid-asc", "nDCG").evidence
    (query,) = found.rankings
    assert (query.query, query.documents) == ("1", 4)
    sides = [
        [(d.rank, d.docno, d.rel, d.tied, d.gain) for d in side]
        for side in (query.reference_ranking, query.candidate_ranking)
    ]
    assert sides == [
        [(1, "a", 1, None, 1.0), (2, "c", 0, 1, None), (3, "b", 3, 1, 3.0), (4, "e", None, None, None)],
        [(1, "a", 1, None, 1.0), (2, "b", 3, 1, 3.0), (3, "c", 0, 1, None), (4, "e", None, None, None)],
    ]
    running = [d.running for d in query.reference_ranking]
    assert running == [1.0, None, pytest.approx(1 + 3 / 2, abs=1e-15), None]
    assert found.agreeing == {"2": 1.0}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("ideal=retrieved", [(1, 3, 3, 2, 2), (2, 2, pytest.approx(3 + 2 / 1.5849625), None, None)]),
        ("universe=retrieved", [(1, 3, 3, 2, 2), (2, 2, pytest.approx(3 + 2 / 1.5849625), None, None)]),
        ("ideal=max-grade", [(1, 3, 3, 3, 3), (2, 2, pytest.approx(4.2618595), 3, pytest.approx(4.8927893))]),
        ("gain=exponential", []),
    ],
)
def test_the_ideal_lists_are_shown_where_they_are_of_other_documents(tmp_path, changed, expected):
    """Rank, and gain and sum of either side: both rankings are the same there, and show nothing."""
    write_case(tmp_path / "case", {"1": {"a": 2, "b": 3}}, [("1", "a", 2.0), ("1", "c", 1.0)])
    settings = Settings(measures=("nDCG",), backends=(f"native:{changed}",), reference="native")
    (found,) = run_with(find_cases([str(tmp_path)]), settings).evidence
    (query,) = found.rankings
    assert query.reference_ranking[0].docno == query.candidate_ranking[0].docno == "a"
    held = [
        (i.rank, i.reference_gain, i.reference_sum, i.candidate_gain, i.candidate_sum) for i in query.ideal
    ]
    assert held == expected


def test_the_mean_goes_in_steps_from_one_side_to_the_other(tmp_path):
    """One step per cause, in the order of an evaluation; the last one is the candidate's mean."""
    document = compared(tmp_path, "native:ties=docid-asc,gain=exponential", "nDCG")
    (found,), (comparison,) = document.evidence, document.comparisons
    assert [step.cause for step in found.steps] == ["tie-breaking", "gain"]
    assert found.steps[-1].mean == comparison.mean.candidate_value
    only_ties = compared(tmp_path / "ties", "native:ties=docid-asc", "nDCG").comparisons[0]
    assert found.steps[0].mean == only_ties.mean.candidate_value


def test_long_rankings_are_cut_to_what_matters(tmp_path):
    """The top of either side, and relevant documents that change places further down; none for a measure of
    sets, in whose value ranks have no part."""
    document = compared(tmp_path / "sets", "native:relevance_level=2", "SetP")
    assert [found.rankings for found in document.evidence] == [[]]
    docs = [f"d{i:03}" for i in range(200)]
    run = [("1", doc, 1.0 if 100 <= i < 110 else 300.0 - i) for i, doc in enumerate(docs)]
    write_case(tmp_path / "case", {"1": {"d000": 1, "d105": 1}}, run)
    settings = Settings(measures=("AP",), backends=("native:ties=docid-asc",), reference="native")
    (found,) = run_with(find_cases([str(tmp_path / "case")]), settings).evidence
    (query,) = found.rankings
    assert query.documents == 200
    assert [d.rank for d in query.reference_ranking][:10] == list(range(1, 11))
    assert {d.docno for d in query.reference_ranking} == {d.docno for d in query.candidate_ranking}
    assert len(query.reference_ranking) == 11


def test_tools_that_nobody_named_inform(tmp_path, monkeypatch):
    """On loose files they fail nothing, whether they differ or break; native and named ones do."""
    write_case(tmp_path / "case", QRELS, RUN)
    half = tmp_path / "half.py"
    half.write_text("def f(qrels, run):\n    return {q: 0.5 for q in run}\n")
    monkeypatch.setattr(backends, "default_candidates", lambda: ("native", f"python:{half}:f"))
    cases = find_cases([str(tmp_path / "case")])
    loose = run_with(cases, Settings(measures=("RR",), reference="native:rr_of=every", loose=True))
    outcomes = {c.candidate.split(":")[0]: (c.outcome, c.expected, c.informs) for c in loose.comparisons}
    assert outcomes == {"native": ("mismatch", False, False), "python": ("mismatch", False, True)}
    assert exit_code(loose) is ExitCode.UNEXPECTED
    third = Settings(measures=("RR",), reference="native:trec_eval-9.0.8", loose=True)
    assert exit_code(run_with(cases, third)) is ExitCode.AS_EXPECTED
    named = Settings(measures=("RR",), reference="native", loose=True, backends=(f"python:{half}:f",))
    assert exit_code(run_with(cases, named)) is ExitCode.UNEXPECTED
    half.write_text("def f(qrels, run):\n    raise ValueError\n")
    assert exit_code(run_with(cases, third)) is ExitCode.AS_EXPECTED
    assert exit_code(run_with(cases, named)) is ExitCode.INCONCLUSIVE
