"""Which measure has which property, from the definitions and by experiment."""

import re
from itertools import chain

import numpy as np

from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.inputs.laws import PROPERTIES, Setting, ordinary_queries, try_properties, with_other_scores
from crosscheck.inputs.queries import Query
from crosscheck.measures import families
from crosscheck.names import parse_measure
from tests.support.kept import Kept
from tests.support.oracle import changes_of
from tests.support.sampling import WHOLE


def lacks(name: str, setting: str = "") -> str:
    """The properties that a measure lacks, and those of which it says nothing, whatever the seed."""
    measure, conventions = parse_measure(name), Conventions().with_changes(**changes_of(setting))

    def ask(qrels, run):
        try:
            return native_values(Rankings(run, qrels), measure, conventions, "")
        except CrosscheckError as error:
            return BackendError(str(error))

    of, said = Setting(measure.cutoff or 0, 1, values=True, means=True), set()
    for seed in range(1 + WHOLE):
        outcomes = try_properties(ask, of, seed, as_seen=lambda probe: probe, seconds=60)
        lacked = [outcome for outcome in outcomes if outcome.status == "no"]
        for outcome in lacked:
            assert_shown(ask, outcome, 8 if measure.cutoff else 4)
        others = [f"{one.of.name} {one.status}" for one in outcomes if one.status not in ("yes", "no")]
        said.add("; ".join(filter(None, [", ".join(one.of.name for one in lacked), ", ".join(others)])))
    (same,) = said
    return same


def assert_shown(ask, outcome, most):
    """The inputs have the values that are said; these are against the property, and the lists are short."""
    answers = [(probe, ask(probe.qrels, probe.run)) for probe in outcome.inputs]
    seen = [of.mean if probe.reads is None else of.values[probe.reads.encode()] for probe, of in answers]
    assert tuple(seen) == outcome.values
    assert not outcome.of.holds(seen)
    assert all(len(query.lines) <= most for probe in outcome.inputs for _, query in probe.queries)


LACKED = Kept(__file__, lacks=lacks)
test_a_measure_lacks_what_its_definition_says = LACKED.test()


def test_other_scores_are_below_0_tiny_or_huge():
    """In the same order."""
    setting = Setting(3, 1, values=True, means=False)
    for query in ordinary_queries(setting, 0):
        changed = (one for one in with_other_scores(query, setting) if isinstance(one, Query))
        ways = [[line.score for line in one.lines] for one in changed]
        below, tiny, huge = ways
        assert max(below) < 0 < min(tiny) <= max(tiny) < 0.1 < 1e5 < min(huge)
        assert all(np.array_equal(np.argsort(one), np.argsort(below)) for one in ways)


def test_no_input_for_a_metric_of_one_relevant_document_has_more():
    """Properties that need more of them have no inputs then; that of means has none without means."""
    seen = set[tuple[bool, str]]()
    for one_relevant in (False, True):
        setting, most = Setting(3, 2, values=True, means=False, one_relevant=one_relevant), 0
        for law in PROPERTIES:
            for query in ordinary_queries(setting, 0):
                for probe in chain.from_iterable(law.inputs_of(query, setting)):
                    relevant = [sum(level > 1 for _, level in of.judged) for _, of in probe.queries]
                    most, seen = max([most, *relevant]), seen | {(one_relevant, law.name)}
        assert (most == 1) is one_relevant
    left = {law.name for law in PROPERTIES} - {name for one_relevant, name in seen if one_relevant}
    assert left == {"mean", "another-found", "reads-levels", "reads-missed"}


def test_every_family_is_tried():
    """Each native family but those over preferences and groups is in the table once."""
    alone = [name for name, about in families().items() if about.needs in ("levels", "subtopics")]
    tried = re.findall(r'^>>> lacks\("([^"]+)"\)', LACKED.read(), re.MULTILINE)
    assert sorted(parse_measure(name).family for name in tried) == sorted(alone)
