"""trec_eval's rules with one step replaced, and the metrics that follow them: bugs, and harmless rules.

The text files have a line of each: its name, its rules, and its metrics. A metric is written MEASURE/CALL,
with a name of ``calls.CALLS``; the call is one in which the bug can act. No metric with harmless rules is
called with scores and no docnos, as ``f(y_true, y_score)`` is: it could not know trec_eval's order of tied
documents.
"""

# The text files use what is imported.
# ruff: noqa: F401

import hashlib
import math
import re
from itertools import accumulate, islice, pairwise
from math import isfinite
from pathlib import Path
from statistics import median

import numpy as np

from tests.programs.metrics import reference
from tests.programs.metrics.reference import Rules, in_both, listed, nonnegative, over, relevant, single


def _scores(change):
    """Scores read in another way."""
    return Rules(score=lambda score: single(change(score)))


def _levels(change):
    """Relevance levels read in another way."""
    return Rules(judged=lambda judged: nonnegative({docno: change(level) for docno, level in judged.items()}))


def _by_topic(change):
    """Query ids read in another way, on both sides."""

    def queries(qrels, run):
        judged = {change(topic): levels for topic, levels in qrels.items()}
        for topic, lines in run.items():
            if change(topic) in judged:
                yield topic, judged[change(topic)], list(lines.items())

    return queries


def _where(keep):
    """Some queries left out."""
    return lambda qrels, run: (query for query in in_both(qrels, run) if keep(*query[1:]))


def _never_forgotten(qrels, run):
    """Judgements of earlier queries stay."""
    known: dict[str, int] = {}
    for topic, judged, lines in in_both(qrels, run):
        known |= judged
        yield topic, dict(known), lines


def _natural(text):
    """d2 before d10."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"(\d+)", text)]


def _as_number(id):
    """An id as a data frame that guesses types has it: 007 is 7.0, 1.10 is 1.1."""
    try:
        return str(float(id))
    except ValueError:
        return id


def _each(change):
    """A query's value changed by its number, counted from 0."""
    return lambda values: {topic: change(i, value) for i, (topic, value) in enumerate(values.items())}


def _first(values, count):
    return dict(islice(values.items(), count))


def _carried(add):
    """An accumulator that is not reset between queries."""
    return lambda values: dict(zip(values, accumulate(values.values(), add), strict=True))


def _interpolated(rules, found, levels, k):
    """Average precision with the highest precision from each rank on."""
    hits, precisions = 0, []
    for rank, hit in enumerate(relevant(found[:k]), 1):
        hits += hit
        precisions.append(hits / rank)
    total = sum(max(precisions[i:]) for i, hit in enumerate(relevant(found[:k])) if hit)
    return over(total, sum(relevant(levels)))


def _precision_over(denominator):
    """P@k over something else, made from k and the number of documents."""
    return lambda rules, found, levels, k: over(sum(relevant(found[:k])), denominator(k, len(found)))


def _half_precision(number):
    with np.errstate(over="ignore"):
        return float(np.float16(number))


def _whole(score):
    """A score cast to an integer; infinite ones as they are."""
    return int(score) if isfinite(score) else score


def normalised(form):
    """Rules by which the scores of a query are those that ``form`` makes of them, in single precision."""

    def lines(found):
        with np.errstate(all="ignore"):
            scores = np.nan_to_num(form(np.array([line[1] for line in found], np.float32)))
        return [
            (docno, score, *more) for (docno, _, *more), score in zip(found, scores.tolist(), strict=True)
        ]

    return Rules(lines=lines)


SCALED = normalised(lambda scores: (scores - scores.min()) / (scores.max() - scores.min()))
SOFTMAX = normalised(lambda scores: np.exp(scores - scores.max()))


def _refused(wrong, why):
    if wrong:
        raise ValueError(why)


def _refusing_unjudged_queries(qrels, run):
    assert run.keys() <= qrels.keys(), "a query has no judgements"
    return in_both(qrels, run)


_NAMES = {**vars(math), **vars(reference), **globals()}
#: Name -> the rules, and the metrics that follow them.
BUGS = listed(Path(__file__), _NAMES)
#: trec_eval's rules, and other ways to write the same: no audit may condemn the metrics that follow these.
HARMLESS = listed(Path(__file__).with_name("harmless"), _NAMES)
