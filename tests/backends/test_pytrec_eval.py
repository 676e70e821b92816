"""Claims about the guarded pytrec_eval backend."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from crosscheck.backends import make
from crosscheck.backends.guarded import guarded
from crosscheck.backends.native import native_values
from crosscheck.backends.pytrec_eval_backend import PytrecEval
from crosscheck.backends.trec_eval_names import parameters, printed_name, together
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import parse_measures, trec_eval_family
from tests.backends.inputs import qrels_of, run_of

pytrec_eval = pytest.importorskip("pytrec_eval")
#: What pytrec_eval calls a measure and has no number.
TEXTS = {"runid", "relstring"}

#: Recorded output of the binding and of the program on 55 small inputs; not part of the package.
VECTORS = Path(__file__).parents[3] / "shared" / "vectors"
AS_DICTS = ("01", "02", "03", "04", "05", "08", "09", "10", "12", "15", "16", "18", "47", "52")

MEASURES = [
    *(Measure(f) for f in ("AP", "RR", "Rprec", "bpref", "nDCG", "SetP", "SetR", "SetF", "SetAP", "infAP")),
    *(Measure(f) for f in ("NumRet", "NumRel", "NumRelRet", "NumQ")),
    *(Measure(f, k) for f in ("AP", "P", "R", "nDCG") for k in (5, 10, 100)),
    *(Measure("Success", k) for k in (1, 5, 10)),
]


def ask(qrels: Qrels, run: Run, *measures: Measure) -> dict[Measure, MeasureValues]:
    """Values, asked for in a child process as the harness does; errors fail the test."""
    with guarded(make("pytrec_eval")) as backend:
        found = backend.evaluate(qrels, run, measures)
    assert all(isinstance(outcome, MeasureValues) for outcome in found.values()), found
    return found  # type: ignore[return-value]


def vector(number: str) -> tuple[Qrels, Run, dict[str, Any]]:
    if not VECTORS.is_dir():
        pytest.skip(f"the recorded vectors are not at {VECTORS}")
    (folder,) = VECTORS.glob(f"{number}_*")
    expected = json.loads((folder / "expected.json").read_text())
    qrels = read_qrels(str(folder / "qrels"), strict=False)
    run = read_run(str(folder / "run"), strict=False)
    return qrels, run, expected


@pytest.mark.parametrize("number", [n for n in AS_DICTS if n != "12"])
def test_values_are_those_recorded_from_the_binding(number: str) -> None:
    """Bit for bit, for every measure that both the recording and this backend have."""
    qrels, run, expected = vector(number)
    recorded = expected["pytrec_eval_terrier_0_5_11"]
    level = recorded["kwargs"].get("relevance_level")
    measures = [Measure(m.family, m.cutoff, level, m.params) for m in MEASURES]
    measures = [m for m in measures if PytrecEval().supports(m)]
    names = {m: printed_name(m) for m in measures}
    measures = [m for m in measures if names[m] in next(iter(recorded["result"].values()))]
    assert len(measures) > 1
    for measure, found in ask(qrels, run, *measures).items():
        values = {topic.decode(): value for topic, value in found.values.items()}
        assert values == {t: float(row[names[measure]]) for t, row in recorded["result"].items()}, measure


@pytest.mark.parametrize("number", ["01", "02", "08", "09", "10", "15", "18", "47"])
def test_means_are_the_program_s_up_to_the_last_bits(number: str) -> None:
    """The binding's mean is numpy's pairwise sum, trec_eval's the sum in order: equal to 1e-15."""
    qrels, run, expected = vector(number)
    summary = expected["te908"]["values"]["all"]
    level = 2 if number == "18" else None
    measures = [Measure(m.family, m.cutoff, level, m.params) for m in MEASURES]
    measures = [m for m in measures if PytrecEval().supports(m) and printed_name(m) in summary]
    assert measures
    for measure, found in ask(qrels, run, *measures).items():
        assert found.mean == pytest.approx(float(summary[printed_name(measure)]), rel=1e-15, abs=0), measure


def test_queries_on_one_side_only_have_no_value() -> None:
    """Neither a judged query without results nor an unjudged one is counted."""
    qrels = qrels_of({"1": {"a": 1}, "2": {"a": 1}})
    found = ask(qrels, run_of({"1": {"a": 1.0}, "3": {"a": 1.0}}), Measure("AP"), Measure("NumQ"))
    assert found[Measure("AP")].values == {b"1": 1.0}
    assert found[Measure("AP")].mean == 1.0
    assert found[Measure("NumQ")].mean == 1.0


def test_no_common_query_is_no_value_and_no_mean() -> None:
    """An empty result is not a mean of NaN."""
    found = ask(qrels_of({"1": {"a": 1}}), run_of({"2": {"a": 1.0}}), Measure("AP"))
    assert (found[Measure("AP")].values, found[Measure("AP")].mean) == ({}, None)


def test_infinite_scores_are_ordered() -> None:
    """+inf comes first, -inf last."""
    run = run_of({"1": {"a": -math.inf, "b": 0.0, "c": math.inf}})
    assert ask(qrels_of({"1": {"c": 1}}), run, Measure("RR"))[Measure("RR")].values == {b"1": 1.0}


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (Measure("nDCG"), "ndcg"),
        (Measure("nDCG", 10), "ndcg_cut_10"),
        (Measure("AP", 100, 2), "map_cut_100"),
        (Measure("R", 5), "recall_5"),
        (Measure("SetF"), "set_F"),
        (Measure("gm_map"), "gm_map"),
        (Measure("11pt_avg"), "11pt_avg"),
        (Measure("IPrec", params=(("recall", 0.1),)), "iprec_at_recall_0.10"),
        (Measure("IPrec", params=(("recall", 0.125),)), None),
        (Measure("Rprec_mult", rel=2, params=(("multiple", 0.2),)), "Rprec_mult_0.20"),
        (Measure("nDCG", params=(("gains", ((1, 3.0),)),)), None),
        (Measure("rbp"), None),
        (Measure("SetF", params=(("beta", 2.0),)), None),
        (Measure("AP", params=(("beta", 1.0),)), None),
        (Measure("P"), None),
        (Measure("P", 0), None),
        (Measure("RR", 10), None),
        (Measure("P", 5, 0), None),
        (Measure("NumRet", rel=2), None),
        (Measure("NumRelRet", rel=2), "num_rel_ret"),
        (Measure("ERR", 10), None),
    ],
)
def test_measures_have_trec_eval_s_name_or_none(measure: Measure, name: str | None) -> None:
    """Only what trec_eval computes under exactly this name is offered."""
    assert printed_name(measure) == name


def test_all_cutoffs_of_a_measure_stand_in_one_list() -> None:
    """trec_eval reads the first list of a measure only, and a repeated cutoff is fatal."""
    asked = [Measure("P", 10), Measure("P", 5), Measure("P", 5, 1), Measure("AP"), Measure("AP", 3)]
    points = [Measure("IPrec", params=(("recall", x),)) for x in (0.5, 0.1)]
    assert parameters([*asked, *points]) == ["P.5,10", "iprec_at_recall.0.1,0.5", "map", "map_cut.3"]


def test_every_measure_of_trec_eval_9_gives_the_native_values() -> None:
    """All that the binding knows are offered, with the values of native measures to the last bit and their
    summaries: sums of counts, and geometric means."""
    qrels = qrels_of({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "d": 0}, "3": {"b": 1, "c": 0, "d": -1}})
    run = run_of({"1": {"a": 1, "b": 2, "c": 0.5}, "2": {"z": 1, "a": 1, "d": 1}, "3": {"c": 1, "b": 0.5}})
    measures = [m for m in parse_measures(["all_trec"]) if PytrecEval().supports(m)]
    assert {trec_eval_family(name).name for name in pytrec_eval.supported_measures - TEXTS} == {
        m.family for m in measures
    }
    rankings = Rankings(run, qrels)
    for measure, found in ask(qrels, run, *measures).items():
        ours = native_values(rankings, measure, conventions("pytrec_eval"), "native")
        assert ours.values == found.values, measure
        assert ours.mean == pytest.approx(found.mean, rel=1e-14, abs=0), measure


def test_measures_are_grouped_by_level() -> None:
    """No level is level 1."""
    asked = [Measure("P", 5, 2), Measure("AP"), Measure("RR", rel=2), Measure("P", 5, 1)]
    assert together(asked) == [(("qrels", 1), [asked[1], asked[3]]), (("qrels", 2), [asked[0], asked[2]])]
