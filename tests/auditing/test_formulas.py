"""Audits of plain-Python metrics that leave trec_eval in one value of an axis."""

from __future__ import annotations

import pytest

from crosscheck.auditing import audit
from crosscheck.conventions import AxisValue, conventions
from tests.support.oracle import Oracle, Row, changes_of
from tests.support.sampling import one_in

_SETTINGS = {
    "AP": "ties=docid-natural-desc ties=docid-folded-asc ties=docid-numeric-asc ties=docid-length-desc "
    "first_result=skipped universe=appended exact_level=1",
    "P@5": "universe=appended exact_level=2 precision_denominator=min(k,R)",
    "R@5": "recall_denominator=k",
    "AP@5": "ap_denominator=k ap_denominator=min(R,retrieved)",
    "RR": "rr_of=every rr_of=every-retrieved rr_of=highest-level",
    "ERR@5": "max_grade=query max_grade=3 max_grade=5",
    "nDCG@5": "gain=2^level gain=2^level-of-all gain=level^2",
    "nDCG@10": "discount=jarvelin-3",
    "nDCG@20": "discount=jarvelin-10",
    "DCG@5": "discount=log10(i+1)",
}
METRICS = [(setting, measure) for measure, some in _SETTINGS.items() for setting in some.split()]


def changed(setting: str) -> dict[str, AxisValue]:
    return conventions(setting).changes_from(conventions("trec_eval-9.0.8"))


@pytest.mark.parametrize(("setting", "measure"), one_in(3, METRICS))
def test_a_plain_metric_is_named(setting: str, measure: str) -> None:
    """The audit names that one change, or has it among what no input tells apart from the one it names."""

    def metric_of_dicts(
        qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
    ) -> dict[str, float]:
        rows = {
            query: [Row(docno, rank, score) for rank, (docno, score) in enumerate(scores.items(), 1)]
            for query, scores in run.items()
        }
        return Oracle(changes_of(setting)).evaluate(qrels, rows, measure)[0]

    audited = audit(metric_of_dicts, measure)
    assert "unexplained" not in audited.causes
    assert changed(setting) in [audited.conventions, *(other.conventions for other in audited.alternatives)]
