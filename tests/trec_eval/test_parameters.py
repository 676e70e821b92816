"""Measures, nicknames, parameters, and the names that are printed for them."""

from __future__ import annotations

import pytest

from crosscheck.model import Measure
from crosscheck.trec_eval.options import MeasureRequest, OutputColumn, TrecEvalError, Version, columns


def selected(*measures: str, version: Version = "9.0.8") -> list[OutputColumn]:
    request = MeasureRequest(version)
    for measure in measures:
        request.add(measure.encode())
    return columns(request, 0)


def names(*measures: str, version: Version = "9.0.8") -> list[str]:
    return [column.name.decode() for column in selected(*measures, version=version)]


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
def test_parameters_that_a_measure_does_not_take_end_with_exit_code_2(measure, said):
    """With trec_eval's words and the name of the measure."""
    with pytest.raises(TrecEvalError) as caught:
        selected(measure)
    assert caught.value.code == 2
    assert said in str(caught.value)
    assert f"Cannot initialize measure '{measure.partition('.')[0]}'" in str(caught.value)


def test_level_names_of_gains_differ_between_versions():
    """9.0.8 reads a name that is no number as level 0, 10.0 ignores the pair."""
    (nine,), (ten,) = selected("ndcg.a=3,2=5"), selected("ndcg.a=3,2=5", version="10.0")
    assert nine.measure == Measure("nDCG", params=(("gains", ((0, 3.0), (2, 5.0))),))
    assert ten.measure == Measure("nDCG", params=(("gains", ((2, 5.0),)),))
    assert nine.name == ten.name == b"ndcg_a=3,2=5"
