"""Metrics that differ from trec_eval in one convention each, for the cases of the labels.

Every function is complete in itself, written from the definition of the measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, log2, nan

from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import (
    Judged,
    Table,
    added,
    average_precision,
    bpref,
    bpref_of,
    gains_of,
    ideal_gains,
    in_bytes,
    ndcg,
    ndcg_of,
    num_relevant,
    precision,
    ranking,
    reciprocal_of_first,
    sum_of_precisions,
    table,
)


def rr_ties_ascending(judged: Judged, rows: Sequence[Row]) -> float:
    """Tied documents in ascending order of docno."""
    ordered = sorted(rows, key=lambda row: (-float(row.score), in_bytes(row.docno)))
    return reciprocal_of_first(judged, [row.docno for row in ordered])


def ndcg_double_precision(judged: Judged, rows: Sequence[Row]) -> float:
    """Scores compared in double precision."""
    by_docno = sorted(rows, key=lambda row: in_bytes(row.docno), reverse=True)
    ordered = [row.docno for row in sorted(by_docno, key=lambda row: -float(row.score))]
    return ndcg_of(gains_of(judged, ordered)[:5], ideal_gains(judged)[:5])


def rr_by_rank_column(judged: Judged, rows: Sequence[Row]) -> float:
    """Ordered by the rank column."""
    return reciprocal_of_first(judged, [row.docno for row in sorted(rows, key=lambda row: row.rank)])


def ndcg_in_input_order(judged: Judged, rows: Sequence[Row]) -> float:
    """Ordered as the file is."""
    return ndcg_of(gains_of(judged, [row.docno for row in rows])[:5], ideal_gains(judged)[:5])


def ndcg_exponential(judged: Judged, rows: Sequence[Row]) -> float:
    """Gain 2^grade - 1."""
    gains, ideal = gains_of(judged, ranking(rows))[:5], ideal_gains(judged)[:5]
    return ndcg_of([2**gain - 1 for gain in gains], [2**gain - 1 for gain in ideal])


def ndcg_jarvelin(judged: Judged, rows: Sequence[Row]) -> float:
    """Rank 1 undiscounted, then divided by log2 of the rank."""

    def discounted(gains: Sequence[float]) -> float:
        return gains[0] + added(gain / log2(rank) for rank, gain in enumerate(gains[1:], start=2))

    return discounted(gains_of(judged, ranking(rows))[:5]) / discounted(ideal_gains(judged)[:5])


def ndcg_ideal_from_run(judged: Judged, rows: Sequence[Row]) -> float:
    """The ideal list is the retrieved list, sorted."""
    gains = gains_of(judged, ranking(rows))
    return ndcg_of(gains[:5], sorted(gains, reverse=True)[:5])


def precision_over_retrieved(judged: Judged, rows: Sequence[Row]) -> float:
    """P@5 over the number retrieved where that is below 5."""
    return sum(judged.get(doc, 0) > 0 for doc in ranking(rows)[:5]) / min(5, len(rows))


def recall_capped(judged: Judged, rows: Sequence[Row]) -> float:
    """R@1 over 1 where more than one document is relevant."""
    return sum(judged.get(doc, 0) > 0 for doc in ranking(rows)[:1]) / min(1, num_relevant(judged))


def ap_over_retrieved_relevant(judged: Judged, rows: Sequence[Row]) -> float:
    """Average precision over the relevant documents that were retrieved."""
    return sum_of_precisions(judged, ranking(rows)) / sum(judged.get(row.docno, 0) > 0 for row in rows)


def rr_at_10(judged: Judged, rows: Sequence[Row]) -> float:
    """0 where the first relevant document is below rank 10."""
    return reciprocal_of_first(judged, ranking(rows)[:10])


def ap_of_first_10(judged: Judged, rows: Sequence[Row]) -> float:
    """Rankings are cut at 10 documents before anything is computed."""
    return sum_of_precisions(judged, ranking(rows)[:10]) / num_relevant(judged)


def rr_judged_only(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents without judgement are taken out of the ranking."""
    return reciprocal_of_first(judged, [doc for doc in ranking(rows) if doc in judged])


def rr_level_2(judged: Judged, rows: Sequence[Row]) -> float:
    """Relevant from grade 2 on."""
    return reciprocal_of_first({doc: int(grade >= 2) for doc, grade in judged.items()}, ranking(rows))


def bpref_negatives_nonrelevant(judged: Judged, rows: Sequence[Row]) -> float:
    """A negative grade is a judgement: not relevant."""
    return bpref_of({doc: max(grade, 0) for doc, grade in judged.items()}, rows)


def bpref_zero_without_nonrelevant(judged: Judged, rows: Sequence[Row]) -> float:
    """0 where no judged nonrelevant document exists."""
    return bpref(judged, rows) if 0 in judged.values() else 0.0


def ndcg_added_backwards(judged: Judged, rows: Sequence[Row]) -> float:
    """The same terms, added from the last rank to the first."""

    def backwards(gains: Sequence[float]) -> float:
        return added(gain / log2(rank + 1) for rank, gain in reversed(list(enumerate(gains, start=1))))

    return backwards(gains_of(judged, ranking(rows))[:5]) / backwards(ideal_gains(judged)[:5])


def rr_off_by_one(judged: Judged, rows: Sequence[Row]) -> float:
    """A plain bug: the first rank counts as 2."""
    return next((1 / rank for rank, doc in enumerate(ranking(rows), start=2) if judged.get(doc, 0) > 0), 0.0)


def rr_without_own_id(topic: str, judged: Judged, rows: Sequence[Row]) -> float:
    """A document that has the id of its query is taken out of the ranking."""
    return reciprocal_of_first(judged, [doc for doc in ranking(rows) if doc != topic])


def rr_ids_in_lower_case(judged: Judged, rows: Sequence[Row]) -> float:
    """Document ids are compared without regard to letter case."""
    return reciprocal_of_first(
        {doc.lower(): grade for doc, grade in judged.items()}, [doc.lower() for doc in ranking(rows)]
    )


def ap_of_positive_scores(judged: Judged, rows: Sequence[Row]) -> float:
    """Documents with a score of 0 or below count as not retrieved."""
    return average_precision(judged, [row for row in rows if float(row.score) > 0])


def ap_of_every_line(judged: Judged, rows: Sequence[Row]) -> float:
    """A document that occurs twice in the ranking counts twice."""
    return average_precision(judged, rows)


def rprec_over_returned(judged: Judged, rows: Sequence[Row]) -> float:
    """R-precision over min(R, returned)."""
    size = num_relevant(judged)
    return sum(judged.get(doc, 0) > 0 for doc in ranking(rows)[:size]) / min(size, len(rows))


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
    size, total = num_relevant(judged), 0.0
    for tenth in range(11):
        wanted = int(tenth * size / 10 + 0.5)
        if wanted <= sum(hits):
            total += max(p for rank, p in enumerate(precisions, start=1) if sum(hits[:rank]) >= wanted)
    return total / 11


def bpref_of_first_5_judged(judged: Judged, rows: Sequence[Row]) -> float:
    """Only the first five judged documents of the ranking are looked at."""
    return bpref(judged, [row for row in rows if row.docno in judged][:5])


def missing_as_zero(qrels: Qrels, run: Run) -> Table:
    """P@5 of every judged topic, 0 where the run has none."""
    return {topic: {"P@5": precision(judged, run.get(topic, ()))} for topic, judged in qrels.items()}


def divided_by_topics_of_run(qrels: Qrels, run: Run) -> Table:
    """P@1 whose mean is divided by all topics of the run, with or without judgements."""
    values = table(P_1=lambda judged, rows: precision(judged, rows, 1))(qrels, run)
    return values | {"all": {"P@1": added(value["P@1"] for value in values.values()) / len(run)}}


def in_percent(qrels: Qrels, run: Run) -> Table:
    """nDCG@5 of every topic, times 100."""
    return {t: {"nDCG@5": 100 * v["nDCG@5"]} for t, v in table(nDCG_5=ndcg)(qrels, run).items()}


def unjudged_as_zero(qrels: Qrels, run: Run) -> Table:
    """P@1 of every topic of the run, and their mean: a topic without judgements has nothing relevant."""
    found = {topic: {"P@1": precision(qrels.get(topic, {}), rows, 1)} for topic, rows in run.items()}
    return found | {"all": {"P@1": added(value["P@1"] for value in found.values()) / len(run)}}


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


def nan_without_relevant(qrels: Qrels, run: Run) -> Table:
    """nDCG@5 that is NaN where nothing is relevant."""
    values = table(nDCG_5=ndcg)(qrels, run)
    return {
        topic: value if any(qrels[topic].values()) else {"nDCG@5": nan} for topic, value in values.items()
    }


def own_id_removed(qrels: Qrels, run: Run) -> Table:
    """RR, a document with the id of its query taken out of the ranking."""
    return {topic: {"RR": rr_without_own_id(topic, qrels[topic], rows)} for topic, rows in run.items()}
