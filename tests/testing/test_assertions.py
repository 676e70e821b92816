"""Claims about assert_agrees and assert_same that need no project of their own."""

from __future__ import annotations

import pytest

from crosscheck.errors import UsageError
from crosscheck.testing import assert_agrees, assert_same
from crosscheck.testing.assertions import Allowed

QRELS = {f"{q}": {"a": 1, "b": 2 + q % 2, "c": 0} for q in range(5)}
RUN = {q: {"a": 3.0, "c": 2.5, "b": 2.0} for q in QRELS}


def values(conventions: str) -> dict[str, float]:
    import crosscheck

    return {
        q: row["nDCG@3"]
        for q, row in crosscheck.evaluate(QRELS, RUN, ["nDCG@3"], conventions=conventions).items()
    }


def test_values_that_differ_are_named_with_their_cause() -> None:
    """Each query with both values, and the line that allows it, which then passes."""
    with pytest.raises(AssertionError) as failed:
        assert_same(QRELS, RUN, values("gain=exponential"), "nDCG@3")
    text = str(failed.value)
    assert text.startswith("5 of 5 values of nDCG@3 differ: gain (proved).")
    assert "assert_same(qrels, run, values, 'nDCG@3', allow={'gain': 'exponential'})" in text
    assert_same(QRELS, RUN, values("gain=exponential"), "nDCG@3", allow={"gain": "exponential"})
    with pytest.raises(AssertionError, match="do not need allow"):
        assert_same(QRELS, RUN, values("trec_eval-9.0.8"), "nDCG@3", allow={"ties": "docid-asc"})


def test_a_missing_value_differs() -> None:
    """A query without a value is no agreement."""
    given = values("trec_eval-9.0.8")
    assert_same(QRELS, RUN, given, "nDCG@3")
    del given["3"]
    with pytest.raises(AssertionError, match="query '3': no value instead of"):
        assert_same(QRELS, RUN, given, "nDCG@3")


def test_an_allowance_that_cannot_matter_fails() -> None:
    """Gain does not touch precision, and trec_eval's own value or profile allows nothing."""
    rows: list[tuple[Allowed, str]] = [
        ({"gain": "exponential"}, "gain"),
        ({"relevance_level": 1}, "relevance_level"),
        ("profile:trec_eval-9.0.8", "profile:trec_eval-9.0.8"),
    ]
    for allow, named in rows:
        with pytest.raises(AssertionError, match=f"can differ by {named}: delete it from allow"):
            assert_agrees("native", "P@5", allow=allow)


@pytest.mark.parametrize("allow", [{}, "sklearn", "profile:sklaern", {"gian": "exponential"}, 3])
def test_a_wrong_allowance_is_refused(allow: object) -> None:
    """With a sentence, before anything is audited."""
    with pytest.raises(UsageError):
        assert_agrees("native", "P@5", allow=allow)  # type: ignore[arg-type]


def test_an_allowed_depth_that_the_metric_does_not_have_fails() -> None:
    """With the cause, and the line without it, which names the backend as the test does."""
    with pytest.raises(AssertionError, match=r"on nDCG@10: depth \(proved\)") as failed:
        assert_agrees("native:gain=exponential", "nDCG@10", allow={"gain": "exponential", "depth": 3})
    pasted = "assert_agrees('native:gain=exponential', 'nDCG@10', allow={'gain': 'exponential'})"
    assert str(failed.value).endswith(pasted)


@pytest.mark.parametrize("metric", [3, None, ["native"]])
def test_what_is_no_metric_is_refused(metric: object) -> None:
    """As the backends of run are."""
    with pytest.raises(UsageError, match="is no backend"):
        assert_agrees(metric, "nDCG@10")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [0.5, [0.5], "0.5", {"1": "x"}, {"1": None}, {1: 0.5}])
def test_values_by_query_are_needed(given: object) -> None:
    """A number is no table of values, and a text no number."""
    with pytest.raises(UsageError, match=r"query: value|numbers by query"):
        assert_same(QRELS, RUN, given, "nDCG@3")  # type: ignore[arg-type]
