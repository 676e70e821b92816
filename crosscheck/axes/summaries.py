"""Axes of the summary: which queries have a value, how values are averaged, and their precision."""

from collections.abc import Sequence

from crosscheck.axes.base import Axis, AxisValue, Mask, Numbers, PassedAs, Stage, Value, View
from crosscheck.axes.denominators import PRECISION_DENOMINATOR


class MissingQueries(Value):
    """Value of a judged query without results.

    - ``dropped``: no value.
    - ``zero``: 0.0.
    - ``nan``: NaN.
    - ``nan-without-hits``: NaN. A query that has relevant documents and found nothing is NaN too.
    - ``dropped-nan-without-hits``: no value. A query that has relevant documents and found nothing is NaN.
    - ``dropped-without-hits``: no value. A query that found nothing has no value either.
    - ``dropped-without-relevant``: no value. A query without a relevant document in its whole ranking has no
      value either.

    A query found nothing if no relevant document is among the documents that the measure takes into account:
    down to its cutoff, or down to rank R for R-precision.
    """

    DROPPED = "dropped", "judged queries without results get no value", "queries with results"
    ZERO = "zero", "judged queries without results count as 0", "judged queries (0 without results)"
    NAN = "nan", "judged queries without results count as NaN, and so does the mean"
    NAN_WITHOUT_HITS = (
        "nan-without-hits",
        "queries for which nothing relevant was found count as NaN, and so does the mean",
    )
    DROPPED_NAN_WITHOUT_HITS = (
        "dropped-nan-without-hits",
        "queries with results among which nothing relevant was found count as NaN, and so does the mean",
    )
    DROPPED_WITHOUT_HITS = "dropped-without-hits", "queries for which nothing relevant was found get no value"
    DROPPED_WITHOUT_RELEVANT = (
        "dropped-without-relevant",
        "queries for which nothing relevant was retrieved at any rank get no value",
    )


#: The values under which a query that found nothing is NaN.
NAN_IF_NOTHING = (MissingQueries.NAN_WITHOUT_HITS, MissingQueries.DROPPED_NAN_WITHOUT_HITS)
#: The values under which a query that found nothing has no value.
DROPPED_IF_NOTHING = (MissingQueries.DROPPED_WITHOUT_HITS, MissingQueries.DROPPED_WITHOUT_RELEVANT)


def _missing_queries_options(view: View) -> Sequence[AxisValue]:
    options = list(dict.fromkeys([MissingQueries.ZERO, *MissingQueries]))
    if view.measure.cutoff is None and not view.family.to_r:
        # For a measure that uses the whole ranking, this is the same as DROPPED_WITHOUT_HITS.
        options.remove(MissingQueries.DROPPED_WITHOUT_RELEVANT)
    return options


MISSING_QUERIES: Axis[MissingQueries] = Axis(
    default=MissingQueries.DROPPED,
    stage=Stage.SUMMARISE,
    priority=11,
    summary="a judged query without results is left out, or counted as 0",
    contrast="{found} (reference: {base})",
    prose="""\
A run may return nothing for a judged query. trec_eval 9 averages over the queries that the run has; with -c,
and in ir_measures, BEIR's own measures or MS MARCO's script, such a query counts as 0. Other tools also drop
queries for which nothing relevant was found, or make them NaN and the mean with them (trectools called by
ir_measures; the mean of no precisions in numpy). The values of other queries agree; the mean does not.""",
    qrels=("1 0 a 1", "2 0 b 1"),
    run=("1 Q0 a 1 0.5 tag",),
    means=(("RR", "", 1.0), ("RR", "missing_queries=zero", 0.5)),
    says="Mean RR = {} over the queries of the run; {} when query 2 counts as 0.",
    way_out="say whether a judged query without results counts as 0 (trec_eval -c), and how many there are.",
    needs="judged queries that the run has no results for, and some for which it found nothing relevant",
    matters=lambda family: True,
    tried=_missing_queries_options,
    gate=lambda view: view.may_find_nothing | view.missing,
    fixed_when_passed=PassedAs.ONE_QUERY,
    visible_in_one_query=(MissingQueries.DROPPED_NAN_WITHOUT_HITS, *DROPPED_IF_NOTHING),
)


class NoRelevant(Value):
    """Value of a query without relevant documents in the qrels."""

    ZERO = "zero", "0"
    ONE = "one", "1"
    SKIP = "skip", "no value"
    NAN = "nan", "NaN"


NO_RELEVANT: Axis[NoRelevant] = Axis(
    default=NoRelevant.ZERO,
    stage=Stage.SUMMARISE,
    priority=36,
    summary="a query without relevant documents counts as 1, as NaN or not at all",
    clause="a query without relevant documents gets {}",
    verb="gives {found}, not {base}, to a query without relevant documents",
    prose="""\
A query whose judged documents are all nonrelevant scores 0 in trec_eval and stays in the mean. XGBoost and
LightGBM score it 1, trectools NaN, sentence-transformers and Lucene leave it out.""",
    qrels=("1 0 a 1", "2 0 b 0"),
    run=("1 Q0 a 1 2.0 tag", "2 Q0 b 1 2.0 tag"),
    means=(("RR", "", 0.5), ("RR", "no_relevant=skip", 1.0), ("RR", "no_relevant=one", 1.0)),
    says="Mean RR = {} with query 2 as 0; {} without it, or with it as 1.",
    way_out="keep such queries at 0, or remove them from the qrels and say so.",
    needs="queries without relevant documents",
    tried=lambda view: [NoRelevant.SKIP, NoRelevant.ONE, NoRelevant.NAN, NoRelevant.ZERO],
    gate=lambda view: view.over_all_topics(view.unordered.num_rel(view.relevance_level) == 0),
)


class QuerySet(Value):
    """The queries by whose number the sum of values is divided: the queries with a value, all judged queries,
    or all queries of the run.

    Measures that are sums (``NumQ``, ``NumRel``, ``NumRet``) are taken over all these queries. A geometric
    mean over all judged queries uses its floor as the value of queries without results.
    """

    RUN_AND_QRELS = "run-and-qrels", "the queries that have a value"
    QRELS = "qrels", "all judged queries"
    RUN = "run", "all queries of the run, judged or not"


QUERY_SET: Axis[QuerySet] = Axis(
    default=QuerySet.RUN_AND_QRELS,
    stage=Stage.SUMMARISE,
    priority=20,
    summary="the mean is divided by another number of queries",
    clause="the summary is over {}",
    verb="summarises over {found}, not over {base}",
    prose="""\
The sum over queries is divided by the queries that have a value (trec_eval), by all judged queries without
giving the others a value (trec_eval 9 -c), or by all queries of the run, even those without judgements
(trectools). Every query agrees; only the mean, or the sum of counts such as num_rel, does not.""",
    run=("1 Q0 a 1 0.5 tag", "2 Q0 b 1 0.5 tag"),
    means=(("RR", "", 1.0), ("RR", "query_set=run", 0.5)),
    says="Mean RR = {} over query 1; {} divided by the two queries of the run.",
    way_out="say which queries the mean includes, and how many they are.",
    needs="judged queries without results and queries of the run without judgements, not equally many",
    matters=lambda family: not family.is_sum or family.elsewhere is not None,
    # Queries that found nothing may be left out as well, and then the sets differ.
    gate=lambda view: view.missing | view.unjudged | view.may_find_nothing,
    fixed_when_passed=PassedAs.ONE_QUERY,
)


ROUNDING: Axis[int | None] = Axis(
    name="rounding",
    default=None,
    numbers=Numbers(least=0),
    stage=Stage.SUMMARISE,
    priority=21,
    summary="values were rounded to a few decimals",
    words={
        "none": "values are not rounded",
        "1": "values are rounded to 1 decimal",
        "n": "values are rounded to {n} decimals",
    },
    prose="""\
trec_eval prints four decimals, gdeval and BEIR round to five, Lucene to three. A mean of rounded values (that
of ir_measures' gdeval) is not the rounded mean.""",
    qrels=("1 0 a 1", "1 0 b 0", "1 0 c 0"),
    run=("1 Q0 b 1 3.0 tag", "1 Q0 c 2 2.0 tag", "1 Q0 a 3 1.0 tag"),
    means=(("RR", "", 1 / 3), ("RR", "rounding=4", 0.3333)),
    says="RR = {}; printed with four decimals {}.",
    way_out="keep full precision until the last table.",
    needs="values with more decimals than are printed",
    tried=lambda view: [6, 5, 4, 3, 2],
)


class Averaging(Value):
    """The summary over queries: the mean, the median, or ``micro``: the sum of all numerators divided by the
    sum of all denominators.

    ``micro`` is used for measures that are a sum over documents divided by a number, such as P, R, AP, Rprec
    and nDCG; for other measures it is the mean.
    """

    MEAN = "mean", "the mean over queries"
    MEDIAN = "median", "the median over queries"
    MICRO = "micro", "micro-averaged (all numerators over all denominators)"


def _averaging_options(view: View) -> Sequence[AxisValue]:
    # If all queries have the same denominator, it cancels; k is one for all, until another one replaces it.
    apart = PRECISION_DENOMINATOR.read_by(view.family) or len(view.divisors()) > 1
    return [Averaging.MEAN, Averaging.MEDIAN, *([Averaging.MICRO] if apart else [])]


def _averaging_gate(view: View) -> Mask:
    with_value = int(view.evaluated(view.base).present.sum() + view.missing.sum())
    # The median of one or two values equals their mean.
    return view.everywhere if with_value > 2 else view.nowhere


AVERAGING: Axis[Averaging] = Axis(
    default=Averaging.MEAN,
    stage=Stage.SUMMARISE,
    priority=44,
    summary="the summary over queries is their median, or all numerators over all denominators",
    clause="the summary is {}",
    prose="""\
trec_eval gives each query the same weight. Libraries for classification also offer micro averages, in which
all documents are counted together, so that a query with many relevant documents weighs more (Anserini's
judged@k is one), and tables of results sometimes hold medians. Every query agrees; \
only the summary does not.""",
    qrels=("1 0 a 1", "2 0 a 1", "2 0 b 1", "2 0 c 1", "3 0 b 1"),
    run=("1 Q0 a 1 0.5 tag", "2 Q0 a 1 0.5 tag", "3 Q0 a 1 0.5 tag"),
    means=(("R@5", "", 0.4444), ("R@5", "averaging=median", 1 / 3), ("R@5", "averaging=micro", 0.4)),
    says="Recall is 1, 1/3 and 0: its mean is {}, its median {}, and {} are 2 of 5 relevant documents.",
    way_out="name the summary, and report the mean as well.",
    needs="three or more queries with different values and different denominators",
    tried=_averaging_options,
    gate=_averaging_gate,
    fixed_when_passed=PassedAs.ONE_QUERY,
)


#: Values that are at most this many representable doubles apart differ only by arithmetic.
MAX_ULP = 8


class ResultPrecision(Value):
    """The precision of values per query. In single precision, only the finished value is rounded, not its
    terms, and the mean over the values is in double precision."""

    FLOAT64 = "float64", "values are in double precision"
    FLOAT32 = "float32", "values are in single precision"


RESULT_PRECISION: Axis[ResultPrecision] = Axis(
    default=ResultPrecision.FLOAT64,
    stage=Stage.SUMMARISE,
    label="float-noise",
    priority=23,
    summary=f"the values differ in the last bits only (at most {MAX_ULP} ULP, or single precision)",
    contrast="{found} (reference: {base})",
    prose=f"""\
Adding the same terms in another order, or taking log2 from another library, changes the last bits of a
double. Values at most {MAX_ULP} ULP (units in the last place) apart are labelled so when the tolerance is
smaller than their difference; under the default tolerance of 1e-9 they simply match. Libraries for tensors
(torchmetrics) give values in single precision, with seven digits.""",
    qrels=("1 0 a 3", "1 0 b 2", "1 0 c 1", "1 0 d 3", "1 0 e 2", "1 0 f 1"),
    qrels_shown=("1 0 a 3", "1 0 b 2", "(and c 1, d 3, e 2, f 1, not retrieved)"),
    run=("1 Q0 a 1 2.0 tag", "1 Q0 x 2 1.0 tag"),
    means=(("nDCG@5", "", 0.4201095117220563), ("nDCG@5", "result_precision=float32", 0.42010951042175293)),
    says=(
        "nDCG@5 comes out as 0.42010951172205624 or {}, depending on the order of additions; as\n"
        "{} in single precision."
    ),
    way_out="none needed; compare with a tolerance.",
    needs="values that are not fractions of small numbers",
    matters=lambda family: True,
    # No value is tried: a search recognises single-precision values and compares them with a wider tolerance.
    tried=lambda view: (),
)


class UnjudgedQueries(Value):
    """Value of a query of the run without judgements.

    - ``dropped``: no value.
    - ``no-relevant``: the value of a query without relevant documents: 0.0, unless the axis ``no_relevant``
      differs.
    """

    DROPPED = "dropped", "one to leave out"
    NO_RELEVANT = "no-relevant", "one without relevant documents"


UNJUDGED_QUERIES: Axis[UnjudgedQueries] = Axis(
    default=UnjudgedQueries.DROPPED,
    stage=Stage.SUMMARISE,
    priority=21,
    summary="a query of the run without judgements counts as 0",
    clause="a query of the run without judgements counts as {}",
    verb="treats a query of the run without judgements as {found}, not as {base}",
    prose="""\
A run may hold queries without judgements, such as those of a larger test collection. trec_eval leaves them
out. A metric that goes over the queries of the run, and takes the judgements of an unknown one as empty,
gives them 0, which lowers the mean. Judge or remove them: nothing is known about these queries.""",
    run=("1 Q0 a 1 0.5 tag", "2 Q0 b 1 0.5 tag"),
    means=(("RR", "", 1.0), ("RR", "unjudged_queries=no-relevant", 0.5)),
    says="Mean RR = {} over query 1; {} when query 2, which has no judgements, counts as 0.",
    way_out="remove queries without judgements from the run before measuring.",
    needs="queries of the run without judgements",
    matters=lambda family: not family.is_sum,
    gate=lambda view: view.unjudged,
    fixed_when_passed=PassedAs.ONE_QUERY,
)
