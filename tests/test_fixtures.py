"""The committed cases are what their recipes say, and their known mismatches are real."""

import pytest
from msgspec.structs import replace

from crosscheck.backends.native import native_values
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.explain.labels import causes
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.names import parse_measure
from tests.programs.fixtures import all_files
from tests.support.cases import cases, saved_values, trec_eval_name
from tests.support.oracle import Oracle


def mean(values):
    """trec_eval's: added in byte order of the topics."""
    total = 0.0
    for topic in sorted(values, key=lambda topic: topic.encode("utf-8", "surrogateescape")):
        total += values[topic]
    return total / len(values)


def trec_eval(case, run, measure):
    """The measure from pytrec_eval; DCG and ERR, which it lacks, from their definitions."""
    qrels, lines = case.read(run)
    if measure.startswith(("DCG", "ERR")):
        return Oracle().evaluate(qrels, lines, measure)[0]
    pytrec_eval = pytest.importorskip("pytrec_eval")
    key = trec_eval_name(measure)

    def safe(identifier):
        # One character per byte: pytrec_eval crashes on surrogates. The prefix avoids ids it reserves.
        return "=" + identifier.encode("utf-8", "surrogateescape").decode("latin-1")

    judged = {safe(t): {safe(d): level for d, level in levels.items()} for t, levels in qrels.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {key})
    found = evaluator.evaluate({safe(t): {safe(r.docno): r.score for r in rows} for t, rows in lines.items()})
    return {t: found[safe(t)][key] for t in lines if safe(t) in found}


def reference_values(case, run, measure):
    """The reference of the case: trec_eval, or native measures if the case names conventions."""
    _, _, spec = case.reference.partition("native:")
    if "=" not in spec:
        return trec_eval(case, run, measure)
    lenient = replace(read_run(str(run), strict=case.config.get("strict", True)), unique=False)
    rankings = Rankings(lenient, read_qrels(str(case.qrels)))
    found = native_values(rankings, parse_measure(measure), conventions(spec), "reference")
    return {topic.decode(): value for topic, value in found.values.items()}


def agree(a, b, tolerance, decimals):
    """Within the tolerance, or within what was printed."""
    return abs(a - b) <= (tolerance if decimals is None else 0.5000001 * 10**-decimals)


def test_committed_files_are_what_their_recipes_give():
    """Byte for byte, computed from the committed qrels and runs by the oracle."""
    made = all_files()
    assert len(made) > 100
    assert [path for path, content in made.items() if path.read_bytes() != content] == []


@pytest.mark.parametrize("case", [c for c in cases() if not c.name.startswith("families-")], ids=str)
def test_mismatches_with_trec_eval_are_exactly_the_declared_ones(case):
    """Published and recorded numbers differ from trec_eval's where case.toml says so, and nowhere else."""
    tolerance = case.config.get("tolerance", 1e-9)
    published = case.config.get("published", {})
    differing = set()
    for run in case.runs:
        for measure in case.measures:
            reference = reference_values(case, run, measure)
            if measure in published:
                same = agree(mean(reference), published[measure], tolerance, published.get("decimals"))
                differing |= set() if same else {("published", measure)}
            for path in case.recorded:
                values, decimals = saved_values(path)
                own = {t: row[measure] for t, row in values.items() if measure in row}
                own_mean = own.pop("all", None)
                if own_mean is None and own:
                    own_mean = mean(own)
                if own and not (
                    own.keys() == reference.keys()
                    and all(agree(reference[t], own[t], tolerance, decimals) for t in own)
                    and agree(mean(reference), own_mean or 0.0, tolerance, decimals)
                ):
                    differing.add((f"recorded:{path.name}", measure))
    declared = {(entry["candidate"], entry["measure"]) for entry in case.expect}
    assert {pair for pair in declared if pair[0].startswith(("recorded", "published"))} == differing


def test_every_cause_has_a_minimal_case():
    """There is a case label-X for every cause X that a report of cases can name, and for nothing else;
    every mismatch of it is declared with X as its only cause."""
    labels = {case.name.removeprefix("label-"): case for case in cases() if case.name.startswith("label-")}
    said_by_audits_only = {"refuses-input", "not-repeatable", "changes-input"}
    assert labels.keys() == set(causes()) - said_by_audits_only
    for label, case in labels.items():
        declared = {(*entry.get("causes", ()),) for entry in case.expect if "outcome" not in entry}
        assert declared == {(label,)}
