"""Metrics whose audits are known. A module of its own: each audit imports it into two new processes.

Metrics of single audits are in the kept examples of this folder, which may use all names of this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from ctypes import c_float
from pathlib import Path
from typing import Any

import numpy as np

from tests.programs.metrics.reference import Rules, ascending, value_of, values_of

Judged = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]


def precision(gains: Sequence[int], k: int) -> float:
    return sum(gain > 0 for gain in gains[:k]) / k


def recall(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return len({*ranked_ids[:k]} & {*relevant_ids}) / len(relevant_ids) if relevant_ids else 0.0


def by_score(scores: dict[str, float]) -> list[str]:
    """trec_eval's order."""
    return sorted(scores, key=lambda docno: (c_float(scores[docno]).value, docno.encode()), reverse=True)


def precisions(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """P@k as trec_eval computes it."""
    return {q: precision([qrels[q].get(d, 0) for d in by_score(run[q])], k) for q in run if q in qrels}


def discounted(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def single_precision(gains: Sequence[int], num_rel: int) -> float:
    found, total = 0, np.float32(0.0)
    for rank, gain in enumerate(gains, 1):
        if gain > 0:
            found += 1
            total += np.float32(found) / np.float32(rank)
    return float(total / np.float32(num_rel)) if num_rel else 0.0


def partly_in_single_precision(gains: Sequence[int], num_rel: int) -> float:
    return single_precision(gains, 1) / num_rel if num_rel else 0.0


def not_one_document(gains: Sequence[int], k: int) -> float:
    if len(gains) == 1:
        raise ValueError("a list of one document")
    return precision(gains, k)


def leaking(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """Every query after the third gets the value of the one before."""
    values = precisions(qrels, run, k)
    queries = list(values)
    return {q: values[queries[i - 1]] if i > 2 else values[q] for i, q in enumerate(queries)}


def summed(rels: list[int], num_rel: int, k: int) -> float:
    """Recall of 0 and 1."""
    return sum(rels[:k]) / num_rel if num_rel else 0.0


def reciprocal_rank(gains: Sequence[int], as_read: Callable[[int], float] = float) -> float:
    return next((1 / as_read(rank) for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def emptying(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return sum(ranked_ids.pop(0) in relevant_ids for _ in range(min(k, len(ranked_ids)))) / k


_CALLS = [0]


def other_each_fifth_time(gains: Sequence[int], k: int) -> float:
    _CALLS[0] += 1
    return precision(gains, k) / (2 if _CALLS[0] % 5 == 0 else 1)


def mean_over(qrels: Judged, run: Ranked, of: Callable[[dict[str, int], float], bool], k: int = 5) -> float:
    """The mean over the queries that count, by their judgements and value; 0 if none does."""
    counted = [value for query, value in precisions(qrels, run, k).items() if of(qrels[query], value)]
    return sum(counted) / len(counted) if counted else 0.0


def mean_with_relevant(qrels: Judged, run: Ranked) -> float:
    return mean_over(qrels, run, lambda judged, value: max(judged.values()) > 0)


def micro_recall(qrels: Judged, run: Ranked) -> float:
    """Of the relevant documents of all judged queries, the share that is retrieved among the first 100."""
    found = everything = 0
    for query, levels in qrels.items():
        docnos = sorted(run.get(query, {}), key=lambda d: (run[query][d], d), reverse=True)
        found += sum(levels.get(docno, 0) > 0 for docno in docnos[:100])
        everything += sum(level > 0 for level in levels.values())
    return found / everything if everything else 0.0


def of_the_first_five(qrels: Judged, run: Ranked) -> dict[str, float]:
    return precisions(qrels, run, 5)


def never_beyond_a_hundred(gains: Sequence[int], k: int) -> float:
    """Right for the cutoff that is audited, and not for one beyond the end of the list."""
    return precision(gains, min(k, 100))


def precision_at_twice(gains: Sequence[int], k: int) -> float:
    return precision(gains, 2 * k)


def hits_in_samples(samples: list[dict[str, Any]], k: int = 5) -> list[float]:
    """The key has the name of another word, and holds a list."""
    return [sum(docno in one["relevant_id"] for docno in one["ranked"][:k]) / k for one in samples]


def hit_before_the_cutoff(target_item: str, recs: list[str], k: int) -> float:
    return float(target_item in recs[: k - 1])


def of_found(relevant_items: Any, recommendation: Any) -> float:
    """The mean of 1 / rank over all relevant documents; raises where one is missing."""
    ranks = [1 / (1 + list(recommendation).index(item)) for item in relevant_items]
    return sum(ranks) / len(ranks)


def ndcg(rules: Rules, relevance: dict[str, int], ranked_ids: list[str], k: int) -> float:
    return value_of(rules, "nDCG", k, relevance, [(d, -float(i)) for i, d in enumerate(ranked_ids)])


def ascending_of_at_most_five(qrels: Judged, run: Ranked) -> dict[str, float]:
    """AP with tied documents by docno, ascending, that divides by five where more are relevant."""
    rules = Rules(tie=ascending, size=lambda relevant: min(relevant, 5))
    return values_of(rules, "AP", None, qrels, run)


def rounded_rr(predictions: list[str], gold: list[str]) -> float:
    return next((round(1 / rank) for rank, d in enumerate(predictions, 1) if d in gold), 0)


def rr_of_rows_by_rank(results: list[dict[str, Any]], judgments: list[dict[str, Any]]) -> dict[str, float]:
    relevant = {(row["qid"], row["docno"]) for row in judgments if row["relevance"] > 0}
    best = dict.fromkeys({row["qid"] for row in judgments} & {row["qid"] for row in results}, 0.0)
    for row in results:
        if (row["qid"], row["docno"]) in relevant:
            best[row["qid"]] = max(best[row["qid"]], 1 / row["rank"])
    return best


def ndcg_of_an_unsorted_ideal_list(gains: list[int], all_levels: list[int], k: int) -> float:
    """The ideal list is that of the qrels as they stand."""
    return discounted(gains[:k]) / (discounted(all_levels[:k]) or 1)


def hits(docs: Any, relevant: Any) -> float:
    return sum(doc in relevant for doc in list(docs)[:5]) / 5


def positive(judged: dict[str, int]) -> set[str]:
    return {docno for docno, level in judged.items() if level > 0}


def of_keys(qrels: dict[tuple[str, str], int], run: dict[tuple[str, str], float]) -> dict[str, float]:
    ranked: dict[str, dict[str, float]] = {}
    for (query, docno), score in run.items():
        ranked.setdefault(query, {})[docno] = score
    judged = {query for query, _ in qrels}
    return {
        query: hits(by_score(scores), {docno for docno in scores if qrels.get((query, docno), 0) > 0})
        for query, scores in ranked.items()
        if query in judged
    }


def of_files(run_path: str, qrels_path: str) -> dict[str, float]:
    """Of files in trec_eval's form."""
    judged = [line.split() for line in Path(qrels_path).read_text("utf-8").splitlines()]
    lines = [line.split() for line in Path(run_path).read_text("utf-8").splitlines()]
    return of_keys(
        {(query, docno): int(level) for query, _, docno, level in judged},
        {(query, docno): float(score) for query, _, docno, _, score, _ in lines},
    )


def recall_of_beginnings(ranked: Sequence[str], relevant: Sequence[str], k: int) -> float:
    """Recall of ids that begin with a relevant id."""
    found = [docno for docno in relevant if any(one.startswith(docno) for one in ranked[:k])]
    return len(found) / len(relevant) if relevant else 0.0
