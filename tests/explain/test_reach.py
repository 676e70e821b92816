"""What no set of changes gives is seen on a few simple queries, and nothing that some set gives is lost."""

import random
from collections.abc import Callable

import pytest

from crosscheck.auditing.metric import Asked, evidence_of
from crosscheck.axes import likeliest
from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.search import Search
from crosscheck.inputs.battery import battery
from crosscheck.inputs.queries import Probe
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import conventions_for, parse_measure

MEASURES = "nDCG@10", "DCG@10", "P@5", "R@10", "AP", "RR", "bpref", "ERR@10", "Rprec"


def search_for(
    measure: Measure, base: Conventions, probes: list[Probe], values: Callable[[Probe], MeasureValues]
) -> Search:
    asked = [Asked(probe, values(probe), measure) for probe in probes]
    return Search.among(evidence_of(asked, base, 1e-9), frozenset())


def base_of(measure: Measure) -> Conventions:
    return with_measure_parameters(conventions_for("trec_eval-9.0.8", measure), measure)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("seed", range(24))
def test_values_that_a_set_of_changes_gives_are_never_out_of_reach(seed):
    rng = random.Random(seed)
    measure = parse_measure(MEASURES[seed % len(MEASURES)])
    base = base_of(measure)
    probes = list(battery(seed, measure, together=True, means=True))
    whole = max(probes, key=lambda probe: len(probe.queries))
    situation = Recomputer(Rankings(whole.run, whole.qrels), measure, base)
    axes = [axis for axis in likeliest() if axis.read_by(family(measure.family))]
    chosen = [(axis, list(axis.other_options(situation))) for axis in rng.sample(axes, rng.randint(1, 4))]
    conventions = base.with_values(tuple((axis, rng.choice(values)) for axis, values in chosen if values))
    if not situation.possible(conventions):
        conventions = base

    def given(probe: Probe) -> MeasureValues:
        try:
            return native_values(Rankings(probe.run, probe.qrels), measure, conventions, "")
        except CrosscheckError:  # a document twice
            return native_values(Rankings(probe.run, probe.qrels), measure, base, "")

    search = search_for(measure, base, probes, given)
    assert search.complete(search.explanation()) or not search.hopeless, conventions.changes_from(base)


def without_last(probe: Probe) -> Probe:
    queries = ((id, type(query)(query.judged, query.lines[:-1])) for id, query in probe.queries)
    return Probe(probe.about, tuple(queries), probe.reads)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", ["P@5", "nDCG@10", "AP", "R@10"])
@pytest.mark.parametrize("change", ["the last document is dropped", "1e-3 is added", "the square"])
def test_values_that_nothing_gives_are_out_of_reach(name, change):
    measure = parse_measure(name)
    base = base_of(measure)

    def given(probe: Probe) -> MeasureValues:
        of = without_last(probe) if change == "the last document is dropped" else probe
        answer = native_values(Rankings(of.run, of.qrels), measure, base, "")
        changed = {"1e-3 is added": lambda value: value + 1e-3, "the square": lambda value: value * value}
        values = {id: changed.get(change, float)(value) for id, value in answer.values.items()}
        return MeasureValues(values, None, answer.engine)

    assert search_for(measure, base, list(battery(1, measure, together=True, means=True)), given).hopeless
