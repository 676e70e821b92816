"""Axes of denominators: of precision, recall, average precision and R-precision."""

from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Mask, Value, View


class PrecisionDenominator(Value):
    """Denominator of P@k."""

    K = "k", "k", "divided by k"
    MIN_K_RETRIEVED = "min(k,retrieved)", "min(k, documents returned)"
    JUDGED = "judged", "the judged documents among the first k"
    MIN_K_R = "min(k,R)", "min(k, R)"


def _precision_denominator_gate(view: View) -> Mask:
    cutoff = view.measure.cutoff
    assert cutoff is not None
    judged = view.judged
    few = judged.num_rel(view.relevance_level) < cutoff
    return view.over_all_topics((judged.num_ret < cutoff) | (judged.relevant_above(0, cutoff) < cutoff) | few)


PRECISION_DENOMINATOR: Axis[PrecisionDenominator] = Axis(
    default=PrecisionDenominator.K,
    priority=13,
    summary="P@k divides by k, by the documents returned when they are fewer, by judged ones, or min(k, R)",
    clause="P@k is divided by {}",
    verb="divides P@k by {found}, not by {base}",
    prose="""\
trec_eval divides P@k by k even if fewer than k documents were returned. Others divide by min(k, returned),
which rewards short lists, by the judged documents among the first k (Elasticsearch's ignore_unlabeled), or by
min(k, R), the best possible value (trec_eval's relative_P).""",
    qrels=("1 0 a 1", "1 0 b 0"),
    run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
    means=(("P@5", "", 0.2), ("P@5", "precision_denominator=min(k,retrieved)", 0.5)),
    says="P@5 = {} divided by 5; {} divided by the 2 documents returned.",
    way_out="divide by k.",
    needs="queries with few relevant documents, with fewer than k returned, and unjudged ones among these",
    gate=_precision_denominator_gate,
)


class RecallDenominator(Value):
    """Denominator of recall. ``R``: the number of relevant documents in the qrels; ``retrieved-R``: in the
    run."""

    R = "R", "R", "divided by all relevant documents"
    MIN_R_K = "min(R,k)", "min(R, k)"
    RETRIEVED_R = "retrieved-R", "the relevant documents retrieved"
    K = "k", "k"


def _recall_denominator_gate(view: View) -> Mask:
    num_rel = view.unordered.num_rel(view.relevance_level)
    return view.over_all_topics((view.num_rel_ret() < num_rel) | (num_rel != view.measure.cutoff))


RECALL_DENOMINATOR: Axis[RecallDenominator] = Axis(
    default=RecallDenominator.R,
    priority=19,
    summary="recall divides by all relevant documents, by min(R, k), by k, or by those retrieved",
    clause="recall is divided by {}",
    verb="divides recall by {found}, not by {base}",
    prose="""\
trec_eval divides recall at k by R, all relevant documents of the query. With R > k it cannot reach 1, so some
tools divide by min(R, k) ("capped recall"); code without the qrels divides by the relevant documents in the
run, and code with one divisor for all measures divides by k, which is precision.""",
    qrels=("1 0 a 1", "1 0 b 1"),
    means=(("R@1", "", 0.5), ("R@1", "recall_denominator=min(R,k)", 1.0)),
    says="R@1 = {} divided by R = 2; {} divided by min(R, 1) = 1.",
    way_out="divide by R, and give capped recall another name.",
    needs="queries with more than k relevant documents, and relevant documents that were not retrieved",
    gate=_recall_denominator_gate,
)


class ApDenominator(Value):
    """Denominator of average precision. Without a cutoff, ``k`` and ``min(R,k)`` are R. In
    ``min(R,retrieved)``, only documents down to the cutoff are retrieved.
    """

    R = "R", "all relevant documents (R)", "divided by all relevant documents"
    RETRIEVED_RELEVANT = "retrieved-relevant", "the relevant documents retrieved"
    MIN_R_K = "min(R,k)", "min(R, k)"
    K = "k", "k"
    MIN_R_RETRIEVED = "min(R,retrieved)", "min(R, documents returned down to the cutoff)"


def _ap_denominator_gate(view: View) -> Mask:
    num_rel, cutoff = view.judged.num_rel(view.relevance_level), view.measure.cutoff
    num_rel_ret = view.num_rel_ret(cutoff)
    not_k = num_rel != (cutoff or num_rel)
    return view.over_all_topics((num_rel_ret < num_rel) | ((num_rel_ret > 0) & not_k))


def _ap_denominator_options(view: View) -> Sequence[AxisValue]:
    capped, rare = ([ApDenominator.MIN_R_K], [ApDenominator.K]) if view.measure.cutoff else ([], [])
    return [ApDenominator.RETRIEVED_RELEVANT, *capped, ApDenominator.R, *rare, ApDenominator.MIN_R_RETRIEVED]


AP_DENOMINATOR: Axis[ApDenominator] = Axis(
    default=ApDenominator.R,
    priority=18,
    summary="average precision divides by all relevant documents, by those retrieved, by k or min(R, k)",
    clause="AP is divided by {}",
    verb="divides AP by {found}, not by {base}",
    prose="""\
trec_eval divides by R, the relevant documents of the query, whether retrieved or not. Code that only sees the
ranking divides by the relevant documents in it, so finding one of ten can give 1.0; AP@k is often divided by
min(R, k), or by k alone, and a list that is shorter than k then by min(R, returned).""",
    qrels=("1 0 a 1", "1 0 b 1"),
    means=(("AP", "", 0.5), ("AP", "ap_denominator=retrieved-relevant", 1.0)),
    says="AP = {} divided by R = 2; {} divided by the one relevant document retrieved.",
    way_out="divide by R.",
    needs="relevant documents that were not retrieved, and more relevant documents than k",
    tried=_ap_denominator_options,
    gate=_ap_denominator_gate,
)


class RprecDenominator(Value):
    """Denominator of R-precision."""

    R = "R", "R"
    MIN_R_RETRIEVED = "min(R,retrieved)", "min(R,retrieved)"


RPREC_DENOMINATOR: Axis[RprecDenominator] = Axis(
    default=RprecDenominator.R,
    priority=37,
    summary="R-precision divides by R, or by the number of documents returned when that is smaller",
    clause="R-precision is divided by {}",
    verb="divides R-precision by {found}, not by {base}",
    prose="""\
trec_eval divides by R even if fewer than R documents were returned. Code that cuts the list at R and averages
over the remaining list divides by min(R, returned).""",
    qrels=("1 0 a 1", "1 0 b 1"),
    means=(("Rprec", "", 0.5), ("Rprec", "rprec_denominator=min(R,retrieved)", 1.0)),
    says="Rprec = {} divided by R = 2; {} divided by the one document returned.",
    way_out="divide by R.",
    needs="queries with fewer documents returned than relevant ones exist",
    gate=lambda view: view.over_all_topics(
        view.unordered.num_ret < view.unordered.num_rel(view.relevance_level)
    ),
)
