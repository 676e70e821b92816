"""Axes of DCG: the gain of a relevance level, the discount by rank, and the ideal list by which DCG is
normalised."""

from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Mask, Value, View


class Ideal(Value):
    """The ideal list by which DCG is normalised.

    ``qrels``: all judged documents, sorted by level, cut at k. ``untruncated``: the same, not cut at k.
    ``hits-returned``: the same, cut at the number of retrieved documents. ``retrieved``: the retrieved
    documents, sorted by level, then cut at k. ``retrieved-at-k``: the first k retrieved documents, sorted by
    level. ``max-grade``: the highest level of the scale (axis ``max_grade``) at every rank.
    ``max-grade-returned``: the same, at only as many ranks as documents were retrieved down to k.
    """

    QRELS = "qrels", "all judged documents of the query, cut at k", "ideal over all judged documents"
    RETRIEVED = "retrieved", "the retrieved documents only, sorted", "ideal over the retrieved documents only"
    RETRIEVED_AT_K = (
        "retrieved-at-k",
        "only the first k retrieved documents (sorted)",
        "ideal over the first k retrieved documents only",
    )
    HITS_RETURNED = "hits-returned", "all judged documents, cut at the number returned"
    MAX_GRADE = "max-grade", "the highest relevance level at every position"
    MAX_GRADE_RETURNED = (
        "max-grade-returned",
        "the highest relevance level for each document returned down to k",
    )
    UNTRUNCATED = "untruncated", "all judged documents, not cut at k"


#: Ideal lists with the highest level at every rank.
OF_HIGHEST = (Ideal.MAX_GRADE, Ideal.MAX_GRADE_RETURNED)


def some_judged(view: View) -> Mask:
    """Mask of the queries with a judged document. Under some kinds of gain, a document of any level may have
    a gain."""
    judged = view.unordered
    return view.over_all_topics(judged.count(judged.pool_topic) > 0)


def _ideal_options(view: View) -> Sequence[AxisValue]:
    cutoff = view.measure.cutoff
    short = cutoff and bool((view.unordered.num_ret < cutoff).any())
    returned = [Ideal.MAX_GRADE_RETURNED] if short else []  # else it is max-grade
    rest = [Ideal.UNTRUNCATED, Ideal.HITS_RETURNED, Ideal.MAX_GRADE, *returned, Ideal.QRELS]
    return [Ideal.RETRIEVED, *([Ideal.RETRIEVED_AT_K] if cutoff else []), *rest]


IDEAL: Axis[Ideal] = Axis(
    default=Ideal.QRELS,
    label="ideal-ranking",
    priority=16,
    summary="nDCG is normalised by another ideal list",
    clause="the ideal list is {}",
    contrast="the ideal list is {found}, not {base}",
    verb="builds the ideal list of {found} (the reference: of {base})",
    prose="""\
trec_eval builds the ideal ranking from all judged documents of the query. Code that sees only the retrieved
list sorts that list instead, and a run that found one relevant document of ten can reach nDCG = 1. Much code
for retrieval-augmented generation and recommenders sorts no more than its first k documents, as in
sorted(gains[:k]): nDCG@k is 1 then wherever the relevant ones among these are in order. Other code counts one
relevant document for each that was returned, as in range(len(retrieved)), so that a short list needs fewer.\
""",
    qrels=("1 0 a 1", "1 0 b 2", "1 0 c 3"),
    run=("1 Q0 a 1 3.0 tag", "1 Q0 x 2 2.0 tag", "1 Q0 b 3 1.0 tag"),
    means=(
        ("nDCG@2", "", 0.2346),
        ("nDCG@2", "ideal=retrieved", 0.3801),
        ("nDCG@2", "ideal=retrieved-at-k", 1.0),
    ),
    says="nDCG@2 = {} against the judged documents; {} against the retrieved list, {} against its top 2.",
    way_out="build the ideal ranking from all judgements of the query, and cut it at k.",
    needs="more relevant documents than k, some retrieved below rank k, some not at all, and several levels",
    tried=_ideal_options,
    gate=some_judged,
)


class Gain(Value):
    """Gain of a relevance level ``r > 0``: r, 2^r - 1, 1, 2^r, or r^2.

    ``2^level-of-all``: 2^r for every document, so that level 0 and unjudged retrieved documents gain 1.
    """

    LINEAR = "linear", "the relevance level", "linear gain"
    EXPONENTIAL = "exponential", "2^level - 1", "exponential gain (2^level - 1)"
    BINARY = "binary", "1 if relevant", "binary gain"
    POWER = "2^level", "2^level where the level is above 0"
    POWER_OF_ALL = "2^level-of-all", "2^level, and so 1 for nonrelevant and unjudged documents"
    SQUARE = "level^2", "the square of the level"


def _gain_options(view: View) -> Sequence[Gain]:
    # In a ratio over a single level every gain cancels but that of the documents at level 0, which may also
    # be relevant.
    if _several_levels(view).any():
        return [Gain.EXPONENTIAL, Gain.LINEAR, Gain.BINARY, Gain.POWER, Gain.POWER_OF_ALL, Gain.SQUARE]
    return [view.conventions[GAIN], Gain.BINARY, Gain.POWER_OF_ALL]


def _several_levels(view: View) -> Mask:
    """Mask of the queries on which kinds of gain other than ``2^level-of-all`` can matter."""
    import numpy as np

    judged = view.unordered
    positive = judged.pool_rel > 0
    topic, rel = judged.pool_topic[positive], judged.pool_rel[positive]
    if not view.family.ratio or view.conventions[IDEAL] in OF_HIGHEST:
        return view.over_all_topics(judged.count(topic) > 0)
    # In a ratio of two sums over a single level, the gain of that level cancels.
    highest = np.zeros(int(topic.max(initial=-1)) + 1, np.int64)
    np.maximum.at(highest, topic, rel)
    return view.over_all_topics(judged.count(topic[rel < highest[topic]]) > 0)


GAIN: Axis[Gain] = Axis(
    default=Gain.LINEAR,
    weighs=True,
    priority=12,
    summary="the gain of a relevance level is the level itself, its square, 2^level - 1, 2^level, or 1",
    clause="the gain is {}",
    verb="takes {found} for the gain, not {base}",
    prose="""\
The gain in trec_eval's nDCG is the relevance level itself (Järvelin and Kekäläinen). Web search and learning
to rank mostly use 2^level - 1 (Burges et al.); some tools use 1 for every relevant document. The square of
the level is rare, and so is 2^level, which gives nonrelevant documents 2^0 = 1 unless they are left out. With
a single positive level the ratio hides the difference.""",
    qrels=("1 0 a 1", "1 0 b 2"),
    run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
    means=(("nDCG", "", 0.8597), ("nDCG", "gain=exponential", 0.7967), ("nDCG", "gain=binary", 1.0)),
    says="nDCG = {} with linear gain, {} with 2^level - 1, {} with binary gain.",
    way_out="name the gain next to the number.",
    needs="queries with two different positive relevance levels",
    tried=_gain_options,
    gate=some_judged,
)


class Discount(Value):
    """The divisor of the gain at rank i.

    It is a logarithm of i + 1; or i itself; or 1 at every rank; or, for the values with ``jarvelin``, the
    logarithm of i to a base b, but at least 1. For ``jarvelin`` b is 2, so that the divisor is 1 at ranks 1
    and 2, then log2(i). For ``ln-jarvelin`` it is 1 only at rank 1, then ln(i).
    """

    LOG2 = "log2(i+1)", "log2(rank + 1)", "log2(i+1) discount"
    JARVELIN = "jarvelin", "1 at rank 1, then log2(rank)"
    LN_JARVELIN = "ln-jarvelin", "1 at rank 1, then ln(rank)"
    LN = "ln(i+1)", "ln(rank + 1)"
    JARVELIN_3 = "jarvelin-3", "1 down to rank 3, then log3(rank)"
    JARVELIN_10 = "jarvelin-10", "1 down to rank 10, then log10(rank)"
    LOG10 = "log10(i+1)", "log10(rank + 1)"
    RANK = "rank", "the rank"
    NONE = "none", "1 at every rank", "no discount"


def _discount_options(view: View) -> Sequence[AxisValue]:
    # In a ratio of two sums the base of a plain logarithm cancels.
    plain_log = [] if view.family.ratio else [Discount.LN, Discount.LOG10]
    rest = [Discount.RANK, Discount.NONE, Discount.LOG2, Discount.JARVELIN_3, Discount.JARVELIN_10]
    return [Discount.JARVELIN, Discount.LN_JARVELIN, *plain_log, *rest]


DISCOUNT: Axis[Discount] = Axis(
    default=Discount.LOG2,
    weighs=True,
    priority=17,
    summary="gains are discounted by another function of the rank",
    clause="the discount is {}",
    verb="discounts by {found}, not by {base}",
    prose="""\
trec_eval divides the gain at rank i by log2(i + 1). Järvelin and Kekäläinen's first form has a base b: ranks
above b are not discounted, and from rank b on the gain is divided by the logarithm of the rank to that base.
With b = 2 that leaves ranks 1 and 2 alone; some code uses the natural logarithm from rank 2 on.""",
    qrels=("1 0 a 1", "1 0 b 0"),
    run=("1 Q0 b 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
    means=(("nDCG", "", 0.6309), ("nDCG", "discount=jarvelin", 1.0)),
    says="nDCG = {} with log2(i + 1); {} with log2(i), which does not discount rank 2.",
    way_out="name the discount next to the number.",
    needs="relevant documents at several ranks below the first",
    tried=_discount_options,
    gate=some_judged,
)
