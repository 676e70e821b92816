"""Claims about crosscheck.studies.impact: two ways of measuring, and the conclusions they lead to."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.errors import InputError, UsageError
from crosscheck.report import render
from crosscheck.studies.impact import impact
from tests.studies.examples import gain_flips_two_systems, nothing_changes, ties_make_significance_vanish

pytest.importorskip("scipy.special", reason="scipy is not installed")


def test_a_gain_that_flips_two_systems_is_told() -> None:
    """Under exponential gain the system with the best document overtakes, and the text says so."""
    qrels, runs = gain_flips_two_systems()
    document = impact(qrels, runs, candidate="native:gain=exponential", measures=["nDCG@3"])
    (found,) = document.impacts
    assert found.affected
    assert [(s.better, s.worse, s.change) for s in found.swaps] == [("fair", "best", "swapped")]
    assert set(found.swaps[0].queries) <= {"1", "2", "3", "4", "5"}
    assert found.tau.value == -1
    text = " ".join(render(document, "text").split())
    assert "Conclusions change: 10 of 12 values of nDCG@3 change" in text
    assert "The ranking of the 2 systems changes: 1 of 1 pair" in text
    assert "'best' overtakes 'fair'" in text


def test_tie_breaking_that_makes_a_significant_difference_vanish_is_told() -> None:
    """Ordering ties by docno ascending takes the significance away, and the text says so."""
    qrels, runs = ties_make_significance_vanish()
    document = impact(qrels, runs, candidate="native:ties=docid-asc", measures=["RR"])
    (found,) = document.impacts
    assert found.affected
    assert found.swaps == []
    (change,) = found.significance
    assert (change.a, change.b, change.change) == ("plain", "tied", "vanished")
    assert change.reference_p is not None
    assert change.candidate_p is not None
    assert change.reference_p < 0.001 < 0.05 < change.candidate_p
    text = " ".join(render(document, "text").split())
    assert "Significant differences change: 1 vanished (paired t-test, Holm over 1 pair, level 0.05)" in text
    assert "The ranking of the 2 systems stays the same" in text


def test_a_convention_without_effect_is_told() -> None:
    """Exponential gain on binary judgements changes no value, and the text says so."""
    qrels, runs = nothing_changes()
    document = impact(qrels, runs, candidate="native:gain=exponential", measures=["nDCG@3"])
    assert document.impacts[0].affected is False
    assert document.summary.startswith("Nothing changes: nDCG@3 has the same 16 values")
    text = " ".join(render(document, "text").split())
    assert "so every conclusion stays." in text


def test_values_may_move_without_a_conclusion() -> None:
    """Where everybody moves alike, the text says that values change and conclusions do not."""
    qrels, runs = gain_flips_two_systems()
    runs = {"good": runs["best"], "bad": {q: {"none1": 1.0} for q in qrels}}
    document = impact(qrels, runs, candidate="native:gain=exponential", measures=["nDCG@3"])
    assert document.summary.startswith("No conclusion changes, although 5 of 12 values of nDCG@3 change")


def test_affected_measures_come_first() -> None:
    """A measure on which a conclusion changes is reported before one on which none does."""
    qrels, runs = gain_flips_two_systems()
    document = impact(qrels, runs, candidate="native:gain=exponential", measures=["P@3", "nDCG@3", "RR"])
    assert [i.measure for i in document.impacts] == ["nDCG@3", "P@3", "RR"]
    assert "conclusions change on nDCG@3; nothing changes on P@3 and RR" in document.summary


def test_two_backends_can_be_compared_as_well() -> None:
    """pytrec_eval and the native measures lead to the same conclusions: no value differs."""
    pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    qrels, runs = gain_flips_two_systems()
    document = impact(qrels, runs, reference="pytrec_eval", candidate="native")
    assert len(document.impacts) == 9
    assert not any(impact.changed for impact in document.impacts)


def test_a_measure_that_one_side_lacks_is_noted() -> None:
    """Measures that cannot be compared are in the notes."""
    pytest.importorskip("evaluate", reason="evaluate is not installed")
    qrels, runs = nothing_changes()
    document = impact(qrels, runs, reference="native", candidate="hf-evaluate", measures=["P@10", "infAP"])
    assert "infAP" not in [i.measure for i in document.impacts]
    assert any("infAP" in note for note in document.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": {"a": {"1": {"d": 1.0}}}}, "a ranking of systems needs at least 2 runs, not 1"),
        ({"candidate": "native"}, "reference and candidate are both native"),
        ({"candidate": "native:gain=cubic"}, "gain has no value"),
        ({"candidate": "nobody"}, "there is no backend 'nobody'"),
        ({"test": "anova"}, "there is no test 'anova'"),
        ({"alpha": 1.0}, "between 0 and 1"),
        ({"measures": ["nDGC@3"]}, "did you mean nDCG@3"),
        ({"runs": ["run", "run"]}, "is given twice"),
        ({"runs": {**nothing_changes()[1], "far": {"x": {"d": 1.0}}}}, "none of the judged queries"),
    ],
)
def test_calls_that_make_no_sense_are_refused(change: dict[str, object], message: str) -> None:
    """Each is one sentence that names what is wrong."""
    qrels, runs = nothing_changes()
    call: dict[str, object] = {"runs": runs, "candidate": "native:gain=binary", "measures": ["P@3"]} | change
    with pytest.raises((UsageError, InputError), match=message):
        impact(qrels, **call)  # type: ignore[arg-type]


def test_real_runs_keep_their_order_under_exponential_gain(corpus: Path) -> None:
    """TREC-COVID round 1: nDCG@10 of two runs moves, the gap between them stays significant."""
    folder = corpus / "trec-covid-r1"
    runs = [folder / "run.BERT.txt", folder / "run.PS-r1-bm25none.txt"]
    document = impact(
        folder / "qrels", runs, candidate="native:gain=exponential", measures=["nDCG@10", "P@5"]
    )
    found = {i.measure: i for i in document.impacts}
    assert (found["nDCG@10"].affected, found["nDCG@10"].changed > 0) == (False, True)
    assert found["nDCG@10"].reference_significant == found["nDCG@10"].candidate_significant == 1
    assert found["P@5"].changed == 0
    assert [s.run for s in found["nDCG@10"].systems] == ["run.PS-r1-bm25none.txt", "run.BERT.txt"]
