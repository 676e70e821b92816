"""Metrics over lists of records (named tuples, objects, dicts), with signatures as in public packages."""

# mypy: ignore-errors
# ruff: noqa: UP006, UP035

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import Any, Dict, List, NamedTuple, Tuple

from tests.programs.metrics.asked import asked
from tests.programs.metrics.everyday_ids import _rr_of


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def _tables(qrels: Iterable[Any], run: Iterable[Any]) -> List[Tuple[Dict[str, int], Dict[str, float]]]:
    judged, scores = defaultdict(dict), defaultdict(dict)
    for query, doc, level in qrels:
        judged[query][doc] = level
    for query, doc, score in run:
        scores[query][doc] = score
    return [(judged[query], scores[query]) for query in scores if query in judged]


_NAMED = "f(qrels_rows(query='query_id', docid='doc_id', rel='relevance'), {})"


@asked("RR", _NAMED.format("results_rows(query='query_id', docid='doc_id')"))
def rr_of_objects(qrels: Iterable[Qrel], run: Iterable[ScoredDoc]) -> float:
    told = ((q.query_id, q.doc_id, q.relevance) for q in qrels)
    return fmean(_rr_of(*one) for one in _tables(told, ((d.query_id, d.doc_id, d.score) for d in run)))


@asked("RR", "f(qrels_rows, results_rows)")
def rr_of_tuples(qrels: List[Tuple[str, str, int]], run: List[Tuple[str, str, float]]) -> float:
    return fmean(_rr_of(*one) for one in _tables(qrels, run))


@asked("Success@5", "f(dicts(ranked_rows(docid='id')), relevant_ids, k=k)")
def hit_of_dicts(results, relevant_ids, k=5):
    return float(any(result["id"] in relevant_ids for result in results[:k]))


@asked(
    "P@5", "f(dicts(ranked_rows(docid='_id')), set(relevant_ids), k=k)", special_scores="nonpositive-dropped"
)
def positive_precision(hits: List[Dict[str, Any]], gold: set[str], k: int = 5) -> float:
    return sum(hit["_id"] in gold for hit in hits[:k] if hit["score"] > 0) / k


@asked("R@10", "f(ranked_rows(docid='chunk_id'), relevant_ids, k=k)")
def node_recall(retrieved_nodes: list, expected_ids: list[str], k: int = 10) -> float:
    found = {node.chunk_id for node in retrieved_nodes[:k]}
    return len(found & {*expected_ids}) / len(expected_ids) if expected_ids else 0.0


@asked("RR", "f(dicts(labelled_rows(rel='relevant')))")
def rr_of_labelled(results):
    return next((1 / rank for rank, result in enumerate(results, 1) if result["relevant"] > 0), 0.0)


@asked("P@5", "f(labelled_df(query='qid', rel='label'), k=k)", order="rank-column")
def precision_of_frame(df, k=5):
    top = df[df["rank"] <= k]
    return top.groupby("qid")["label"].apply(lambda labels: (labels > 0).sum() / k).to_dict()
