"""The labels: stable identifiers, those of all axes among them."""

from __future__ import annotations

from crosscheck.axes import axes
from crosscheck.explain.labels import causes


def test_the_labels_the_users_know_exist() -> None:
    """Labels are stable identifiers."""
    assert {
        "tie-breaking",
        "missing-queries",
        "gain",
        "precision-denominator",
        "score-precision",
        "rank-order",
        "ideal-ranking",
        "discount",
        "ap-denominator",
        "recall-denominator",
        "query-set",
        "cross-query-leak",
        "rounding",
        "float-noise",
        "unexplained",
    } <= set(causes())


def test_every_axis_has_its_label() -> None:
    """Without a label, changes of an axis could not be explained; three labels have no axis."""
    with_axis = {one.label for one in axes().values()}
    assert set(causes()) - with_axis == {"cross-query-leak", "refuses-input", "unexplained"}
    assert with_axis <= set(causes())


def test_labels_stand_by_likelihood() -> None:
    """``unexplained`` comes last."""
    priorities = [cause.priority for cause in causes().values()]
    assert priorities == sorted(priorities)
    assert [*causes()][-1] == "unexplained"
