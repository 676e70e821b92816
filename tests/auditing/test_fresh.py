"""Fresh inputs decide whether a metric agrees; what is said beside something unexplained is little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from ctypes import c_float
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.auditing import audit
from crosscheck.explain.predictions import equal_numbers
from crosscheck.harness.document import document_of
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.inputs.realistic import fresh_probes, ordinary
from crosscheck.report import RenderOptions, render

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def precision(levels: Sequence[int], k: int) -> float:
    return sum(level > 0 for level in levels[:k]) / k


def ranked(docs: dict[str, float]) -> list[str]:
    """trec_eval's order."""
    return sorted(sorted(docs, key=lambda d: d.encode(), reverse=True), key=lambda d: -np.float32(docs[d]))


def not_one_document(gains: Sequence[int], k: int) -> float:
    if len(gains) == 1:
        raise ValueError("a list of one document")
    return precision(gains, k)


def no_negative_levels(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    if min(level for judged in qrels.values() for level in judged.values()) < 0:
        raise ValueError("a negative level")
    return {q: precision([qrels[q].get(d, 0) for d in ranked(run[q])], k) for q in run if q in qrels}


def short_lists_only(gains: Sequence[int], k: int) -> float:
    """Exact on every small input."""
    return precision(gains, k) if len(gains) < 30 else precision(gains[::-1], k)


def exponential_beyond_thirty(relevance: dict[str, int], ranked_ids: list[str], k: int) -> float:
    """Exponential gain; lists longer than thirty are reversed."""
    found = [max(relevance.get(d, 0), 0) for d in (ranked_ids if len(ranked_ids) < 30 else ranked_ids[::-1])]
    ideal = sorted((max(level, 0) for level in relevance.values()), reverse=True)
    dcg, best = (
        sum((2**level - 1) / math.log2(i + 2) for i, level in enumerate(levels[:k]))
        for levels in (found, ideal)
    )
    return dcg / best if best else 0.0


def recall(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return len({*ranked_ids[:k]} & {*relevant_ids}) / len(relevant_ids) if relevant_ids else 0.0


@pytest.mark.parametrize("cutoff", [1, 100, 1000])
def test_any_cutoff_can_be_audited(cutoff: int) -> None:
    """The inputs follow the cutoff, however large it is."""
    assert audit(recall, f"R@{cutoff}").verdict == "agrees"


def leaking(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    """Every query after the third gets the value of the one before."""
    values = {q: precision([qrels[q].get(d, 0) for d in ranked(run[q])], k) for q in run if q in qrels}
    queries = list(values)
    return {q: values[queries[i - 1]] if i > 2 else values[q] for i, q in enumerate(queries)}


def a_little_more(gains: Sequence[int], k: int) -> float:
    return precision(gains, k) + 1e-7


def test_a_refusal_on_ordinary_input_is_a_deviation() -> None:
    """A list of one document is ordinary: the cause is named, with the smallest such input."""
    found = audit(not_one_document, "P@5")
    assert (found.verdict, found.causes) == ("deviates", ["refuses-input"])
    (example,) = found.counterexamples
    assert (example.cause, example.candidate_value) == ("refuses-input", None)
    assert [len(docs) for docs in example.run.values()] == [1]
    assert "a list of one document" in example.explanation


def test_a_refusal_of_what_is_rare_is_none() -> None:
    """Negative levels may be refused: it agrees, and a note says on what it gave no value."""
    found = audit(no_negative_levels, "P@5")
    assert found.verdict == "agrees"
    assert any("a negative level" in note for note in found.notes)


def test_long_lists_contradict_what_small_ones_show() -> None:
    """A metric that is exact on all experiments is condemned by a longer list."""
    found = audit(short_lists_only, "P@5")
    assert (found.verdict, found.causes) == ("deviates", ["unexplained"])
    assert found.fresh_inputs_met < found.fresh_inputs
    (example,) = found.counterexamples
    assert [len(docs) for docs in example.run.values()] == [30]


def test_nothing_is_like_a_tool_beside_something_unexplained() -> None:
    """No profile, and only what experiments showed directly keeps its value; the words are exact."""
    found = audit(exponential_beyond_thirty, "nDCG@10")
    assert set(found.causes) == {"gain", "unexplained"}
    assert found.nearest_profile is None
    status = {finding.axis: (finding.value, finding.status) for finding in found.fingerprint}
    assert status["gain"] == ("exponential", "decided")
    text = render(document_of(found), "text", RenderOptions(verbose=True))
    assert "Same conventions as" not in text
    assert "Nearest known profile" not in text
    assert f"predicts  {found.fresh_inputs_met} of {found.fresh_inputs} values on fresh inputs" in text


def test_values_that_depend_on_other_queries() -> None:
    """Right alone and wrong in company is a leak, shown with the queries that it takes."""
    found = audit(leaking, "P@5")
    assert (found.verdict, found.causes) == ("deviates", ["cross-query-leak"])
    (example,) = found.counterexamples
    assert len(example.run) == 4


def never_beyond_a_hundred(gains: Sequence[int], k: int) -> float:
    """Right for the cutoff that is audited, and not for one beyond the end of the list."""
    return precision(gains, min(k, 100))


def test_a_cutoff_past_the_end_counts() -> None:
    """The behaviour in the table is compared with trec_eval's value."""
    found = audit(never_beyond_a_hundred, "P@5")
    assert found.causes == ["unexplained"]
    (example,) = found.counterexamples
    assert (example.measure, example.reference_value, example.candidate_value) == ("P@1000", 0.001, 0.01)


def test_a_number_added_to_every_value_is_no_lack_of_precision() -> None:
    """1e-7 more than the value is found, although single precision would be allowed as much."""
    assert audit(a_little_more, "P@5").causes == ["unexplained"]


@pytest.mark.parametrize(
    ("expected", "value", "tolerance", "same"),
    [
        (0.5, 0.5 + 5e-10, 1e-9, True),
        (0.5, 0.5 + 2e-9, 1e-9, False),
        (2e6, 2e6 + 1e-4, 1e-9, True),
        (0.0, 1e-9, 1e-6, False),
        (0.5, 0.5 + 4e-7, 1e-6, True),
        (0.5, 0.5 + 6e-7, 1e-6, False),
        (math.nan, math.nan, 1e-9, True),
        (math.inf, math.inf, 1e-9, True),
        (math.inf, -math.inf, 1e-9, False),
    ],
)
def test_tolerances(expected: float, value: float, tolerance: float, same: bool) -> None:
    """Double precision is absolute up to 1 and relative above; single precision is relative everywhere."""
    assert equal_numbers(expected, value, tolerance, None) is same


def test_a_case_that_contradicts_the_experiments(tmp_path: Path) -> None:
    """A metric that is wrong on a given case alone does not agree."""
    (tmp_path / "qrels").write_text("7 0 magic 1\n7 0 other 0\n", "utf-8")
    (tmp_path / "run").write_text("7 Q0 magic 1 2.0 t\n7 Q0 other 2 1.0 t\n", "utf-8")

    def wrong_on_magic(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
        return 0.0 if "magic" in ranked_ids else precision([d in relevant_ids for d in ranked_ids], k)

    assert audit(wrong_on_magic, "P@5").verdict == "agrees"
    found = audit(wrong_on_magic, "P@5", fixtures=str(tmp_path))
    assert (found.verdict, found.causes) == ("deviates", ["unexplained"])
    assert found.confirmation is not None
    assert found.confirmation.differs == [f"{tmp_path.name}/run"]


ONE = Probe("", (("1", Query((("a", 1),), (Line("a", 1, 1.0),))),), "1")


@pytest.mark.parametrize(
    ("query", "is_ordinary"),
    [
        (Query((("a", 1),), (Line("a", 1, 1.0),)), True),
        (Query((("a", 4), ("b", 0)), (Line("c", 1, -1e30),)), True),
        (Query((("a", 0),), (Line("a", 1, 1.0),)), False),
        (Query((("a", 5),), (Line("a", 1, 1.0),)), False),
        (Query((("a", 1), ("b", -1)), (Line("a", 1, 1.0),)), False),
        (Query((("a", 1),), (Line("a", 1, math.nan),)), False),
        (Query((("a", 1),), ()), False),
        (Query((), (Line("a", 1, 1.0),)), False),
        (Query((("a b", 1),), (Line("a b", 1, 1.0),)), False),
    ],
)
def test_ordinary(query: Query, is_ordinary: bool) -> None:
    """Judged, something relevant, levels 0 to 4, finite scores, one document or more, ids without blanks."""
    assert ordinary(replace(ONE, queries=(("1", query),))) is is_ordinary


@pytest.mark.parametrize("cutoff", [None, 1, 5, 100])
def test_what_fresh_inputs_hold(cutoff: int | None) -> None:
    """Every kind that real data has, with any cutoff; the same seed gives the same inputs."""
    probes = fresh_probes(3, cutoff)
    assert probes == fresh_probes.__wrapped__(3, cutoff)
    queries = [query for probe in probes for _, query in probe.queries]
    levels = {level for query in queries for _, level in query.judged}
    assert levels >= {-2, -1, 0, 1, 2, 3, 4, 5, 8, 10, 30}
    lengths = {len(query.lines) for query in queries}
    k = cutoff or 10
    assert lengths >= {1, max(k - 1, 1), k, k + 1, 16, 17, 41, 1100}
    assert {1, 45, 260} <= {len(probe.queries) for probe in probes}
    scores = [line.score for query in queries for line in query.lines]
    assert min(scores) < 0 < max(scores)
    assert any(0 < abs(score) < 1e-9 for score in scores)
    assert any(score > 1e9 for score in scores)
    docnos = {line.docno for query in queries for line in query.lines}
    assert any(len(docno) > 20 for docno in docnos)
    assert any(not docno.isascii() for docno in docnos)
    assert any(docno.isdigit() for docno in docnos)
    for probe in probes:
        for _, query in probe.queries:
            assert len({docno for docno, _ in query.judged}) == len(query.judged)
            assert len({line.docno for line in query.lines}) == len(query.lines)


def test_docnos_that_are_decoded_are_found() -> None:
    """A metric that decodes docnos takes ``c%2F1`` for ``c/1``."""

    def precision(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, float]:
        def best(query: str) -> list[str]:
            scores = run[query]
            return sorted(scores, key=lambda docno: (c_float(scores[docno]).value, docno), reverse=True)[:5]

        relevant = {
            q: {unquote(d) for d, level in judged.items() if level > 0} for q, judged in qrels.items()
        }
        return {q: sum(unquote(d) in relevant[q] for d in best(q)) / 5 for q in run if q in qrels}

    assert audit(precision, "P@5").causes == ["unexplained"]
