"""Metrics that leave trec_eval in one convention each: further values of the axes.

Every function is complete in itself, written from the definition of the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import c_float
from math import log, nan

from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import (
    Judged,
    Metric,
    Table,
    added,
    average_precision,
    bpref,
    bpref_bounded,
    dcg_of,
    gains_of,
    ideal_gains,
    mean_over_orders,
    ndcg,
    ndcg_of,
    num_relevant,
    precision,
    ranking,
    reciprocal_of_first,
    sum_of_precisions,
    table,
)


def ap_over_all_orders(judged: Judged, rows: Sequence[Row]) -> float:
    """The mean over every order of documents with equal scores."""
    return mean_over_orders(rows, lambda docs: sum_of_precisions(judged, docs) / num_relevant(judged))


def rr_over_all_orders(judged: Judged, rows: Sequence[Row]) -> float:
    """The mean over every order of documents with equal scores."""
    return mean_over_orders(rows, lambda docs: reciprocal_of_first(judged, docs))


def ndcg_over_all_orders(judged: Judged, rows: Sequence[Row]) -> float:
    """The mean over every order of documents with equal scores."""
    return mean_over_orders(rows, lambda docs: ndcg_of(gains_of(judged, docs)[:5], ideal_gains(judged)[:5]))


#: Places in the file of sixteen tied documents, as ranx 0.3.21 (numba 0.68.1) ranked them when it was run.
_SIXTEEN_IN_RANX = (*range(14, -1, -1), 15)


def _sixteen_tied(rows: Sequence[Row]) -> list[str]:
    assert len(rows) == 16
    assert len({row.score for row in rows}) == 1
    return [rows[place].docno for place in _SIXTEEN_IN_RANX]


def ap_of_sixteen_tied(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents with equal scores in the order of numba's quicksort."""
    return sum_of_precisions(judged, _sixteen_tied(rows)) / num_relevant(judged)


def ndcg_of_sixteen_tied(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents with equal scores in the order of numba's quicksort."""
    return ndcg_of(gains_of(judged, _sixteen_tied(rows))[:5], ideal_gains(judged)[:5])


#: Places in the file of thirty-two tied documents after numba 0.68.1's sort, twice. Fewer are back in order.
_THIRTY_TWO_SORTED_TWICE = (*range(14, -1, -1), 15, *range(30, 15, -1), 31)


def ap_of_thirty_two_tied(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents with equal scores in the order of numba's quicksort run twice."""
    assert len({row.score for row in rows}) == 1
    docs = [rows[place].docno for place in _THIRTY_TWO_SORTED_TWICE]
    return sum_of_precisions(judged, docs) / num_relevant(judged)


def ap_behind_groups(judged: Judged, rows: Sequence[Row]) -> float:
    """Precision is taken at the end of each group of documents with equal scores, as in scikit-learn."""
    total = 0.0
    for row in rows:
        if judged.get(row.docno, 0) > 0:
            above = [r.docno for r in rows if float(r.score) >= float(row.score)]
            total += sum(judged.get(doc, 0) > 0 for doc in above) / len(above)
    return total / num_relevant(judged)


def bpref_nan_without_nonrelevant(judged: Judged, rows: Sequence[Row]) -> float:
    """NaN where no judged nonrelevant document exists (ranx)."""
    return bpref(judged, rows) if 0 in judged.values() else nan


def bpref_negatives_relevant(judged: Judged, rows: Sequence[Row]) -> float:
    """A retrieved document with a negative grade adds like a relevant one, and is one of N (trectools)."""
    relevant = num_relevant(judged)
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


def ndcg_with_negative_gains(judged: Judged, rows: Sequence[Row]) -> float:
    """The level of every judged document is its gain, also in the ideal list."""
    ideal = dcg_of(sorted(judged.values(), reverse=True)[:5])
    return dcg_of([judged.get(doc, 0) for doc in ranking(rows)[:5]]) / ideal


def ndcg_with_guarded_gains(judged: Judged, rows: Sequence[Row]) -> float:
    """The level of every judged document is its gain; 0 where the ideal list gains nothing in all."""
    return ndcg_of(
        [judged.get(doc, 0) for doc in ranking(rows)[:5]], sorted(judged.values(), reverse=True)[:5]
    )


def ndcg_unjudged_level(level: int) -> Metric:
    """Documents without a judgement count as a grade, but not in the ideal list."""

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        rated = {row.docno: level for row in rows} | judged
        return ndcg_of(gains_of(rated, ranking(rows))[:5], ideal_gains(judged)[:5])

    return metric


def bpref_unjudged_nonrelevant(judged: Judged, rows: Sequence[Row]) -> float:
    """A retrieved document without a judgement counts above others like one judged nonrelevant."""
    relevant, nonrelevant = num_relevant(judged), sum(grade == 0 for grade in judged.values())
    above, total = 0, 0.0
    for doc in ranking(rows):
        if judged.get(doc, 0) > 0:
            total += 1 - min(above, relevant) / min(nonrelevant, relevant)
        else:
            above += 1
    return total / relevant


def rr_unjudged_relevant(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents without a judgement count as relevant."""
    return reciprocal_of_first({row.docno: 1 for row in rows} | judged, ranking(rows))


def rr_every_line_relevant(judged: Judged, rows: Sequence[Row]) -> float:
    """Every document in the qrels is relevant, whatever its grade."""
    return reciprocal_of_first(dict.fromkeys(judged, 1), ranking(rows))


def rr_by_input(judged: Judged, rows: Sequence[Row]) -> float:
    """Ordered as the file is."""
    return reciprocal_of_first(judged, [row.docno for row in rows])


def rr_with_ties(rule: str) -> Metric:
    """Documents with equal scores are in the order of a rule."""

    def place(judged: Judged, line: int, row: Row) -> int:
        relevant = judged.get(row.docno, 0) > 0
        return {
            "input": line,
            "reverse-input": -line,
            "rank-column": row.rank,
            "best": int(not relevant),
            "worst": int(relevant),
        }[rule]

    def metric(judged: Judged, rows: Sequence[Row]) -> float:
        by_rule = sorted(enumerate(rows), key=lambda entry: place(judged, *entry))
        return reciprocal_of_first(
            judged, [row.docno for _, row in sorted(by_rule, key=lambda e: -float(e[1].score))]
        )

    return metric


def rr_sorted_by_python(judged: Judged, rows: Sequence[Row]) -> float:
    """Sorted as Python sorts numbers of which one is NaN."""
    return reciprocal_of_first(
        judged, [row.docno for row in sorted(rows, key=lambda row: float(row.score), reverse=True)]
    )


def rr_by_query_suffix(qrels: Qrels, run: Run) -> Table:
    """Queries are the same that are so after the last hyphen; they have the ids of the qrels."""
    judged, lines = ({topic.split("-")[-1]: side[topic] for topic in side} for side in (qrels, run))
    values = {topic: reciprocal_of_first(judged[topic], ranking(lines[topic])) for topic in judged}
    return {topic: {"RR": values[topic.split("-")[-1]]} for topic in qrels}


def rr_in_single_precision(judged: Judged, rows: Sequence[Row]) -> float:
    """The nearest single-precision number, by the C type."""
    return c_float(reciprocal_of_first(judged, ranking(rows))).value


def rr_ids_stripped(judged: Judged, rows: Sequence[Row]) -> float:
    """Blanks around ids do not count."""
    stripped = {doc.strip(): grade for doc, grade in judged.items()}
    return reciprocal_of_first(stripped, [doc.strip() for doc in ranking(rows)])


def rr_ids_as_integers(judged: Judged, rows: Sequence[Row]) -> float:
    """Document ids are whole numbers: 01 is 1."""
    return reciprocal_of_first(
        {str(int(doc)): grade for doc, grade in judged.items()}, [str(int(doc)) for doc in ranking(rows)]
    )


def ap_of_first_lines(judged: Judged, rows: Sequence[Row]) -> float:
    """Of a document that occurs twice the first line counts."""
    return average_precision(judged, list({row.docno: row for row in reversed(rows)}.values()))


def ap_of_last_lines(judged: Judged, rows: Sequence[Row]) -> float:
    """Of a document that occurs twice the last line counts."""
    return average_precision(judged, list({row.docno: row for row in rows}.values()))


def ap_at_2_over_min(judged: Judged, rows: Sequence[Row]) -> float:
    """AP@2 over min(R, 2)."""
    return sum_of_precisions(judged, ranking(rows)[:2]) / min(num_relevant(judged), 2)


def recall_over_found(judged: Judged, rows: Sequence[Row]) -> float:
    """R@5 over the relevant documents that were retrieved."""
    docs = ranking(rows)
    return sum(judged.get(doc, 0) > 0 for doc in docs[:5]) / sum(judged.get(doc, 0) > 0 for doc in docs)


def ndcg_binary(judged: Judged, rows: Sequence[Row]) -> float:
    """Every relevant document gains 1."""
    return ndcg({doc: int(grade > 0) for doc, grade in judged.items()}, rows)


def ndcg_discounted(discount: Callable[[int], float]) -> Metric:
    """The gain is divided by a function of the rank."""

    def discounted(gains: Sequence[float]) -> float:
        return added(gain / discount(rank) for rank, gain in enumerate(gains, start=1))

    return lambda judged, rows: (
        discounted(gains_of(judged, ranking(rows))[:5]) / discounted(ideal_gains(judged)[:5])
    )


def dcg_natural_logarithm(judged: Judged, rows: Sequence[Row]) -> float:
    """The gain is divided by ln(rank + 1)."""
    return added(gain / log(rank + 1) for rank, gain in enumerate(gains_of(judged, ranking(rows)), start=1))


def ndcg_at_2(ideal: Callable[[list[float], int], Sequence[float]]) -> Metric:
    """nDCG@2 with the ideal list that is made of all grades, best first, and the number retrieved."""
    return lambda judged, rows: ndcg_of(
        gains_of(judged, ranking(rows))[:2], ideal(ideal_gains(judged), len(rows))
    )


def ndcg_of_its_own_first_two(judged: Judged, rows: Sequence[Row]) -> float:
    """nDCG@2 whose ideal list is the gains of the first two documents, sorted."""
    gains = gains_of(judged, ranking(rows))[:2]
    return ndcg_of(gains, sorted(gains, reverse=True))


def ndcg_if_all_returned_were_best(judged: Judged, rows: Sequence[Row]) -> float:
    """nDCG@5 whose ideal list has the highest grade for each of the documents returned."""
    gains = gains_of(judged, ranking(rows))[:5]
    return ndcg_of(gains, [max(judged.values())] * len(gains))


def bpref_over_r(judged: Judged, rows: Sequence[Row]) -> float:
    """The first paper's bpref: 1 - n / R."""
    return bpref_bounded(judged, rows, num_relevant(judged))


def bpref_10(judged: Judged, rows: Sequence[Row]) -> float:
    """bpref-10: 1 - n / (10 + R)."""
    return bpref_bounded(judged, rows, 10 + num_relevant(judged))


def log_ap_zero_replaced(judged: Judged, rows: Sequence[Row]) -> float:
    """The logarithm of average precision, and of 0.00001 where that is 0."""
    return log(average_precision(judged, rows) or 0.00001)


def eleven_points_exact(judged: Judged, rows: Sequence[Row]) -> float:
    """Recall is compared with each point as it is."""
    hits = [judged.get(doc, 0) > 0 for doc in ranking(rows)]
    reached = [
        (sum(hits[:rank]) / num_relevant(judged), sum(hits[:rank]) / rank) for rank in range(1, len(hits) + 1)
    ]
    points = [tenth / 10 for tenth in range(11)]
    return added(max((p for r, p in reached if r >= point), default=0.0) for point in points) / 11


def missing_as_nan(qrels: Qrels, run: Run) -> Table:
    """P@1 of every judged topic, NaN where the run has none."""
    values = table(P_1=lambda judged, rows: precision(judged, rows, 1))(qrels, run)
    return {topic: values.get(topic, {"P@1": nan}) for topic in qrels}


def hitless_as_nan(qrels: Qrels, run: Run) -> Table:
    """P@1 of every judged topic, NaN where it has no relevant document at rank 1."""
    values = table(P_1=lambda judged, rows: precision(judged, rows, 1))(qrels, run)
    return {t: {"P@1": values[t]["P@1"] or nan} if t in values else {"P@1": nan} for t in qrels}


def nan_without_hits(qrels: Qrels, run: Run) -> Table:
    """P@1 of every topic with results, NaN where it has no relevant document at rank 1."""
    values = hitless_as_nan(qrels, run)
    return {t: values[t] for t in run}


def hitless_dropped(depth: int | None) -> Callable[[Qrels, Run], Table]:
    """P@1 of the topics with a relevant document among the first ones, or anywhere."""

    def compute(qrels: Qrels, run: Run) -> Table:
        found = {t: reciprocal_of_first(qrels[t], ranking(rows)[:depth]) > 0 for t, rows in run.items()}
        return {t: {"P@1": precision(qrels[t], run[t], 1)} for t in run if found[t]}

    return compute


def divided_by_judged_topics(qrels: Qrels, run: Run) -> Table:
    """P@1 whose mean is divided by all judged topics, with or without results."""
    values = table(P_1=lambda judged, rows: precision(judged, rows, 1))(qrels, run)
    return values | {"all": {"P@1": added(value["P@1"] for value in values.values()) / len(qrels)}}
