"""The last stage of an evaluation: which queries have a value, and the mean of the values."""

import math
from functools import partial

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.summaries import (
    AVERAGING,
    DROPPED_IF_NOTHING,
    MISSING_QUERIES,
    NAN_IF_NOTHING,
    NO_RELEVANT,
    QUERY_SET,
    RESULT_PRECISION,
    ROUNDING,
    UNJUDGED_QUERIES,
    Averaging,
    MissingQueries,
    NoRelevant,
    QuerySet,
    ResultPrecision,
    UnjudgedQueries,
)
from crosscheck.conventions import Conventions
from crosscheck.evaluation.formula import Scored, effective_measure, score, with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures import Family, family
from crosscheck.measures.arithmetic import floored_log, sequential_sum
from crosscheck.measures.base import in_unit
from crosscheck.measures.tied import refuse, value_of
from crosscheck.model import Aggregate, BoolArray, FloatArray, Measure, MeasureValues, Scores
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.sorts import single


def summary_of(values: FloatArray, aggregate: Aggregate = "mean") -> float | None:
    """The summary of one value per query as in trec_eval, added in the given order; None without values."""
    return summary_of_total(sequential_sum(values), aggregate, len(values))


def mean_of(side: MeasureValues, aggregate: Aggregate = "mean") -> float | None:
    """The mean that a backend reported, or else the summary of its values as in trec_eval; None if the
    backend has neither mean nor values."""
    if side.mean is not None:
        return side.mean
    return summary_of(np.array([side.values[topic] for topic in sorted(side.values)], np.float64), aggregate)


def summary_of_total(total: float, aggregate: Aggregate, divisor: int) -> float | None:
    """The summary as in trec_eval, from the sum over queries and the number of queries (``divisor``); None if
    there are no queries.

    For ``geometric``, whose values are logarithms, the summary is the exponential of the mean, or infinity if
    this exceeds the range of a double.
    """
    if divisor == 0:
        return None
    if aggregate == "geometric":
        try:
            return math.exp(total / divisor)
        except OverflowError:
            return math.inf
    return total if aggregate == "sum" else total / divisor


#: Value of the axis ``missing_queries`` -> the value of a judged query without results.
_FOR_MISSING = {MissingQueries.ZERO: 0.0, MissingQueries.NAN: np.nan, MissingQueries.NAN_WITHOUT_HITS: np.nan}


def rounded(values: FloatArray, decimals: int) -> FloatArray:
    """The values rounded to a number of decimals as C's printf rounds: the decimal number nearest to the
    exact binary value."""
    decimals = min(decimals, 1074)  # no double has more
    unit = 10.0**decimals if decimals <= 15 else np.nan
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = values * unit
        printed: FloatArray = np.rint(scaled) / unit
        # The quotient of two whole numbers is the double nearest to the decimal number. But the product has
        # a rounding error, so numbers near the middle between two decimals, and very large numbers, are
        # formatted as text. So is everything with more decimals.
        unsure = ~((np.abs(scaled) < 1e9) & (np.abs(scaled % 1 - 0.5) > 1e-6))
    printed[unsure] = [float(f"{value:.{decimals}f}") for value in values[unsure].tolist()]
    return printed


def summarise(scored: Scored, measure: Measure, conventions: Conventions) -> Scores:
    """From the scores of a measure, the values per query, the queries that have a value, and the mean.

    Uses the axes ``missing_queries``, ``no_relevant``, ``unjudged_queries``, ``query_set``, ``rounding``,
    ``averaging`` and ``result_precision``.
    """
    refuse(*effective_measure(measure, conventions))
    pairing, judged, scores = scored.rankings.pairing, scored.judged, scored.scores.copy()
    definition, level = family(measure.family), conventions[RELEVANCE_LEVEL]
    missing, decimals = conventions[MISSING_QUERIES], conventions[ROUNDING]
    kept = np.ones(judged.num_topics, np.bool_)
    if definition.undefined_without_hits or missing is MissingQueries.DROPPED_WITHOUT_HITS:
        kept &= _found_something(judged, measure, level)
    elif missing is MissingQueries.DROPPED_WITHOUT_RELEVANT:
        kept &= judged.relevant_retrieved(level) > 0
    elif missing in NAN_IF_NOTHING:
        scores[~_found_something(judged, measure, level) & (judged.num_rel(level) > 0)] = np.nan
    if conventions[NO_RELEVANT] is not NoRelevant.ZERO and not definition.is_sum:
        barren = judged.num_rel(level) == 0
        if conventions[NO_RELEVANT] is NoRelevant.SKIP:
            kept &= ~barren
        else:
            scores[barren] = _of_nothing(definition, conventions)
    if conventions[RESULT_PRECISION] is ResultPrecision.FLOAT32:
        scores = single(scores).astype(np.float64)
    exact, scores = scores, scores if decimals is None else rounded(scores, decimals)
    values = np.full(len(pairing.all_topics), np.nan)
    values[pairing.measured] = np.where(kept, scores, np.nan)
    present = pairing.measured.copy()
    present[pairing.measured] = kept
    if missing in _FOR_MISSING:
        values[pairing.missing] = _stored(definition, _FOR_MISSING[missing], conventions)
        present |= pairing.missing
        if conventions[QUERY_SET] is QuerySet.QRELS and definition.elsewhere is not None:
            # A number that depends only on the judgements is not 0: num_rel is R, and num_q is 1.
            without_results = scored.rankings.without_results(conventions)
            values[pairing.missing] = value_of(without_results, measure, conventions)
    beside: FloatArray = np.zeros(0)
    counted = conventions[UNJUDGED_QUERIES] is UnjudgedQueries.NO_RELEVANT and not definition.is_sum
    if counted and conventions[NO_RELEVANT] is not NoRelevant.SKIP and missing not in DROPPED_IF_NOTHING:
        values[pairing.unjudged] = _of_nothing(definition, conventions)
        present |= pairing.unjudged
        beside = values[pairing.unjudged]
    summary = partial(_summary, scored, measure, conventions, kept, present, beside)
    mean = summary(exact)
    mean_of_rounded = None
    if mean is not None and decimals is not None:
        mean = float(rounded(np.array([mean]), decimals)[0])
        mean_of_rounded = summary(scores)
    spread = scored.rankings.over_given
    return Scores(spread(values, np.nan), spread(present, False), mean, mean_of_rounded=mean_of_rounded)


def _found_something(judged: JudgedRankings, measure: Measure, level: int) -> BoolArray:
    """Mask of the topics with a relevant document above the measure's cutoff."""
    hit = judged.rel >= level
    if measure.cutoff is not None:
        hit &= judged.rank <= measure.cutoff
    elif family(measure.family).to_r:
        hit &= judged.rank <= judged.num_rel(level)[judged.topic]
    return judged.count(judged.topic[hit]) > 0


def _of_nothing(definition: Family, conventions: Conventions) -> FloatArray:
    """The value of a query without relevant documents."""
    value = {"zero": 0.0, "one": 1.0, "nan": np.nan}[conventions[NO_RELEVANT]]
    return in_unit(np.asarray(_stored(definition, value, conventions)), definition, conventions)


def _stored(definition: Family, value: float, conventions: Conventions) -> float:
    """The value of a query as stored for this family: its logarithm if the summary is a geometric mean."""
    if definition.aggregate != "geometric":
        return value
    return float(floored_log(np.asarray([value]), conventions)[0])


def _summary(
    scored: Scored,
    measure: Measure,
    conventions: Conventions,
    kept: BoolArray,
    present: BoolArray,
    beside: FloatArray,
    scores: FloatArray,
) -> float | None:
    """The summary over the measured queries (``scores`` where ``kept`` is True), the judged queries without
    results, and the queries without judgements, whose values are ``beside``."""
    definition, rankings = family(measure.family), scored.rankings
    measured = scores[kept]
    values = np.append(measured, beside) if len(beside) else measured
    total, divisor = sequential_sum(values), int(present.sum())
    without_results = divisor - len(values)
    if conventions[QUERY_SET] is QuerySet.QRELS:
        divisor = len(rankings.pairing.qrels.topics)
        without_results = divisor - len(measured)
    elif conventions[QUERY_SET] is QuerySet.RUN:
        divisor = len(rankings.pairing.run.topics)
    if definition.is_sum:
        total += count_elsewhere(definition, rankings, conventions[RELEVANCE_LEVEL], conventions[QUERY_SET])
    elif without_results and math.isnan(_FOR_MISSING.get(conventions[MISSING_QUERIES], 0.0)):
        return math.nan
    elif without_results and definition.aggregate == "geometric":
        # The zeros of all these queries are added at once, as trec_eval 9 does with -c.
        total += without_results * _stored(definition, 0.0, conventions)
    match conventions[AVERAGING]:
        case Averaging.MEDIAN if divisor and not definition.is_sum:
            others = np.full(max(divisor - len(values), 0), _stored(definition, 0.0, conventions))
            return summary_of_total(float(np.median(np.append(values, others))), definition.aggregate, 1)
        case Averaging.MICRO if divisor and definition.divisor is not None:
            below = definition.divisors(scored.judged, conventions, measure)[kept]
            numerator, denominator = sequential_sum(measured * below), sequential_sum(below)
            if without_results > 0:  # their numerator is 0
                others = definition.divisors(rankings.without_results(conventions), conventions, measure)
                denominator += sequential_sum(others)
            return numerator / denominator if denominator else 0.0
        case _:
            return summary_of_total(total, definition.aggregate, divisor)


def count_elsewhere(definition: Family, rankings: Rankings, level: int, query_set: QuerySet) -> int:
    """For a measure that is a sum over queries, the part that queries without results, or without judgements,
    add under the axis ``query_set``.

    With ``-c`` trec_eval includes all judged queries in ``num_q`` and ``num_rel``. Its ``num_rel`` then is
    the number of documents of level 1 and above, whatever ``-l`` says. trectools includes all queries of the
    run.
    """
    pairing, counts = rankings.pairing, dict[str, int]()
    if query_set is QuerySet.QRELS:
        missing = np.setdiff1d(np.arange(len(pairing.qrels.topics)), pairing.qrels_topic)
        levels = pairing.qrels.rels
        counted = (levels >= max(level, 0)) & ~np.isin(pairing.pool.topic, missing)
        counts = {"queries": len(missing), "relevant": int((levels > 0).sum() - counted.sum())}
    elif query_set is QuerySet.RUN:
        unjudged = np.setdiff1d(np.arange(len(pairing.run.topics)), pairing.run_topic)
        counts = {"queries": len(unjudged), "retrieved": int(np.diff(pairing.run.offsets)[unjudged].sum())}
    return counts.get(definition.elsewhere or "", 0)


def evaluate(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scores:
    """Compute a measure for every query of a run, under any conventions.

    A judged query without results has no value unless ``missing_queries`` gives it one, and a query of the
    run without judgements has no value unless ``unjudged_queries`` gives it one. The axis ``no_relevant``
    sets the value of a query without relevant documents. The mean is the sum of the values, in byte order of
    the query ids, divided by the number of queries with a value, or by a number that ``query_set`` sets.

    Raises:
        InputError: a document occurs twice under a query, which is an error under the conventions.
        UsageError: the conventions order by a rank column that the run does not have, or the measure cannot
            be computed under their tie rule.
    """
    conventions = with_measure_parameters(conventions, measure)
    return summarise(score(rankings, measure, conventions), measure, conventions)
