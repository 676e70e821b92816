"""Claims about crosscheck.studies.impact: two ways of measuring, and the conclusions they lead to."""

import pytest

from crosscheck.results import Impact
from crosscheck.studies.impact import impact
from tests.studies.examples import (
    Qrels,
    Runs,
    gain_flips_two_systems,
    nothing_changes,
    ranked,
    ties_make_significance_vanish,
)

pytest.importorskip("scipy.special", reason="scipy is not installed")

EXPONENTIAL = "native:gain=exponential"


def found(example: tuple[Qrels, Runs], candidate: str, measure: str = "nDCG@3") -> Impact:
    (one,) = impact(*example, candidate=candidate, measures=[measure]).impacts
    return one


def test_what_changes_is_told():
    """A gain by which the system with the best document overtakes; an order of ties that takes a significant
    difference away; a gain that moves everybody alike; one that changes no value of binary judgements."""
    flipped = found(gain_flips_two_systems(), EXPONENTIAL)
    assert (flipped.affected, flipped.tau.value) == (True, -1)
    assert [(s.better, s.worse, s.change) for s in flipped.swaps] == [("fair", "best", "swapped")]
    assert set(flipped.swaps[0].queries) <= {"1", "2", "3", "4", "5"}
    vanished = found(ties_make_significance_vanish(), "native:ties=docid-asc", "RR")
    assert (vanished.affected, vanished.swaps) == (True, [])
    (change,) = vanished.significance
    assert (change.a, change.b, change.change) == ("plain", "tied", "vanished")
    assert (change.reference_p or 1) < 0.001 < 0.05 < (change.candidate_p or 0)
    qrels, runs = gain_flips_two_systems()
    moved = found((qrels, {"good": runs["best"], "bad": {q: {"none1": 1.0} for q in qrels}}), EXPONENTIAL)
    same = found(nothing_changes(), EXPONENTIAL)
    assert (moved.affected, same.affected) == (False, False)
    for one, words in (
        (flipped, "Conclusions change: 10 of 12 values of nDCG@3 change"),
        (flipped, "'best' overtakes 'fair'"),
        (vanished, "1 vanished (paired t-test, Holm over 1 pair, level 0.05)"),
        (vanished, "The ranking of the 2 systems stays the same"),
        (moved, "No conclusion changes, although 5 of 12 values of nDCG@3 change"),
        (same, "Nothing changes: nDCG@3 has the same 16 values"),
    ):
        assert words in one.summary


def test_measures_whose_conclusions_or_values_change_come_first():
    """Without a conclusion that changes, those whose values change come before the others."""
    qrels, runs = gain_flips_two_systems()
    document = impact(qrels, runs, candidate=EXPONENTIAL, measures=["P@3", "nDCG@3", "RR"])
    assert [i.measure for i in document.impacts] == ["nDCG@3", "P@3", "RR"]
    assert "conclusions change on nDCG@3; nothing changes on P@3 and RR" in document.summary
    runs["best"] = {q: ranked("none1") for q in qrels}
    document = impact(qrels, runs, candidate=EXPONENTIAL, measures=["P@3", "nDCG@3"])
    assert [(i.measure, i.affected) for i in document.impacts] == [("nDCG@3", False), ("P@3", False)]


def test_two_backends_can_be_compared_as_well():
    """pytrec_eval and the native measures: no value differs. What one side lacks is in the notes."""
    pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    qrels, runs = gain_flips_two_systems()
    document = impact(qrels, runs, reference="pytrec_eval", candidate="native")
    assert [impact.changed for impact in document.impacts] == [0] * 9
    document = impact(qrels, runs, reference="pytrec_eval", candidate="native", measures=["P@10", "RR@2"])
    assert [i.measure for i in document.impacts] == ["P@10"]
    assert any("RR@2" in note for note in document.notes)
