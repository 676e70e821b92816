"""Qrels and runs written as small dicts."""

from __future__ import annotations

import numpy as np

from crosscheck.model import Qrels, Run


def qrels(judged: dict[str, dict[str, int]], source: str = "qrels") -> Qrels:
    """Judgements from topic -> docno -> level."""
    topics = sorted(judged)
    docnos = [docno for topic in topics for docno in judged[topic]]
    return Qrels(
        topics=tuple(topic.encode() for topic in topics),
        offsets=np.cumsum([0, *(len(judged[topic]) for topic in topics)]),
        docnos=np.array([docno.encode() for docno in docnos], "S8"),
        rels=np.array([level for topic in topics for level in judged[topic].values()], np.int64),
        source=source,
    )


def run(rankings: dict[str, str | dict[str, float]], tag: str = "run") -> Run:
    """A run from topic -> docno -> score, or from topic -> docnos in falling order, apart by blanks."""
    scored = {
        topic: {docno: -float(rank) for rank, docno in enumerate(ranking.split())}
        if isinstance(ranking, str)
        else ranking
        for topic, ranking in rankings.items()
    }
    topics = sorted(scored)
    docnos = [docno for topic in topics for docno in scored[topic]]
    return Run(
        topics=tuple(topic.encode() for topic in topics),
        offsets=np.cumsum([0, *(len(scored[topic]) for topic in topics)]),
        docnos=np.array([docno.encode() for docno in docnos], "S8"),
        scores=np.array([score for topic in topics for score in scored[topic].values()], np.float64),
        ranks=None,
        lines=np.arange(len(docnos)),
        tag=tag.encode(),
        source=f"{tag}.txt",
    )
