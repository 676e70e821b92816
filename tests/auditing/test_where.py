"""Where a metric is wrong: the conditions on its inputs that are said."""

from __future__ import annotations

import numpy as np

from crosscheck.auditing import audit
from crosscheck.auditing.metric import Asked, native_answer
from crosscheck.auditing.where import Places
from crosscheck.conventions import Conventions
from crosscheck.inputs.realistic import fresh_probes
from crosscheck.names import parse_measure


def zero_without_judgements_and_long_lists_reversed(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> dict[str, float]:
    """Two faults, of which one is a convention."""
    values = {}
    for topic, scores in run.items():
        single = {docno: np.float32(score) for docno, score in scores.items()}
        ranking = sorted(single, key=lambda docno: (single[docno], docno), reverse=len(scores) <= 40)
        hits = [docno for docno in ranking[:10] if qrels.get(topic, {}).get(docno, 0) > 0]
        values[topic] = len(hits) / 10
    return values


def test_where_two_faults_meet_each_is_said():
    """The convention stands beside the bug, whose place is said, and whose example no convention gives."""
    found = audit(zero_without_judgements_and_long_lists_reversed, "P@10", call="f(qrels, run)")
    assert found.causes == ["unjudged-queries", "unexplained"]
    assert found.conventions == {"unjudged_queries": "no-relevant"}
    assert found.where is not None
    assert found.where.conditions == ["41 or more retrieved documents"]
    (example,) = [one for one in found.counterexamples if one.cause == "unexplained"]
    assert [len(docs) for docs in example.run.values()] == [41]
    assert "no convention" in example.explanation


def test_a_mean_has_no_place_among_queries():
    """Means that are wrong over several queries are said to be wrong over two or more."""
    measure, base = parse_measure("P@5"), Conventions()
    asked = [Asked(p, native_answer(p.qrels, p.run, measure, base), measure) for p in fresh_probes(0, 5)]
    wrong = [one.probe for one in asked if len(one.probe.queries) > 1]
    found = Places(5).where(asked, wrong, base)
    assert found is not None
    assert (found.of_what, found.conditions) == ("inputs", ["2 or more queries in the input"])
