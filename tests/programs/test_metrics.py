"""The zoo: each metric in it is what it is said to be, and audits tell them apart."""

import json
import math
from dataclasses import replace
from functools import cache

import pytest
import pytrec_eval
from msgspec import structs

from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.finding import find_call, finding_its_call
from crosscheck.auditing.metric import AuditedMetric
from crosscheck.auditing.targets import CalledFunction, target_of
from crosscheck.axes import axes
from crosscheck.backends.guarded import Guarded
from crosscheck.conventions import conventions
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.inputs.realistic import crowd, extreme_probes, fresh_probes
from crosscheck.names import parse_measure
from tests.programs.frame import main
from tests.programs.metrics.__main__ import cases
from tests.programs.metrics.registry import METRICS
from tests.support.cases import trec_eval_name

BUGS, FAITHFUL, SIGNATURES, SOURCES = (
    [metric for metric in METRICS if metric.kind == kind]
    for kind in ("bug", "faithful", "signature", "source")
)
#: Calls of each kind that are always looked for, beside a sample: ids, one of two values, arrays, levels,
#: dicts, a matrix with a value for each query, a class, and objects with attributes.
ALWAYS = (
    *("_ids:precision_and_recall", "_ids:ndcg_arrays", "_levels:recall", "_queries:NDCG"),
    *("_queries:recall_of_cases", "_queries:precision_of_matrix", "_queries:node_recall"),
)


def answers(metric):
    """Asks the metric for its value of each query, or for the mean, which gets an empty id."""
    backend = finding_its_call(target_of(metric.target, parse_call(metric.call) if metric.call else None))
    measure = parse_measure(metric.measure)

    def asked(given):
        qrels, run = given
        found = backend.evaluate(qrels_from_dict(qrels), run_from_dict(run), [measure])[measure]
        values = {topic.decode(): value for topic, value in found.values.items()}
        return values or {"": math.nan if found.mean is None else found.mean}

    return asked


def trec_eval_of(measure, given):
    """pytrec_eval's value of each query."""
    name, least = trec_eval_name(measure), 1 / int(measure.partition("@")[2] or 10**9)
    table = pytrec_eval.RelevanceEvaluator(given[0], {name}).evaluate(given[1])
    return {
        topic: row[name] if name != "recip_rank" or row[name] >= least else 0.0
        for topic, row in table.items()
    }


def same(one, other, within=1e-9):
    return one.keys() == other.keys() and all(abs(one[topic] - other[topic]) <= within for topic in one)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("metric", FAITHFUL, ids=str)
def test_a_faithful_metric_says_what_trec_eval_says(metric):
    """On fresh inputs its values, or their mean, are pytrec_eval's; only those that say so refuse any."""
    ask, answered = answers(metric), 0
    inputs = by_size(parse_measure(metric.measure).cutoff)
    for given in inputs[:: len(inputs) // 25]:
        try:
            values = ask(given)
        except (AssertionError, ValueError):
            assert "refused" in metric.name
            continue
        expected = trec_eval_of(metric.measure, given)
        if values.keys() == {""}:
            expected = {"": math.fsum(expected.values()) / len(expected)}
        answered += 1
        assert same(values, expected, 1e-6 if "single" in metric.name or "float32" in metric.name else 1e-9)
    assert answered >= 10


@pytest.mark.one_in(4)
@pytest.mark.parametrize("metric", BUGS, ids=str)
def test_a_bug_shows(metric):
    """On some fresh input of an audit the metric says something else than the same metric without the bug."""
    wrong, right = answers(metric), answers(replace(metric, name="trec_eval's rules"))
    inputs = by_size(parse_measure(metric.measure).cutoff)
    assert any(not same(wrong(given), right(given)) for given in inputs)


@cache
def by_size(cutoff):
    """The fresh inputs of an audit, small ones first, as dicts of judgements and of scores."""
    probes = (crowd(0), *extreme_probes(0, levels=True), *fresh_probes(0, cutoff))
    return [
        (
            {id: dict(one.judged) for id, one in probe.queries if one.judged},
            {id: {line.docno: line.score for line in one.lines} for id, one in probe.queries if one.lines},
        )
        for probe in sorted(probes, key=lambda probe: probe.size)
    ]


@pytest.mark.one_in(300)
@pytest.mark.parametrize("metric", [*FAITHFUL, *BUGS], ids=str)
def test_an_audit_tells_them_apart(metric):
    """A faithful metric plainly agrees; one with a bug does not agree. No evidence refutes a word. Audits
    take seconds each: a test run makes few, and ``python -m tests.programs.metrics`` all of them."""
    found = metric.audited()
    assert metric.wrong(found) == []
    assert found.plainly_agrees is metric.faithful


@pytest.mark.parametrize(
    "metric",
    [
        pytest.param(one, marks=[] if one.name.endswith(ALWAYS) else pytest.mark.one_in(65), id=str(one))
        for one in SIGNATURES
    ],
)
def test_a_signature_is_called_as_it_is_written_for(metric):
    """Names, annotations and docstrings, and the answers on some inputs, leave one call: the right one."""
    measure = parse_measure(metric.measure)
    target = target_of(metric.name, None)
    assert isinstance(target, CalledFunction)
    guard = Guarded(structs.replace(target, isolated=False))
    subject = AuditedMetric(guard, measure, lambda message: None)
    found = find_call(subject, with_measure_parameters(conventions("trec_eval-9.0.8"), measure))
    assert str(found.call) == metric.written_for


@pytest.mark.one_in(36)
@pytest.mark.parametrize("metric", SOURCES, ids=lambda metric: metric.name.rpartition("/")[2])
def test_a_function_of_a_source_has_the_conventions_that_its_document_implies(metric):
    """Exactly those, each with a counterexample of at most three documents."""
    found = metric.audited()
    assert (metric.wrong(found), found.conventions) == ([], metric.changes)
    assert {example.cause for example in found.counterexamples} == set(found.causes)
    assert set(found.causes) == {axes()[axis].label for axis in found.conventions}
    for example in found.counterexamples:
        docs = {(q, d) for side in (example.qrels, example.run) for q, some in side.items() for d in some}
        assert len(docs) <= 3


def test_the_program_says_which_verdicts_are_wrong(capsys, monkeypatch, tmp_path):
    """What is kept is not tried again."""
    kept = tmp_path / "rows.jsonl"
    monkeypatch.setattr("sys.argv", ["metrics", "--only", "cutoff k-1: P@5", "--kept", str(kept)])
    assert main("metrics", "", cases) == 0
    said = capsys.readouterr().out
    assert ("1 deviates" in said, "WRONG" in said) == (True, False)
    (row,) = map(json.loads, kept.read_text().splitlines())
    assert row[:4] == ["bug", "cutoff k-1: P@5/dicts", "deviates", ""]
    kept.write_text(json.dumps([*row[:2], "agrees", "bug, but agrees", 1.0]))
    assert main("metrics", "", cases) == 1
    assert "WRONG  bug: cutoff k-1: P@5/dicts: agrees: bug, but agrees" in capsys.readouterr().out
