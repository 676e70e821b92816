"""The dependence of values on the order of tied documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.axes.score_precision import SCORE_PRECISION
from crosscheck.conventions import Conventions
from crosscheck.conventions import conventions as parse_conventions
from crosscheck.diagnosis.tie_sensitivity import TieRange, tie_range
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.sentence import sentences
from crosscheck.evaluation.summary import summary_of
from crosscheck.harness.environment import environment
from crosscheck.measures import family, needs_of
from crosscheck.model import FloatArray, Measure, display
from crosscheck.results import Number, number
from crosscheck.studies.named_runs import TOOL, parsed_measures
from crosscheck.study_records.ties import TiedMeasure, TiedQuery, TiesDocument

__all__ = ["tie_sensitivity"]

#: Default measures.
DEFAULT = ("P@5", "P@10", "R@10", "AP", "RR", "nDCG", "nDCG@10", "Rprec", "bpref")


def tie_sensitivity(
    qrels: QrelsLike,
    run: RunLike,
    measures: Sequence[str] = (),
    *,
    conventions: str | Conventions = "trec_eval-9.0.8",
) -> TiesDocument:
    """Worst, best and expected value of every query over all orders of tied documents.

    Args:
        qrels, run: as for :func:`crosscheck.evaluate`.
        measures: their names; empty for the usual ones.
        conventions: all conventions but the tie rule; ``score_precision`` decides which documents are tied.

    Raises:
        InputError: an input cannot be used.
        UsageError: an unknown measure, profile, axis or value.
    """
    spec = parse_conventions(conventions)
    wanted = parsed_measures(measures or DEFAULT)
    judged, ranked = as_qrels(qrels, needs=needs_of(wanted)), as_run(run)
    rankings = Rankings(ranked, judged)
    ranges = [(measure, tie_range(rankings, measure, spec)) for measure in wanted]
    found = [_measure(rankings, measure, over) for measure, over in ranges]
    refused = [f"{why}." for _, over in ranges for why in over.refused]
    return TiesDocument(
        tool=TOOL,
        environment=environment(),
        qrels=judged.source,
        run=ranked.source,
        score_precision=str(spec[SCORE_PRECISION]),
        measures=found,
        notes=[*judged.notes, *ranked.notes, *refused],
        summary=_summary(found),
        sentences=sentences({one.measure: one.queries for one in found}, conventions),
    )


def _measure(rankings: Rankings, measure: Measure, found: TieRange) -> TiedMeasure:
    all_topics = rankings.pairing.all_topics

    def summary(values: FloatArray | None) -> Number | None:
        mean = None if values is None else summary_of(values[found.present], family(measure.family).aggregate)
        return None if mean is None else number(mean)

    return TiedMeasure(
        measure=str(measure),
        queries=int(found.present.sum()),
        mean=summary(found.value),
        worst=summary(found.worst),
        best=summary(found.best),
        expected=summary(found.expected),
        tied=[_query(found, i, display(all_topics[i])) for i in np.flatnonzero(found.open).tolist()],
    )


def _query(found: TieRange, i: int, query: str) -> TiedQuery:
    assert found.worst is not None
    assert found.best is not None
    return TiedQuery(
        query=query,
        value=number(float(found.value[i])),
        worst=number(float(found.worst[i])),
        best=number(float(found.best[i])),
        expected=None if found.expected is None else number(float(found.expected[i])),
    )


def _summary(found: Sequence[TiedMeasure]) -> str:
    moved = [measure for measure in found if measure.tied]
    if not found or not any(measure.queries for measure in found):
        return "Nothing was computed: the run has results for none of the judged queries."
    known = [measure for measure in found if measure.worst is not None]
    if not known:
        return "Of no measure here are the best and the worst order of tied documents known."
    if not moved and len(known) < len(found):
        text = f"No value of {len(known)} of {len(found)} measures"
        return f"{text} depends on the order of documents with equal scores; of the others it is not known."
    if not moved:
        return "No value depends on the order of documents with equal scores."
    most = max(moved, key=lambda m: len(m.tied))
    wide = max(moved, key=_width)
    text = f"Documents with equal scores leave open the values of {len(moved)} of {len(found)} measures."
    text += f" {most.measure} is open on most queries, {len(most.tied):,} of {most.queries:,}."
    if wide.worst is not None and wide.best is not None:
        text += f" The mean of {wide.measure} may lie anywhere from {float(wide.worst):.4f} to "
        text += f"{float(wide.best):.4f}, depending on their order alone."
    return text


def _width(measure: TiedMeasure) -> float:
    if measure.worst is None or measure.best is None:
        return 0.0
    return float(measure.best) - float(measure.worst)
