"""Audits of metrics whose order of tied documents follows no rule that crosscheck knows."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from zlib import crc32

import numpy as np

import crosscheck
from crosscheck.auditing import audit
from tests.support.oracle import Oracle, Row

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def ordered_by(
    order: Callable[[dict[str, float]], list[str]], measure: str = "nDCG@5"
) -> Callable[[Qrels, Run], object]:
    """A measure of rankings in this order."""

    def metric(qrels: Qrels, run: Run) -> dict[str, float]:
        ranked = {
            query: [Row(docno, i, -i) for i, docno in enumerate(order(scores))]
            for query, scores in run.items()
        }
        return Oracle().evaluate(qrels, ranked, measure)[0]

    return metric


def by_checksum(scores: dict[str, float]) -> list[str]:
    """By score in single precision, ties by a checksum of their docno, a rule outside the vocabulary."""
    return sorted(scores, key=lambda docno: (-np.float32(scores[docno]), crc32(docno.encode())))


def by_argsort(scores: dict[str, float]) -> list[str]:
    """As numpy sorts by default: not stable, by an algorithm that depends on the processor."""
    docnos = list(scores)
    return [docnos[i] for i in np.argsort(-np.array(list(scores.values())))]


def without_tied(scores: dict[str, float]) -> list[str]:
    """Of documents with equal scores only the last, as where scores are keys of a dictionary."""
    kept = {np.float32(score): docno for docno, score in scores.items()}
    return [kept[score] for score in sorted(kept, reverse=True)]


NO_RULE = "its order of tied documents follows no rule that is known: on "


def test_an_order_that_no_rule_gives_is_tie_breaking_and_nothing_else() -> None:
    """With the number of inputs whose value some order gives exactly, and the smallest of them."""
    audited = audit(ordered_by(by_checksum), "nDCG@5")
    assert (audited.causes, audited.conventions, audited.verdict) == (["tie-breaking"], {}, "deviates")
    assert audited.notes[0].startswith(NO_RULE)
    assert "may differ by processor" in audited.notes[0]
    assert audited.nearest_profile is not None
    shown = audited.counterexamples[0]
    assert shown.cause == "tie-breaking"
    values = {
        rule: crosscheck.evaluate(shown.qrels, shown.run, ["nDCG@5"], conventions=f"ties={rule}")
        for rule in ("docid-desc", "docid-asc")
    }
    assert {value[shown.query]["nDCG@5"] for value in values.values() if shown.query} >= {
        shown.candidate_value
    }


def test_numpys_argsort_is_tie_breaking_on_any_processor() -> None:
    """It compares doubles, and is named for that too."""
    audited = audit(ordered_by(by_argsort), "nDCG@5")
    assert audited.causes == ["tie-breaking", "score-precision"]
    assert audited.notes[0].startswith(NO_RULE)


def test_what_is_different_besides_is_found_on_inputs_without_ties() -> None:
    """Exponential gains and an order that no rule gives."""

    def dcg(gains: list[float]) -> float:
        return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))

    def metric(qrels: Qrels, run: Run) -> dict[str, float]:
        values = {}
        for query, scores in run.items():
            levels = {docno: max(level, 0) for docno, level in qrels.get(query, {}).items()}
            got = [2.0 ** levels.get(docno, 0) - 1 for docno in by_checksum(scores)[:5]]
            best = sorted((2.0**level - 1 for level in levels.values()), reverse=True)[:5]
            if levels:
                values[query] = dcg(got) / dcg(best) if dcg(best) else 0.0
        return values

    audited = audit(metric, "nDCG@5")
    assert (audited.causes, audited.conventions) == (["tie-breaking", "gain"], {"gain": "exponential"})


def test_what_no_order_gives_stays_unexplained() -> None:
    """A metric that loses tied documents does not merely order them."""
    audited = audit(ordered_by(without_tied), "nDCG@5")
    assert "unexplained" in audited.causes
    assert not any(note.startswith(NO_RULE) for note in audited.notes)


def test_the_order_of_average_precision_too() -> None:
    """Over whole rankings, where more orders differ."""

    audited = audit(ordered_by(by_checksum, "AP"), "AP")
    assert audited.causes == ["tie-breaking"]
    assert audited.notes[0].startswith(NO_RULE)
