"""Metrics that leave trec_eval in one convention each, and trec_eval's own rules to leave from.

Every function is complete in itself, written from the definition of the measure. ``judged`` holds the
grades of one topic, ``rows`` its lines of the run in file order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import c_float
from itertools import pairwise, permutations
from math import inf, log, log2, nan
from typing import TypeAlias

from tests.targets.plain import Qrels, Row, Run

Judged: TypeAlias = Mapping[str, int]
Table: TypeAlias = dict[str, dict[str, float]]
Metric: TypeAlias = Callable[[Judged, Sequence[Row]], float]


def table(**metrics: Metric) -> Callable[[Qrels, Run], Table]:
    """Values per topic that has both judgements and results; ``P_5=...`` gives measure ``P@5``."""

    def compute(qrels: Qrels, run: Run) -> Table:
        return {
            topic: {
                re.sub(r"_(?=\d)", "@", name): metric(qrels[topic], rows) for name, metric in metrics.items()
            }
            for topic, rows in run.items()
            if topic in qrels
        }

    return compute


def ranking(rows: Sequence[Row]) -> list[str]:
    """trec_eval 9's order: score in single precision descending, then docno descending in byte order."""
    by_docno = sorted(rows, key=lambda row: _bytes(row.docno), reverse=True)
    return [row.docno for row in sorted(by_docno, key=lambda row: -c_float(float(row.score)).value)]


# trec_eval's own measures


def precision(judged: Judged, rows: Sequence[Row], k: int = 5) -> float:
    return sum(judged.get(doc, 0) > 0 for doc in ranking(rows)[:k]) / k


def reciprocal_rank(judged: Judged, rows: Sequence[Row]) -> float:
    return _first(judged, ranking(rows))


def average_precision(judged: Judged, rows: Sequence[Row]) -> float:
    return _precisions(judged, ranking(rows)) / _relevant(judged) if _relevant(judged) else 0.0


def ndcg(judged: Judged, rows: Sequence[Row], k: int = 5) -> float:
    return _ndcg(_gains(judged, ranking(rows))[:k], _ideal(judged)[:k])


def dcg(judged: Judged, rows: Sequence[Row], k: int | None = None) -> float:
    return _dcg(_gains(judged, ranking(rows))[:k])


# one convention changed


def rr_ties_ascending(judged: Judged, rows: Sequence[Row]) -> float:
    """Tied documents in ascending order of docno."""
    ordered = sorted(rows, key=lambda row: (-float(row.score), _bytes(row.docno)))
    return _first(judged, [row.docno for row in ordered])


def ndcg_double_precision(judged: Judged, rows: Sequence[Row]) -> float:
    """Scores compared in double precision."""
    by_docno = sorted(rows, key=lambda row: _bytes(row.docno), reverse=True)
    ordered = [row.docno for row in sorted(by_docno, key=lambda row: -float(row.score))]
    return _ndcg(_gains(judged, ordered)[:5], _ideal(judged)[:5])


def rr_by_rank_column(judged: Judged, rows: Sequence[Row]) -> float:
    """Ordered by the rank column."""
    return _first(judged, [row.docno for row in sorted(rows, key=lambda row: row.rank)])


def ndcg_in_input_order(judged: Judged, rows: Sequence[Row]) -> float:
    """Ordered as the file is."""
    return _ndcg(_gains(judged, [row.docno for row in rows])[:5], _ideal(judged)[:5])


def ndcg_exponential(judged: Judged, rows: Sequence[Row]) -> float:
    """Gain 2^grade - 1."""
    gains, ideal = _gains(judged, ranking(rows))[:5], _ideal(judged)[:5]
    return _ndcg([2**gain - 1 for gain in gains], [2**gain - 1 for gain in ideal])


def ndcg_jarvelin(judged: Judged, rows: Sequence[Row]) -> float:
    """Rank 1 undiscounted, then divided by log2 of the rank."""

    def discounted(gains: Sequence[float]) -> float:
        return gains[0] + _added(gain / log2(rank) for rank, gain in enumerate(gains[1:], start=2))

    return discounted(_gains(judged, ranking(rows))[:5]) / discounted(_ideal(judged)[:5])


def ndcg_ideal_from_run(judged: Judged, rows: Sequence[Row]) -> float:
    """The ideal list is the retrieved list, sorted."""
    gains = _gains(judged, ranking(rows))
    return _ndcg(gains[:5], sorted(gains, reverse=True)[:5])


def precision_over_retrieved(judged: Judged, rows: Sequence[Row]) -> float:
    """P@5 over the number retrieved where that is below 5."""
    return sum(judged.get(doc, 0) > 0 for doc in ranking(rows)[:5]) / min(5, len(rows))


def recall_capped(judged: Judged, rows: Sequence[Row]) -> float:
    """R@1 over 1 where more than one document is relevant."""
    return sum(judged.get(doc, 0) > 0 for doc in ranking(rows)[:1]) / min(1, _relevant(judged))


def ap_over_retrieved_relevant(judged: Judged, rows: Sequence[Row]) -> float:
    """Average precision over the relevant documents that were retrieved."""
    return _precisions(judged, ranking(rows)) / sum(judged.get(row.docno, 0) > 0 for row in rows)


def rr_at_10(judged: Judged, rows: Sequence[Row]) -> float:
    """0 where the first relevant document is below rank 10."""
    return _first(judged, ranking(rows)[:10])


def ap_of_first_10(judged: Judged, rows: Sequence[Row]) -> float:
    """Rankings are cut at 10 documents before anything is computed."""
    return _precisions(judged, ranking(rows)[:10]) / _relevant(judged)


def rr_judged_only(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents without judgement are taken out of the ranking."""
    return _first(judged, [doc for doc in ranking(rows) if doc in judged])


def rr_level_2(judged: Judged, rows: Sequence[Row]) -> float:
    """Relevant from grade 2 on."""
    return _first({doc: int(grade >= 2) for doc, grade in judged.items()}, ranking(rows))


def bpref(judged: Judged, rows: Sequence[Row]) -> float:
    """trec_eval's: a relevant document counts 1 where no judged nonrelevant one stands above it."""
    return _bpref({doc: grade for doc, grade in judged.items() if grade >= 0}, rows)


def bpref_negatives_nonrelevant(judged: Judged, rows: Sequence[Row]) -> float:
    """A negative grade is a judgement: not relevant."""
    return _bpref({doc: max(grade, 0) for doc, grade in judged.items()}, rows)


def bpref_zero_without_nonrelevant(judged: Judged, rows: Sequence[Row]) -> float:
    """0 where no judged nonrelevant document exists."""
    return bpref(judged, rows) if 0 in judged.values() else 0.0


def ndcg_added_backwards(judged: Judged, rows: Sequence[Row]) -> float:
    """The same terms, added from the last rank to the first."""

    def backwards(gains: Sequence[float]) -> float:
        return _added(gain / log2(rank + 1) for rank, gain in reversed(list(enumerate(gains, start=1))))

    return backwards(_gains(judged, ranking(rows))[:5]) / backwards(_ideal(judged)[:5])


def rr_off_by_one(judged: Judged, rows: Sequence[Row]) -> float:
    """A plain bug: the first rank counts as 2."""
    return next((1 / rank for rank, doc in enumerate(ranking(rows), start=2) if judged.get(doc, 0) > 0), 0.0)


# conventions of the input


def rr_without_own_id(topic: str, judged: Judged, rows: Sequence[Row]) -> float:
    """A document that has the id of its query is taken out of the ranking."""
    return _first(judged, [doc for doc in ranking(rows) if doc != topic])


def rr_ids_in_lower_case(judged: Judged, rows: Sequence[Row]) -> float:
    """Document ids are compared without regard to letter case."""
    return _first(
        {doc.lower(): grade for doc, grade in judged.items()}, [doc.lower() for doc in ranking(rows)]
    )


def ap_of_positive_scores(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents with a score of 0 or below count as not retrieved."""
    return average_precision(judged, [row for row in rows if float(row.score) > 0])


def ap_of_every_line(judged: Judged, rows: Sequence[Row]) -> float:
    """A document that stands twice in the ranking counts twice."""
    return average_precision(judged, rows)


# more values of the axes


def ap_over_all_orders(judged: Judged, rows: Sequence[Row]) -> float:
    """The mean over every order of documents with equal scores."""
    return _mean_over_orders(rows, lambda docs: _precisions(judged, docs) / _relevant(judged))


def rr_over_all_orders(judged: Judged, rows: Sequence[Row]) -> float:
    """The mean over every order of documents with equal scores."""
    return _mean_over_orders(rows, lambda docs: _first(judged, docs))


def ndcg_over_all_orders(judged: Judged, rows: Sequence[Row]) -> float:
    """The mean over every order of documents with equal scores."""
    return _mean_over_orders(rows, lambda docs: _ndcg(_gains(judged, docs)[:5], _ideal(judged)[:5]))


def ap_behind_groups(judged: Judged, rows: Sequence[Row]) -> float:
    """Precision is taken behind each group of documents with equal scores, as scikit-learn does."""
    total = 0.0
    for row in rows:
        if judged.get(row.docno, 0) > 0:
            above = [r.docno for r in rows if float(r.score) >= float(row.score)]
            total += sum(judged.get(doc, 0) > 0 for doc in above) / len(above)
    return total / _relevant(judged)


def rprec_over_returned(judged: Judged, rows: Sequence[Row]) -> float:
    """R-precision over min(R, returned)."""
    size = _relevant(judged)
    return sum(judged.get(doc, 0) > 0 for doc in ranking(rows)[:size]) / min(size, len(rows))


#: Places in the file of sixteen tied documents, as ranx 0.3.21 (numba 0.68.1) ranked them when it was run.
_SIXTEEN_IN_RANX = (*range(14, -1, -1), 15)


def _sixteen_tied(rows: Sequence[Row]) -> list[str]:
    assert len(rows) == 16
    assert len({row.score for row in rows}) == 1
    return [rows[place].docno for place in _SIXTEEN_IN_RANX]


def ap_of_sixteen_tied(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents with equal scores as numba's quicksort leaves them."""
    return _precisions(judged, _sixteen_tied(rows)) / _relevant(judged)


def ndcg_of_sixteen_tied(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents with equal scores as numba's quicksort leaves them."""
    return _ndcg(_gains(judged, _sixteen_tied(rows))[:5], _ideal(judged)[:5])


def rprec_of_the_list(judged: Judged, rows: Sequence[Row]) -> float:
    """R is the number of relevant documents in the list."""
    docs = ranking(rows)
    size = sum(judged.get(doc, 0) > 0 for doc in docs)
    return sum(judged.get(doc, 0) > 0 for doc in docs[:size]) / size


def log_ap_without_floor(judged: Judged, rows: Sequence[Row]) -> float:
    """The logarithm of average precision, minus infinity at 0."""
    value = average_precision(judged, rows)
    return log(value) if value > 0 else -inf


def eleven_points_rounded(judged: Judged, rows: Sequence[Row]) -> float:
    """Recall point p asks for p * R relevant documents, rounded half away from zero."""
    hits = [judged.get(doc, 0) > 0 for doc in ranking(rows)]
    precisions = [sum(hits[:rank]) / rank for rank in range(1, len(hits) + 1)]
    size, total = _relevant(judged), 0.0
    for tenth in range(11):
        wanted = int(tenth * size / 10 + 0.5)
        if wanted <= sum(hits):
            total += max(p for rank, p in enumerate(precisions, start=1) if sum(hits[:rank]) >= wanted)
    return total / 11


def bpref_nan_without_nonrelevant(judged: Judged, rows: Sequence[Row]) -> float:
    """NaN where no judged nonrelevant document exists (ranx)."""
    return bpref(judged, rows) if 0 in judged.values() else nan


def bpref_negatives_relevant(judged: Judged, rows: Sequence[Row]) -> float:
    """A retrieved document with a negative grade adds like a relevant one, and is one of N (trectools)."""
    relevant = _relevant(judged)
    bound = min(relevant, sum(grade <= 0 for grade in judged.values()))
    above, total = 0, 0.0
    for doc in ranking(rows):
        if judged.get(doc) == 0:
            above += 1
        elif doc in judged:
            total += 1 - min(above, relevant) / bound
    return total / relevant


def precision_over_judged(judged: Judged, rows: Sequence[Row]) -> float:
    """P@5 over the judged documents among the first 5."""
    seen = [doc for doc in ranking(rows)[:5] if doc in judged]
    return sum(judged[doc] > 0 for doc in seen) / len(seen)


def rr_unjudged_relevant(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents without a judgement count as relevant."""
    return _first({row.docno: 1 for row in rows} | judged, ranking(rows))


def ndcg_over_rank(judged: Judged, rows: Sequence[Row]) -> float:
    """The gain is divided by the rank itself."""

    def discounted(gains: Sequence[float]) -> float:
        return _added(gain / rank for rank, gain in enumerate(gains, start=1))

    return discounted(_gains(judged, ranking(rows))[:5]) / discounted(_ideal(judged)[:5])


# whole tables


def missing_as_zero(qrels: Qrels, run: Run) -> Table:
    """P@5 of every judged topic, 0 where the run has none."""
    return {topic: {"P@5": precision(judged, run.get(topic, ()))} for topic, judged in qrels.items()}


def divided_by_topics_of_run(qrels: Qrels, run: Run) -> Table:
    """P@1 whose mean is divided by all topics of the run, with or without judgements."""
    values = table(P_1=lambda judged, rows: precision(judged, rows, 1))(qrels, run)
    return values | {"all": {"P@1": _added(value["P@1"] for value in values.values()) / len(run)}}


def one_without_relevant(qrels: Qrels, run: Run) -> Table:
    """nDCG@5 that is 1 where nothing is relevant."""
    values = table(nDCG_5=ndcg)(qrels, run)
    return {
        topic: value if any(qrels[topic].values()) else {"nDCG@5": 1.0} for topic, value in values.items()
    }


def skipped_without_relevant(qrels: Qrels, run: Run) -> Table:
    """nDCG@5 of the topics that have a relevant document."""
    values = table(nDCG_5=ndcg)(qrels, run)
    return {topic: value for topic, value in values.items() if any(qrels[topic].values())}


def own_id_removed(qrels: Qrels, run: Run) -> Table:
    """RR, a document with the id of its query taken out of the ranking."""
    return {topic: {"RR": rr_without_own_id(topic, qrels[topic], rows)} for topic, rows in run.items()}


def _mean_over_orders(rows: Sequence[Row], value: Callable[[list[str]], float]) -> float:
    """The mean of a value over all orders of the documents that leave the scores in descending order."""
    orders = [
        [row.docno for row in order]
        for order in permutations(rows)
        if all(float(a.score) >= float(b.score) for a, b in pairwise(order))
    ]
    return _added(map(value, orders)) / len(orders)


def _bytes(docno: str) -> bytes:
    return docno.encode("utf-8", "surrogateescape")


def _added(terms: Iterable[float]) -> float:
    # Not sum(): from Python 3.12 on it compensates for rounding, and these numbers are compared to the bit.
    total = 0.0
    for term in terms:
        total += term
    return total


def _relevant(judged: Judged) -> int:
    return sum(grade > 0 for grade in judged.values())


def _first(judged: Judged, docs: Sequence[str]) -> float:
    return next((1 / rank for rank, doc in enumerate(docs, start=1) if judged.get(doc, 0) > 0), 0.0)


def _precisions(judged: Judged, docs: Sequence[str]) -> float:
    found, total = 0, 0.0
    for rank, doc in enumerate(docs, start=1):
        if judged.get(doc, 0) > 0:
            found += 1
            total += found / rank
    return total


def _gains(judged: Judged, docs: Sequence[str]) -> list[float]:
    return [max(judged.get(doc, 0), 0) for doc in docs]


def _ideal(judged: Judged) -> list[float]:
    return sorted((grade for grade in judged.values() if grade > 0), reverse=True)


def _dcg(gains: Sequence[float]) -> float:
    return _added(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _ndcg(gains: Sequence[float], ideal: Sequence[float]) -> float:
    return _dcg(gains) / _dcg(ideal) if _dcg(ideal) > 0 else 0.0


def _bpref(judged: Judged, rows: Sequence[Row]) -> float:
    relevant, nonrelevant = _relevant(judged), sum(grade == 0 for grade in judged.values())
    above, total = 0, 0.0
    for doc in ranking(rows):
        if judged.get(doc) == 0:
            above += 1
        elif doc in judged:
            total += 1 - min(above, relevant) / min(nonrelevant, relevant) if above else 1.0
    return total / relevant if relevant else 0.0
