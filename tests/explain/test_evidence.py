"""When recomputed values are the observed ones: tolerances, means, and means over no query."""

import math

import numpy as np
from msgspec.structs import replace

from crosscheck.auditing.metric import Asked, evidence_of
from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain import evidence
from crosscheck.explain.evidence import Evidence
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.support.kept import Kept, shown


def holds(mean: float, *, of_means: bool, under: str = "missing_queries=dropped-without-hits") -> bool:
    """Whether conventions under which neither of two queries has a value to average hold with a mean."""
    judged, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"x": 1.0}, "2": {"y": 1.0}}
    rankings = Rankings(run_from_dict(run), qrels_from_dict(judged))
    situation = Recomputer(rankings, parse_measure("P@5"), Conventions())
    given = replace(Evidence.of(situation, MeasureValues({}, mean, "")), of_means=of_means)
    return given.holds(conventions(under))


def unmet(first: float, second: float, mean: float) -> list[int]:
    """How much of the values of two queries, which should be 1, and of their mean is not met."""
    query = Query((("a", 1),), (Line("a", 1, 1.0),))
    probe = Probe("two queries", (("1", query), ("2", query)), None)
    asked = Asked(probe, MeasureValues({b"1": first, b"2": second}, mean, "metric"), parse_measure("P@1"))
    return [one.unmet(Conventions()) for one in evidence_of([asked], Conventions(), 1e-9)]


def changed(*two: str) -> list[bool]:
    """Whether two conventions give a query other values, with one document of level 1 and of level 2."""
    judged, run = {"1": {"a": 1}, "2": {"a": 2}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}
    rankings = Rankings(run_from_dict(run), qrels_from_dict(judged))
    situation = Recomputer(rankings, parse_measure("P@5"), Conventions())
    given = Evidence.of(situation, MeasureValues({}, None, ""))
    return [*map(bool, given.changed(*map(conventions, two)))]


KEPT = Kept(__file__, within=(globals(), vars(evidence)), math=math, np=np, show=shown)
test_what_meets_an_observed_value = KEPT.test()
