"""Quality of shrinking: every label comes with an input of at most three documents that shows it alone."""

import math

import pytest

from crosscheck.audit_records import Counterexample
from crosscheck.auditing import audit
from crosscheck.auditing.metric import NO_VALUES, Asked, Predictions
from crosscheck.axes import likeliest
from crosscheck.conventions import Conventions
from crosscheck.harness.document import document_of
from crosscheck.inputs.battery import several_queries, small_queries
from crosscheck.inputs.queries import Line, Probe, Query, smallest
from crosscheck.names import parse_measure
from crosscheck.native import evaluate
from crosscheck.report import render

#: label -> measure and the setting that makes a metric deviate.
SETTINGS: dict[str, tuple[str, str]] = {
    "gain": ("nDCG@5", "gain=exponential"),
    "tie-breaking": ("P@5", "ties=reverse-input"),
    "missing-queries": ("P@5", "missing_queries=zero"),
    "precision-denominator": ("P@5", "precision_denominator=min(k,retrieved)"),
    "score-precision": ("AP", "score_precision=float64"),
    "rank-order": ("RR", "order=rank-column"),
    "ideal-ranking": ("nDCG@10", "ideal=untruncated"),
    "discount": ("nDCG@5", "discount=jarvelin"),
    "ap-denominator": ("AP", "ap_denominator=retrieved-relevant"),
    "recall-denominator": ("R@5", "recall_denominator=min(R,k)"),
    "rounding": ("AP", "rounding=4"),
    "relevance-level": ("RR", "relevance_level=2"),
    "unjudged-documents": ("AP", "unjudged=removed"),
    "bpref-form": ("bpref", "bpref_form=zero-when-no-nonrelevant"),
    "negative-relevance": ("bpref", "negatives=nonrelevant"),
    "no-relevant": ("AP", "no_relevant=one"),
    "query-set": ("P@5", "query_set=run"),
    "percentage": ("P@5", "unit=percent"),
    "unjudged-queries": ("P@5", "unjudged_queries=no-relevant"),
    "rprec-denominator": ("Rprec", "rprec_denominator=min(R,retrieved)"),
    "identical-ids": ("AP", "identical_ids=removed"),
    "special-scores": ("AP", "special_scores=nonpositive-dropped"),
    "id-normalisation": ("P@5", "ids=case"),
    "recall-points": ("11pt_avg", "recall_points=round"),
    "rr-of": ("RR", "rr_of=every"),
    "max-grade": ("ERR@5", "max_grade=query"),
    "exact-level": ("P@5", "exact_level=1"),
    "averaging": ("R@5", "averaging=median"),
    "first-result": ("AP", "first_result=skipped"),
}
#: Hidden cutoffs show only beyond themselves: label, measure, setting, and as many lines as that takes.
DEEP: list[tuple[str, str, str, int]] = [
    ("rr-cutoff", "RR", "rr_cutoff=5", 6),
    ("rr-cutoff", "RR", "rr_cutoff=10", 11),
    ("depth", "AP", "depth=5", 6),
    ("depth", "AP", "depth=100", 101),
    ("depth", "nDCG", "depth=1000", 1001),
]


def documents(found: Counterexample) -> set[tuple[str, str]]:
    return {(q, d) for side in (found.qrels, found.run) for q, docs in side.items() for d in docs}


def of_label(label: str, measure: str, setting: str) -> Counterexample:
    audited = audit(f"native:{setting}", measure)
    assert label in audited.causes or any(label in other.causes for other in audited.alternatives)
    (found,) = audited.counterexamples
    return found


@pytest.mark.one_in(15)
@pytest.mark.parametrize("label", SETTINGS)
def test_at_most_three_documents_show_a_label(label):
    """The counterexample is tiny, and on it the two values differ as native measures confirm."""
    measure, setting = SETTINGS[label]
    found = of_label(label, measure, setting)
    assert found.cause == label
    assert len(documents(found)) <= 3
    assert found.ideal == [] or label == "ideal-ranking"
    assert found.reference_value != found.candidate_value
    if found.query is not None and found.reference_value is not None and label != "rank-order":
        values = evaluate(found.qrels, found.run, [found.measure])
        assert values[found.query][found.measure] == found.reference_value


def test_ideal_lists_are_shown_where_they_are_the_cause():
    """Both lists, rank by rank."""
    found = of_label("ideal-ranking", "nDCG@10", "ideal=retrieved")
    assert [(one.rank, one.reference_gain, one.candidate_gain) for one in found.ideal] == [
        (1, 1.0, 1.0),
        (2, 1.0, None),
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("label", "measure", "setting", "lines"), DEEP)
def test_hidden_cutoffs_take_one_line_more_than_the_cutoff(label, measure, setting, lines):
    """One judged document, one line beyond the cutoff, and a note that fewer lines cannot show it."""
    found = of_label(label, measure, setting)
    assert sum(map(len, found.run.values())) == lines
    assert sum(map(len, found.qrels.values())) == 1
    assert (
        found.note
        == f"at least {lines} retrieved documents are needed: up to rank {lines - 1} nothing differs"
    )


def test_every_label_of_an_axis_is_tried():
    """A new axis of the default measures needs an entry here, or a reason why none is possible.

    Inputs that these show on cannot be made of plain records without breaking the readers' rules, or the
    measures are not among the default ones.
    """
    without = {
        "duplicates": "the reference refuses such runs; tried below",
        "geometric-floor": "geometric means only, of values below 0.00001",
        "universe": "the same as ideal-ranking, recall-denominator or ap-denominator on every input",
        "judged-depth": "six judged documents at least",
        "float-noise": "values in single precision are compared within it, and are no deviation",
    }
    axes = {axis.label for axis in likeliest()}
    assert axes <= SETTINGS.keys() | {deep[0] for deep in DEEP} | without.keys()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("value", ["each", "first", "last"])
def test_a_document_that_stands_twice(value):
    """Three lines of two documents show what becomes of it; the reference has no value to deviate from. That
    it counts twice is said under the verdict."""
    audited = audit(f"native:duplicates={value}", "AP")
    assert (audited.verdict, audited.causes, audited.conventions) == ("agrees", [], {})
    (found,) = audited.accepts
    assert (found.cause, found.values) == ("duplicates", [value])
    assert [line.split()[2] for line in found.run.splitlines()] == ["a", "b", "a"]
    (finding,) = [f for f in audited.fingerprint if f.axis == "duplicates"]
    assert (finding.value, finding.reference_value, finding.status) == (value, "error", "decided")
    page = " ".join(render(document_of(audited), "text").split())
    said = "A document that occurs twice, which trec_eval-9.0.8 refuses, counts as two here: AP 1.6666…."
    assert (said in page) is (value == "each")


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("measure", "shown"), [("RR", "RR 0.3333…"), ("Success@5", "Success@5 0.0")])
def test_the_example_of_a_document_that_stands_twice_shows_it(measure, shown):
    """A first relevant document that occurs again changes no reciprocal rank; one before it does."""
    audited = audit("native:duplicates=each", measure)
    page = " ".join(render(document_of(audited), "text").split())
    assert f"counts as two here: {shown}." in page


def test_refusing_documents_that_stand_twice_is_what_the_reference_does():
    """A metric that raises has the reference's value on the axis, and there is nothing to show."""
    audited = audit("native", "P@5")
    assert audited.accepts == []
    assert ("duplicates", "error") in [
        (f.axis, f.value) for f in audited.fingerprint if f.status == "decided"
    ]


def test_another_reference_may_take_documents_twice():
    """Where the reference takes such runs, another way to take them is a deviation like any other."""
    audited = audit("native:duplicates=each", "AP", reference="pytrec_eval")
    assert (audited.causes, audited.conventions) == (["duplicates"], {"duplicates": "each"})
    for measure in ("AP", "P@5"):  # of P@5 the first line would fit as well
        assert audit("native:duplicates=last", measure, reference="pytrec_eval").verdict == "agrees"


def test_inputs_that_are_predicted_together_have_the_values_of_each_alone():
    """Single queries of all levels, and inputs of several queries, of which some have no value."""
    measure, conventions = parse_measure("nDCG@5"), Conventions().with_changes(ideal="max-grade")
    probes = [Probe("", (("1", query),), "1") for query in small_queries(0)[:500:7]]
    probes += several_queries()
    alone = [Asked(probe, NO_VALUES, measure).predicted(conventions) for probe in probes]
    together = Predictions(probes, measure).codes(conventions).tolist()
    assert together == [-math.inf if value is None else round(value, 8) for value in alone]
    assert len({*together}) > 10


def test_smallest_leaves_nothing_to_take_away():
    """Shrinking stops at the one line and the one judgement that the condition needs."""
    lines = tuple(Line(f"d{i}", i, 100.0 - i) for i in range(1, 60))
    query = Query((("d40", 3), ("d2", 1), ("x", 0)), lines)
    probe = Probe("", (("1", query), ("2", query)), "1")

    def holds(smaller: Probe) -> bool:
        only = dict(smaller.queries)["1"]
        return ("d40", 1) in [(d, min(level, 1)) for d, level in only.judged] and any(
            line.docno == "d40" for line in only.lines
        )

    ((_, left),) = smallest(probe, holds).queries
    assert [line.docno for line in left.lines] == ["d40"]
    assert left.judged == (("d40", 1),)
    assert left.lines[0].rank == 1
