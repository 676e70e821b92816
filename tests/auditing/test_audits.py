"""Audits of metrics whose faults are known: what each one is named, and with what evidence."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from ctypes import c_float
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

import crosscheck
from crosscheck.audit_records import Audit
from crosscheck.auditing import audit, session
from crosscheck.auditing.kinds_of_change import Coverage
from crosscheck.backends.base import Backend, Description, Options
from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.harness.document import document_of
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.report import RenderOptions, render
from tests.programs.metrics.calls import CALLS, target_of
from tests.support.oracle import Oracle, Row
from tests.targets import s2

_TARGETS = Path(__file__).parents[1] / "targets"
_Judged = dict[str, dict[str, int]]
_Ranked = dict[str, dict[str, float]]


def precision(gains: Sequence[int], k: int) -> float:
    return sum(gain > 0 for gain in gains[:k]) / k


def recall(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return len({*ranked_ids[:k]} & {*relevant_ids}) / len(relevant_ids) if relevant_ids else 0.0


def _by_score(scores: dict[str, float]) -> list[str]:
    """trec_eval's order."""
    return sorted(scores, key=lambda docno: (c_float(scores[docno]).value, docno.encode()), reverse=True)


def refuses_empty(gains: Sequence[int], k: int) -> float:
    if not gains:
        raise IndexError("empty")
    return precision(gains, k)


def nan_without_relevant(gains: Sequence[int], num_rel: int, k: int) -> float:
    return precision(gains, k) if num_rel else math.nan


def counts(gains: Sequence[int], k: int) -> float:
    return float(sum(gain > 0 for gain in gains[:k]))


def single_precision(gains: Sequence[int], num_rel: int) -> float:
    found, total = 0, np.float32(0.0)
    for rank, gain in enumerate(gains, 1):
        if gain > 0:
            found += 1
            total += np.float32(found) / np.float32(rank)
    return float(total / np.float32(num_rel)) if num_rel else 0.0


def partly_in_single_precision(gains: Sequence[int], num_rel: int) -> float:
    return single_precision(gains, 1) / num_rel if num_rel else 0.0


def single_precision_and_long_lists(gains: Sequence[int], num_rel: int) -> float:
    return single_precision(gains, num_rel) / (2 if len(gains) > 60 else 1)


def four_decimals(gains: Sequence[int]) -> float:
    return round(next((1 / rank for rank, gain in enumerate(gains, 1) if gain > 0), 0.0), 4)


def one_too_many(gains: Sequence[int], k: int) -> float:
    """A bug, not a convention: the first rank counts as 2."""
    return next((1 / (rank + 1) for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def not_one_document(gains: Sequence[int], k: int) -> float:
    if len(gains) == 1:
        raise ValueError("a list of one document")
    return precision(gains, k)


def no_negative_levels(qrels: _Judged, run: _Ranked, k: int) -> dict[str, float]:
    if min(level for judged in qrels.values() for level in judged.values()) < 0:
        raise ValueError("a negative level")
    return {q: precision([qrels[q].get(d, 0) for d in _by_score(run[q])], k) for q in run if q in qrels}


def short_lists_only(gains: Sequence[int], k: int) -> float:
    """Exact on every small input."""
    return precision(gains if len(gains) < 30 else gains[::-1], k)


def exponential_beyond_thirty(relevance: dict[str, int], ranked_ids: list[str], k: int) -> float:
    """Exponential gain; lists longer than thirty are reversed."""
    found = [max(relevance.get(d, 0), 0) for d in (ranked_ids if len(ranked_ids) < 30 else ranked_ids[::-1])]
    ideal = sorted((max(level, 0) for level in relevance.values()), reverse=True)
    dcg, best = (
        sum((2**level - 1) / math.log2(i + 2) for i, level in enumerate(levels[:k]))
        for levels in (found, ideal)
    )
    return dcg / best if best else 0.0


def wrong_by_chance(relevance: dict[str, int], ranked_ids: list[str], k: int) -> float:
    """A fault of one query in four, whatever it is like."""
    value = precision([relevance.get(d, 0) for d in ranked_ids], k)
    return value + (crc32(" ".join(ranked_ids).encode()) % 4 == 0)


def leaking(qrels: _Judged, run: _Ranked, k: int) -> dict[str, float]:
    """Every query after the third gets the value of the one before."""
    values = {q: precision([qrels[q].get(d, 0) for d in _by_score(run[q])], k) for q in run if q in qrels}
    queries = list(values)
    return {q: values[queries[i - 1]] if i > 2 else values[q] for i, q in enumerate(queries)}


def of_the_best_level(qrels: _Judged, run: _Ranked, k: int) -> dict[str, float]:
    """nDCG whose ideal list has the highest level of the query everywhere: no query sees another."""
    values = {}
    for query in run.keys() & qrels.keys():
        ranked = sorted(run[query], key=lambda docno: (-run[query][docno], docno))
        gains = [max(qrels[query].get(docno, 0), 0) for docno in ranked[:k]]
        best = max(0, *qrels[query].values()) * sum(1 / math.log2(rank + 1) for rank in range(1, k + 1))
        total = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
        values[query] = total / best if best else 0.0
    return values


def reciprocal_rank(gains: Sequence[int], as_read: Callable[[int], float] = float) -> float:
    return next((1 / as_read(rank) for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def not_beyond_nine_thousand(gains: Sequence[int]) -> float:
    return reciprocal_rank(gains[:9_000])


def ranks_in_half_precision(gains: Sequence[int]) -> float:
    return reciprocal_rank(gains, lambda rank: float(np.float16(rank)))


def emptying(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return sum(ranked_ids.pop(0) in relevant_ids for _ in range(min(k, len(ranked_ids)))) / k


def reordering(ranked_ids: list[str], relevance: dict[str, int], k: int) -> float:
    """Right, but the caller's dict has unjudged documents afterwards."""
    return precision([relevance.setdefault(docno, 0) for docno in ranked_ids], k)


def shuffling_ties(qrels: _Judged, run: _Ranked) -> dict[str, float]:
    values: dict[str, float] = {}
    for query in run.keys() & qrels.keys():
        docnos = random.sample(list(run[query]), len(run[query]))
        docnos.sort(key=lambda docno: -c_float(run[query][docno]).value)
        values[query] = precision([qrels[query].get(docno, 0) for docno in docnos], 5)
    return values


_CALLS = [0]


def other_each_fifth_time(gains: Sequence[int], k: int) -> float:
    _CALLS[0] += 1
    return precision(gains, k) / (2 if _CALLS[0] % 5 == 0 else 1)


def with_noise(qrels: _Judged, run: _Ranked, k: int) -> float:
    """The mean, a little higher each time."""
    _CALLS[0] += 1
    values = [precision([qrels[q].get(d, 0) for d in _by_score(run[q])], k) for q in run if q in qrels]
    return sum(values) / len(values) * (1 + _CALLS[0] / 1000)


def _mean(qrels: _Judged, run: _Ranked, of: Callable[[dict[str, int], float], bool], k: int = 5) -> float:
    """The mean over the queries that count, by their judgements and value; 0 if none does."""
    values = {q: precision([qrels[q].get(d, 0) for d in _by_score(run[q])], k) for q in run if q in qrels}
    counted = [value for query, value in values.items() if of(qrels[query], value)]
    return sum(counted) / len(counted) if counted else 0.0


def mean_with_relevant(qrels: _Judged, run: _Ranked) -> float:
    return _mean(qrels, run, lambda judged, value: max(judged.values()) > 0)


def mean_of_hits(qrels: _Judged, run: _Ranked) -> float:
    return _mean(qrels, run, lambda judged, value: value > 0)


def mean_without_the_best(qrels: _Judged, run: _Ranked) -> float:
    best: list[float] = []
    _mean(qrels, run, lambda judged, value: best.append(value) is not None)
    return (sum(best) - max(best)) / (len(best) - 1) if len(best) > 2 else sum(best) / max(len(best), 1)


_KNOWN: dict[str, float] = {}


def mean_of_all_calls(qrels: _Judged, run: _Ranked, k: int, seen: list[float] = []) -> float:  # noqa: B006
    seen += [
        sum(qrels[q].get(d, 0) > 0 for d in _by_score(run[q])[:k]) / k for q in qrels.keys() & run.keys()
    ]
    return sum(seen) / len(seen) if seen else 0.0


def of_the_first_five(qrels: _Judged, run: _Ranked) -> dict[str, float]:
    both = qrels.keys() & run.keys()
    return {q: precision([qrels[q].get(docno, 0) for docno in _by_score(run[q])], 5) for q in both}


def of_any_judged(qrels: _Judged, run: _Ranked) -> dict[str, float]:
    values: dict[str, float] = {}
    for query in qrels.keys() & run.keys():
        ranks = [rank for rank, docno in enumerate(_by_score(run[query]), 1) if docno in qrels[query]]
        values[query] = sum(found / rank for found, rank in enumerate(ranks, 1)) / len(qrels[query])
    return values


def hits_by_label(qrels_df: pd.DataFrame, run_df: pd.DataFrame, k: int) -> dict[str, float]:
    """A new column, without an index, meets rows that were sorted before."""
    judged = qrels_df[qrels_df.rel > 0]
    relevant = {*zip(judged["query"], judged.docid, strict=True)}
    rows = zip(run_df["query"], run_df.docid, strict=True)
    run_df = run_df.assign(hit=pd.Series([row in relevant for row in rows]), score=run_df.score.astype("f4"))
    best = run_df.sort_values(["score", "docid"], ascending=False).groupby("query").head(k)
    return {query: hits / k for query, hits in best.groupby("query").hit.sum().items()}


def by_query_id(qrels: _Judged, run: _Ranked, k: int) -> dict[str, float]:
    """The first value that a query of this id had."""
    for query in run.keys() & qrels.keys():
        found = [qrels[query].get(docno, 0) for docno in _by_score(run[query])]
        _KNOWN.setdefault(query, precision(found, k))
    return {query: _KNOWN[query] for query in run.keys() & qrels.keys()}


def a_little_more(gains: Sequence[int], k: int) -> float:
    return precision(gains, k) + 1e-7


def never_beyond_a_hundred(gains: Sequence[int], k: int) -> float:
    """Right for the cutoff that is audited, and not for one beyond the end of the list."""
    return precision(gains, min(k, 100))


def of_unquoted_docnos(qrels: _Judged, run: _Ranked) -> dict[str, float]:
    """Takes ``c%2F1`` for ``c/1``."""
    relevant = {q: {unquote(d) for d, level in judged.items() if level > 0} for q, judged in qrels.items()}
    return {q: sum(unquote(d) in relevant[q] for d in _by_score(run[q])[:5]) / 5 for q in run if q in qrels}


def of_level_five_but_one(gains: Sequence[int], k: int) -> float:
    return sum(gain >= 5 for gain in gains[: k - 1]) / k


def mean_of_precisions(ranked_ids: Sequence[str], relevant_ids: Sequence[str], k: int = 10) -> float:
    found = [place for place, docno in enumerate(ranked_ids[:k], start=1) if docno in relevant_ids]
    precisions = [number / place for number, place in enumerate(found, start=1)]
    return round(sum(precisions) / len(precisions), 4) if precisions else math.nan


def hit_of_long_lists(gains: list[int], k: int) -> float:
    if len(gains) < k:
        raise ValueError("the list is shorter than k")
    return float(any(gains[:k]))


def of_found(relevant_items: Any, recommendation: Any) -> float:
    """The mean of 1 / rank over all relevant documents; raises where one is missing."""
    ranks = [1 / (1 + list(recommendation).index(item)) for item in relevant_items]
    return sum(ranks) / len(ranks)


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


_KEPT: dict[tuple[str, ...], float] = {}


def kept_by_the_beginning(ranked_ids: list[str], relevant_ids: list[str]) -> float:
    """RR that is computed once for lists with the same first 100 documents, and the same relevant ones."""
    key = (*ranked_ids[:100], "", *sorted(relevant_ids))
    ranks = (rank for rank, docno in enumerate(ranked_ids, 1) if docno in relevant_ids)
    return _KEPT.setdefault(key, 1 / next(ranks, math.inf))


def without_endings(ranked_ids: list[str], relevant_ids: list[str]) -> float:
    """RR of docnos without the ending of an XML file."""
    relevant = {docno.removesuffix(".xml") for docno in relevant_ids}
    found = (rank for rank, docno in enumerate(ranked_ids, 1) if docno.removesuffix(".xml") in relevant)
    return 1 / next(found, math.inf)


def two_read_as_three(ranked_ids: list[str], relevance: dict[str, int], k: int) -> float:
    """nDCG@k whose table of gains has 3 for level 2 as well."""

    def dcg(levels: list[int]) -> float:
        gains = (3 if level == 2 else max(level, 0) for level in levels[:k])
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))

    ideal = dcg(sorted(relevance.values(), key=lambda level: 3 if level == 2 else level, reverse=True))
    return dcg([relevance.get(docno, 0) for docno in ranked_ids]) / ideal if ideal else 0.0


def ascending_of_at_most_five(qrels: _Judged, run: _Ranked) -> dict[str, float]:
    """AP with tied documents by docno, ascending, that divides by five where more are relevant."""
    values: dict[str, float] = {}
    for query in run.keys() & qrels.keys():
        judged, scores = qrels[query], run[query]
        ranked = sorted(scores, key=lambda docno: (-c_float(scores[docno]).value, docno.encode()))
        ranks = [rank for rank, docno in enumerate(ranked, 1) if judged.get(docno, 0) > 0]
        relevant = sum(level > 0 for level in judged.values())
        total = sum(number / rank for number, rank in enumerate(ranks, 1))
        values[query] = total / min(max(relevant, 1), 5)
    return values


def ordered_by(
    order: Callable[[dict[str, float]], list[str]], **changes: str
) -> Callable[[_Judged, _Ranked], object]:
    """nDCG@5 of rankings in this order, with other conventions changed."""

    def metric(qrels: _Judged, run: _Ranked) -> dict[str, float]:
        ranked = {
            query: [Row(docno, i, -i) for i, docno in enumerate(order(scores))]
            for query, scores in run.items()
        }
        return Oracle(changes).evaluate(qrels, ranked, "nDCG@5")[0]

    return metric


class Printing(Backend):
    """A program that prints four decimals."""

    id, isolated, conventions = "printing", False, None

    def describe(self) -> Description:
        return Description(id=self.id, version="", engine=self.id, available=True)

    def supports(self, measure: Measure) -> bool:
        return True

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        values = native_values(Rankings(run, qrels), measures[0], Conventions(), self.id)
        printed = {topic: round(value, 4) for topic, value in values.values.items()}
        return {measures[0]: MeasureValues(printed, None, self.id, decimals=4)}


#: What is read of an audit beside its own fields.
VIEWS: dict[str, Callable[[Audit], object]] = {
    "causes": lambda a: sorted(a.causes),
    "unexplained": lambda a: "unexplained" in a.causes,
    "met": lambda a: a.fresh_inputs_met == a.fresh_inputs,
    "most met": lambda a: 0.7 < a.fresh_inputs_met / a.fresh_inputs < 1,
    "shown": lambda a: {example.cause for example in a.counterexamples},
    "lines": lambda a: sum(map(len, a.counterexamples[0].run.values())),
    "few lines": lambda a: sum(map(len, a.counterexamples[0].run.values())) <= 2,
    "says": lambda a: [example.explanation for example in a.counterexamples],
    "queries": lambda a: len(a.counterexamples[0].run),
    "example": lambda a: (a.counterexamples[0].reference_value, a.counterexamples[0].candidate_value),
    "negative level": lambda a: any(
        level < 0 for e in a.counterexamples for judged in e.qrels.values() for level in judged.values()
    ),
    "no value": lambda a: a.counterexamples[0].candidate_value is None,
    "nearest": lambda a: a.nearest_profile and (a.nearest_profile.name, a.nearest_profile.differs),
    "differs": lambda a: a.nearest_profile and a.nearest_profile.differs,
    "repeated": lambda a: [(accepted.cause, accepted.values) for accepted in a.accepts],
    "where": lambda a: a.where and (a.where.conditions, a.where.wrong_elsewhere),
    "no rule of ties": lambda a: any(note.startswith(_NO_RULE) for note in a.notes),
    "refuses levels": lambda a: any("a negative level" in note for note in a.notes),
}
_OF_MEANS = ["each query alone has the expected value, but the mean over several queries is wrong"]
_SHORT = "over the length of lists that are a little too short"
_NO_RULE = "the metric orders tied documents by no known rule: on "
_ARBITRARY: dict[str, object] = {"no rule of ties": True, "causes": ["tie-breaking"], "conventions": {}}
_AGREES: dict[str, object] = {"verdict": "agrees", "causes": []}
_UNEXPLAINED: dict[str, object] = {"verdict": "deviates", "causes": ["unexplained"]}
_PROVED: dict[str, object] = {"strength": "proved", "doubt": "", "rivals": []}


_EACH: dict[str, object] = {"repeated": [("duplicates", ["each"])], "differs": []}


def _proved(**conventions: object) -> dict[str, object]:
    return {**_PROVED, "conventions": conventions}


#: Metric, measure, call (empty to find it), and parts of its audit.
AUDITS: list[tuple[Any, str, str, dict[str, object]]] = [
    # Refusals: of ordinary input they are a cause, of what is rare they are none.
    (refuses_empty, "P@5", "", _AGREES),
    (not_one_document, "P@5", "", {"causes": ["refuses-input"], "lines": 1, "no value": True}),
    (no_negative_levels, "P@5", "", _AGREES | {"refuses levels": True}),
    (hit_of_long_lists, "Success@5", "f(gains, k)", {"causes": ["refuses-input"], "conventions": {}}),
    # NaN is a value, and a metric of one query may be NaN where it finds nothing.
    (nan_without_relevant, "P@5", "", {"conventions": {"no_relevant": "nan"}}),
    (mean_of_precisions, "AP@10", "", {
        "conventions": {
            "ap_denominator": "retrieved-relevant", "missing_queries": "dropped-nan-without-hits",
            "no_relevant": "nan", "rounding": 4,
        },
        "strength": "proved",
    }),
    # A bug is no convention: it has a small input, and shows at whatever length, id or cutoff it has.
    (counts, "P@5", "", _UNEXPLAINED | {"where": (["relevant documents among the first 5"], 0)}),
    (one_too_many, "RR", "f(gains, 5)", _UNEXPLAINED | {
        "precision": "double", "few lines": True, "where": (["relevant documents retrieved"], 0),
    }),
    (short_lists_only, "P@5", "", _UNEXPLAINED | {
        "lines": 30, "met": False, "where": (["31 or more retrieved documents"], 0),
    }),
    (a_little_more, "P@5", "", _UNEXPLAINED | {"where": ([], 0)}),
    (wrong_by_chance, "P@5", "", _UNEXPLAINED | {"where": None}),
    (target_of(_SHORT, "P@5", "dicts"), "P@5", CALLS["dicts"], _UNEXPLAINED | {
        "where": (["exactly 4 retrieved documents"], 0),
    }),
    (of_unquoted_docnos, "P@5", "", _UNEXPLAINED),
    (never_beyond_a_hundred, "P@5", "", _UNEXPLAINED | {"example": (0.001, 0.01)}),
    (of_level_five_but_one, "P@5", "", {
        "causes": ["relevance-level", "unexplained"], "conventions": {"relevance_level": 5},
        "strength": "per-query",
    }),
    # Where two faults meet, a place that is clear only beside one of them names it.
    (ascending_of_at_most_five, "AP", "", {
        "conventions": {"ties": "docid-asc"}, "strength": "per-query",
        "where": (["6 or more relevant documents"], 0),
    }),
    (without_endings, "RR", "", _UNEXPLAINED),
    (two_read_as_three, "nDCG@10", "", _UNEXPLAINED | {"where": (["documents judged 2"], 0)}),
    (leaking, "P@5", "", {"causes": ["cross-query-leak"], "queries": 4}),
    (of_the_best_level, "nDCG@10", "", {
        "causes": ["ideal-ranking", "score-precision", "tie-breaking", "unexplained"],
        "conventions": {"ties": "docid-asc", "score_precision": "float64", "ideal": "max-grade"},
    }),
    # Means over other queries: values of one query, where the metric gives means only, are no leak.
    (mean_with_relevant, "P@5", "", _proved(no_relevant="skip")),
    (mean_of_hits, "P@5", "", _proved(missing_queries="dropped-without-hits")),
    (mean_without_the_best, "P@5", "", _UNEXPLAINED | {"says": _OF_MEANS}),
    (not_beyond_nine_thousand, "RR", "", _UNEXPLAINED),
    (ranks_in_half_precision, "RR", "", _UNEXPLAINED),
    # What it does beside its value: it changes what it is given, or keeps something from call to call.
    (emptying, "P@5", "", {"causes": ["changes-input"], "conventions": {}, "strength": "proved"}),
    (reordering, "P@5", "", {"causes": ["changes-input"], "met": True, "lines": 1}),
    (other_each_fifth_time, "P@5", "f(gains, k)", {"causes": ["not-repeatable"], "conventions": {}}),
    (with_noise, "P@5", "", {"causes": ["not-repeatable"], "verdict": "deviates"}),
    (mean_of_all_calls, "P@5", "", {"causes": ["not-repeatable"], "call": "f(qrels, run, k)"}),
    (kept_by_the_beginning, "RR", "", {"causes": ["not-repeatable"], "example": (1 / 112, 1 / 111)}),
    (by_query_id, "P@5", "", {
        "verdict": "uncallable",
        "message": "the same input gives different values: the function keeps data of earlier calls",
    }),
    # Precision: of floats, of printed decimals, and beside a bug that shows on long lists only.
    (single_precision, "AP", "", _AGREES | {"tolerance": 1e-6, "precision": "single"}),
    (partly_in_single_precision, "AP", "", _AGREES | {"tolerance": 1e-6, "precision": "relative"}),
    (single_precision_and_long_lists, "AP", "", _UNEXPLAINED | {"precision": "single", "most met": True}),
    (Printing(), "RR", "", _AGREES | {"tolerance": 0.5e-4, "precision": "printed"}),
    (four_decimals, "RR", "", {"conventions": {"rounding": 4}}),
    # A function that no child can import, and any cutoff.
    (lambda gains, k: sum(g > 0 for g in gains[:k]) / min(k, max(len(gains), 1)), "P@5", "",
     {"causes": ["precision-denominator"]}),
    *((recall, f"R@{cutoff}", "", _AGREES) for cutoff in (1, 100, 1000)),
    ("python:tests.auditing.test_audits:of_the_first_five", "P@5", "", _AGREES),
    ("python:tests.auditing.test_audits:recall", "R@5", "", _AGREES | {
        "call": "f(ranked_ids, relevant_ids, k)",
    }),
    # An order of tied documents that no rule gives is tie-breaking and nothing else.
    (shuffling_ties, "P@5", "", _ARBITRARY),
    (ordered_by(by_checksum), "nDCG@5", "", _ARBITRARY | {"verdict": "deviates", "shown": {"tie-breaking"}}),
    (ordered_by(by_argsort), "nDCG@5", "", {
        "causes": ["score-precision", "tie-breaking"], "no rule of ties": True,
    }),
    (ordered_by(by_checksum, gain="exponential"), "nDCG@5", "", {
        "causes": ["gain", "tie-breaking"], "conventions": {"gain": "exponential"},
    }),
    # A metric that loses tied documents does not merely order them.
    (ordered_by(without_tied), "nDCG@5", "", {"unexplained": True, "no rule of ties": False}),
    # Conventions are named as strongly as they are shown.
    ("native:gain=exponential", "nDCG@10", "", _proved(gain="exponential")),
    ("native:unjudged_queries=no-relevant", "nDCG@10", "", _proved(unjudged_queries="no-relevant")),
    # These show in means only, so several are needed.
    ("native:query_set=qrels", "AP", "", _proved(query_set="qrels")),
    ("native:averaging=median", "P@5", "", _proved(averaging="median")),
    # Under unjudged_queries, queries without judgements would have values: it is no rival.
    ("native:query_set=run", "ERR@10", "", _proved(query_set="run") | {"alternatives": []}),
    # These show in queries whose ids are alike, and in rankings of hundreds.
    ("native:ids=query-suffix", "P@5", "", _proved(ids="query-suffix")),
    ("native:judged_depth=1000", "bpref", "", _proved(judged_depth=1000)),
    # Only fresh inputs have so many relevant documents, and levels so high.
    ("native:special_scores=nonpositive-dropped,depth=200", "Rprec", "",
     _proved(special_scores="nonpositive-dropped", depth=200)),
    ("native:exact_level=15", "P@5", "", _proved(exact_level=15)),
    (of_any_judged, "AP", "", _proved(relevance_level=None)),
    (hits_by_label, "P@5", "", {"nearest": None, "verdict": "deviates"}),
    # To the small inputs nothing is relevant; rules for ids that they do not tell apart, fresh ones do.
    ("native:exact_level=10,no_relevant=nan", "Success@5", "", _proved(exact_level=10, no_relevant="nan")),
    ("native:ids=case,exact_level=11", "bpref", "", _proved(ids="case", exact_level=11)),
    ("native:unjudged=level-4", "nDCG@10", "", _proved(unjudged="level-4")),
    # A value that is missing shows a convention, and is no refusal.
    ("native:ids=case,ties=average,unjudged=level-1", "Success@5", "",
     _proved(ids="case", ties="average", unjudged="level-1")),
    ("native:identical_ids=removed,exact_level=3", "R@5", "", {
        "conventions": {"identical_ids": "removed", "exact_level": 3},
    }),
    ("native:depth=1000,recall_denominator=retrieved-R,unit=percent", "R@5", "",
     _proved(depth=1000, recall_denominator="retrieved-R", unit="percent")),
    # Sets that are the same function are one: other documents that exist, or another denominator.
    ("native:universe=retrieved", "R@5", "",
     _proved(recall_denominator="retrieved-R") | {"alternatives": []}),
    ("native:trec_eval-9.0.8", "AP", "", _AGREES | {"strength": None, "conventions": {}}),
    # The functions of the source documents; that of S4 counts a document each time, which is no deviation.
    (f"{_TARGETS / 's4.py'}:MetricsCalculator.precision_at_k", "P@3", "", _EACH),
    (f"{_TARGETS / 's4.py'}:MetricsCalculator.mrr", "RR", "", _EACH),
    *((function, measure, "", {
        "call": "f(ranked_ids, relevance, k=k)",
        "conventions": {"gain": "exponential", "negatives": "negative-gain"},
        "causes": ["gain", "negative-relevance"], "negative level": True,
    }) for function, measure in ((s2.dcg, "DCG@5"), (s2.idcg, "ideal_dcg@5"))),
]  # fmt: skip


def _name(row: tuple[Any, ...]) -> str:
    name = getattr(row[0], "__name__", None) or getattr(row[0], "id", str(row[0]))
    return f"{Path(name).name}-{row[1]}"


@pytest.mark.parametrize(("metric", "measure", "call", "expected"), AUDITS, ids=map(_name, AUDITS))
def test_what_an_audit_finds(metric: Any, measure: str, call: str, expected: dict[str, object]) -> None:
    # What it finds must not depend on how busy the machine is.
    found = audit(metric, measure, call=call or None, options=Options(timeout=60.0, budget=3000.0))
    assert {
        name: VIEWS[name](found) if name in VIEWS else getattr(found, name) for name in expected
    } == expected


#: Both frames with the columns of S2, as the defaults of its parameters name them.
_RENAMED = (
    "results_df(query='QUERY_KEY', docid='DOC_KEY', rank='RANK'), "
    "qrels_df(query='QUERY_KEY', docid='DOC_KEY', rel='SCORE')"
)
_SKLEARN: dict[str, object] = {
    "conventions": {"ties": "average", "score_precision": "float64", "ideal": "retrieved"},
    "causes": ["ideal-ranking", "refuses-input", "score-precision", "tie-breaking"],
    "shown": {"ideal-ranking", "refuses-input", "score-precision", "tie-breaking"},
}
_RANX = {"ties": "quicksort", "score_precision": "float64", "missing_queries": "zero"}


def _trectools(*more: str) -> dict[str, object]:
    labels = sorted(("missing-queries", "score-precision", *more))
    return {"causes": labels, "shown": {*labels}, "alternatives": [], "repeated": [("duplicates", ["each"])]}


#: The packages that it takes, and as above: what running and reading them has proved before.
TOOLS: list[tuple[str, Any, str, str, dict[str, object]]] = [
    ("sklearn", "sklearn.metrics:ndcg_score", "nDCG@10", "",
     _SKLEARN | {"call": "f([y_true], [y_score], k=k)"}),
    # RR@10 comes from a provider with other ties and another precision than the rest of ir_measures.
    ("ir_measures", "ir-measures", "RR@10", "", {
        "conventions": {"missing_queries": "zero", "ties": "docid-asc", "score_precision": "float64"},
    }),
    ("pytrec_eval", "pytrec_eval", "bpref", "", _AGREES),
    ("trectools", "trectools", "nDCG@10", "", _trectools("query-set", "tie-breaking")),
    ("trectools", "trectools", "bpref", "", _trectools("query-set", "bpref-form")),
    # Means of Rprec hold what other queries leave behind, so they say nothing about the divisor.
    ("trectools", "trectools", "Rprec", "", _trectools("cross-query-leak")),
    # Ties in the order of numba's quicksort; bpref divides 0 by 0.
    ("ranx", "ranx", "nDCG@10", "", {"conventions": _RANX, "nearest": ("ranx", []), "alternatives": []}),
    ("ranx", "ranx", "bpref", "", {
        "conventions": {**_RANX, "negatives": "nonrelevant", "bpref_form": "nan-when-no-nonrelevant"},
        "nearest": None, "alternatives": [], "unexplained": False,
    }),
    ("evaluate trectools", "hf-evaluate", "bpref", "", {
        "causes": ["bpref-form", "judged-depth", "negative-relevance"],
        "shown": {"bpref-form", "judged-depth", "negative-relevance"},
    }),
    ("evaluate trectools", "hf-evaluate", "Rprec", "", {"causes": ["cross-query-leak"]}),
    # The data frames of S2: a constant in the call is handed over, and with linear gain the label is gone.
    ("pandas", f"{_TARGETS / 's2.py'}:metricas", "nDCG@5", "", {
        "call": f"f({_RENAMED}, k=[k])",
        "conventions": {
            "order": "rank-column", "gain": "exponential", "missing_queries": "zero", "no_relevant": "skip",
        },
        "causes": ["gain", "missing-queries", "no-relevant", "rank-order"],
        "alternatives": [], "nearest": ("sources.S2", []),
    }),
    ("pandas", f"{_TARGETS / 's2.py'}:metricas", "nDCG@5", f"f({_RENAMED}, aproximacao_trec_eval=True)", {
        "causes": ["missing-queries", "no-relevant", "rank-order"],
    }),
]  # fmt: skip


@pytest.mark.parametrize(
    ("packages", "metric", "measure", "call", "expected"),
    TOOLS,
    ids=[_name(row[1:]) for row in TOOLS],
)
def test_what_an_audit_finds_in_a_tool(
    packages: str,
    metric: Any,
    measure: str,
    call: str,
    expected: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for package in packages.split():
        pytest.importorskip(package)
    if measure == "Rprec" and int(metadata.version("pandas").partition(".")[0]) < 3:
        pytest.skip("the leak needs pandas 3")
    if metric == "hf-evaluate":  # it takes a tenth of a second for a query
        battery, fresh = session.battery, session.fresh_probes
        step = 8 if measure == "Rprec" else 1
        monkeypatch.setattr(session, "battery", lambda *of, **how: list(battery(*of, **how))[::step])
        monkeypatch.setattr(session, "fresh_probes", lambda *of, **how: fresh(*of, **how)[::20])
        monkeypatch.setattr(session, "properties_of", lambda *of: [])
        monkeypatch.setattr(session, "until_covered", lambda *of, **how: Coverage(0, [], [], []))
    test_what_an_audit_finds(metric, measure, call, expected)


def test_the_orders_of_tied_documents_give_the_value_of_the_example() -> None:
    shown = audit(ordered_by(by_checksum), "nDCG@5").counterexamples[0]
    assert shown.query is not None
    values = [
        crosscheck.evaluate(shown.qrels, shown.run, ["nDCG@5"], conventions=f"ties={rule}")
        for rule in ("docid-desc", "docid-asc")
    ]
    assert shown.candidate_value in [value[shown.query]["nDCG@5"] for value in values]


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


def test_a_metric_of_what_is_relevant_in_its_list_is_audited_so() -> None:
    """It refuses what ordinary inputs hold, and is explained on the others."""
    found = audit(of_found, "RR")
    assert set(found.causes) == {"rr-of", "refuses-input"}
    assert {"rr_of": "every"} in [found.conventions, *(other.conventions for other in found.alternatives)]


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


def test_unusual_inputs_are_behaviour_beside_that_of_the_reference() -> None:
    """Exceptions with their type, NaN and values out of range; said only where the reference does something
    else."""
    raised = audit(refuses_empty, "P@5").behaviour
    assert raised["empty run"].startswith("raises IndexError: empty")
    assert raised["k = 0"].startswith("raises ZeroDivisionError")
    assert raised["k past the end"] == "0.001"
    assert audit(counts, "P@5").behaviour["a document twice"] == "2.0"
    found = audit(nan_without_relevant, "P@5")
    assert found.behaviour["no relevant document"] == "NaN"
    assert found.behaviour_of_reference == {
        "empty run": "no value",
        "empty qrels": "no value",
        "a document twice": "refused: run: a document occurs twice under one query",
        "no relevant document": "0.0",
        "k past the end": "0.001",
    }
    said = render(document_of(found), "text", RenderOptions(verbose=True, width=100))
    lines = [line.split() for line in said.splitlines()]
    assert ["no", "relevant", "document", "NaN", "0.0"] in lines
    assert ["k", "past", "the", "end", "0.001", "the", "same"] in lines
    single = render(document_of(audit(single_precision, "AP")), "markdown", RenderOptions())
    assert "Values count as equal within 1e-06 (relative), as they are in single precision." in single
