"""The sentence that describes a measure in a paper: all that a reader needs to compute it again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from crosscheck.axes import axes
from crosscheck.axes.base import Stage
from crosscheck.axes.summaries import AVERAGING, MISSING_QUERIES, MissingQueries
from crosscheck.conventions import UNKNOWN, Conventions, Profile, profiles
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.measures import family
from crosscheck.measures.base import Family
from crosscheck.model import Measure
from crosscheck.names import conventions_for, described, describing, parse_measure, software

_SUMMARY = {"sum": "sum", "geometric": "geometric mean", "mean": "mean"}


def sentences(counted: Mapping[str, int | None], spec: str | Conventions, engine: str = "") -> list[str]:
    """One sentence for each measure with known conventions, which says how it was computed.

    Args:
        counted: measure -> number of queries with results, None if it is not known.
        spec: conventions, or the id of a backend.
        engine: the software of the backend; conventions named at its end (``..., conventions NAME``) count
            instead of ``spec``.
    """
    spec = engine.partition(", conventions ")[2] or spec
    said: list[str] = []
    for name, queries in counted.items():
        with suppress(CrosscheckError):  # the names in a saved document may not be known, nor a backend's
            measure = parse_measure(name)
            dropping = conventions_for(spec, measure)[MISSING_QUERIES] is MissingQueries.DROPPED
            if described(_named(spec), measure):
                said.append(sentence(measure, spec, queries if dropping else None))
    return said


def sentence(measure: Measure, spec: str | Conventions, queries: int | None = None) -> str:
    """One sentence for a paper: the measure, the tool that computes it so, and each choice in words.

    Args:
        spec: a profile, axis settings or both.
        queries: number of queries that the mean is over, None if it is not known.

    Raises:
        UsageError: an unknown profile, axis or value, or a profile of a tool without the measure.
    """
    about, found = family(measure.family), conventions_for(spec, measure)
    stated = found if found.unknown else with_measure_parameters(found, measure)
    said = [
        f"{axis.name} unknown" if value == UNKNOWN else axis.cite(value)
        for axis in sorted(axes().values(), key=lambda axis: axis.stage is not Stage.FORMULA)
        if axis.read_by(about) and axis not in (MISSING_QUERIES, AVERAGING)
        for value in [stated.plain(axis.name)]
    ]
    parts = [part for part in [*said, *_summary(about, stated, queries)] if part]
    between = "; " if any(", " in part for part in parts) else ", "
    return f"{measure} {_tool(measure, found, spec)}: {between.join(parts)}."


def _tool(measure: Measure, found: Conventions, spec: str | Conventions) -> str:
    """The words for the tool of a profile, else for trec_eval, with the labels of the axes that differ."""
    profile, about = _named(spec), family(measure.family)
    changed = found.changes_from(describing(profile, measure))
    other = [axis.label for axis in axes().values() if axis.read_by(about) and axis.name in changed]
    has = "as in" if described(profile, measure) else "under the conventions of"
    return f"{has} {software(profile)}" + (f" except for {' and '.join(other)}" if other else "")


def _named(spec: str | Conventions) -> Profile:
    """The profile of the named tool, and trec_eval's where no profile alone is named."""
    named = profiles().get(spec) if isinstance(spec, str) else None
    return named or profiles()["trec_eval-9.0.8"]


def _summary(about: Family, found: Conventions, queries: int | None) -> list[str]:
    """Two parts of the sentence: how a query without results counts (empty if the second part says so), and
    the kind of mean with the queries that it is taken over."""
    missing, averaging = found.plain(MISSING_QUERIES.name), found.plain(AVERAGING.name)
    kind = {"median": "median", "micro": "micro-average"}.get(str(averaging), _SUMMARY[about.aggregate])
    over = found[MISSING_QUERIES].cited if MISSING_QUERIES not in found.unknown else None
    words = over or "queries with a value"
    if queries is not None:
        words = f"{queries:,} {words if queries != 1 else words.replace('queries', 'query', 1)}"
    return ["" if over else MISSING_QUERIES.cite(missing), f"{kind} over the {words}"]
