"""Claims about ir_measures, its default choice of providers and single ones."""

from __future__ import annotations

import math

import pytest

from crosscheck.backends import make
from crosscheck.backends.guarded import guarded
from crosscheck.backends.ir_measures_backend import IrMeasures
from crosscheck.backends.native import native_values
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import parse_measure
from tests.backends.inputs import qrels_of, run_of

pytest.importorskip("ir_measures")

QRELS = qrels_of({"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "b": 0}, "4": {"r": 1}})
RUN = run_of({"2": {"b": 1.0, "a": 0.5}, "1": {"a": 3, "b": 2, "c": 1, "d": 0.5}, "9": {"a": 1}})
RR, RR10 = Measure("RR"), Measure("RR", 10)


def ask(id: str, qrels: Qrels, run: Run, *measures: Measure) -> dict[Measure, MeasureValues]:
    with guarded(make(id)) as backend:
        assert all(backend.supports(measure) for measure in measures)
        found = backend.evaluate(qrels, run, measures)
    assert all(isinstance(outcome, MeasureValues) for outcome in found.values()), found
    return found  # type: ignore[return-value]


def test_a_judged_query_without_results_counts_as_zero() -> None:
    """That is ir_measures' own rule, and its mean is over all judged queries."""
    found = ask("ir-measures", QRELS, RUN, Measure("P", 5))[Measure("P", 5)]
    assert found.values == {b"1": 0.4, b"2": 0.2, b"4": 0.0}
    assert found.mean == (0.4 + 0.2 + 0.0) / 3


def test_the_provider_that_computed_a_number_is_recorded() -> None:
    """RR and RR@10 come from different providers of one package."""
    found = ask("ir-measures", QRELS, RUN, RR, RR10)
    assert found[RR].engine.startswith("ir_measures ")
    assert found[RR].engine.endswith(" via pytrec_eval")
    assert found[RR10].engine.endswith(" via msmarco")


def test_providers_of_one_package_disagree_on_ties() -> None:
    """pytrec_eval puts the later docno first, msmarco the earlier one."""
    run = run_of({"1": {"x": 1.0, "y": 1.0, "z": 1.0}})
    qrels = qrels_of({"1": {"z": 1, "y": 0}})
    found = ask("ir-measures", qrels, run, RR, RR10)
    assert found[RR].values == {b"1": 1.0}
    assert found[RR10].values == {b"1": 1 / 3}
    assert ask("ir-measures:msmarco", qrels, run, RR)[RR].values == {b"1": 1 / 3}


def test_measures_are_spelt_ir_measures_way() -> None:
    """bpref, NumRelRet with a level, SetF and cutoffs reach the measure that is meant."""
    measures = (
        Measure("bpref"),
        Measure("NumRet"),
        Measure("NumRelRet"),
        Measure("NumRelRet", rel=2),
        Measure("SetF", rel=2),
        Measure("AP", 2),
        Measure("Success", 1, 2),
    )
    found = ask("ir-measures", QRELS, RUN, *measures)
    assert [found[m].values[b"1"] for m in measures] == [0.5, 4, 2, 1, 0.4, 0.5, 0.0]
    assert found[Measure("NumRet")].mean == 6


@pytest.mark.parametrize("name", ["nDCG(gains={0:1,1:3})@2", "nDCG(gains={1:9,2:4})", "ndcg.2=7"])
def test_custom_gains_are_ir_measures_own(name: str) -> None:
    """Levels and gains reach ir_measures as its dict, and native values are the same."""
    measure = parse_measure(name)
    found = ask("ir-measures", QRELS, RUN, measure)[measure]
    ours = native_values(Rankings(RUN, QRELS), measure, conventions("ir-measures"), "native")
    assert found.values == ours.values
    assert len(set(found.values.values())) > 1


@pytest.mark.parametrize(
    "measure",
    [
        parse_measure("nDCG(gains={1:0.5})@5"),
        parse_measure("nDCG(gains={1:-1})@5"),
        parse_measure("nDCG(gains={-1:1})@5"),
        Measure("NumRel", rel=2),
        Measure("NumRet", rel=2),
        Measure("nDCG", 10, rel=2),
        Measure("P"),
        Measure("Nonsense", 3),
        Measure("P", 5, params=(("beta", 1.0),)),
    ],
)
def test_what_ir_measures_does_not_have_is_not_supported(measure: Measure) -> None:
    """Unknown names, parameters and levels are refused, not computed as something else."""
    assert not make("ir-measures").supports(measure)


def test_a_single_provider_offers_its_own_measures_only() -> None:
    """msmarco has RR and nothing else."""
    backend = make("ir-measures:msmarco")
    assert [f for f in ("AP", "RR", "nDCG") if backend.supports(Measure(f))] == ["RR"]


def test_conventions_are_known_where_pytrec_eval_computes() -> None:
    """trec_eval with -c by default; nothing is claimed of other providers."""
    for id in ("ir-measures", "ir-measures:pytrec_eval"):
        assert make(id).conventions == "ir-measures"
    assert make("ir-measures:msmarco").conventions is None


def test_a_provider_whose_package_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is described as not available and supports nothing."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "cwl" else object())
    about = make("ir-measures:cwl_eval").describe()
    assert not about.available
    assert "pip install ir-measures[cwl_eval]" in str(about.reason)
    assert not make("ir-measures:cwl_eval").supports(Measure("P", 5))


def test_a_provider_that_raises_is_an_error_of_that_measure_only() -> None:
    """trectools' R-precision fails on a query without judgements; its P@5 does not."""
    pytest.importorskip("trectools")
    with guarded(make("ir-measures:trectools")) as backend:
        found = backend.evaluate(QRELS, RUN, [Measure("Rprec"), Measure("P", 5), Measure("AP")])
    assert str(found[Measure("Rprec")]).startswith("KeyError: '9'")
    precision, average = found[Measure("P", 5)], found[Measure("AP")]
    assert isinstance(precision, MeasureValues)
    assert isinstance(average, MeasureValues)
    assert precision.values[b"1"] == 0.4
    assert math.isnan(average.values[b"4"])  # a judged query without results: NaN there, not 0
    assert math.isnan(average.mean or 0.0)


def test_ids_outside_ascii_match() -> None:
    """Topics and docnos that are not text come back as the bytes they were."""
    qrels, run = qrels_of({"\xff": {"\xe9": 1}}), run_of({"\xff": {"\xe9": 1.0, "x": 2.0}})
    assert ask("ir-measures", qrels, run, RR)[RR].values == {b"\xff": 0.5}


def test_what_pytrec_eval_cannot_do_is_refused_and_the_rest_computed() -> None:
    """Where pytrec_eval would hang or repeat other numbers its measures are errors; msmarco's are not."""
    negative = qrels_of({"1": {"a": -1}, "2": {"a": 1}}), run_of({"1": {"a": 1.0}, "2": {"a": 1.0}})
    reserved = qrels_of({"no_query": {"a": 1}}), run_of({"no_query": {"a": 1.0}})
    with guarded(make("ir-measures")) as backend:
        for inputs, message in ((negative, "is negative"), (reserved, "'no_query'")):
            found = backend.evaluate(*inputs, [RR, RR10])
            assert message in str(found[RR])
            assert isinstance(found[RR10], MeasureValues)


def test_its_mean_is_its_own() -> None:
    """The default pipeline adds in the order in which it computes: compare with its own calc."""
    import ir_measures

    qrels = {str(t): {"a": 1, f"d{t}": 2} for t in range(30)}
    run = {str(t): {f"d{i}": 1 / (i + t + 1) for i in range(40)} for t in range(30)}
    measure = Measure("nDCG", 20)
    found = ask("ir-measures", qrels_of(qrels), run_of(run), measure)[measure]
    assert (
        found.mean == ir_measures.calc_aggregate([ir_measures.nDCG @ 20], qrels, run)[ir_measures.nDCG @ 20]
    )


def test_an_argument_is_kept_where_ir_measures_is_absent() -> None:
    """A backend for an unknown provider can be made, to be described as not installed."""
    assert IrMeasures("anything").id == "ir-measures:anything"


def test_measures_over_subtopics_get_the_subtopics() -> None:
    """Several with different parameters in one call, beside an ordinary measure: each as if asked alone."""
    pytest.importorskip("pyndeval")
    qrels = qrels_from_dict(
        {"1": {"s": {"a": 1, "b": 1}, "t": {"b": 1, "c": 2}}, "2": {"t": {"a": 1}}}, needs="subtopics"
    )
    run = run_of({"1": {"a": 3.0, "c": 2.0, "b": 1.0}, "2": {"b": 1.0}})
    asked = [Measure("StRecall", 1), Measure("StRecall", 1, 2), Measure("P", 1)]
    alpha = Measure("alpha_nDCG", 3, None, (("alpha", 0.3),))
    found = ask("ir-measures", qrels, run, *asked, alpha)
    assert [found[measure].values for measure in asked] == [
        {b"1": 0.5, b"2": 0.0},
        {b"1": 0.0, b"2": 0.0},
        {b"1": 1.0, b"2": 0.0},
    ]
    assert found[asked[0]].mean == 0.25
    assert found[asked[0]].engine.endswith(" via pyndeval")
    assert found[alpha].values == ask("native", qrels, run, alpha)[alpha].values | {b"2": 0.0}
