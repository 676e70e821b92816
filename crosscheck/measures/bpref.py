"""bpref, for incomplete judgements."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import BprefForm, Conventions
from crosscheck.measures.base import Family, divide, floored_log, sum_by_topic
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "bpref", "geometric_bpref"]


def bpref(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """How rarely judged nonrelevant documents stand above relevant ones (trec_eval ``bpref``).

    Each retrieved relevant document adds 1 - min(n, R) / min(N, R), n being the judged nonrelevant
    documents above it and N all of them; the sum is divided by R. Unjudged documents, and those with a
    negative level, are skipped. With n = 0 the document adds 1, even where N = 0; under
    ``bpref_form`` ``zero-when-no-nonrelevant`` such a topic is 0.0. 0.0 where nothing is relevant.
    Source: Buckley and Voorhees, SIGIR 2004, in the form of trec_eval 8 and later.
    """
    level = conventions.relevance_level
    num_rel, num_nonrel = judged.num_rel(level), judged.num_nonrel(level)
    is_rel = judged.rel >= max(level, 0)
    nonrel_so_far = np.cumsum((judged.rel >= 0) & ~is_rel)
    first = np.searchsorted(judged.topic, np.arange(judged.num_topics))
    before_topic = np.concatenate(([0], nonrel_so_far))[first]
    topic = judged.topic[is_rel]
    above: IntArray = nonrel_so_far[is_rel] - before_topic[topic]
    bound = np.minimum(num_nonrel, num_rel)[topic]
    score = np.where(above > 0, 1.0 - divide(np.minimum(above, num_rel[topic]), bound), 1.0)
    result = divide(sum_by_topic(judged, topic, score), num_rel)
    if conventions.bpref_form is BprefForm.ZERO_WHEN_NO_NONRELEVANT:
        result[num_nonrel == 0] = 0.0
    return result


def geometric_bpref(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln(max(bpref, 0.00001)), whose mean trec_eval's ``gm_bpref`` is the exponential of."""
    return floored_log(bpref(judged, conventions, measure))


FAMILIES = (
    Family(
        "bpref",
        bpref,
        "binary preference, for incomplete judgements",
        trec_eval="bpref",
        axes=frozenset({"bpref_form"}),
        aliases=("Bpref", "BPref"),
    ),
    Family(
        "gm_bpref",
        geometric_bpref,
        "logarithm of bpref, for its geometric mean over topics",
        trec_eval="gm_bpref",
        axes=frozenset({"bpref_form"}),
        aggregate="geometric",
    ),
)
