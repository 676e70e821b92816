"""Measures that count documents, and ratios of such numbers: precision, recall, F, accuracy, utility,
Judged."""

from functools import partial
from typing import Any

import numpy as np

from crosscheck.axes.base import Axis
from crosscheck.axes.denominators import (
    PRECISION_DENOMINATOR,
    RECALL_DENOMINATOR,
    RPREC_DENOMINATOR,
    PrecisionDenominator,
    RecallDenominator,
)
from crosscheck.axes.judging import DEPTH, RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError
from crosscheck.measures import tied
from crosscheck.measures.arithmetic import divide, places, returned, sum_by_topic
from crosscheck.measures.base import JUDGED_ONLY, Family, MeasureParameter, Merits, Tied, num_relevant
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

_MULTIPLE = "precision is read at this multiple of R, the number of relevant documents"
MULTIPLE = MeasureParameter("multiple", 1.0, _MULTIPLE, required=True)
RELATIVE = MeasureParameter("relative", False, "the divisor is the smaller of R and the number retrieved")
BETA = MeasureParameter("beta", 1.0, "weight of recall against precision; above 1 recall counts more")


def num_ret(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Number of retrieved documents (trec_eval ``num_ret``). ``NumRet(rel=n)``: of retrieved relevant
    documents."""
    if measure.rel is not None:
        return num_rel_ret(judged, conventions, measure)
    return judged.num_ret.astype(np.float64)


def num_rel(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Number of relevant documents in the qrels, retrieved or not (trec_eval ``num_rel``)."""
    return judged.num_rel(conventions[RELEVANCE_LEVEL]).astype(np.float64)


def num_rel_ret(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Number of retrieved relevant documents (trec_eval ``num_rel_ret``)."""
    return judged.relevant_retrieved(conventions[RELEVANCE_LEVEL]).astype(np.float64)


def num_nonrel_judged_ret(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Number of retrieved documents judged nonrelevant (trec_eval ``num_nonrel_judged_ret``)."""
    num_rel_ret = judged.relevant_retrieved(conventions[RELEVANCE_LEVEL])
    return (judged.relevant_retrieved(0) - num_rel_ret).astype(np.float64)


def num_q(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """1 per query (trec_eval ``num_q``)."""
    return np.ones(judged.num_topics)


def denominator(
    axis: Axis[Any], judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> IntArray | int:
    """The denominator chosen by the value of ``axis``: one number per topic, or one for all topics. If the
    measure has no cutoff, the denominators k and min(R, k) are R."""
    level, cutoff = conventions[RELEVANCE_LEVEL], measure.cutoff
    match conventions[axis]:
        case "k" if cutoff is not None:
            return cutoff
        case "min(k,R)" | "min(R,k)" if cutoff is not None:
            return np.minimum(judged.num_rel(level), cutoff)
        case "min(k,retrieved)":
            return returned(judged, cutoff)
        case "min(R,retrieved)":
            return np.minimum(judged.num_rel(level), returned(judged, cutoff))
        case "judged":
            return judged.relevant_above(0, cutoff)
        case "retrieved-R":
            return judged.relevant_retrieved(level)
        case "retrieved-relevant":
            return judged.relevant_above(level, cutoff)
        case _:
            return judged.num_rel(level)


def precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant documents among the first k, divided by k (trec_eval ``P_k``).

    Values lie in [0, 1]. By default the divisor is k even if fewer documents were retrieved; other values of
    the axis ``precision_denominator`` are ``min(k,retrieved)``, ``min(k,R)`` and ``judged`` (the number of
    judged documents among the first k). 0.0 if the divisor is 0. Unjudged documents are nonrelevant.
    """
    if judged.tied is not None and conventions[PRECISION_DENOMINATOR] is PrecisionDenominator.JUDGED:
        return _expected_of_judged(judged, conventions, measure)
    num_rel_ret = tied.found_above(judged, conventions, measure.cutoff)
    return divide(num_rel_ret, denominator(PRECISION_DENOMINATOR, judged, conventions, measure))


def _expected_of_judged(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected precision over judged documents.

    If the cutoff lies inside a group, the number of the group's judged documents above the cutoff is random.
    Given this number, the expected share of relevant documents among them is the share among all judged
    documents of the group. The same holds for unjudged documents (relevant under a negative relevance level).
    """
    level, limit = conventions[RELEVANCE_LEVEL], tied.last_rank(conventions, measure.cutoff)
    listed = judged.every_rank() if level < 0 else judged
    groups = tied.Groups.of(listed)
    known, relevant = groups.number(listed.rel >= 0), groups.number(listed.rel >= level)
    both = groups.number(listed.rel >= max(level, 0))
    places = groups.inside(limit)
    whole = places == groups.size
    num_rel_ret = sum_by_topic(judged, groups.topic[whole], relevant[whole])

    def expected(i: int, number: IntArray, num_above: float) -> FloatArray:
        others = (places[i] - number) * (relevant[i] - both[i])
        of_judged: FloatArray = number * both[i] / max(int(known[i]), 1)
        return num_above + of_judged + divide(others, np.full(len(number), groups.size[i] - known[i]))

    return tied.mean_above(groups, places, known, num_rel_ret, expected)


def _merits(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Merit 1 for relevant documents, else 0; under ``precision_denominator=judged``, -1 for documents judged
    nonrelevant. Returns (topic, rank, merit)."""
    if conventions[PRECISION_DENOMINATOR] is not PrecisionDenominator.JUDGED:
        return tied.by_relevance(judged, conventions, measure)
    listed = judged.every_rank()
    hit = listed.rel >= conventions[RELEVANCE_LEVEL]
    return listed.topic, listed.rank, 1.0 * hit - 1.0 * ((listed.rel >= 0) & ~hit)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    over_judged = conventions[PRECISION_DENOMINATOR] is PrecisionDenominator.JUDGED
    if ties in (Ties.BEST, Ties.WORST) and over_judged and conventions[RELEVANCE_LEVEL] < 0:
        return "precision_denominator=judged and a negative relevance level"
    return None


def success(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """1.0 if any of the first k documents is relevant, else 0.0 (trec_eval ``success_k``)."""
    level = conventions[RELEVANCE_LEVEL]
    if judged.tied is None:
        return (judged.relevant_above(level, measure.cutoff) > 0).astype(np.float64)
    groups, limit = tied.Groups.of(tied.hits(judged, level)), tied.last_rank(conventions, measure.cutoff)
    return tied.chance_of_any(groups, limit, judged.num_topics)


def relative_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision at k, divided by the highest possible value for the topic (trec_eval ``relative_P_k``).

    Relevant documents among the first k, divided by min(k, R); 0.0 if nothing is relevant.
    """
    assert measure.cutoff is not None
    num_rel_ret = tied.found_above(judged, conventions, measure.cutoff)
    return divide(num_rel_ret, np.minimum(num_relevant(judged, conventions, measure), measure.cutoff))


def set_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Share of the retrieved documents that is relevant (trec_eval ``set_P``); 0.0 if none was retrieved."""
    return divide(judged.relevant_retrieved(conventions[RELEVANCE_LEVEL]), judged.num_ret)


def set_relative_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Number of retrieved relevant documents, divided by the highest possible number (trec_eval
    ``set_relative_P``).

    The divisor is min(retrieved, R). 0.0 if the divisor is 0.
    """
    level = conventions[RELEVANCE_LEVEL]
    return divide(judged.relevant_retrieved(level), np.minimum(judged.num_ret, judged.num_rel(level)))


def r_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision in the first R documents, where R is the number of relevant documents of the topic (trec_eval
    ``Rprec``).

    By default the divisor is R even if fewer documents were retrieved; the axis ``rprec_denominator`` can
    change it to ``min(R,retrieved)``. 0.0 if nothing is relevant.
    """
    num_rel_ret = tied.found_above(judged, conventions, num_relevant(judged, conventions, measure))
    return divide(num_rel_ret, denominator(RPREC_DENOMINATOR, judged, conventions, measure))


def r_precision_multiple(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision in the first x R documents (trec_eval ``Rprec_mult_x``).

    The number of documents is x R + 0.9 cut to an integer, in all versions of trec_eval. It is also the
    divisor if fewer documents were retrieved. 0.0 if it is 0.
    """
    level, num_rel = conventions[RELEVANCE_LEVEL], num_relevant(judged, conventions, measure)
    depth: IntArray = (MULTIPLE.of(measure) * num_rel + 0.9).astype(np.int64)
    # trec_eval goes up the ranking and counts down from the number found, to 0. With a relevance level below
    # 0 unjudged documents, which this number does not include, lower the count as well.
    uncounted = judged.relevant_above(level, None) - judged.relevant_retrieved(level)
    num_rel_ret = np.maximum(tied.found_above(judged, conventions, depth) - uncounted, 0)
    return np.where(depth > 0, divide(num_rel_ret, depth), 0.0)


def _unless_rprec(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return "a negative relevance level" if conventions[RELEVANCE_LEVEL] < 0 else None


def recall(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant documents among the first k, divided by R (trec_eval ``recall_k``).

    R is the number of relevant documents in the qrels, retrieved or not. The axis ``recall_denominator`` can
    change the denominator to min(R, k), k, or the number of relevant documents retrieved at any rank. 0.0 if
    the denominator is 0.
    """
    num_rel_ret = tied.found_above(judged, conventions, measure.cutoff)
    return divide(num_rel_ret, denominator(RECALL_DENOMINATOR, judged, conventions, measure))


def _unless_recall(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    depth = conventions[DEPTH]
    of_retrieved = depth is not None and conventions[RECALL_DENOMINATOR] is RecallDenominator.RETRIEVED_R
    return f"depth={depth} and recall_denominator=retrieved-R" if of_retrieved else None


def set_recall(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Share of the relevant documents that was retrieved (trec_eval ``set_recall``); 0.0 if R is 0."""
    level = conventions[RELEVANCE_LEVEL]
    return divide(judged.relevant_retrieved(level), judged.num_rel(level))


def set_f(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """F measure over the whole result set (trec_eval ``set_F``, ir_measures ``SetF``).

    (x + 1) P R / (x P + R), with P = SetP, R = SetR and x = beta (most other tools use x = beta squared). 0.0
    if no relevant document was retrieved; NaN if a negative beta makes the fraction 0 / 0. The operations are
    in the order of trec_eval.
    """
    p, r = set_precision(judged, conventions, measure), set_recall(judged, conventions, measure)
    return f_measure(p, r, BETA.of(measure))


def f_measure(p: FloatArray, r: FloatArray, beta: float) -> FloatArray:
    """The F measure from precision and recall, by the formula of :func:`set_f`."""
    with np.errstate(divide="ignore", invalid="ignore"):  # the faces call it as well
        return np.where(p > 0, ((beta + 1.0) * p * r) / (beta * p + r), 0.0)


def f1(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Harmonic mean of P@k and R@k: 2 P R / (P + R) (ranx ``f1@k``; recommender systems report it).

    The axes ``precision_denominator`` and ``recall_denominator`` act on P and R. 0.0 if none of the first k
    documents is relevant.
    """
    p, r = precision(judged, conventions, measure), recall(judged, conventions, measure)
    return f_measure(p, r, 1.0)


def _unless_f1(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    over_judged = conventions[PRECISION_DENOMINATOR] is PrecisionDenominator.JUDGED
    return "precision_denominator=judged" if over_judged else _unless_recall(ties, conventions, measure)


def accuracy(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Share of the pairs of a relevant and a nonrelevant document in which the relevant document ranks
    higher.

    Pairs are made of the first k documents, or of all retrieved documents. Unjudged documents are
    nonrelevant. 1.0 if none of these documents is nonrelevant (ir_measures divides by 0 there, which is an
    error). A query has no value if none of these documents is relevant. Source: ir_measures 0.4.3, provider
    ``accuracy``.
    """
    topic, rank = judged.relevant(conventions[RELEVANCE_LEVEL], measure.cutoff)
    wrong = sum_by_topic(judged, topic, (rank - places(judged, topic)).astype(np.float64))
    return _share(judged.count(topic), returned(judged, measure.cutoff), wrong)


def _share(num_rel_ret: IntArray, length: IntArray, wrong: FloatArray) -> FloatArray:
    pairs = (length - num_rel_ret) * num_rel_ret
    result = 1.0 - np.divide(wrong, pairs, out=np.zeros(len(num_rel_ret)), where=pairs > 0)
    return np.where(num_rel_ret > 0, result, np.nan)


def _expected_accuracy(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected accuracy: a pair of tied documents is in the right order with probability 1/2."""
    groups = tied.Groups.of(tied.hits(judged, conventions[RELEVANCE_LEVEL]))
    above = (groups.start - groups.before) + (groups.size - groups.found) / 2
    num_rel_ret = np.bincount(groups.topic, groups.found, judged.num_topics).astype(np.int64)
    return _share(num_rel_ret, judged.num_ret, sum_by_topic(judged, groups.topic, groups.found * above))


def _unless_accuracy(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    # Without a relevant document above the cutoff there is no value.
    return "a cutoff or a depth" if tied.last_rank(conventions, measure.cutoff) < tied.FAR else None


COEFFICIENTS = MeasureParameter(
    "coefficients",
    (1.0, -1.0, 0.0, 0.0),
    "weights of relevant and of nonrelevant documents retrieved, of relevant ones missed, and of all others",
)
SIZE = MeasureParameter("N", 0.0, "documents in the collection")


def utility(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Weighted sum of the contingency table of the result set (trec_eval ``utility``).

    a times the number of retrieved relevant documents, plus b times retrieved nonrelevant, plus c times
    relevant not retrieved, plus d times all remaining documents of a collection of ``N`` documents. The
    weights (``coefficients``) are 1, -1, 0, 0 by default. Unjudged documents are nonrelevant. N is
    trec_eval's ``-N``, 0 by default.

    Raises:
        UsageError: the number of coefficients is not four.
    """
    coefficients = COEFFICIENTS.of(measure)
    if len(coefficients) != 4:
        hint = "for relevant and nonrelevant documents retrieved, then for those not retrieved"
        raise UsageError(f"utility takes four coefficients, not {len(coefficients)}", hint=hint)
    a, b, c, d = coefficients
    level = conventions[RELEVANCE_LEVEL]
    size, num_rel_ret, retrieved = SIZE.of(measure), judged.relevant_retrieved(level), judged.num_ret
    missed = judged.num_rel(level) - num_rel_ret
    rest = size + num_rel_ret - retrieved - judged.num_rel(level)
    return np.asarray(a * num_rel_ret + b * (retrieved - num_rel_ret) + c * missed + d * rest)


def unjudged_share(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Number of unjudged documents among the first k, divided by k (trec_eval 10 ``unj_k``).

    Documents with a negative level are unjudged. The divisor is k even if fewer documents were retrieved.
    """
    assert measure.cutoff is not None
    seen = tied.count_above(judged.only(judged.rel >= 0), conventions, measure.cutoff)
    return (returned(judged, measure.cutoff) - seen) / float(measure.cutoff)


def judged_share(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Share of the first k documents that is judged, with any level (ir_measures ``Judged@k``).

    The divisor is min(k, retrieved). Without a cutoff, the share of all retrieved documents. 0.0 if nothing
    was retrieved. Source: ir_measures' ``judged`` provider, which orders ties by ascending docno.
    """
    return divide(tied.count_above(judged, conventions, measure.cutoff), returned(judged, measure.cutoff))


def _judged_first(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    return tied.one_each(judged.topic, judged.rank)


#: A family for a number of documents or queries: independent of the order, and summed over queries.
_count = partial(Family, ranked=False, aggregate="sum", pool=False)

FAMILIES = (
    Family("P", precision, "precision in the first k documents",
           trec_eval_cut="P", cutoff="required", params=(JUDGED_ONLY,), aliases=("Precision",),
           pool=False, reads=(PRECISION_DENOMINATOR,), divisor=partial(denominator, PRECISION_DENOMINATOR),
           tied=Tied(average=precision, merit=_merits, unless=_unless)),
    Family("Success", success, "whether one of the first k documents is relevant",
           trec_eval_cut="success", trec_eval_defaults=(1, 5, 10), cutoff="required", params=(JUDGED_ONLY,),
           pool=False, tied=Tied(average=success, merit=tied.by_relevance)),
    Family("relative_P", relative_precision, "precision in the first k documents over the best possible",
           trec_eval_cut="relative_P", cutoff="required",
           tied=Tied(average=relative_precision, merit=tied.by_relevance)),
    Family("SetP", set_precision, "precision of the whole result set",
           trec_eval="set_P", params=(RELATIVE, JUDGED_ONLY),
           ranked=False, pool=False, divisor=lambda judged, conventions, measure: judged.num_ret),
    Family("SetRelP", set_relative_precision, "precision of the whole result set over the best possible",
           trec_eval="set_relative_P", params=(JUDGED_ONLY,), ranked=False),
    Family("Rprec", r_precision, "precision after R documents",
           trec_eval="Rprec", params=(JUDGED_ONLY,), aliases=("RPrec",),
           to_r=True, reads=(RPREC_DENOMINATOR,), divisor=partial(denominator, RPREC_DENOMINATOR),
           tied=Tied(average=r_precision, merit=tied.by_relevance)),
    Family("Rprec_mult", r_precision_multiple, "precision after a multiple of R documents",
           trec_eval_cut="Rprec_mult", trec_eval_defaults=(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
           params=(MULTIPLE,), at_parameter="multiple",
           tied=Tied(average=r_precision_multiple, merit=tied.by_relevance, unless=_unless_rprec)),
    Family("R", recall, "recall in the first k documents",
           trec_eval_cut="recall", cutoff="required", params=(JUDGED_ONLY,), aliases=("Recall",),
           reads=(RECALL_DENOMINATOR,), divisor=partial(denominator, RECALL_DENOMINATOR),
           tied=Tied(average=recall, merit=tied.by_relevance, unless=_unless_recall)),
    Family("SetR", set_recall, "recall of the whole result set", trec_eval="set_recall",
           ranked=False, divisor=num_relevant),
    Family("SetF", set_f, "F measure of the whole result set",
           trec_eval="set_F", trec_eval_param="beta", params=(BETA, JUDGED_ONLY), ranked=False),
    Family("F1", f1, "harmonic mean of precision and recall in the first k documents",
           cutoff="required", params=(JUDGED_ONLY,), reads=(PRECISION_DENOMINATOR, RECALL_DENOMINATOR),
           tied=Tied(average=f1, merit=tied.by_relevance, unless=_unless_f1)),
    Family("Accuracy", accuracy,
           "share of the pairs of a relevant and a nonrelevant document in the right order",
           cutoff="optional", pool=False, undefined_without_hits=True,
           tied=Tied(average=_expected_accuracy, merit=tied.by_relevance, unless=_unless_accuracy)),
    Family("utility", utility, "linear utility of the result set",
           trec_eval="utility", trec_eval_param="coefficients", params=(COEFFICIENTS, SIZE), ranked=False),
    _count("NumRet", num_ret, "documents retrieved", trec_eval="num_ret", relevance=False,
           elsewhere="retrieved"),
    _count("NumRel", num_rel, "relevant documents", trec_eval="num_rel", pool=True, retrieved=False,
           elsewhere="relevant"),
    _count("NumRelRet", num_rel_ret, "relevant documents retrieved", trec_eval="num_rel_ret"),
    _count("num_nonrel_judged_ret", num_nonrel_judged_ret, "judged nonrelevant documents retrieved",
           trec_eval="num_nonrel_judged_ret", nonrelevant=True),
    _count("NumQ", num_q, "queries", trec_eval="num_q", rel=False, relevance=False, retrieved=False,
           elsewhere="queries"),
    Family("unj", unjudged_share, "share of unjudged documents in the first k",
           trec_eval_cut="unj", trec_eval_defaults=(5, 10, 20), trec_eval_since="10.0", cutoff="required",
           rel=False, pool=False, nonrelevant=True, relevance=False,
           tied=Tied(average=unjudged_share, merit=tied.unjudged_first)),
    Family("Judged", judged_share, "share of judged documents in the first k", cutoff="optional", rel=False,
           pool=False, relevance=False,
           divisor=lambda judged, conventions, measure: returned(judged, measure.cutoff),
           tied=Tied(average=judged_share, merit=_judged_first)),
)  # fmt: skip
