"""Comparison of the conclusions from two conventions or two backends on the same systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crosscheck.backends.base import Options
from crosscheck.engine.conversion import QrelsLike, as_qrels
from crosscheck.errors import UsageError, quoted
from crosscheck.evaluation.sentence import sentences
from crosscheck.harness.environment import environment
from crosscheck.harness.systems import measure_systems
from crosscheck.impact_records import Impact, TestName
from crosscheck.measures import family, needs_of
from crosscheck.statistics.impact import impact
from crosscheck.studies.named_runs import TOOL, RunsLike, joined, named_runs, parsed_measures
from crosscheck.study_records.impact import ImpactDocument

__all__ = ["compare_conclusions"]


def compare_conclusions(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    reference: str = "native",
    candidate: str,
    measures: Sequence[str] = (),
    test: TestName = "t",
    alpha: float = 0.05,
    options: Options | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> ImpactDocument:
    """Find the conclusions that change if ``candidate`` is used instead of ``reference``.

    Args:
        qrels: as for :func:`crosscheck.evaluate`.
        runs: two or more, by name or as paths.
        reference, candidate: backend ids; ``native:AXIS=VALUE`` computes under any convention.
        measures: names in either spelling; empty for the default measures.
        test: paired test that decides significance, with Holm's correction over all pairs of runs.
        alpha: level of significance.
        options: settings that some backends need.

    Returns:
        The document, with one :class:`~crosscheck.impact_records.Impact` per measure that both sides have,
        the affected ones first. Notes name the measures that a side does not have.

    Raises:
        InputError: an input cannot be used, or a run has results for no judged query.
        UsageError: fewer than two runs, one backend twice, or an unknown or unavailable backend, measure,
            test or level.
    """
    if reference == candidate:
        raise UsageError(
            f"reference and candidate are both {reference}",
            hint="name two conventions or backends, such as native and native:gain=exponential",
        )
    wanted = parsed_measures(measures)
    judgements = as_qrels(qrels, needs=needs_of(wanted))
    systems = named_runs(runs, at_least=2, what="a ranking of systems")
    first, second = (
        measure_systems(id, judgements, systems, wanted, options=options, progress=progress)
        for id in (reference, candidate)
    )
    found = [
        impact(
            first.values[measure],
            second.values[measure],
            measure=str(measure),
            names=(reference, candidate),
            test=test,
            alpha=alpha,
            aggregate=family(measure.family).aggregate,
        )
        for measure in wanted
        if measure in first.values and measure in second.values
    ]
    ordered = sorted(found, key=lambda impact: (not impact.affected, not impact.changed))
    return ImpactDocument(
        tool=TOOL,
        environment=environment(),
        qrels=judgements.source,
        runs=list(systems),
        reference=reference,
        candidate=candidate,
        reference_engine=first.engine,
        candidate_engine=second.engine,
        impacts=ordered,
        summary=_summary(ordered),
        notes=[*first.notes, *second.notes],
        sentences=sentences(first.counted(), reference, first.engine),
    )


def _summary(impacts: Sequence[Impact]) -> str:
    if not impacts:
        return "Nothing was compared: no measure has values on both sides."
    if len(impacts) == 1:
        return impacts[0].summary
    affected = [i.measure for i in impacts if i.affected]
    moved = [i.measure for i in impacts if i.changed and i.affected is False]
    same = [i.measure for i in impacts if not i.changed]
    unknown = [i.measure for i in impacts if i.changed and i.affected is None]
    parts = [
        f"conclusions change on {joined(affected)}" if affected else "",
        f"no conclusion changes on {joined(moved)}, though values do" if moved else "",
        f"nothing changes on {joined(same)}" if same else "",
        f"it cannot be decided on {joined(unknown)}" if unknown else "",
    ]
    text = "; ".join(part for part in parts if part)
    measured = f"{quoted(impacts[0].candidate)[1:-1]} instead of {quoted(impacts[0].reference)[1:-1]}"
    return f"Measured by {measured}, {text}."
