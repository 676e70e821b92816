"""Functions that compute a measure from one ranked list of relevance levels.

``[0, 2, 1]`` means: rank 1 nonrelevant, rank 2 level 2, rank 3 level 1. Where implementations differ, the
convention is a keyword argument with the name of its axis (``crosscheck profiles``). The default is always
trec_eval's value, and the docstring names tools with other values. A list does not contain the documents that
were not retrieved. Where trec_eval needs them (recall, average precision, the ideal ranking of nDCG), a
further argument gives their number or levels.

The values equal those of the native measures. A document with a level below ``relevance_level`` is
nonrelevant; a level of 0 or below has no gain; write 0 for a document without a judgement. An empty list
gives 0.0. A cutoff below 1, or a level that is not a whole number, raises
:class:`crosscheck.errors.ArgumentError`, a ``ValueError``. A convention that does not exist, or that needs
more than the list, raises :class:`crosscheck.errors.UsageError`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar

from crosscheck.errors import ArgumentError, UsageError, count

if TYPE_CHECKING:
    from crosscheck.conventions import AxisValue
    from crosscheck.model import IntArray, ParamValue

__all__ = ["average_precision", "f_beta", "precision", "precision_at_k", "r_precision", "recall_at_k"]
__all__ += ["dcg", "dcg_at_k", "ideal_dcg", "ndcg", "ndcg_at_k", "reciprocal_rank", "relevance_vector"]
__all__ += ["mean_average_precision", "mean_reciprocal_rank", "set_f_beta", "set_precision", "set_recall"]

_Id = TypeVar("_Id", bound=Hashable)
_R_IS_UNKNOWN = "R, the number of relevant documents of the query, and only the list was given"


def whole_number(name: str, value: Any) -> int:
    """``value`` as an int, if it is a whole number of 64 bits; numpy scalars and booleans are accepted."""
    with suppress(TypeError, ValueError, OverflowError):
        if (number := int(value)) == value and -(2**63) <= number < 2**63:
            return number
    problem = f"{name} must be a whole number of at most 64 bits, not {value!r}"
    raise ArgumentError(problem, hint="use integers, as in qrels")


def checked_cutoff(k: int) -> int:
    """The cutoff as an int. An error if the cutoff is not a whole number of at least 1."""
    try:
        cutoff = index(k)
    except TypeError:
        raise ArgumentError(f"a cutoff must be a whole number, not {k!r}") from None
    if cutoff < 1:
        raise ArgumentError(f"a cutoff must be at least 1, not {cutoff}")
    return cutoff


def measured(
    family: str,
    rels: Sequence[Iterable[float]],
    cutoff: int | None = None,
    relevance_level: float = 1,
    *,
    judged: Sequence[Iterable[float]] = (),
    relevant: Iterable[int] = (),
    params: tuple[tuple[str, ParamValue], ...] = (),
    profile: str = "",
    repeats: bool = False,
    **axes: AxisValue,
) -> list[float]:
    """The value of a native measure for each list.

    Args:
        judged: for each list, the levels of all judged documents of its query, if the measure needs them.
        relevant: for each list, the number of relevant documents of its query, in place of ``judged``.
        repeats: whether a document may be listed twice, so that a list may have more relevant documents than
            its query.
        axes: axis values that replace those of the profile (without a profile, those of trec_eval).

    Raises:
        UsageError: an axis has no such value.
        ArgumentError: an argument is not a number of the right type, a list has more relevant documents than
            its query, or a value exceeds double precision.
    """
    # Imported here because importing this module must not import numpy.
    import numpy as np

    from crosscheck.conventions import Conventions
    from crosscheck.measures import family as family_named
    from crosscheck.measures.base import in_unit
    from crosscheck.model import Measure
    from crosscheck.names import conventions_for
    from crosscheck.rankings.judged import JudgedRankings

    def columns(levels: Iterable[Iterable[float]]) -> tuple[IntArray, IntArray]:
        """Topic and level of each document."""
        whole = [
            [whole_number(f"the relevance level at rank {rank}", at) for rank, at in enumerate(of_list, 1)]
            for of_list in levels
        ]
        topic = np.repeat(np.arange(len(whole)), [len(of_list) for of_list in whole])
        return topic, np.array([level for of_list in whole for level in of_list], np.int64)

    level = whole_number("relevance_level", relevance_level)
    totals = [whole_number("a number of relevant documents", total) for total in relevant]
    topic, rel = columns(rels)
    # Judged, so never negative, whatever counts as relevant.
    pool_topic, pool_rel = columns([*judged, *([max(level, 0)] * total for total in totals)])
    # Totals say how many documents are relevant; levels of judged documents say more.
    graded = np.unique(rel[rel > 0]).tolist() if judged else []
    for at in [] if repeats else [max(level, 0)] if totals else graded:
        listed, known = (
            np.bincount(topics[levels >= at], minlength=len(rels)).tolist()
            for topics, levels in ((topic, rel), (pool_topic, pool_rel))
        )
        for number, (here, there) in enumerate(zip(listed, known, strict=True), 1):
            if here > there:
                listed_here = f"list {number} has {count(here, 'document')} of level {at} or more"
                hint = "give all relevant documents of the query, retrieved or not"
                raise ArgumentError(f"{listed_here}, and its query {there}", hint=hint)
    num_ret = np.bincount(topic, minlength=len(rels))
    rankings = JudgedRankings(
        num_topics=len(rels),
        num_ret=num_ret,
        topic=topic,
        rank=np.arange(1, len(topic) + 1) - (np.cumsum(num_ret) - num_ret)[topic],
        rel=rel,
        pool_topic=pool_topic,
        pool_rel=pool_rel,
        max_rel=int(pool_rel.max(initial=0)),
    )
    measure = Measure(family, None if cutoff is None else checked_cutoff(cutoff), None, params)
    spec = conventions_for(profile or Conventions(), measure).with_changes(relevance_level=level, **axes)
    about = family_named(family)
    with np.errstate(all="ignore"):
        values = in_unit(about.compute(rankings, spec, measure), about, spec)
    if not np.isfinite(values).all():
        raise ArgumentError(f"{family} of the list exceeds double precision")
    return list(values.tolist())


def mean(values: Sequence[float]) -> float:
    """The mean, added in order as in trec_eval; 0.0 without values."""
    import numpy as np

    from crosscheck.evaluation.summarise import summary_of

    return summary_of(np.array(values, np.float64)) or 0.0


def relevance_vector(retrieved: Iterable[_Id], grades: Mapping[_Id, float]) -> list[float]:
    """The level of each retrieved document in rank order; 0 for a document without a level in ``grades``."""
    return [grades.get(docno, 0) for docno in retrieved]


def precision(relevance: Iterable[float], *, relevance_level: float = 1) -> float:
    """Share of the documents of the list that is relevant (trec_eval ``set_P``).

    >>> precision([0, 0, 0, 1])
    0.25
    """
    return measured("SetP", [relevance], None, relevance_level)[0]


def precision_at_k(
    relevance: Iterable[float],
    k: int,
    total_relevant: int | None = None,
    *,
    precision_denominator: str = "k",
    relevance_level: float = 1,
) -> float:
    """Relevant documents among the first k, divided by k (trec_eval ``P_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not; needed for ``min(k,R)``.
        precision_denominator: ``k``; ``min(k,retrieved)``, by which a list shorter than k can have precision
            1: XGBoost, CatBoost, ir_measures' ``judged`` provider, torchmetrics with ``adaptive_k``
            (Elasticsearch divides by the number retrieved); or ``min(k,R)``, trec_eval's ``relative_P_k``.
        relevance_level: lowest level that counts as relevant (trec_eval ``-l``).

    Raises:
        UsageError: R is needed and was not given, or ``precision_denominator`` is ``judged``, because a list
            does not tell which of its documents are judged.

    >>> precision_at_k([1, 0], 5), precision_at_k([1, 0], 5, precision_denominator="min(k,retrieved)")
    (0.2, 0.5)
    """
    if precision_denominator == "judged":
        problem = "precision_denominator=judged: a list of levels does not say which documents are judged"
        raise UsageError(problem, hint="use crosscheck.evaluate(qrels, run, ...)")
    if precision_denominator == "min(k,R)" and total_relevant is None:
        raise UsageError(f"min(k,R) needs {_R_IS_UNKNOWN}", hint="pass total_relevant=R")
    totals = () if total_relevant is None else [total_relevant]
    axes: dict[str, Any] = {"precision_denominator": precision_denominator}
    return measured("P", [relevance], checked_cutoff(k), relevance_level, relevant=totals, **axes)[0]


def recall_at_k(
    relevance: Iterable[float],
    total_relevant: int,
    k: int | None = None,
    *,
    recall_denominator: str = "R",
    relevance_level: float = 1,
) -> float:
    """Relevant documents among the first k, divided by R (trec_eval ``recall_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not; the value is 0.0 if R is 0.
        k: cutoff, or None for the whole list (trec_eval ``set_recall``).
        recall_denominator: ``R``; ``min(R,k)``, which lets a short cutoff reach 1 (BEIR's capped recall);
            ``retrieved-R``, the relevant documents of the list (scikit-learn, torchmetrics, CatBoost); or
            ``k``. Without a cutoff, ``min(R,k)`` and ``k`` are R.
    """
    kind = "R" if k is None and recall_denominator == "k" else recall_denominator
    of_all: dict[str, Any] = {"relevant": [total_relevant], "recall_denominator": kind}
    return measured("R", [relevance], k, relevance_level, **of_all)[0]


def average_precision(
    relevance: Iterable[float],
    total_relevant: int | None = None,
    k: int | None = None,
    *,
    ap_denominator: str = "R",
    relevance_level: float = 1,
) -> float:
    """Sum of the precisions at each relevant document, divided by R (trec_eval ``map``, ``map_cut_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not. Needed unless
            ``ap_denominator`` is ``retrieved-relevant``; the value is 0.0 if R is 0.
        k: cutoff, or None for the whole list.
        ap_denominator: ``R``; ``retrieved-relevant``, which ignores documents that were not found (cwl_eval;
            the only form in learning-to-rank libraries and torchmetrics); ``min(R,k)``
            (sentence-transformers, recommenders' MAP@k); ``k``; or ``min(R,retrieved)``, the length of the
            list down to the cutoff. Without a cutoff, ``min(R,k)`` and ``k`` are R.

    Raises:
        UsageError: R is needed and was not given.

    >>> average_precision([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 5)
    0.4
    """
    totals = None if total_relevant is None else [total_relevant]
    return mean_average_precision(
        [relevance], totals, k, ap_denominator=ap_denominator, relevance_level=relevance_level
    )


def mean_average_precision(
    rels: Sequence[Iterable[float]],
    totals: Sequence[int] | None = None,
    k: int | None = None,
    *,
    ap_denominator: str = "R",
    relevance_level: float = 1,
) -> float:
    """Mean of :func:`average_precision` over queries, each with the same weight; 0.0 without queries.

    Args:
        totals: R of each query; needed unless ``ap_denominator`` is ``retrieved-relevant``.
    """
    from crosscheck.axes.denominators import AP_DENOMINATOR, ApDenominator

    if totals is not None and len(totals) != len(rels):
        raise ArgumentError(f"totals must have one number per list: {len(rels)} lists, {len(totals)} numbers")
    kind = AP_DENOMINATOR.parse(ap_denominator)
    if totals is None and rels and kind is not ApDenominator.RETRIEVED_RELEVANT:
        hint = "pass total_relevant, or ap_denominator='retrieved-relevant' to divide by those in the list"
        raise UsageError(f"AP is divided by {_R_IS_UNKNOWN}", hint=hint)
    return mean(measured("AP", rels, k, relevance_level, relevant=totals or (), ap_denominator=kind))


def r_precision(relevance: Iterable[float], total_relevant: int, *, relevance_level: float = 1) -> float:
    """Relevant documents among the first R, divided by R (trec_eval ``Rprec``); 0.0 if R is 0.

    A list shorter than R is still divided by R.
    """
    return measured("Rprec", [relevance], None, relevance_level, relevant=[total_relevant])[0]


def reciprocal_rank(
    relevance: Iterable[float], *, rr_cutoff: int | None = None, relevance_level: float = 1
) -> float:
    """1 / rank of the first relevant document, or 0.0 if no document is relevant (trec_eval ``recip_rank``).

    Args:
        rr_cutoff: the value is 0.0 if the first relevant document is below this rank. MS MARCO cuts passages
            at 10 and documents at 100, Lucene's QualityStats cuts at 5; trec_eval does not cut.
    """
    return mean_reciprocal_rank([relevance], rr_cutoff=rr_cutoff, relevance_level=relevance_level)


def mean_reciprocal_rank(
    rels: Sequence[Iterable[float]], *, rr_cutoff: int | None = None, relevance_level: float = 1
) -> float:
    """Mean of :func:`reciprocal_rank` over queries, each with the same weight; 0.0 without queries."""
    cutoff = None if rr_cutoff is None else checked_cutoff(rr_cutoff)
    return mean(measured("RR", rels, None, relevance_level, rr_cutoff=cutoff))


def dcg(
    relevance: Iterable[float],
    k: int | None = None,
    *,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    relevance_level: float = 1,
) -> float:
    """Sum of gain over discount in rank order, up to the cutoff (trec_eval 10 ``dcg``).

    Args:
        gain: ``linear``, the level itself; ``exponential``, 2^level - 1 (Burges et al., 2005; gdeval,
            XGBoost, LightGBM, TF-Ranking, Elasticsearch, ranx ``ndcg_burges``); ``binary``, 1 from
            ``relevance_level`` on (sentence-transformers, recommenders, pyndeval); ``2^level``, for levels
            above 0; ``2^level-of-all``, which is 1 for level 0; or ``level^2``.
        discount: ``log2(i+1)``; ``ln(i+1)``; ``log10(i+1)``; ``jarvelin``, 1 at ranks 1 and 2, then log2(i)
            (Järvelin and Kekäläinen, 2002, with b = 2); ``jarvelin-3`` and ``jarvelin-10``, the same with
            b = 3 and b = 10: 1 above rank b, from there on log_b(i); ``ln-jarvelin``, 1 at rank 1, then
            ln(i); ``rank``; or ``none``.

    >>> dcg([4, 4, 3, 0, 0, 1, 3, 3, 3, 0], 6, discount="jarvelin")
    10.279642067948915
    """
    return measured("DCG", [relevance], k, relevance_level, gain=gain, discount=discount)[0]


def ideal_dcg(
    relevance: Iterable[float],
    k: int | None = None,
    *,
    judged: Iterable[float] | None = None,
    max_grade: float | None = None,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    ideal: str = "qrels",
    relevance_level: float = 1,
) -> float:
    """DCG of the ideal ranking, by which :func:`ndcg` divides. The arguments are those of :func:`ndcg`."""
    axes = _of_ideal(judged, max_grade, gain=gain, discount=discount, ideal=ideal)
    return measured("ideal_dcg", [relevance], k, relevance_level, **axes)[0]


def ndcg(
    relevance: Iterable[float],
    k: int | None = None,
    *,
    judged: Iterable[float] | None = None,
    max_grade: float | None = None,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    ideal: str = "qrels",
    relevance_level: float = 1,
) -> float:
    """DCG of the list divided by the DCG of an ideal ranking (trec_eval ``ndcg``, ``ndcg_cut_k``).

    The value is 0.0 if the DCG of the ideal ranking is 0.

    Args:
        judged: levels of all judged documents of the query, in any order.
        max_grade: highest level of the scale, for ``ideal="max-grade"`` and ``"max-grade-returned"``.
        gain, discount: see :func:`dcg`.
        ideal: the documents in the ideal ranking. ``qrels``: all judged documents, best first, cut at k;
            ``untruncated``: the same, not cut; ``hits-returned``: the same, cut at the length of the list
            (Elasticsearch). ``retrieved``: the documents of the list, best first (scikit-learn, torchmetrics,
            XGBoost, LightGBM, CatBoost, TF-Ranking); ``retrieved-at-k``: the first k documents of the list,
            best first. ``max-grade``: the highest level at every rank up to k, or up to the length of the
            list if k is None (cwl_eval); ``max-grade-returned``: the same up to the shorter of both.

    Raises:
        UsageError: ``judged`` or ``max_grade`` is needed and was not given.

    >>> ndcg([2, 3, 0], 5, judged=[3, 2, 1])
    0.8174935137996165
    """
    axes = _of_ideal(judged, max_grade, gain=gain, discount=discount, ideal=ideal)
    return measured("nDCG", [relevance], k, relevance_level, **axes)[0]


def _of_ideal(judged: Iterable[float] | None, max_grade: float | None, **axes: str) -> dict[str, Any]:
    """The arguments of :func:`measured` for a measure that needs an ideal ranking, checked."""
    from crosscheck.axes.gains import IDEAL, OF_HIGHEST, Ideal

    kind = IDEAL.parse(axes["ideal"])
    if kind in OF_HIGHEST and max_grade is None:
        problem = f"ideal='{kind}' needs the highest level of the scale"
        raise UsageError(problem, hint="pass max_grade=..., such as 3")
    if kind not in (*OF_HIGHEST, Ideal.RETRIEVED, Ideal.RETRIEVED_AT_K) and judged is None:
        needed = "the levels of all judged documents for its ideal ranking"
        hint = "pass judged=[...], or ideal='retrieved' to use only the documents of the list"
        raise UsageError(f"nDCG needs {needed}; only the list was given", hint=hint)
    highest = "measure" if max_grade is None else whole_number("max_grade", max_grade)
    return {**axes, "judged": () if judged is None else [judged], "max_grade": highest}


#: Other names of :func:`dcg` and :func:`ndcg`.
dcg_at_k, ndcg_at_k = dcg, ndcg


def set_precision(retrieved: Iterable[Hashable], relevant: Iterable[Hashable]) -> float:
    """Share of the retrieved documents that is relevant (trec_eval ``set_P``).

    Both arguments are sets of ids. The value is 0.0 if nothing was retrieved.
    """
    return _of_sets("SetP", retrieved, relevant)


def set_recall(retrieved: Iterable[Hashable], relevant: Iterable[Hashable]) -> float:
    """Share of the relevant documents that was retrieved (trec_eval ``set_recall``).

    Both arguments are sets of ids. The value is 0.0 if nothing is relevant.
    """
    return _of_sets("SetR", retrieved, relevant)


def _of_sets(
    family: str, retrieved: Iterable[Hashable], relevant: Iterable[Hashable], *params: tuple[str, float]
) -> float:
    wanted = frozenset(relevant)
    levels = [int(docno in wanted) for docno in frozenset(retrieved)]
    return measured(family, [levels], relevant=[len(wanted)], params=params)[0]


def f_beta(precision: float, recall: float, beta: float = 1.0, *, weight: str = "beta") -> float:
    """Weighted harmonic mean of precision P and recall R: (w + 1) P R / (w P + R); 0.0 if P = R = 0.

    Args:
        weight: the value of w: ``beta``, as in trec_eval's ``set_F`` and ir_measures' SetF, or ``beta^2``, as
            in van Rijsbergen's F and scikit-learn's ``fbeta_score``. Both are equal if beta is 1.
    """
    import numpy as np

    from crosscheck.measures.precision import f_measure

    value = f_measure(np.array(precision, np.float64), np.array(recall, np.float64), _weight(beta, weight))
    return float(value)


def _weight(beta: float, weight: str) -> float:
    if weight not in ("beta", "beta^2"):
        raise UsageError(f"weight must be beta or beta^2, not {weight!r}")
    return beta if weight == "beta" else beta**2


def set_f_beta(
    retrieved: Iterable[Hashable], relevant: Iterable[Hashable], beta: float = 1.0, *, weight: str = "beta"
) -> float:
    """F measure of a retrieved set: the harmonic mean of :func:`set_precision` and :func:`set_recall`,
    weighted by ``beta`` (trec_eval ``set_F``). ``weight``: see :func:`f_beta`."""
    return _of_sets("SetF", retrieved, relevant, ("beta", _weight(beta, weight)))
