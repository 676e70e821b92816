"""The last stage: selects the queries that have a value, and takes their mean."""

from __future__ import annotations

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
from crosscheck.evaluation.formula import Scored, score, with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures import Family, family
from crosscheck.measures.base import floored_log, in_unit, relevant_retrieved, sequential_sum
from crosscheck.measures.tied import refuse, value_of
from crosscheck.model import Aggregate, BoolArray, FloatArray, Measure, Scores
from crosscheck.rankings.judged import JudgedRankings


def sequential_mean(values: FloatArray) -> float | None:
    """Left-to-right sum over count, as trec_eval computes it; None for no values."""
    return summary_of(values, "mean")


def summary_of(values: FloatArray, aggregate: Aggregate) -> float | None:
    """trec_eval's summary of one value per query, in the order given; None for no values."""
    return summary_of_total(sequential_sum(values), aggregate, len(values))


def summary_of_total(total: float, aggregate: Aggregate, divisor: int) -> float | None:
    """trec_eval's summary from the sum over queries and the number of queries; None for no queries.

    If the values are logarithms, the exponential of their mean; infinite if that exceeds a double.
    """
    if divisor == 0:
        return None
    match aggregate:
        case "sum":
            return total
        case "mean":
            return total / divisor
        case "geometric":
            try:
                return math.exp(total / divisor)
            except OverflowError:
                return math.inf


#: Value of a judged query without results, if it has one.
_FOR_MISSING = {
    MissingQueries.ZERO: 0.0,
    MissingQueries.NAN: np.nan,
    MissingQueries.NAN_WITHOUT_HITS: np.nan,
}


def rounded(values: FloatArray, decimals: int) -> FloatArray:
    """Values as printf's ``%.*f`` would print them: rounded correctly from the binary value."""
    unit = 10.0 ** min(decimals, 300)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = values * unit
        printed: FloatArray = np.rint(scaled) / unit
        # A quotient of whole numbers is the double nearest to the decimal number; but the product has an
        # error, so numbers near the middle between two are printed, and so are very large ones.
        unsure = ~((np.abs(scaled) < 1e9) & (np.abs(scaled % 1 - 0.5) > 1e-6)) | (decimals > 15)
    printed[unsure] = [float(f"{value:.{decimals}f}") for value in values[unsure].tolist()]
    return printed


def summarise(scored: Scored, measure: Measure, conventions: Conventions) -> Scores:
    """Values, presence and mean from scores, under the axes ``missing_queries``, ``no_relevant``,
    ``unjudged_queries``, ``query_set``, ``rounding``, ``averaging`` and ``result_precision``."""
    refuse(measure, conventions)
    pairing, judged, scores = scored.rankings.pairing, scored.judged, scored.scores.copy()
    about, level = family(measure.family), conventions[RELEVANCE_LEVEL]
    missing, decimals = conventions[MISSING_QUERIES], conventions[ROUNDING]
    kept = np.ones(judged.num_topics, np.bool_)
    if about.undefined_without_hits or missing is MissingQueries.DROPPED_WITHOUT_HITS:
        kept &= _found_something(judged, measure, level)
    elif missing is MissingQueries.DROPPED_WITHOUT_RELEVANT:
        kept &= relevant_retrieved(judged, level) > 0
    elif missing in NAN_IF_NOTHING:
        scores[~_found_something(judged, measure, level) & (judged.num_rel(level) > 0)] = np.nan
    if conventions[NO_RELEVANT] is not NoRelevant.ZERO and not about.is_sum:
        barren = judged.num_rel(level) == 0
        scores[barren] = _of_nothing(about, conventions)
        if conventions[NO_RELEVANT] is NoRelevant.SKIP:
            kept &= ~barren
    if conventions[RESULT_PRECISION] is ResultPrecision.FLOAT32:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    exact = scores
    if decimals is not None:
        scores = rounded(exact, decimals)
    values = np.full(len(pairing.all_topics), np.nan)
    values[pairing.measured] = np.where(kept, scores, np.nan)
    present = pairing.measured.copy()
    present[pairing.measured] = kept
    if missing in _FOR_MISSING:
        values[pairing.missing] = _stored(about, _FOR_MISSING[missing], conventions)
        present |= pairing.missing
        if conventions[QUERY_SET] is QuerySet.QRELS and about.elsewhere is not None:
            # What the judgements alone tell is no zero: num_rel is R, and num_q 1.
            values[pairing.missing] = value_of(
                scored.rankings.without_results(conventions), measure, conventions
            )
    beside: FloatArray = np.zeros(0)
    counted = conventions[UNJUDGED_QUERIES] is UnjudgedQueries.NO_RELEVANT and not about.is_sum
    if counted and conventions[NO_RELEVANT] is not NoRelevant.SKIP and missing not in DROPPED_IF_NOTHING:
        values[pairing.unjudged] = _of_nothing(about, conventions)
        present |= pairing.unjudged
        beside = values[pairing.unjudged]
    summary = partial(_summary, scored, measure, conventions, kept, present, beside)
    mean = summary(exact)
    mean_of_rounded = None
    if mean is not None and decimals is not None:
        mean = float(f"{mean:.{decimals}f}")
        mean_of_rounded = summary(scores)
    values, present = _spread(scored.rankings, values, present)
    return Scores(values, present, mean, mean_of_rounded=mean_of_rounded)


def _found_something(judged: JudgedRankings, measure: Measure, level: int) -> BoolArray:
    """Topics with a relevant document among those that the measure looks at."""
    hit = judged.rel >= level
    if measure.cutoff is not None:
        hit &= judged.rank <= measure.cutoff
    elif family(measure.family).to_r:
        hit &= judged.rank <= judged.num_rel(level)[judged.topic]
    found: BoolArray = judged.count(judged.topic[hit]) > 0
    return found


def _spread(rankings: Rankings, values: FloatArray, present: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Values over all topics of the original input, before ids were made equal."""
    if rankings.topic_map is None:
        return values, present
    here = rankings.topic_map >= 0
    return np.where(here, values[rankings.topic_map], np.nan), here & present[rankings.topic_map]


def _of_nothing(about: Family, conventions: Conventions) -> FloatArray:
    """The value of a query without relevant documents."""
    value = {"zero": 0.0, "one": 1.0, "skip": 0.0, "nan": np.nan}[conventions[NO_RELEVANT]]
    return in_unit(np.asarray(_stored(about, value, conventions)), about, conventions)


def _stored(about: Family, value: float, conventions: Conventions) -> float:
    """A per-query value in the family's form: its logarithm if the summary is a geometric mean."""
    if about.aggregate != "geometric":
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
    """The summary over the measured queries, the judged queries without results, and the queries without
    judgements, whose values are ``beside``."""
    about, rankings = family(measure.family), scored.rankings
    measured = scores[kept]
    values = np.append(measured, beside) if len(beside) else measured
    total, divisor = sequential_sum(values), int(present.sum())
    without_results = divisor - len(values)
    match conventions[QUERY_SET]:
        case QuerySet.RUN_AND_QRELS:
            pass
        case QuerySet.QRELS:
            divisor = len(rankings.pairing.qrels.topics)
            without_results = divisor - len(measured)
        case QuerySet.RUN:
            divisor = len(rankings.pairing.run.topics)
    if about.is_sum:
        level = conventions[RELEVANCE_LEVEL]
        total += count_elsewhere(about, rankings, level, conventions[QUERY_SET])
    elif without_results and math.isnan(_FOR_MISSING.get(conventions[MISSING_QUERIES], 0.0)):
        return math.nan
    elif without_results and about.aggregate == "geometric":
        # All zeros at once, as trec_eval 9 does with -c.
        total += without_results * _stored(about, 0.0, conventions)
    match conventions[AVERAGING]:
        case Averaging.MEDIAN if divisor and not about.is_sum:
            others = np.full(max(divisor - len(values), 0), _stored(about, 0.0, conventions))
            return summary_of_total(float(np.median(np.append(values, others))), about.aggregate, 1)
        case Averaging.MICRO if divisor and about.divisor is not None:
            return _micro(scored, measure, conventions, kept, measured, everything=without_results > 0)
        case _:
            return summary_of_total(total, about.aggregate, divisor)


def _micro(
    scored: Scored,
    measure: Measure,
    conventions: Conventions,
    kept: BoolArray,
    values: FloatArray,
    *,
    everything: bool,
) -> float:
    """The sum of all numerators over the sum of all denominators; 0.0 if the latter is 0.

    Args:
        everything: whether judged queries without results count as well, with a numerator of 0.
    """
    divisor = family(measure.family).divisor
    assert divisor is not None
    below = np.broadcast_to(divisor(scored.judged, conventions, measure), len(kept))[kept]
    total, whole = sequential_sum(values * below), sequential_sum(below)
    if everything:
        empty = scored.rankings.without_results(conventions)
        others = np.broadcast_to(divisor(empty, conventions, measure), empty.num_topics)
        whole += sequential_sum(others)
    return total / whole if whole else 0.0


def count_elsewhere(about: Family, rankings: Rankings, level: int, query_set: QuerySet) -> int:
    """The part of a count that comes from queries that only the qrels or only the run have.

    trec_eval with ``-c`` counts all judged queries (``num_q``, ``num_rel``); its ``num_rel`` is then that of
    level 1 over all judgements, whatever ``-l`` says. trectools counts all queries of the run.
    """
    pairing = rankings.pairing
    if query_set is QuerySet.QRELS:
        missing = np.setdiff1d(np.arange(len(pairing.qrels.topics)), pairing.qrels_topic)
        levels = pairing.qrels.rels
        counted = (levels >= max(level, 0)) & ~np.isin(pairing.pool.topic, missing)
        counts = {"queries": len(missing), "relevant": int((levels > 0).sum() - counted.sum())}
        return counts.get(about.elsewhere or "", 0)
    if query_set is QuerySet.RUN:
        unjudged = np.setdiff1d(np.arange(len(pairing.run.topics)), pairing.run_topic)
        retrieved = int(np.diff(pairing.run.offsets)[unjudged].sum())
        counts = {"queries": len(unjudged), "retrieved": retrieved}
        return counts.get(about.elsewhere or "", 0)
    return 0


def evaluate(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scores:
    """Values of one measure for every query of a run, under any conventions.

    A judged query without results has no value, unless ``missing_queries`` gives it one, and a query of the
    run without judgements has none, unless ``unjudged_queries`` does. The axis ``no_relevant`` sets the value
    of a query without relevant documents. The mean is taken over the queries with a value, in byte order of
    their ids, unless ``query_set`` divides by more.

    Raises:
        InputError: a document occurs twice under a query, and the conventions refuse that.
        UsageError: the conventions order by a rank column that the run does not have, or the measure has no
            value under their tie rule.
    """
    conventions = with_measure_parameters(conventions, measure)
    return summarise(score(rankings, measure, conventions), measure, conventions)
