"""Measures, nicknames, parameters, and the names that are printed for them."""

from __future__ import annotations

import pytest

from crosscheck.model import Measure
from crosscheck.trec_eval.options import (
    MeasureRequest,
    OutputColumn,
    TrecEvalError,
    Version,
    columns,
)


def selected(*measures: str, version: Version = "9.0.8") -> list[OutputColumn]:
    request = MeasureRequest(version)
    for measure in measures:
        request.add(measure.encode())
    return columns(request, 0)


def names(*measures: str, version: Version = "9.0.8") -> list[str]:
    return [column.name.decode() for column in selected(*measures, version=version)]


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        (["P.10,5"], ["P_5", "P_10"]),
        (["P.1", "P.2"], ["P_1"]),
        (["P", "P.2"], ["P_2"]),
        (["official.5", "P.2", "map"], None),
        (["P.5.7"], ["P_5"]),
        (["P.1e3"], ["P_1"]),
        (["map.5"], ["map"]),
        (["num_q", "runid"], ["runid", "num_q"]),
        (["iprec_at_recall..5,0.123"], ["iprec_at_recall_0.12", "iprec_at_recall_0.50"]),
        (["Rprec_mult.x"], ["Rprec_mult_0.00"]),
        (["Rprec_mult.123456,1e300"], ["Rprec_mult_123456.0", "Rprec_mult_10000000"]),
        (["ndcg.1=3,2=7"], ["ndcg_1=3,2=7"]),
        (["set_F.0.5,2"], ["set_F_0.5,2"]),
        (["11pt_avg.0.8,0.2"], ["11pt_avg_0.8,0.2"]),
        (["relstring.3x"], ["relstring_3x"]),
        (["success"], ["success_1", "success_5", "success_10"]),
        (["utility.1,-1,0,0"], ["utility_1,-1,0,0"]),
    ],
)
def test_printed_names_and_their_order(measures: list[str], expected: list[str] | None) -> None:
    """Cutoffs are sorted, other parameters repeated as given; only the first list of a measure counts."""
    found = names(*measures)
    assert found == expected if expected is not None else (found[-1], found.count("map")) == ("P_2", 1)


@pytest.mark.parametrize(("version", "count"), [("9.0.8", 95), ("10.0", 100)])
def test_all_trec_has_the_version_s_measures(version: Version, count: int) -> None:
    """10.0 adds rbp, rbp_resid and three cutoffs of unj."""
    assert len(names("all_trec", version=version)) == count


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("P.0", "trec_eval: Negative cutoff detected"),
        ("P.-5", "trec_eval: Negative cutoff detected"),
        ("P.x", "trec_eval: Negative cutoff detected"),
        ("P.5,", "trec_eval: Negative cutoff detected"),
        ("P.5,05", "trec_eval: duplicate cutoffs detected"),
        ("iprec_at_recall.0.1,.10", "trec_eval: duplicate cutoffs detected"),
        ("ndcg.10", "trec_eval: malformed pair parameters in '10'"),
        ("ndcg.1=2=3", "malformed pair"),
        ("ndcg.1=2,", "malformed pair"),
        ("ndcg.,1=2", "malformed pair"),
        ("G.==", "malformed pair"),
    ],
)
def test_parameters_that_a_measure_does_not_take_end_with_exit_code_2(measure: str, said: str) -> None:
    """With trec_eval's words and the name of the measure."""
    with pytest.raises(TrecEvalError) as caught:
        selected(measure)
    assert caught.value.code == 2
    assert said in str(caught.value)
    assert f"Cannot initialize measure '{measure.partition('.')[0]}'" in str(caught.value)


def test_level_names_of_gains_differ_between_versions() -> None:
    """9.0.8 reads a name that is no number as level 0, 10.0 ignores the pair."""
    (nine,), (ten,) = selected("ndcg.a=3,2=5"), selected("ndcg.a=3,2=5", version="10.0")
    assert nine.measure == Measure("nDCG", params=(("gains", ((0, 3.0), (2, 5.0))),))
    assert ten.measure == Measure("nDCG", params=(("gains", ((2, 5.0),)),))
    assert nine.name == ten.name == b"ndcg_a=3,2=5"


def test_rbp_takes_persistence_and_gains() -> None:
    """p is the persistence, every other pair a gain; of two p the last one counts."""
    (rbp,) = selected("rbp.p=0.5,1=0.2,p=0.8", version="10.0")
    assert rbp.measure == Measure("rbp", params=(("gains", ((1, 0.2),)), ("p", 0.8)))
