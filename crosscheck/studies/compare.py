"""Comparison of systems on the same queries, with significance tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from crosscheck.backends.base import Options
from crosscheck.engine.conversion import QrelsLike, as_qrels
from crosscheck.errors import ArgumentError, no_such, quoted
from crosscheck.evaluation.sentence import sentences
from crosscheck.harness.environment import environment
from crosscheck.harness.systems import measure_systems
from crosscheck.impact_records import TestName
from crosscheck.measures import family, needs_of
from crosscheck.model import Measure, MeasureValues
from crosscheck.results import written
from crosscheck.statistics.impact import summary_value
from crosscheck.statistics.impact_words import TEST_NAMES
from crosscheck.statistics.systems import PairedComparison, compare_all
from crosscheck.studies.named_runs import TOOL, RunsLike, joined, named_runs, parsed_measures
from crosscheck.study_records.compare import CompareDocument, MeasureComparison, Pair, SystemScore

__all__ = ["compare_runs"]


def compare_runs(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    measures: Sequence[str] = (),
    backend: str = "native",
    baseline: str | None = None,
    test: TestName = "t",
    alpha: float = 0.05,
    confidence: float = 0.95,
    options: Options | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> CompareDocument:
    """Paired tests between all runs, or between a baseline and the others, per measure.

    Args:
        qrels: as for :func:`crosscheck.evaluate`.
        runs: two or more, by name or as paths (named after their files).
        measures: names in either spelling; empty for the default measures.
        backend: id of the backend that computes the values.
        baseline: name of the run that the others are compared with; None compares every pair.
        test: the test that decides significance; the results of all four tests are in the document.
        alpha: level of significance, after Holm's correction over the pairs of one measure.
        confidence: confidence level of the intervals around the mean differences, such as 0.95.

    Returns:
        The document. A pair that cannot be tested (no or one common query, equal values) has no p-value and a
            note with the reason.

    Raises:
        InputError: an input cannot be used, or a run has results for no judged query.
        UsageError: fewer than two runs, an unknown name, level or backend, or scipy is not installed.
    """
    if test not in TEST_NAMES:
        raise no_such("test", test, TEST_NAMES, ArgumentError)
    if not 0 < alpha < 1:
        raise ArgumentError(f"a level of significance lies between 0 and 1, not at {alpha!r}")
    wanted = parsed_measures(measures)
    judgements = as_qrels(qrels, needs=needs_of(wanted))
    systems = named_runs(runs, at_least=2, what="a comparison of systems")
    if baseline is not None and baseline not in systems:
        raise no_such("run", baseline, systems)
    measured = measure_systems(backend, judgements, systems, wanted, options=options, progress=progress)
    found = []
    for measure, values in measured.values.items():
        progress(f"tests: {measure}")
        if len(values) > 1 and baseline in (None, *values):
            found.append(_measure(measure, values, baseline, test, alpha, confidence))
    return CompareDocument(
        tool=TOOL,
        environment=environment(),
        qrels=judgements.source,
        backend=backend,
        engine=measured.engine,
        runs=list(systems),
        baseline=baseline,
        test=test,
        alpha=alpha,
        confidence=confidence,
        measures=found,
        notes=list(measured.notes),
        summary=_summary(found, test, alpha),
        sentences=sentences(measured.counted(), backend, measured.engine),
    )


def _measure(
    measure: Measure,
    values: Mapping[str, MeasureValues],
    baseline: str | None,
    test: TestName,
    alpha: float,
    confidence: float,
) -> MeasureComparison:
    compared = compare_all(
        {name: held.values for name, held in values.items()}, baseline=baseline, confidence=confidence
    )
    pairs = [_pair(pair, test, alpha) for pair in compared]
    scores = [
        SystemScore(
            run=name,
            mean=summary_value(held, family(measure.family).aggregate),
            queries=len(held.values),
            better_than=[_loser(pair) for pair in pairs if pair.significant and _winner(pair) == name],
        )
        for name, held in values.items()
    ]
    return MeasureComparison(str(measure), scores, pairs, _common_notes(pairs))


def _common_notes(pairs: Sequence[Pair]) -> list[str]:
    """The notes of all pairs; if there are several pairs, each note begins with the pairs that have it."""
    if len(pairs) == 1:
        return pairs[0].notes
    said: dict[str, list[str]] = {}
    for pair in pairs:
        for note in pair.notes:
            said.setdefault(note, []).append(f"{quoted(pair.a)} and {quoted(pair.b)}")
    notes = []
    for note, who in said.items():
        more = [f"{len(who) - 3:,} more pairs"] if len(who) > 3 else []
        notes.append(f"{'; '.join([*who[:3], *more])}: {note}")
    return notes


def _pair(found: PairedComparison, test: TestName, alpha: float) -> Pair:
    p = next(made.p_holm for made in found.tests if made.name == test)
    return written(Pair, found, significant=None if p is None else p < alpha)


def _winner(pair: Pair) -> str:
    return pair.b if (pair.difference or 0.0) > 0 else pair.a


def _loser(pair: Pair) -> str:
    return pair.a if (pair.difference or 0.0) > 0 else pair.b


def _summary(measures: Sequence[MeasureComparison], test: TestName, alpha: float) -> str:
    if not measures:
        return "Nothing was compared: no measure has values of two runs."
    better: dict[tuple[str, str], list[str]] = {}
    none, untested = list[str](), list[str]()
    for m in measures:
        for pair in (found := [pair for pair in m.pairs if pair.significant]):
            better.setdefault((_winner(pair), _loser(pair)), []).append(m.measure)
        if not found:
            tested = any(pair.significant is not None for pair in m.pairs)
            (none if tested else untested).append(m.measure)
    told = [
        f"{quoted(one)} is significantly better than {quoted(other)} on {joined(names)}"
        for (one, other), names in list(better.items())[:2]
    ]
    told += [f"{len(better) - 2:,} more such {'pair' if len(better) == 3 else 'pairs'}"] * (len(better) > 2)
    told += [f"no difference is significant on {joined(none)}"] if none else []
    told += [f"no pair could be tested on {joined(untested)}"] if untested else []
    pairs = len(measures[0].pairs)
    over = f"{pairs:,} {'pair' if pairs == 1 else 'pairs'} of runs"
    said = joined(told)
    how = f"By the {TEST_NAMES[test]}, Holm's correction over {over}, level {alpha:g}."
    return f"{said[0].upper()}{said[1:]}. {how}"
