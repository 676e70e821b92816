"""Audits of plain-Python metrics that leave trec_eval in one value of an axis, and of native ones."""

from __future__ import annotations

from math import log, log10

import pytest

from crosscheck.auditing import audit
from crosscheck.conventions import AxisValue, conventions
from tests.sampling import one_in
from tests.targets import formulas
from tests.targets.plain import Row
from tests.targets.rules import Metric, average_precision, precision

#: Setting, measure, and the metric that follows it.
METRICS: list[tuple[str, str, Metric]] = [
    *(
        (f"ties=docid-{order}-{way}", "AP", formulas.ap_with_docnos(order, descending=way == "desc"))
        for order, way in (("natural", "desc"), ("folded", "asc"), ("numeric", "asc"), ("length", "desc"))
    ),
    ("first_result=skipped", "AP", formulas.without_first(average_precision)),
    ("universe=appended", "AP", formulas.with_unretrieved(average_precision)),
    ("universe=appended", "P@5", formulas.with_unretrieved(precision)),
    ("exact_level=2", "P@5", formulas.only_level(2, precision)),
    ("exact_level=1", "AP", formulas.only_level(1, average_precision)),
    ("max_grade=query", "ERR@5", formulas.err_to_highest(5)),
    ("max_grade=3", "ERR@5", formulas.err_to_highest(5, 3)),
    ("max_grade=5", "ERR@5", formulas.err_to_highest(5, 5)),
    ("rr_of=every", "RR", formulas.rr_of_every(lambda num_rel, found: num_rel)),
    ("rr_of=every-retrieved", "RR", formulas.rr_of_every(lambda num_rel, found: found)),
    ("rr_of=highest-level", "RR", formulas.rr_of_highest),
    ("precision_denominator=min(k,R)", "P@5", formulas.precision_over_best(5)),
    ("recall_denominator=k", "R@5", formulas.recall_over_k(5)),
    ("ap_denominator=k", "AP@5", formulas.ap_over(5, lambda num_rel, seen: 5)),
    ("ap_denominator=min(R,retrieved)", "AP@5", formulas.ap_over(5, min)),
    ("gain=2^level", "nDCG@5", formulas.ndcg_of_levels(5, gain=lambda level: level and 2.0**level)),
    ("gain=2^level-of-all", "nDCG@5", formulas.ndcg_of_levels(5, gain=lambda level: 2.0**level)),
    ("gain=level^2", "nDCG@5", formulas.ndcg_of_levels(5, gain=lambda level: level**2)),
    (
        "discount=jarvelin-3",
        "nDCG@10",
        formulas.ndcg_of_levels(10, discount=lambda rank: log(rank, 3) if rank >= 3 else 1.0),
    ),
    (
        "discount=jarvelin-10",
        "nDCG@20",
        formulas.ndcg_of_levels(20, discount=lambda rank: log10(rank) if rank >= 10 else 1.0),
    ),
    ("discount=log10(i+1)", "DCG@5", formulas.dcg_of_levels(5, discount=lambda rank: log10(rank + 1))),
]
SOME = one_in(3, METRICS)
EACH = pytest.mark.parametrize(("setting", "measure", "metric"), SOME, ids=[s for s, _, _ in SOME])


def changed(setting: str) -> dict[str, AxisValue]:
    return conventions(setting).changes_from(conventions("trec_eval-9.0.8"))


@EACH
def test_a_plain_metric_is_named(setting: str, measure: str, metric: Metric) -> None:
    """The audit names that one change, or has it among what no input tells apart from the one it names."""

    def metric_of_dicts(
        qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
    ) -> dict[str, float]:
        rows = {
            query: [Row(docno, rank, repr(score)) for rank, (docno, score) in enumerate(scores.items(), 1)]
            for query, scores in run.items()
        }
        return {query: metric(qrels[query], rows[query]) for query in run if query in qrels}

    audited = audit(metric_of_dicts, measure)
    assert "unexplained" not in audited.causes
    assert changed(setting) in [audited.conventions, *(other.conventions for other in audited.alternatives)]


@EACH
def test_native_values_under_a_setting_are_named(setting: str, measure: str, metric: Metric) -> None:
    """So are crosscheck's own values under it."""
    audited = audit(f"native:{setting}", measure)
    assert "unexplained" not in audited.causes
    assert changed(setting) in [audited.conventions, *(other.conventions for other in audited.alternatives)]
