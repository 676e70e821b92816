"""Axes of formulas: forms of reciprocal rank, bpref, interpolated precision, geometric means and ERR; and the
unit of values."""

import math
from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Mask, Numbers, Value, View
from crosscheck.axes.gains import IDEAL, OF_HIGHEST, some_judged

_CUTOFFS = (10, 100, 5, 20, 50, 1000)


RR_CUTOFF: Axis[int | None] = Axis(
    name="rr_cutoff",
    default=None,
    numbers=Numbers(least=1, ranks=True),
    weighs=True,
    priority=33,
    summary="reciprocal rank is 0 if the first relevant document is below a hidden cutoff",
    words={"none": "reciprocal rank has no cutoff", "n": "reciprocal rank is cut at rank {n}"},
    prose="""\
trec_eval's recip_rank looks at the whole ranking. MS MARCO stops at rank 10 (documents: 100), Lucene's
QualityStats at rank 5, and both still call it MRR.""",
    run=(*(f"1 Q0 x{rank} {rank} {20 - rank} tag" for rank in range(1, 11)), "1 Q0 a 11 1 tag"),
    run_shown=("a at rank 11",),
    means=(("RR", "", 0.0909), ("RR", "rr_cutoff=10", 0.0)),
    says="RR = {}; {} with a cutoff at 10.",
    way_out="write the cutoff into the name, RR@10.",
    needs="first relevant documents below rank 10, at several depths",
    tried=lambda view: [] if view.measure.cutoff else [*_CUTOFFS, None],
    gate=lambda view: view.over_all_topics((view.num_rel_ret() > 0) & (view.num_rel_ret(min(_CUTOFFS)) == 0)),
)


class BprefForm(Value):
    """The form of bpref: what a retrieved relevant document adds if n of N judged nonrelevant documents are
    above it.

    - ``trec_eval``: 1 - min(n, R) / min(N, R), and 1 if N = 0.
    - ``zero-when-no-nonrelevant``: the same, but bpref is 0 if N = 0.
    - ``nan-when-no-nonrelevant``: the same, but bpref is NaN if N = 0 and a relevant document was retrieved.
    - ``over-R``: 1 - min(n, R) / R, the form of the first paper.
    - ``bpref-10``: 1 - min(n, 10 + R) / (10 + R).
    """

    TREC_EVAL = "trec_eval", "bpref counts 1 per relevant document where none is judged nonrelevant"
    ZERO_WHEN_NO_NONRELEVANT = (
        "zero-when-no-nonrelevant",
        "bpref is 0 where no document is judged nonrelevant",
    )
    NAN_WHEN_NO_NONRELEVANT = (
        "nan-when-no-nonrelevant",
        "bpref is NaN where none is judged nonrelevant and a relevant one is found",
    )
    OVER_R = "over-R", "bpref divides by R instead of min(N, R)"
    BPREF_10 = "bpref-10", "bpref counts 10 + R nonrelevant documents (bpref-10)"


def _bpref_form_gate(view: View) -> Mask:
    judged, level = view.unordered, view.relevance_level
    num_rel, num_nonrel = judged.num_rel(level), judged.num_nonrel(level)
    return view.over_all_topics((num_rel > 0) | (num_nonrel == 0))


BPREF_FORM: Axis[BprefForm] = Axis(
    default=BprefForm.TREC_EVAL,
    weighs=True,
    priority=30,
    summary="bpref takes another form, mostly where few or no documents are judged nonrelevant",
    prose="""\
Without a judged nonrelevant document nothing can be ranked above a relevant one: trec_eval's bpref is then
the share of relevant documents retrieved. trectools divides 0 by 0 there and returns 0. Collections with
sparse judgements (MS MARCO, most of BEIR) consist of such queries.""",
    run=("1 Q0 x 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
    means=(
        ("bpref", "", 1.0),
        ("bpref", "bpref_form=zero-when-no-nonrelevant", 0.0),
        ("bpref", "bpref_form=nan-when-no-nonrelevant", math.nan),
    ),
    says=(
        "bpref = {} in trec_eval; {} in trectools, {} in ranx. With fewer nonrelevant than "
        "relevant documents the\n"
        "form of the first paper (divided by R) and bpref-10 differ as well."
    ),
    way_out="do not report bpref on sparse judgements.",
    needs="queries without judged nonrelevant documents, and queries with fewer of them than relevant ones",
    gate=_bpref_form_gate,
)


class RecallPoints(Value):
    """Number of relevant documents that are needed to reach recall point p.

    ``floor+0.9``: floor(p R + 0.9). ``round``: p R, rounded. ``exact``: the smallest number whose share of R
    is at least p, which ``floor+0.9`` sometimes misses by rounding errors.
    """

    FLOOR = "floor+0.9", "p R + 0.9 without its fraction"
    ROUND = "round", "p R rounded to the nearest"
    EXACT = "exact", "the fewest documents that reach p"


RECALL_POINTS: Axis[RecallPoints] = Axis(
    default=RecallPoints.FLOOR,
    priority=39,
    summary="recall points ask for another number of relevant documents",
    clause="recall p asks for {}",
    prose="""\
Interpolated precision at recall p is the highest precision from the p R-th relevant document on. trec_eval 9
uses p R + 0.9 cut to an integer, trec_eval 10 rounds p R to the nearest; 11pt_avg differs on most queries.
Code that compares the recall itself differs from both (0.7 * 3 + 0.9 is less than 3 in doubles).""",
    qrels=("1 0 a 1", "1 0 b 1"),
    run=("1 Q0 a 1 3.0 tag", "1 Q0 x 2 2.0 tag", "1 Q0 b 3 1.0 tag"),
    means=(("IPrec@0.6", "", 0.6667), ("IPrec@0.6", "recall_points=round", 1.0)),
    says=(
        "IPrec@0.6 = {} where 0.6 * 2 asks for both documents (trec_eval 9); {} where it is "
        "rounded to one (10)."
    ),
    way_out="name the version of trec_eval.",
    needs="numbers of relevant documents for which p R + 0.9 cut off and p R rounded differ",
    gate=lambda view: view.over_all_topics(view.unordered.num_rel(view.relevance_level) > 0),
)


#: The lowest value in trec_eval's geometric mean.
FLOOR = 0.00001


class GeometricFloor(Value):
    """Treatment of a small value x in a geometric mean: max(x, 0.00001); 0.00001 if x is 0; or x
    unchanged."""

    MAX = "max", "every value below 0.00001 counts as 0.00001"
    REPLACE_ZERO = "replace-zero", "only 0 counts as 0.00001"
    NONE = "none", "0 makes the geometric mean 0"


def _geometric_floor_gate(view: View) -> Mask:
    own = view.evaluated(view.base)
    return own.present & (own.values <= math.log(FLOOR) + 1e-9)


GEOMETRIC_FLOOR: Axis[GeometricFloor] = Axis(
    default=GeometricFloor.MAX,
    priority=38,
    summary="a geometric mean lifts every small value to 0.00001, only zeros, or none",
    contrast="{found} (reference: {base})",
    prose="""\
A geometric mean is 0 as soon as one query scores 0. trec_eval's gm_map raises every value below 0.00001 to
0.00001; trectools replaces exact zeros only, and a plain geometric mean changes nothing.""",
    qrels=("1 0 a 1", "2 0 b 1"),
    run=("1 Q0 a 1 2.0 tag", "2 Q0 x 1 2.0 tag"),
    means=(("gm_map", "", 0.0032), ("gm_map", "geometric_floor=none", 0.0)),
    says="gm_map = {} with the floor; {} without.",
    way_out="name the floor next to the number.",
    needs="queries with a value of 0, and some between 0 and 0.00001",
    tried=lambda view: [GeometricFloor.NONE, GeometricFloor.REPLACE_ZERO, GeometricFloor.MAX],
    gate=_geometric_floor_gate,
    on_mean=True,
)


class RrOf(Value):
    """The documents of which the reciprocal rank is taken.

    ``first``: the first relevant document. ``every``: the mean of 1 / rank over all relevant documents, with
    0 for documents that were not retrieved. ``every-retrieved``: the mean over the relevant documents that
    were retrieved. ``highest-level``: the first document of the query's highest relevance level.
    """

    FIRST = "first", "the first relevant document"
    EVERY = "every", "all relevant documents (their mean)"
    EVERY_RETRIEVED = "every-retrieved", "the relevant documents found (their mean)"
    HIGHEST_LEVEL = "highest-level", "the first document of the query's highest level"


def _rr_of_options(view: View) -> Sequence[AxisValue]:
    graded = sum(level >= max(view.relevance_level, 0) for level in view.levels()) > 1
    return [*[RrOf.HIGHEST_LEVEL] * graded, RrOf.EVERY, RrOf.EVERY_RETRIEVED, RrOf.FIRST]


RR_OF: Axis[RrOf] = Axis(
    default=RrOf.FIRST,
    weighs=True,
    priority=41,
    summary="reciprocal rank takes every relevant document, or one of the highest level, not the first",
    clause="reciprocal rank is taken of {}",
    verb="takes the reciprocal rank of {found}, not of {base}",
    prose="""\
trec_eval's recip_rank is 1 / rank of the first relevant document. Some code takes the mean over all relevant
documents, or over those it found, which lowers the value of queries with many relevant documents. Other code
takes the first document of the query's highest level.""",
    qrels=("1 0 a 1", "1 0 b 2", "1 0 c 1"),
    run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
    means=(
        ("RR", "", 1.0),
        ("RR", "rr_of=every", 0.5),
        ("RR", "rr_of=every-retrieved", 0.75),
        ("RR", "rr_of=highest-level", 0.5),
    ),
    says="RR = {}; {} over all three relevant documents, {} over the two found, {} of b alone.",
    way_out="use the first relevant document.",
    needs="queries with several relevant documents of two levels, not all of them retrieved",
    tried=_rr_of_options,
    gate=lambda view: view.over_all_topics(
        (view.num_rel_ret() > 0) & (view.judged.num_rel(view.relevance_level) > 1)
    ),
)


class MaxGrade(Value):
    """Where the highest relevance level of the scale comes from. (A number as value is the level itself.)

    ``qrels``, ``query``: the highest level in the whole qrels, or in the judgements of the query.
    ``measure``: the parameter of the measure, or its default: 4 for ERR; the highest level in the whole qrels
    for ideal lists of the highest level.
    """

    MEASURE = "measure", "the measure's own"
    QRELS = "qrels", "that of the whole qrels"
    QUERY = "query", "that of the query"


def _max_grade_options(view: View) -> Sequence[AxisValue]:
    given = "max_rel" in dict(view.measure.params)
    used = IDEAL not in view.family.reads or view.conventions[IDEAL] in OF_HIGHEST
    return [MaxGrade.QRELS, MaxGrade.QUERY, MaxGrade.MEASURE, 3, 2, 5, 1, 4] if used and not given else []


MAX_GRADE: Axis[MaxGrade | int] = Axis(
    default=MaxGrade.MEASURE,
    numbers=Numbers(least=0, none=False),
    weighs=True,
    priority=42,
    summary="the highest level of the scale is that of the qrels, of the query, or another number",
    clause="the highest level of the scale is {}",
    verb="takes as the highest level of the scale {found}, not {base}",
    prose="""\
ERR turns levels into probabilities, (2^level - 1) / 2^max, and so needs the highest level of the scale.
gdeval and ir_measures take 4, whatever the qrels hold; other code looks it up in the qrels, or among the
judgements of the query, so that the best document of every query is equally good. An ideal list that has the
highest level at every rank (ideal=max-grade) needs it as well; there it is that of the qrels by default.""",
    qrels=("1 0 a 1", "2 0 b 3"),
    run=("1 Q0 a 1 2.0 tag", "2 Q0 b 1 2.0 tag"),
    means=(
        ("ERR", "", 0.25),
        ("ERR", "max_grade=3", 0.5),
        ("ERR", "max_grade=qrels", 0.5),
        ("ERR", "max_grade=query", 0.6875),
    ),
    says="Mean ERR = {} with 4; {} with 3, {} with that of the qrels, {} with that of each query.",
    way_out="give the highest level, as in ERR(max_rel=3)@20.",
    needs="queries with different highest levels",
    tried=_max_grade_options,
    gate=some_judged,
)


#: The number 1 as a percentage.
PERCENT = 100.0


class Unit(Value):
    """The unit in which values are given: as fractions, or multiplied by 100."""

    FRACTION = "fraction", "fractions"
    PERCENT = "percent", "percentages"


UNIT: Axis[Unit] = Axis(
    default=Unit.FRACTION,
    label="percentage",
    priority=15,
    summary="values are multiplied by 100",
    clause="the values are {}",
    verb="gives {found}, not {base}",
    prose="""\
Papers, leaderboards and the tools made for them print 45.3 where trec_eval prints 0.4530. Two such numbers
agree as soon as both are in the same unit.""",
    qrels=("1 0 a 1", "1 0 b 0"),
    run=("1 Q0 b 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
    means=(("RR", "", 0.5), ("RR", "unit=percent", 50.0)),
    says="RR = {} as a fraction, {} as a percentage.",
    way_out="divide by 100 before comparing.",
    needs="any relevant document that was retrieved",
    matters=lambda family: family.aggregate == "mean",
)
