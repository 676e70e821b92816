"""The sentences that describe measures in a paper."""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.axes.base import Stage
from crosscheck.conventions import conventions as parse_conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.errors import UsageError
from crosscheck.evaluation.evaluate import evaluate
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.sentence import sentence
from crosscheck.harness.environment import environment
from crosscheck.measures import needs_of
from crosscheck.studies.named_runs import TOOL, parsed_measures
from crosscheck.study_records.describe import DescribeDocument

__all__ = ["describe"]


def describe(
    conventions: str = "trec_eval-9.0.8",
    measures: Sequence[str] = (),
    *,
    qrels: QrelsLike | None = None,
    run: RunLike | None = None,
) -> DescribeDocument:
    """One sentence per measure for a paper: the tool, the conventions in words, and the number of queries.

    Args:
        conventions: a profile, axis settings or both.
        measures: their names; empty for the default measures.
        qrels, run: as for :func:`crosscheck.evaluate`, to count the queries.

    Raises:
        InputError: an input cannot be used.
        UsageError: an unknown measure, profile, axis or value, or only one of qrels and run.
    """
    if (qrels is None) is not (run is None):
        raise UsageError("queries are counted over a run and its qrels", hint="give both, or neither")
    wanted, spec = parsed_measures(measures), parse_conventions(conventions)
    if spec.unknown:  # which queries have a value does not depend on the others
        spec = spec.of(Stage.READ, Stage.SUMMARISE)
    rankings = None
    if qrels is not None and run is not None:
        rankings = Rankings(as_run(run), as_qrels(qrels, needs=needs_of(wanted)))
    said: list[str] = []
    for measure in wanted:
        present = None if rankings is None else evaluate(rankings, measure, spec).present
        said.append(sentence(measure, conventions, None if present is None else int(present.sum())))
    return DescribeDocument(
        tool=TOOL,
        environment=environment(),
        conventions=conventions,
        sentences=said,
        summary=said[0] if len(said) == 1 else f"{len(said)} measures, a sentence each.",
        qrels=None if rankings is None else rankings.pairing.qrels.source,
        run=None if rankings is None else rankings.pairing.run.source,
    )
