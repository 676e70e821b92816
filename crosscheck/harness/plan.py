"""The comparisons that a run of the harness will make, without asking any backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crosscheck import backends as registry
from crosscheck.backends.recorded import RecordedValues
from crosscheck.compare import find_expectation
from crosscheck.errors import UsageError
from crosscheck.harness.runner import checked, own_measures, references_of
from crosscheck.harness.settings import Settings
from crosscheck.model import Case, Expectation, Measure
from crosscheck.names import parse_measure, parse_measures

__all__ = ["Planned", "planned", "unused"]


class Planned(NamedTuple):
    """A comparison to come, named as in the document."""

    run: str
    candidate: str
    measure: str


def planned(case: Case, settings: Settings) -> list[Planned]:
    """The comparisons of a case in the order run, candidate, measure.

    A measure that a backend does not have is left out, unless ``case.toml`` has an expectation for it. A
    backend is taken to have all measures if only its own program knows which ones it has.

    Raises:
        InputError, UsageError: as for :func:`crosscheck.harness.run`.
    """
    case = checked(case)
    measures = parse_measures(settings.measures) or own_measures(case)
    names = Counter(Path(path).name for path in case.runs)
    runs = [Path(path).name if names[Path(path).name] == 1 else path for path in case.runs]
    return [
        Planned(run, candidate, str(measure))
        for run in runs
        for candidate, held in _candidates(case, run, settings, measures)
        for measure in measures
        if measure in held or find_expectation(case.expectations, candidate, str(measure), run)
    ]


def _candidates(
    case: Case, run: str, settings: Settings, measures: tuple[Measure, ...]
) -> Iterator[tuple[str, list[Measure]]]:
    """Each candidate with the measures that it has, except those for which it is the reference."""
    references = references_of(case, settings, measures)
    for id in dict.fromkeys(settings.backends or registry.default_candidates()):
        backend = registry.make(id, settings.options)
        asks = getattr(backend, "greets", False)
        own = references.get(id, ())
        yield id, [m for m in measures if m not in own and (asks or backend.supports(m))]
    for path in case.recorded:
        recorded = RecordedValues(path)
        yield f"recorded:{Path(path).name}", [measure for measure in measures if recorded.supports(measure)]
    published = [
        [parse_measure(name) for name in entry.values] for entry in case.published if entry.run in (None, run)
    ]
    times = Counter(measure for held in published for measure in held)
    for n in range(1, max(times.values(), default=0) + 1):
        id = "published" if n == 1 else f"published-{n}"
        yield id, [measure for measure in measures if times[measure] >= n]


def unused(case: Case, settings: Settings) -> list[Expectation]:
    """The expectations that no comparison can meet: a candidate, measure or run is misspelt or gone.

    Expectations for a backend that exists but is not asked are left out.
    """
    made = planned(case, settings)
    asked = {one.candidate for one in made}
    return [
        expectation
        for expectation in checked(case).expectations
        if (expectation.candidate in asked or not _exists(expectation.candidate))
        and not any(
            (one.candidate, one.measure) == (expectation.candidate, expectation.measure)
            and expectation.run in (None, one.run)
            for one in made
        )
    ]


def _exists(candidate: str) -> bool:
    """Whether a candidate is the id of a backend; a recorded file, such as another case's, is none."""
    try:
        return not candidate.startswith("recorded:") and bool(registry.make(candidate))
    except UsageError:
        return False
