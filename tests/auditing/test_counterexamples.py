"""Quality of shrinking: every label comes with an input of at most three documents that shows it alone."""

import math
import re

from crosscheck.auditing import audit
from crosscheck.auditing.metric import NO_VALUES, Asked, Predictions
from crosscheck.axes import likeliest
from crosscheck.conventions import Conventions
from crosscheck.harness.document import document_of
from crosscheck.inputs.battery import several_queries, small_queries
from crosscheck.inputs.queries import Probe
from crosscheck.names import parse_measure
from crosscheck.native import evaluate
from crosscheck.report import render
from tests.auditing.audited import found
from tests.support.kept import Kept


def smallest_of(setting: str, measure: str) -> str:
    """The only counterexample of a metric that deviates in one convention: on it, native measures confirm the
    value of the reference."""
    audited = audit(f"native:{setting}", measure)
    (found,) = audited.counterexamples
    assert found.cause in {*audited.causes}.union(*(other.causes for other in audited.alternatives))
    if found.query is not None and found.reference_value is not None and found.cause != "rank-order":
        values = evaluate(found.qrels, found.run, [found.measure])
        assert values[found.query][found.measure] == found.reference_value
    whose = f" of query {found.query}" if found.query else ""
    lines = [f"{found.cause}: {found.measure} {found.candidate_value} for {found.reference_value}{whose}"]
    documents = {(q, d) for side in (found.qrels, found.run) for q, docs in side.items() for d in docs}
    if len(documents) <= 3:
        lines += [f"qrels {found.qrels}, run {found.run}, ranks {found.ranks}"]
    else:
        judged, retrieved = (sum(map(len, side.values())) for side in (found.qrels, found.run))
        lines += [f"{judged} judged, {retrieved} retrieved; {found.note}"]
    lines += [f"ideal {one.rank}: {one.candidate_gain} for {one.reference_gain}" for one in found.ideal]
    return "\n".join([*lines, found.explanation])


def twice(value: str, measure: str) -> str:
    """What becomes of a document that stands twice, with the documents of the run that shows it."""
    audited = audit(f"native:duplicates={value}", measure)
    (shown,) = audited.accepts
    (finding,) = [f for f in audited.fingerprint if f.axis == "duplicates"]
    documents = [line.split()[2] for line in shown.run.splitlines()]
    page = " ".join(render(document_of(audited), "text").split())
    said = re.findall(r"A document that occurs twice, which .{,40} counts as two here: \S+ \S+", page)
    return "\n".join(
        [
            f"{audited.verdict} {audited.causes} {audited.conventions}",
            f"{finding.value}, {finding.status}, for {finding.reference_value}",
            f"{shown.cause} {shown.values}: {shown.measure} {shown.candidate_value} of {documents}",
            *said,
        ]
    )


LABELS = Kept(__file__, smallest_of=smallest_of)
DUPLICATES = Kept(__file__, part=".duplicates", found=found, twice=twice)


test_the_smallest_input_that_shows_a_label = LABELS.test(usual=('"depth=100"',))
test_a_document_that_stands_twice = DUPLICATES.test(one_in=4)


def test_every_label_of_an_axis_is_tried():
    """A new axis of the default measures needs an entry, or a reason why none is possible.

    Inputs that these show on cannot be made of plain records without breaking the readers' rules, or the
    measures are not among the default ones.
    """
    without = {
        "duplicates": "the reference refuses such runs; tried apart",
        "geometric-floor": "geometric means only, of values below 0.00001",
        "universe": "the same as ideal-ranking, recall-denominator or ap-denominator on every input",
        "judged-depth": "six judged documents at least",
        "float-noise": "values in single precision are compared within it, and are no deviation",
    }
    shown = {*re.findall(r"^    ([\w-]+): ", LABELS.read(), re.MULTILINE)}
    assert {axis.label for axis in likeliest()} <= shown | without.keys()


def test_inputs_that_are_predicted_together_have_the_values_of_each_alone():
    """Single queries of all levels, and inputs of several queries, of which some have no value."""
    measure, conventions = parse_measure("nDCG@5"), Conventions().with_changes(ideal="max-grade")
    probes = [Probe("", (("1", query),), "1") for query in small_queries(0)[:500:7]]
    probes += several_queries()
    alone = [Asked(probe, NO_VALUES, measure).predicted(conventions) for probe in probes]
    together = Predictions(probes, measure).codes(conventions).tolist()
    assert together == [-math.inf if value is None else round(value, 8) for value in alone]
    assert len({*together}) > 10
