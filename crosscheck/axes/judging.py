"""Axes of judging: which documents a measure takes into account, and which of them are relevant."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from crosscheck.axes.base import Axis, AxisValue, Family, Mask, Numbers, Stage, Value, View
from crosscheck.axes.denominators import PRECISION_DENOMINATOR, RECALL_DENOMINATOR, PrecisionDenominator
from crosscheck.axes.gains import GAIN, IDEAL, Gain, Ideal
from crosscheck.axes.ids import IDS


class Universe(Value):
    """The judged documents of a query that a measure takes into account for R and the ideal ranking.

    ``qrels``: all judged documents. ``retrieved``: only judged documents that the run retrieved.
    ``appended``: all judged documents; those that were not retrieved are added to the ranking with a score of
    0, at the rank that this score and the tie rule give them.
    """

    QRELS = "qrels", "judged documents are used whether they were retrieved or not"
    RETRIEVED = (
        "retrieved",
        "judgements of documents that were not retrieved are ignored",
        "computed on the retrieved documents only",
    )
    APPENDED = "appended", "judged documents that were not retrieved are appended with a score of 0"


def _universe_options(view: View) -> Sequence[AxisValue]:
    # Under some values of other axes, any mean depends on whether a query has relevant documents.
    retrieved = [Universe.RETRIEVED] if view.family.pool or not view.family.is_sum else []
    return [Universe.QRELS, *retrieved, Universe.APPENDED]


def _universe_gate(view: View) -> Mask:
    judged = view.judged
    return view.over_all_topics(judged.count(judged.topic) < judged.count(judged.pool_topic))


UNIVERSE: Axis[Universe] = Axis(
    default=Universe.QRELS,
    stage=Stage.READ,
    priority=24,
    summary="judged documents that were not retrieved are ignored, or appended with a score of 0",
    prose="""\
trec_eval takes the relevant documents, and the ideal ranking, from the qrels. Functions that take two lists
of labels and scores (scikit-learn, torchmetrics, XGBoost, LightGBM) know nothing beyond the list: R, the
ideal ranking and every denominator shrink to the retrieved documents. If they are called with the union of
run and qrels instead, the judged documents that were not retrieved get a score of 0 and are part of the
ranking.""",
    qrels=("1 0 a 1", "1 0 b 1"),
    means=(("AP", "", 0.5), ("AP", "universe=retrieved", 1.0), ("AP", "universe=appended", 1.0)),
    says="AP = {}; {} where b, which was not retrieved, is ignored; {} with b in second place.",
    way_out="also pass R, or the levels of all judged documents.",
    needs="relevant documents that were not retrieved, in several measures (recall and R-precision show it)",
    matters=lambda family: family.pool or family.retrieved,
    tried=_universe_options,
    gate=_universe_gate,
    # A document that was not retrieved may have been retrieved under a differently spelt id.
    doubtful=lambda view: view.everywhere if len(IDS.options(view)) > 1 else view.nowhere,
    doubt=5,  # after ids
)


class Unjudged(Value):
    """Treatment of retrieved documents without a judgement: they are nonrelevant, or removed, or get a
    default level. A default level adds nothing to R and to ideal lists."""

    NONRELEVANT = "nonrelevant", "unjudged documents keep their ranks as nonrelevant"
    REMOVED = "removed", "unjudged documents are removed first"
    LEVEL_0 = "level-0", "unjudged documents count as judged at level 0"
    LEVEL_1 = "level-1", "unjudged documents count as judged at level 1"
    LEVEL_2 = "level-2", "unjudged documents count as judged at level 2"
    LEVEL_3 = "level-3", "unjudged documents count as judged at level 3"
    LEVEL_4 = "level-4", "unjudged documents count as judged at level 4"

    @property
    def level(self) -> int | None:
        """The default level; None if there is none."""
        name, _, level = self.value.partition("-")
        return int(level) if name == "level" else None


def _unjudged_options(view: View) -> Sequence[AxisValue]:
    """The treatments to try.

    Default levels are tried if they can matter: the lowest relevant level; all relevant levels, if the
    measure distinguishes them; level 0, if the measure distinguishes judged nonrelevant from unjudged
    documents.
    """
    family = view.family
    levels = {max(view.relevance_level, 1)}
    levels |= {v.level for v in Unjudged if v.level} if family.graded else set()
    levels |= {0} if family.nonrelevant else set()
    return [Unjudged.REMOVED, *(v for v in Unjudged if v.level in levels), Unjudged.NONRELEVANT]


UNJUDGED: Axis[Unjudged] = Axis(
    default=Unjudged.NONRELEVANT,
    stage=Stage.JUDGE,
    label="unjudged-documents",
    priority=32,
    summary="documents without a judgement are removed before ranks are counted, or get a default level",
    prose="""\
trec_eval treats a document without a judgement as nonrelevant; it keeps its rank. With -J, judged_only or
remove-unjudged such documents are removed first and the others move up. Elasticsearch's rank_eval can give
them a default rating (unknown_doc_rating); rating them as relevant gives an upper bound. R and the ideal list
still count judged documents only, so values above 1 are possible.""",
    run=("1 Q0 x 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
    means=(("RR", "", 0.5), ("RR", "unjudged=removed", 1.0)),
    says="RR = {}; {} once the unjudged x is removed.",
    way_out="say how unjudged documents are treated, and report Judged@k.",
    needs="unjudged documents above relevant ones, and several relevance levels",
    tried=_unjudged_options,
    gate=lambda view: view.over_all_topics(view.judged.relevant_retrieved(0) < view.judged.num_ret),
)


#: Depths that existing tools use, likeliest first.
DEPTHS = (1000, 100, 10, 50, 20, 10000, 500, 200, 5, 2000, 5000)


def _depth_options(view: View) -> Sequence[AxisValue]:
    deepest, cutoff = int(view.unordered.num_ret.max(initial=0)), view.measure.cutoff or 0
    whole: list[AxisValue] = [None] if view.conventions[DEPTH] is not None else []
    # A library may have retrieved fewer than k documents.
    above = [depth for depth in DEPTHS if depth < cutoff]
    usual = [depth for depth in DEPTHS if depth > cutoff]
    at = [cutoff] if cutoff and _looks_below(view, cutoff) else []
    return [*(depth for depth in (*usual, *at, *above) if depth < deepest), *whole]


def _looks_below(view: View, cutoff: int) -> bool:
    """Whether documents below the cutoff of a measure may affect its value: as part of the ideal list or of
    the documents that are taken into account, or because they move up when unjudged documents are removed."""
    c, judged = view.conventions, view.judged
    if c[IDEAL] is Ideal.RETRIEVED or c[UNIVERSE] is Universe.RETRIEVED or c[UNJUDGED] is Unjudged.REMOVED:
        return True
    # These only count the documents above their cutoff; their ranks do not matter.
    if not {PRECISION_DENOMINATOR, RECALL_DENOMINATOR}.isdisjoint(view.family.reads):
        return False
    return bool((judged.relevant_above(0, cutoff) < judged.num_ret.clip(max=cutoff)).any())


def _depth_gate(view: View) -> Mask:
    if view.conventions[DEPTH] is not None:
        return view.everywhere  # the number of documents below the current depth is not known
    limits = [int(str(d)) for d in _depth_options(view) if d is not None]
    return view.over_all_topics(view.unordered.num_ret > min(limits, default=2**31))


DEPTH: Axis[int | None] = Axis(
    name="depth",
    default=None,
    numbers=Numbers(least=0, ranks=True),
    stage=Stage.JUDGE,
    priority=34,
    summary="only the first documents of each ranking are looked at",
    words={
        "none": "rankings are not cut",
        "1": "rankings are cut at 1 document",
        "n": "rankings are cut at {n} documents",
    },
    prose="""\
trec_eval takes every line of the run (unless -M says otherwise). trectools looks at 1000 documents for bpref,
Rprec and reciprocal rank, retrieval libraries at the k they were asked for.""",
    run=(*(f"1 Q0 x{rank} {rank} {200 - rank} tag" for rank in range(1, 101)), "1 Q0 a 101 1 tag"),
    run_shown=("a at rank 101",),
    means=(("AP", "", 0.0099), ("AP", "depth=100", 0.0)),
    says="AP = {}; {} at depth 100.",
    way_out="cut every run at the same depth, and name it.",
    needs="relevant documents deeper in the ranking, at several depths",
    tried=_depth_options,
    gate=_depth_gate,
)


def _judged_depth_options(view: View) -> Sequence[AxisValue]:
    deepest = int(view.unordered.count(view.unordered.topic).max(initial=0))
    return [*(depth for depth in DEPTHS if depth < deepest), None]


JUDGED_DEPTH: Axis[int | None] = Axis(
    name="judged_depth",
    default=None,
    numbers=Numbers(least=0, ranks=True),
    weighs=True,
    priority=35,
    summary="only the first judged documents of each ranking are looked at, unjudged ones not counted",
    words={
        "none": "all judged documents are looked at",
        "1": "only the first judged document is looked at",
        "n": "only the first {n} judged documents are looked at",
    },
    prose="""\
trec_eval's -M cuts the ranking before anything else. trectools' bpref drops unjudged documents first and then
cuts (at 1000, unless told otherwise), so that a document deeper in the ranking may still count.""",
    qrels=("1 0 a 1", "1 0 b 1", "1 0 c 1", "1 0 d 1", "1 0 e 1", "1 0 f 1", "1 0 z 0"),
    run=tuple(f"1 Q0 {docno} {rank} {8.0 - rank} tag" for rank, docno in enumerate("xabcdef", 1)),
    qrels_shown=("1 0 a 1", "(and b to f 1,", " z 0)"),
    run_shown=("1 Q0 x 1 7.0 tag", "1 Q0 a 2 6.0 tag", "(and b to f after it)"),
    means=(("bpref", "", 1.0), ("bpref", "judged_depth=5", 0.8333), ("bpref", "depth=5", 0.6667)),
    says="bpref = {}; {} over the first five judged documents; {} over the first five documents.",
    way_out="cut every run at the same depth before it is evaluated.",
    needs="more judged documents retrieved than are looked at, with unjudged ones between them",
    tried=_judged_depth_options,
    gate=lambda view: view.over_all_topics(view.unordered.count(view.unordered.topic) > min(DEPTHS)),
)


class Negatives(Value):
    """Treatment of documents with a negative relevance level.

    - ``unjudged``, ``nonrelevant``: like unjudged, or like judged nonrelevant documents.
    - ``relevant``: in bpref, like a relevant document if it was retrieved, and also like a judged nonrelevant
      document (trectools); other measures ignore the document.
    - ``negative-gain``: the gain is negative: the level itself, or 2^level - 1; under other kinds of gain it
      is 0.
    - ``negative-gain-guarded``: the same, and nDCG is 0 if the DCG of its ideal list is not positive.
    """

    UNJUDGED = "unjudged", "unjudged"
    NONRELEVANT = "nonrelevant", "nonrelevant"
    RELEVANT = "relevant", "relevant"
    NEGATIVE_GAIN = "negative-gain", "a negative gain"
    NEGATIVE_GAIN_GUARDED = (
        "negative-gain-guarded",
        "a negative gain (and nDCG as 0 where the ideal list gains nothing)",
    )


#: The values under which the gain of a negative level is negative.
SUBTRACTING = (Negatives.NEGATIVE_GAIN, Negatives.NEGATIVE_GAIN_GUARDED)


def _reads_negatives(family: Family) -> bool:
    """Whether negative levels matter to a family where unjudged documents are nonrelevant. Where they are
    not, a document with a negative level may keep its rank as a judged one."""
    return family.nonrelevant or GAIN in family.reads


def _negatives_options(view: View) -> Sequence[AxisValue]:
    reads = view.family.reads
    of_judged = [Negatives.NONRELEVANT, *([Negatives.RELEVANT] if view.family.nonrelevant else [])]
    of_ratios = [Negatives.NEGATIVE_GAIN_GUARDED] if IDEAL in reads else []
    return [*of_judged, *([Negatives.NEGATIVE_GAIN] if GAIN in reads else []), *of_ratios, Negatives.UNJUDGED]


def _negatives_gate(view: View) -> Mask:
    if not NEGATIVES.beside(view.family, view.conventions.plain):
        return view.nowhere
    judged = view.unordered
    return view.over_all_topics(judged.count(judged.pool_topic[judged.pool_rel < 0]) > 0)


NEGATIVES: Axis[Negatives] = Axis(
    default=Negatives.UNJUDGED,
    stage=Stage.JUDGE,
    label="negative-relevance",
    priority=29,
    summary="a negative relevance level counts as judged nonrelevant, as relevant, or as a negative gain",
    clause="negative levels are read as {}",
    verb="reads negative levels as {found}, not as {base}",
    prose="""\
A negative level marks a document that was pooled and not judged. trec_eval ignores it; ranx and gdeval count
it as judged nonrelevant, which lowers bpref. trectools counts it both as a retrieved relevant document and as
a judged nonrelevant one, which can raise bpref above 1. Code that sums rel or 2^rel - 1 subtracts for it;
where that makes the sum over the ideal list negative, it divides by it, or gives 0 (if ideal > 0 else 0).
Code that keeps what the qrels hold (d in qrels[q]) removes unjudged documents and keeps these.""",
    qrels=("1 0 a 1", "1 0 b -1"),
    run=("1 Q0 b 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
    means=(("bpref", "", 1.0), ("bpref", "negatives=nonrelevant", 0.0)),
    says="bpref = {} in trec_eval; {} where b counts as nonrelevant.",
    way_out="remove negative lines before judging with other tools.",
    needs="negative relevance levels above relevant documents",
    matters=lambda family: family.retrieved or _reads_negatives(family),
    beside=lambda family, value_of: (
        _reads_negatives(family)
        or value_of(UNJUDGED.name) != Unjudged.NONRELEVANT
        or value_of(PRECISION_DENOMINATOR.name) == PrecisionDenominator.JUDGED
    ),
    tried=_negatives_options,
    gate=_negatives_gate,
)


def _relevance_level_options(view: View) -> Sequence[AxisValue]:
    # One value for each possible set of relevant documents: the level just above each level that occurs.
    # There is no value above the highest level, because then nothing would be relevant and every value 0.
    every = view.levels()
    occurring = [level for level in every if level >= 0]
    options: list[AxisValue] = [level + 1 for level in occurring[:-1]]
    return [*options, *([0] if 0 in occurring else []), *([None] if len(occurring) < len(every) else [])]


def _relevance_changes(view: View, options: Sequence[AxisValue], compare: Callable[[Any, Any], Any]) -> Mask:
    """Mask of the queries whose number of relevant documents changes under at least one of the options.

    Args:
        compare: function ``compare(levels, option)``: mask of the levels that are relevant under an option.
    """
    topic, rel = view.judgements()
    now = view.unordered.count(topic[rel >= max(view.relevance_level, 0)])
    changed = view.nowhere
    for level in options:
        changed = changed | view.over_all_topics(view.unordered.count(topic[compare(rel, level)]) != now)
    return changed


def _relevance_level_gate(view: View) -> Mask:
    if not RELEVANCE_LEVEL.beside(view.family, view.conventions.plain):
        return view.nowhere
    return _relevance_changes(view, _relevance_level_options(view), _relevant)


def _relevant(rel: Any, level: int | None) -> Any:
    """Mask of the relevant levels; with ``level`` None, all levels are relevant."""
    return rel >= (rel.min(initial=0) if level is None else level)


RELEVANCE_LEVEL: Axis[int] = Axis(
    name="relevance_level",
    default=1,
    numbers=Numbers(),
    weighs=True,
    priority=31,
    summary="another relevance level is the lowest that counts as relevant",
    clause="documents count as relevant {}",
    words={"n": "from level {n} on", "none": "wherever they are judged, at whatever level"},
    cited="relevant from level {n} on",
    verb="takes documents for relevant {found}, not {base}",
    prose="""\
trec_eval counts every level from 1 on as relevant (-l 1). Some collections are scored from level 2 on (TREC
Deep Learning passages), and MS MARCO's script counts every line of the qrels as relevant, even level 0. Code
that asks whether the qrels hold a document (d in qrels[q]) also counts negative levels: none is its value.
nDCG depends on the level only where the gain is 1 for every relevant document.""",
    qrels=("1 0 a 1", "1 0 b 2"),
    run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
    means=(("RR", "", 1.0), ("RR", "relevance_level=2", 0.5)),
    says="RR = {} with level 1; {} with level 2, where only b is relevant.",
    way_out="write the level into the measure's name, as in RR(rel=2).",
    needs="relevance levels between the two",
    matters=lambda family: (family.rel and family.relevance) or GAIN in family.reads,
    beside=lambda family, value_of: family.rel or value_of(GAIN.name) == Gain.BINARY,
    tried=_relevance_level_options,
    gate=_relevance_level_gate,
)


def _exact_level_options(view: View) -> Sequence[AxisValue]:
    if not view.family.relevance:
        return []
    levels = [level for level in view.levels() if level > 0]
    # If the measure does not distinguish relevant levels, "exactly the highest level" is the same as "from
    # the highest level on", which is a value of relevance_level.
    return [*(levels if view.family.graded and len(levels) > 1 else levels[:-1]), None]


EXACT_LEVEL: Axis[int | None] = Axis(
    name="exact_level",
    default=None,
    numbers=Numbers(least=1),
    stage=Stage.JUDGE,
    priority=43,
    summary="only documents of exactly one relevance level count",
    words={
        "none": "documents of all levels count",
        "n": "only documents of exactly relevance level {n} count; those of other levels are nonrelevant",
    },
    prose="""\
trec_eval counts a document as relevant from a level on (-l). Code that compares levels for equality, or
computes the precision of one grade, counts documents of higher levels as nonrelevant.""",
    qrels=("1 0 a 2", "1 0 b 1"),
    run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
    means=(("P@2", "", 1.0), ("P@2", "exact_level=1", 0.5)),
    says="P@2 = {}; {} where only b, of level 1, counts.",
    way_out="count documents from the level on.",
    needs="several positive relevance levels",
    matters=lambda family: True,
    tried=_exact_level_options,
    gate=lambda view: _relevance_changes(view, _exact_level_options(view), operator.eq),
)


class FirstResult(Value):
    """Treatment of the first document of every ranking: it counts, or it is removed and the others move
    up."""

    COUNTED = "counted", "the first document of a ranking counts"
    SKIPPED = "skipped", "the first document of a ranking is left out, and the others move up"


FIRST_RESULT: Axis[FirstResult] = Axis(
    default=FirstResult.COUNTED,
    stage=Stage.JUDGE,
    priority=45,
    summary="the first document of every ranking is left out, as if it were the query itself",
    prose="""\
If the query is a document of the collection, it finds itself first. BEIR removes the document with the id of
the query; MTEB's skip_first_result removes the first document, whatever it is, before the cutoff, in tasks
with that setting.""",
    qrels=("1 0 a 1", "1 0 b 1"),
    run=("1 Q0 a 1 3.0 tag", "1 Q0 x 2 2.0 tag", "1 Q0 b 3 1.0 tag"),
    means=(("RR", "", 1.0), ("RR", "first_result=skipped", 0.5)),
    says="RR = {}; {} where a is left out and b is second.",
    way_out="remove the query itself from the run, by its id.",
    needs="relevant documents at the first rank and below it",
)
