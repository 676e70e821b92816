"""trec_eval's rules, and other ways to write the same: no audit may condemn the metrics that follow these.

Metrics are written as in ``bugs``. None is called with scores and no docnos, as
``f(y_true, y_score)`` is: it could not know trec_eval's order of tied documents.
"""

import math

import numpy as np

from tests.programs.metrics.reference import Rules, in_both, in_bytes, nonnegative, over, single


def _refused(wrong, why):
    if wrong:
        raise ValueError(why)


def _refusing_negative_levels(judged):
    _refused(min(judged.values(), default=0) < 0, "a relevance level is negative")
    return judged


def _refusing_nan(score):
    _refused(math.isnan(score), "a score is NaN")
    return single(score)


def _refusing_unjudged_queries(qrels, run):
    assert run.keys() <= qrels.keys(), "a query has no judgements"
    return in_both(qrels, run)


def _in_order_of_the_qrels(qrels, run):
    return ((topic, qrels[topic], list(run[topic].items())) for topic in qrels if topic in run)


def _reversed_values(values):
    return dict(reversed(values.items()))


def _float32_mean(values):
    return np.mean(np.asarray(values, np.float32)) if values else 0.0


#: Name -> the rules, and the metrics that follow them.
HARMLESS: dict[str, tuple[Rules, str]] = {
    "trec_eval's rules": (
        Rules(), """
        P@5/dicts P@10/binary-k P@10/scored-k P@5/closure R@10/ids-k R@5/counted-k R@10/mean-k
        Success@5/gains-k RR/dicts RR/gains RR@10/dicts-k Rprec/ids bpref/dicts
        AP/dicts AP/nested AP/counted AP/ranks AP/frames-mean AP/scored AP/program AP@10/keywords
        nDCG/levels nDCG@10/dicts nDCG@10/levels-k nDCG@10/mean nDCG@10/frames"""),
    "np.log2": (Rules(discount=lambda rank: np.log2(rank + 1)), "nDCG/levels"),
    "math.log over math.log": (Rules(discount=lambda rank: math.log(rank + 1) / math.log(2)), "nDCG@10/mean"),
    "log1p": (Rules(discount=lambda rank: math.log1p(rank) / math.log(2)), "nDCG@10/levels-k"),
    "scores in np.float32": (
        Rules(score=lambda s: -math.inf if math.isnan(s) else np.asarray(s).astype(np.float32)),
        "nDCG@10/scored-k"),
    "docnos compared as text": (Rules(tie=str), "AP/run-first"),
    "docnos compared byte by byte": (Rules(tie=lambda docno: [*in_bytes(docno)]), "nDCG@10/dicts"),
    "levels as floats": (
        Rules(judged=lambda judged: {docno: float(level) for docno, level in nonnegative(judged).items()}),
        "bpref/dicts"),
    "negative levels as 0": (
        Rules(judged=lambda judged: {docno: max(level, 0) for docno, level in judged.items()}), "AP/levels"),
    "gains over the highest level": (Rules(gain=lambda level: level / 30), "nDCG@10/dicts"),
    "values in single precision": (Rules(value=single), "nDCG@10/dicts AP/frames"),
    "values as np.float32": (Rules(value=np.float32), "AP/ids nDCG@10/levels-k"),
    "values as np.float64": (Rules(value=np.float64), "RR/gains"),
    "values as an array": (Rules(value=lambda v: np.array([v])), "P@5/gains-k"),
    "whole values as int": (Rules(value=lambda v: int(v) if v == int(v) else v), "P@5/dicts"),
    "values to 12 decimals": (Rules(value=lambda v: round(v, 12)), "nDCG@10/levels-k"),
    "mean by np.mean": (Rules(mean=lambda v: np.mean(v) if v else 0.0), "nDCG@10/frames-mean"),
    "mean by fsum": (Rules(mean=lambda v: over(math.fsum(v), len(v))), "nDCG@10/mean-k"),
    "mean in single precision": (Rules(mean=_float32_mean), "nDCG@10/mean"),
    "values in reversed order": (Rules(values=_reversed_values), "P@10/dicts"),
    "queries in the order of the qrels": (Rules(queries=_in_order_of_the_qrels), "RR/dicts"),
    "negative levels refused": (Rules(judged=_refusing_negative_levels), "nDCG@10/dicts AP/levels"),
    "NaN scores refused": (Rules(score=_refusing_nan), "nDCG@10/dicts AP/scored"),
    "queries without judgements refused": (
        Rules(queries=_refusing_unjudged_queries), "AP/dicts nDCG@10/mean"),
}  # fmt: skip
