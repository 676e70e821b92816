"""The study of worst, best and expected values over all orders of tied documents."""

from crosscheck.studies.ties import ties

ONE = {"1": {"a": 1, "b": 0}}
TIED = {"1": {"a": 1.0, "b": 1.0}}


def test_a_measure_without_exact_forms_is_left_out_by_name():
    """infAP has no order that is known to be best, IPrec no expected value: the notes say so, and the
    summary claims nothing of infAP."""
    document = ties(ONE, TIED, ["infAP", "IPrec@0.5"])
    inferred, interpolated = document.measures
    assert (inferred.worst, inferred.best, inferred.tied) == (None, None, [])
    assert inferred.expected is not None
    assert (interpolated.worst, interpolated.best, interpolated.expected) == (0.5, 1.0, None)
    first, second = document.notes
    assert first.startswith("infAP cannot be computed under ties=best")
    assert second.startswith("IPrec@0.5 cannot be computed under ties=average")
    alone = ties(ONE, TIED, ["infAP"])
    assert (
        alone.summary
        == "The best and the worst order of tied documents are not known for any of these measures."
    )
