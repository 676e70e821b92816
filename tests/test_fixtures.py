"""The committed cases are what their specification says, and their known mismatches are real."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from crosscheck.backends.native import native_values
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.explain.labels import causes
from crosscheck.formats.trec import read_qrels as read_trec_qrels
from crosscheck.formats.trec import read_run as read_trec_run
from crosscheck.names import parse_measure
from tests.targets import formulas, rules
from tests.targets.cases import families
from tests.targets.cases.spec import CaseSpec
from tests.targets.make_fixtures import FIXTURES, all_cases, all_files
from tests.targets.plain import Qrels, Run, read_qrels, read_run
from tests.targets.rules import Table

TREC_EVAL = {"AP": "map", "RR": "recip_rank", "R": "recall", "nDCG": "ndcg", "SetP": "set_P"} | {
    "SetR": "set_recall",
    "SetF": "set_F",
}
CASES = pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)


def files_of(case: CaseSpec) -> tuple[Qrels, dict[str, Run]]:
    """Judgements and runs as the committed files hold them."""
    folder = FIXTURES / case.name
    runs = {path.name: read_run(path.read_bytes()) for path in sorted(folder.glob("run*"))}
    return read_qrels((folder / "qrels").read_bytes()), runs


def saved(path: Path) -> tuple[Table, int | None]:
    """Values of a recorded file, and the decimals it was printed with."""
    if path.suffix == ".json":
        return json.loads(path.read_bytes()), None
    values: Table = {}
    for line in path.read_bytes().splitlines():
        measure, topic, value = (part.decode("utf-8", "surrogateescape") for part in line.split())
        values.setdefault(topic, {})[measure] = float(value)
    return values, len(value.partition(".")[2])


def mean(values: Mapping[str, float]) -> float:
    """trec_eval's: added in byte order of the topics."""
    total = 0.0
    for topic in sorted(values, key=lambda topic: topic.encode("utf-8", "surrogateescape")):
        total += values[topic]
    return total / len(values)


def trec_eval(qrels: Qrels, run: Run, measure: str) -> dict[str, float]:
    """The measure from pytrec_eval; DCG and ERR, which it lacks, from their definitions."""
    family, _, cutoff = measure.partition("@")
    if family == "DCG":
        k = int(cutoff) if cutoff else None
        return {t: rules.dcg(qrels[t], rows, k) for t, rows in run.items() if t in qrels}
    if family == "ERR":
        err = formulas.err_to_highest(int(cutoff), 4)
        return {t: err(qrels[t], rows) for t, rows in run.items() if t in qrels}
    pytrec_eval = pytest.importorskip("pytrec_eval")
    name = TREC_EVAL.get(family, family) + ("_cut" if family in ("AP", "nDCG") and cutoff else "")
    key = f"{name}_{cutoff}" if cutoff else name

    def safe(identifier: str) -> str:
        # One character per byte: pytrec_eval crashes on surrogates. The prefix avoids ids it reserves.
        return "=" + identifier.encode("utf-8", "surrogateescape").decode("latin-1")

    evaluator = pytrec_eval.RelevanceEvaluator(
        {safe(t): {safe(d): rel for d, rel in judged.items()} for t, judged in qrels.items()}, {key}
    )
    found = evaluator.evaluate(
        {safe(t): {safe(r.docno): float(r.score) for r in rows} for t, rows in run.items()}
    )
    return {t: found[safe(t)][key] for t in run if safe(t) in found}


def reference_values(case: CaseSpec, qrels: Qrels, run: Run, measure: str) -> dict[str, float]:
    """The reference of the case: trec_eval, or native measures if the case names conventions."""
    _, _, spec = (case.reference or "").partition("native:")
    if "=" not in spec:
        return trec_eval(qrels, run, measure)
    folder, (name,) = FIXTURES / case.name, case.runs
    lenient = replace(read_trec_run(str(folder / name), strict=case.strict), unique=False)
    rankings = Rankings(lenient, read_trec_qrels(str(folder / "qrels")))
    found = native_values(rankings, parse_measure(measure), conventions(spec), "reference")
    return {topic.decode(): value for topic, value in found.values.items()}


def agree(a: float, b: float, tolerance: float, decimals: int | None) -> bool:
    """Within the tolerance, or within what was printed."""
    return abs(a - b) <= (tolerance if decimals is None else 0.5000001 * 10**-decimals)


@pytest.mark.parametrize("path", sorted(all_files()))
def test_committed_file_is_what_the_generator_writes(path: str) -> None:
    """Every file under fixtures/ is byte for byte what tests/targets/make_fixtures.py writes."""
    assert (FIXTURES / path).read_bytes() == all_files()[path]


@CASES
def test_case_folder_holds_nothing_else(case: CaseSpec) -> None:
    """A file that the specification does not name does not lie in a case folder."""
    named = {Path(path).name for path in all_files() if path.startswith(f"{case.name}/")}
    assert {path.name for path in (FIXTURES / case.name).iterdir()} == named


@CASES
def test_recorded_values_are_those_of_the_independent_function(case: CaseSpec) -> None:
    """Computed again from the committed qrels and run, every recorded value comes out as saved."""
    qrels, runs = files_of(case)
    for name, recorded in case.recorded.items():
        (run,) = runs.values()
        values, decimals = saved(FIXTURES / case.name / name)
        expected = recorded.compute(qrels, run)
        if decimals is not None:
            expected = {t: {m: round(v, decimals) for m, v in row.items()} for t, row in expected.items()}
        assert json.dumps(values, sort_keys=True) == json.dumps(expected, sort_keys=True)  # NaN is not NaN


@pytest.mark.parametrize("case", [c for c in all_cases() if c not in families.CASES], ids=lambda c: c.name)
def test_mismatches_with_trec_eval_are_exactly_the_declared_ones(case: CaseSpec) -> None:
    """Published and recorded numbers differ from trec_eval's where case.toml says so, and nowhere else."""
    config = tomllib.loads((FIXTURES / case.name / "case.toml").read_text("utf-8"))
    tolerance = config.get("tolerance", 1e-9)
    qrels, runs = files_of(case)
    differing = set()
    for run in runs.values():
        for measure in case.measures:
            reference = reference_values(case, qrels, run, measure)
            if case.published and measure in case.published.values:
                number, decimals = case.published.values[measure], case.published.decimals
                if not agree(mean(reference), number, tolerance, decimals):
                    differing.add(("published", measure))
            for name in case.recorded:
                values, decimals = saved(FIXTURES / case.name / name)
                own = {t: row[measure] for t, row in values.items() if measure in row}
                own_mean = own.pop("all", None)
                if own_mean is None and own:
                    own_mean = mean(own)
                if own and not (
                    own.keys() == reference.keys()
                    and all(agree(reference[t], own[t], tolerance, decimals) for t in own)
                    and agree(mean(reference), own_mean or 0.0, tolerance, decimals)
                ):
                    differing.add((f"recorded:{name}", measure))
    declared = {(entry["candidate"], entry["measure"]) for entry in config.get("expect", [])}
    assert {pair for pair in declared if pair[0].startswith(("recorded", "published"))} == differing


def test_every_cause_has_a_minimal_case() -> None:
    """There is a case label-X for every cause X that a report of cases can name, and for nothing else."""
    labelled = {case.name.removeprefix("label-") for case in all_cases() if case.name.startswith("label-")}
    assert labelled == set(causes()) - {"refuses-input"}  # said by audits only


def test_minimal_case_declares_its_own_cause_only() -> None:
    """Every mismatch of label-X is declared with X as its only cause."""
    for case in all_cases():
        if case.name.startswith("label-"):
            found = {entry.causes for entry in case.expect if entry.outcome == "mismatch"}
            assert found == {(case.name.removeprefix("label-"),)}
