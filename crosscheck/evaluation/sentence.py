"""Sentences for papers that say how a measure was computed, with every convention that affects it."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from crosscheck.axes import axes
from crosscheck.axes.base import Axis, AxisValue, Stage, plain
from crosscheck.axes.gains import IDEAL, Ideal
from crosscheck.axes.judging import UNIVERSE, Universe
from crosscheck.axes.summaries import AVERAGING, MISSING_QUERIES, MissingQueries
from crosscheck.axes.ties import ORDER, TIES, Order
from crosscheck.conventions import UNKNOWN, Conventions, Profile, profiles
from crosscheck.errors import CrosscheckError, joined
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.measures import family
from crosscheck.measures.base import Family
from crosscheck.model import Measure
from crosscheck.names import conventions_for, described, describing, parse_measure, software

_SUMMARY = {"sum": "sum", "geometric": "geometric mean", "mean": "mean"}


def sentences(counted: Mapping[str, int | None], spec: str | Conventions, engine: str = "") -> list[str]:
    """For each measure with known conventions, a sentence on how the measure was computed.

    Args:
        counted: measure -> number of queries with results, None if the number is not known.
        spec: conventions, or the id of a backend.
        engine: the software of the backend. If this text ends with ``, conventions NAME``, these conventions
            replace ``spec``.
    """
    spec = engine.partition(", conventions ")[2] or spec
    texts: list[str] = []
    for name, queries in counted.items():
        with suppress(CrosscheckError):  # a saved document or a backend may name an unknown measure
            measure = parse_measure(name)
            dropping = conventions_for(spec, measure)[MISSING_QUERIES] is MissingQueries.DROPPED
            if described(_profile(spec), measure):
                texts.append(sentence(measure, spec, queries if dropping else None))
    return texts


def sentence(measure: Measure, spec: str | Conventions, queries: int | None = None) -> str:
    """A sentence for a paper with the measure, a tool with these conventions, and each convention in words.

    Args:
        spec: a profile, axis settings or both.
        queries: number of queries over which the mean is taken, None if the number is not known.

    Raises:
        UsageError: there is no such profile, axis or value, or the tool of the profile lacks the measure.
    """
    definition, conventions = family(measure.family), conventions_for(spec, measure)
    effective = conventions if conventions.unknown else with_measure_parameters(conventions, measure)
    said = _said(definition, effective)
    in_order = sorted(said, key=lambda axis: axis.stage is not Stage.FORMULA)
    choices = [_cited(axis, said[axis]) for axis in in_order]
    parts = [part for part in [*choices, *_summary(definition, effective, queries)] if part]
    between = "; " if any(", " in part for part in parts) else ", "
    numbers = [p for p in definition.params if type(p.default) in (int, float) and not p.required]
    defaults = ", ".join(f"{p.name}={p.default:g}" for p in numbers if p.name not in dict(measure.params))
    name = f"{measure} ({defaults})" if defaults else measure
    return f"{name} {_tool(measure, conventions, spec)}: {between.join(parts)}."


def _cited(axis: Axis[Any], value: AxisValue) -> str:
    """The words for a value of an axis; empty if it need not be mentioned."""
    return f"{axis.name} unknown" if value == UNKNOWN else axis.cite(value)


def _said(definition: Family, conventions: Conventions) -> dict[Axis[Any], AxisValue]:
    """The axes that the sentence names, with their values. One that another axis leaves nothing to decide is
    left out: ties in an order by lines, and the ideal over judgements that do not count."""
    read = (axis for axis in axes().values() if axis.read_under(definition, conventions.plain))
    said = {axis: conventions.plain(axis.name) for axis in read if axis not in (MISSING_QUERIES, AVERAGING)}
    if said.get(ORDER) == Order.INPUT:
        del said[TIES]
    if said.get(UNIVERSE) == Universe.RETRIEVED and said.get(IDEAL) == Ideal.QRELS:
        said[IDEAL] = plain(Ideal.RETRIEVED)
        del said[UNIVERSE]
    return said


def _tool(measure: Measure, conventions: Conventions, spec: str | Conventions) -> str:
    """The part of the sentence that names the tool of the profile (without a profile, trec_eval), and the
    labels of the axes on which the conventions differ from the tool."""
    profile, definition = _profile(spec), family(measure.family)
    changed = conventions.changes_from(describing(profile, measure))
    read = (axis for axis in axes().values() if axis.read_under(definition, conventions.plain))
    other = [axis.label for axis in read if axis.name in changed]
    has = "as in" if described(profile, measure) else "under the conventions of"
    return f"{has} {software(profile)}" + (f" except for {joined(other)}" if other else "")


def _profile(spec: str | Conventions) -> Profile:
    """The profile named by ``spec``; the profile of trec_eval if ``spec`` is not just the name of a
    profile."""
    return (profiles().get(spec) if isinstance(spec, str) else None) or profiles()["trec_eval-9.0.8"]


def _summary(definition: Family, conventions: Conventions, queries: int | None) -> list[str]:
    """Two parts of the sentence: the value of a query without results (empty if the second part says this),
    and the kind of mean with the queries over which it is taken."""
    missing, averaging = conventions.plain(MISSING_QUERIES.name), conventions.plain(AVERAGING.name)
    kind = {"median": "median", "micro": "micro-average"}.get(str(averaging), _SUMMARY[definition.aggregate])
    over = conventions[MISSING_QUERIES].cited if MISSING_QUERIES not in conventions.unknown else None
    words = over or "queries with a value"
    if queries is not None:
        words = f"{queries:,} {words if queries != 1 else words.replace('queries', 'query', 1)}"
    return ["" if over else _cited(MISSING_QUERIES, missing), f"{kind} over the {words}"]
