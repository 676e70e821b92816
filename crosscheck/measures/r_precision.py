"""R-precision."""

from __future__ import annotations

from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, divide, relevant
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "r_precision"]


def r_precision(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision after R documents, R being the relevant documents of the topic (trec_eval ``Rprec``).

    Fewer than R retrieved documents are still divided by R; 0.0 where nothing is relevant.
    """
    topic, rank = relevant(judged, conventions.relevance_level)
    num_rel = judged.num_rel(conventions.relevance_level)
    return divide(judged.count(topic[rank <= num_rel[topic]]), num_rel)


FAMILIES = (Family("Rprec", r_precision, "precision after R documents", trec_eval="Rprec"),)
