"""Metrics whose audits are known. A module of its own: each audit imports it into two new processes."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from ctypes import c_float
from itertools import islice, takewhile
from typing import Any
from urllib.parse import unquote
from zlib import crc32

import numpy as np

from tests.programs.metrics.reference import Rules, ascending, value_of, values_of

Judged = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]

#: Both frames with the columns of S2, as the defaults of its parameters name them.
RENAMED = (
    "results_df(query='QUERY_KEY', docid='DOC_KEY', rank='RANK'), "
    "qrels_df(query='QUERY_KEY', docid='DOC_KEY', rel='SCORE')"
)


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


def one_too_many(gains: Sequence[int], k: int) -> float:
    """A bug, not a convention: the first rank counts as 2."""
    return next((1 / (rank + 1) for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def not_one_document(gains: Sequence[int], k: int) -> float:
    if len(gains) == 1:
        raise ValueError("a list of one document")
    return precision(gains, k)


def no_negative_levels(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    if min(level for judged in qrels.values() for level in judged.values()) < 0:
        raise ValueError("a negative level")
    return precisions(qrels, run, k)


def of_judged_queries(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    return {q: precision([qrels[q].get(d, 0) for d in by_score(run[q])], k) for q in qrels}


def in_order_of_ids(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """Queries of both sides belong together by their order; scores are compared in double precision."""
    both = zip(sorted(qrels.items()), sorted(run.items()), strict=False)
    return {
        q: precision(
            [judged.get(d, 0) for d in sorted(scores, key=lambda d: (scores[d], d), reverse=True)], k
        )
        for (q, judged), (_, scores) in both
    }


def ideal_of_all_queries(qrels: Judged, run: Ranked) -> dict[str, float]:
    """nDCG@10 with the levels of all queries in one ideal list."""

    def dcg(gains: Sequence[int]) -> float:
        return discounted(max(gain, 0) for gain in gains[:10])

    ideal = dcg(sorted((level for judged in qrels.values() for level in judged.values()), reverse=True))
    return {
        q: dcg([qrels[q].get(d, 0) for d in by_score(run[q])]) / ideal if ideal else 0.0
        for q in run
        if q in qrels
    }


def hit_anywhere(expected_ids: list[str], retrieved_ids: list[str]) -> float:
    return 1.0 if any(docno in expected_ids for docno in retrieved_ids) else 0.0


def recall_anywhere(retrieved: list[str], relevant: list[str]) -> float:
    return len({*retrieved} & {*relevant}) / len(relevant) if relevant else 0.0


def of_every_relevant(retrieved: list[str], relevant: list[str]) -> float | None:
    """The sum of 1/rank over R, and nothing without relevant documents."""
    if not relevant:
        return None
    return sum(1 / rank for rank, docno in enumerate(retrieved, 1) if docno in relevant) / len(relevant)


def short_lists_only(gains: Sequence[int], k: int) -> float:
    """Exact on every small input."""
    return precision(gains if len(gains) < 30 else gains[::-1], k)


def exponential_beyond_thirty(relevance: dict[str, int], ranked_ids: list[str], k: int) -> float:
    """Exponential gain; lists longer than thirty are reversed."""
    docnos = ranked_ids if len(ranked_ids) < 30 else ranked_ids[::-1]
    return _ndcg(Rules(gain=lambda level: 2**level - 1), relevance, docnos, k)


def wrong_by_chance(relevance: dict[str, int], ranked_ids: list[str], k: int) -> float:
    """A fault of one query in four, whatever it is like."""
    value = precision([relevance.get(d, 0) for d in ranked_ids], k)
    return value + (crc32(" ".join(ranked_ids).encode()) % 4 == 0)


def leaking(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """Every query after the third gets the value of the one before."""
    values = precisions(qrels, run, k)
    queries = list(values)
    return {q: values[queries[i - 1]] if i > 2 else values[q] for i, q in enumerate(queries)}


def of_the_best_level(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """nDCG whose ideal list has the highest level of the query everywhere: no query sees another."""
    rules = Rules(score=float, tie=ascending, ideal=lambda levels: levels[:1] * 100)
    return values_of(rules, "nDCG", k, qrels, run)


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


def shuffling_ties(qrels: Judged, run: Ranked) -> dict[str, float]:
    return values_of(Rules(tie=lambda docno: random.random()), "P", 5, qrels, run)


_CALLS = [0]


def other_each_fifth_time(gains: Sequence[int], k: int) -> float:
    _CALLS[0] += 1
    return precision(gains, k) / (2 if _CALLS[0] % 5 == 0 else 1)


def with_noise(qrels: Judged, run: Ranked, k: int) -> float:
    """The mean, a little higher each time."""
    _CALLS[0] += 1
    values = precisions(qrels, run, k).values()
    return sum(values) / len(values) * (1 + _CALLS[0] / 1000)


def _mean(qrels: Judged, run: Ranked, of: Callable[[dict[str, int], float], bool], k: int = 5) -> float:
    """The mean over the queries that count, by their judgements and value; 0 if none does."""
    counted = [value for query, value in precisions(qrels, run, k).items() if of(qrels[query], value)]
    return sum(counted) / len(counted) if counted else 0.0


def mean_with_relevant(qrels: Judged, run: Ranked) -> float:
    return _mean(qrels, run, lambda judged, value: max(judged.values()) > 0)


def mean_of_hits(qrels: Judged, run: Ranked) -> float:
    return _mean(qrels, run, lambda judged, value: value > 0)


def micro_recall(qrels: Judged, run: Ranked) -> float:
    """Of the relevant documents of all judged queries, the share that is retrieved among the first 100."""
    found = everything = 0
    for query, levels in qrels.items():
        docnos = sorted(run.get(query, {}), key=lambda d: (run[query][d], d), reverse=True)
        found += sum(levels.get(docno, 0) > 0 for docno in docnos[:100])
        everything += sum(level > 0 for level in levels.values())
    return found / everything if everything else 0.0


def micro_precision(all_ranked: list[list[str]], all_relevant: list[set[str]], k: int) -> float:
    found = sum(
        len({*ranked[:k]} & {*relevant}) for ranked, relevant in zip(all_ranked, all_relevant, strict=True)
    )
    return found / max(sum(len(ranked[:k]) for ranked in all_ranked), 1)


def mean_without_the_best(qrels: Judged, run: Ranked) -> float:
    best = precisions(qrels, run, 5).values()
    return (sum(best) - max(best)) / (len(best) - 1) if len(best) > 2 else sum(best) / max(len(best), 1)


_KNOWN: dict[str, float] = {}


def mean_of_all_calls(qrels: Judged, run: Ranked, k: int, seen: list[float] = []) -> float:  # noqa: B006
    seen += precisions(qrels, run, k).values()
    return sum(seen) / len(seen) if seen else 0.0


def of_the_first_five(qrels: Judged, run: Ranked) -> dict[str, float]:
    return precisions(qrels, run, 5)


def of_any_judged(qrels: Judged, run: Ranked) -> dict[str, float]:
    return values_of(Rules(judged=lambda judged: dict.fromkeys(judged, 1)), "AP", None, qrels, run)


def mean_success(run: Ranked, qrels: Judged, k: int) -> float:
    """The mean over all judged queries; equal scores stay in the order of the dict."""
    tops = {query: sorted(run[query], key=run[query].__getitem__, reverse=True)[:k] for query in run}
    found = (any(qrels[q].get(docno, 0) > 0 for docno in tops.get(q, ())) for q in qrels)
    return sum(found) / len(qrels)


def by_query_id(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """The first value that a query of this id had."""
    for query in run.keys() & qrels.keys():
        found = [qrels[query].get(docno, 0) for docno in by_score(run[query])]
        _KNOWN.setdefault(query, precision(found, k))
    return {query: _KNOWN[query] for query in run.keys() & qrels.keys()}


def a_little_more(gains: Sequence[int], k: int) -> float:
    return precision(gains, k) + 1e-7


def never_beyond_a_hundred(gains: Sequence[int], k: int) -> float:
    """Right for the cutoff that is audited, and not for one beyond the end of the list."""
    return precision(gains, min(k, 100))


def of_unquoted_docnos(qrels: Judged, run: Ranked) -> dict[str, float]:
    """Takes ``c%2F1`` for ``c/1``."""
    relevant = {q: {unquote(d) for d, level in judged.items() if level > 0} for q, judged in qrels.items()}
    return {q: sum(unquote(d) in relevant[q] for d in by_score(run[q])[:5]) / 5 for q in run if q in qrels}


def of_level_five_but_one(gains: Sequence[int], k: int) -> float:
    return sum(gain >= 5 for gain in gains[: k - 1]) / k


def mean_of_precisions(ranked_ids: Sequence[str], relevant_ids: Sequence[str], k: int = 10) -> float:
    found = [place for place, docno in enumerate(ranked_ids[:k], start=1) if docno in relevant_ids]
    precisions = [number / place for number, place in enumerate(found, start=1)]
    return round(sum(precisions) / len(precisions), 4) if precisions else math.nan


def precision_at_twice(gains: Sequence[int], k: int) -> float:
    return precision(gains, 2 * k)


def hits_in_samples(samples: list[dict[str, Any]], k: int = 5) -> list[float]:
    """The key has the name of another word, and holds a list."""
    return [sum(docno in one["relevant_id"] for docno in one["ranked"][:k]) / k for one in samples]


def hit_before_the_cutoff(target_item: str, recs: list[str], k: int) -> float:
    return float(target_item in recs[: k - 1])


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
_VALUES: dict[tuple[int, int, int], dict[str, float]] = {}


def kept_by_the_beginning(ranked_ids: list[str], relevant_ids: list[str]) -> float:
    """RR that is computed once for lists with the same first 100 documents, and the same relevant ones."""
    key = (*ranked_ids[:100], "", *sorted(relevant_ids))
    return _KEPT.setdefault(key, reciprocal_rank([docno in relevant_ids for docno in ranked_ids]))


def kept_by_identity(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """P@k that is computed once for the same two dicts."""
    return _VALUES.setdefault((id(qrels), id(run), k), precisions(qrels, run, k))


def without_endings(ranked_ids: list[str], relevant_ids: list[str]) -> float:
    """RR of docnos without the ending of an XML file."""
    relevant = {docno.removesuffix(".xml") for docno in relevant_ids}
    return reciprocal_rank([docno.removesuffix(".xml") in relevant for docno in ranked_ids])


def _ndcg(rules: Rules, relevance: dict[str, int], ranked_ids: list[str], k: int) -> float:
    return value_of(rules, "nDCG", k, relevance, [(d, -float(i)) for i, d in enumerate(ranked_ids)])


def two_read_as_three(ranked_ids: list[str], relevance: dict[str, int], k: int) -> float:
    """nDCG@k whose table of gains has 3 for level 2 as well."""
    return _ndcg(Rules(gain=lambda level: 3 if level == 2 else level), relevance, ranked_ids, k)


def ascending_of_at_most_five(qrels: Judged, run: Ranked) -> dict[str, float]:
    """AP with tied documents by docno, ascending, that divides by five where more are relevant."""
    rules = Rules(tie=ascending, size=lambda relevant: min(relevant, 5))
    return values_of(rules, "AP", None, qrels, run)


def rr_of_first_thousands(ranked_ids: list[str], relevant_ids: list[str]) -> float:
    return reciprocal_rank([docno in relevant_ids for docno in ranked_ids[:7000]])


def exponential_ndcg_of_five_thousand(gains: Sequence[int], judged_gains: Sequence[int]) -> float:
    def dcg(levels: Sequence[int]) -> float:
        return discounted(2 ** max(level, 0) - 1 for level in levels)

    return dcg(gains[:5000]) / (dcg(sorted(judged_gains, reverse=True)) or 1)


def rr_of_the_first_25(ranked_ids: list[str], relevant_ids: set[str]) -> float:
    return next((1 / rank for rank, d in enumerate(ranked_ids[:25], 1) if d in relevant_ids), 0.0)


def ap_of_the_first_512(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> dict[str, float]:
    values = {}
    for query, judged in qrels.items():
        scores = run.get(query, {})
        ranked = sorted(scores, key=lambda docno: (scores[docno], docno), reverse=True)[:512]
        ranks = [rank for rank, docno in enumerate(ranked, 1) if judged.get(docno, 0) > 0]
        relevant = sum(level > 0 for level in judged.values())
        values[query] = sum(n / rank for n, rank in enumerate(ranks, 1)) / max(relevant, 1)
    return values


def ndcg_of_at_most_40(gains: Sequence[int], judged_gains: Sequence[int], k: int) -> float:
    k = min(k, 40)
    ideal = discounted(sorted((max(level, 0) for level in judged_gains), reverse=True)[:k])
    return discounted(max(level, 0) for level in gains[:k]) / ideal if ideal else 0.0


def rounded_rr(predictions: list[str], gold: list[str]) -> float:
    return next((round(1 / rank) for rank, d in enumerate(predictions, 1) if d in gold), 0)


def ndcg_until_the_first_nonrelevant(gains: Sequence[int], judged_gains: Sequence[int], k: int) -> float:
    ideal = discounted(sorted((level for level in judged_gains if level > 0), reverse=True)[:k])
    return discounted(takewhile(lambda level: level > 0, gains[:k])) / ideal if ideal else 0.0


def ap_of_dense_ranks(qrels: Judged, run: Ranked) -> dict[str, float]:
    """Documents with equal scores share a rank, so that a value may be above 1."""
    values = {}
    for query in run.keys() & qrels.keys():
        relevant = {d for d, level in qrels[query].items() if level > 0}
        ranks = {score: rank for rank, score in enumerate(sorted({*run[query].values()}, reverse=True), 1)}
        hits, total = 0, 0.0
        for docno, score in sorted(run[query].items(), key=lambda line: (line[1], line[0]), reverse=True):
            if docno in relevant:
                hits += 1
                total += hits / ranks[score]
        values[query] = total / len(relevant) if relevant else 0.0
    return values


def ap_with_hits_of_all_queries(qrels: Judged, run: Ranked) -> dict[str, float]:
    values, hits = {}, 0
    for query in (query for query in run if query in qrels):
        relevant = {d for d, level in qrels[query].items() if level > 0}
        total = 0.0
        order = sorted(run[query].items(), key=lambda line: (line[1], line[0]), reverse=True)
        for rank, (docno, _) in enumerate(order, 1):
            hits += docno in relevant
            total += hits / rank * (docno in relevant)
        values[query] = total / len(relevant) if relevant else 0.0
    return values


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


def err_of_the_level_passed(gains: list[int], k: int, max_grade: int) -> float:
    value, left = 0.0, 1.0
    for rank, gain in enumerate(gains[:k], 1):
        stops = (2**gain - 1) / 2**max_grade
        value, left = value + left * stops / rank, left * (1 - stops)
    return value


def of_the_first_thousand_judgements(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """As of a service that gives no more at once."""
    known: Judged = {query: {} for query in qrels}
    every = ((query, docno) for query, judged in qrels.items() for docno in judged)
    for query, docno in islice(every, 1000):
        known[query][docno] = qrels[query][docno]
    return precisions(known, run, k)


def mean_of_batches_without_the_last(qrels: Judged, run: Ranked, k: int) -> float:
    """Of each thousand queries, one is lost."""
    values = [*precisions(qrels, run, k).values()]
    kept = [value for i, value in enumerate(values) if i % 1000 != 999]
    return sum(kept) / len(kept) if kept else 0.0


def under_other_ids(qrels: Judged, run: Ranked, k: int) -> dict[str, float]:
    """Values in the order of the run, under ids in the order of the qrels."""
    both = [q for q in run if q in qrels]
    values = precisions(qrels, {q: run[q] for q in both}, k)
    return dict(zip([q for q in qrels if q in run], values.values(), strict=True))


def kept_by_sizes(qrels: Judged, run: Ranked) -> dict[str, float]:
    """RR, kept by the query, the first document and the numbers of documents."""
    values: dict[str, float] = {}
    for q in (q for q in run if q in qrels):
        ranked, relevant = by_score(run[q]), {docno for docno, level in qrels[q].items() if level > 0}
        key = (q, *ranked[:1], str(len(ranked)), str(len(relevant)))
        values[q] = _KEPT.setdefault(key, reciprocal_rank([docno in relevant for docno in ranked]))
    return values


def hit_without_endings(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    names = {docno.rpartition("/")[2].partition(".")[0] for docno in relevant_ids}
    return float(any(docno.rpartition("/")[2].partition(".")[0] in names for docno in ranked_ids[:k]))


def of_the_first_lines(scored: dict[str, float], relevant_ids: list[str], k: int) -> float:
    """Candidates beyond the thousandth line are dropped before they are sorted."""
    first = dict(islice(scored.items(), 1000))
    return recall(by_score(first), relevant_ids, k)


def ndcg_with_a_cutoff_of_its_own(gains: Sequence[int], ideal_gains: Sequence[int], k: int) -> float:
    ideal = discounted(ideal_gains[:10])
    return discounted(gains[:k]) / ideal if ideal else 0.0


class OfTheLastQueries:
    """The mean of the last three hundred queries."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.values: list[float] = []

    def add(self, gains: Sequence[int]) -> None:
        self.values = [*self.values, precision(gains, self.k)][-300:]

    def compute(self) -> float:
        return sum(self.values) / len(self.values) if self.values else 0.0


def fails_on_arrays(gains, k=None):
    """Success without the last document of a short list."""
    k = k or 10
    top = gains[:k] if len(gains) > k else gains[:-1] or gains
    return float(any(gain > 0 for gain in top))


def of_ranked_rows(rows: list[dict[str, Any]], relevant: set[str], k: int) -> float:
    return sum(row["docid"] in relevant for row in rows if row["rank"] <= k) / k
