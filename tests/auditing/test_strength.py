"""The strength of an audit: proved, consistent or less, by the rules of a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import pytest

from crosscheck.auditing import audit, explaining
from crosscheck.auditing.metric import Asked, evidence_of
from crosscheck.conventions import Conventions
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure


def precision(gains: Sequence[int], k: int) -> float:
    return sum(gain > 0 for gain in gains[:k]) / k


def strange_precision(gains: Sequence[int], k: int) -> float:
    """A bug that shows with seven documents and more."""
    return precision(gains, k) if len(gains) < 7 else precision(gains[1:], k)


@pytest.mark.parametrize(
    ("target", "measure", "strength", "conventions"),
    [
        ("native:gain=exponential", "nDCG@10", "proved", {"gain": "exponential"}),
        # These show in means only, so several are needed.
        ("native:query_set=qrels", "AP", "proved", {"query_set": "qrels"}),
        ("native:averaging=median", "P@5", "proved", {"averaging": "median"}),
        # These show in queries whose ids are alike, and in rankings of hundreds.
        ("native:ids=query-suffix", "P@5", "proved", {"ids": "query-suffix"}),
        ("native:judged_depth=1000", "bpref", "proved", {"judged_depth": 1000}),
        # Only fresh inputs have so many relevant documents, and levels so high.
        (
            "native:special_scores=nonpositive-dropped,depth=200",
            "Rprec",
            "proved",
            {"special_scores": "nonpositive-dropped", "depth": 200},
        ),
        ("native:exact_level=15", "P@5", "proved", {"exact_level": 15}),
        # To the small inputs nothing is relevant.
        (
            "native:exact_level=10,no_relevant=nan",
            "Success@5",
            "proved",
            {"exact_level": 10, "no_relevant": "nan"},
        ),
        # Rules for ids that no experiment tells apart, because nothing is relevant: fresh inputs do.
        ("native:ids=case,exact_level=11", "bpref", "proved", {"ids": "case", "exact_level": 11}),
        ("native:unjudged=level-4", "nDCG@10", "proved", {"unjudged": "level-4"}),
        ("native:trec_eval-9.0.8", "AP", None, {}),
    ],
)
def test_conventions_are_named_as_strongly_as_they_are_shown(
    target: str, measure: str, strength: str | None, conventions: dict[str, str | int]
) -> None:
    made = audit(target, measure)
    assert (made.strength, made.conventions, made.doubt, made.rivals) == (strength, conventions, "", [])


def test_sets_that_are_the_same_function_are_one() -> None:
    """Recall among the retrieved documents: another denominator, or other documents that exist."""
    made = audit("native:universe=retrieved", "R@5")
    assert made.conventions == {"recall_denominator": "retrieved-R"}
    assert (made.alternatives, made.strength, made.doubt) == ([], "proved", "")


def test_what_is_not_explained_is_not_proved() -> None:
    made = audit(strange_precision, "P@5")
    assert "unexplained" in made.causes
    assert made.strength in ("none", "per-query")


def test_a_value_that_is_missing_shows_a_convention() -> None:
    """Ids that are equal but for their case show in a query without a value, which is no refusal."""
    made = audit("native:ids=case,ties=average,unjudged=level-1", "Success@5")
    assert made.conventions == {"ids": "case", "ties": "average", "unjudged": "level-1"}
    assert made.strength == "proved"


def test_a_mean_does_not_count_beside_the_values_that_it_is_made_of() -> None:
    query = Query((("a", 1),), (Line("a", 1, 1.0),))
    probe = Probe("two queries", (("1", query), ("2", query)), None)
    measure = parse_measure("P@1")

    def unmet(first: float, second: float, mean: float) -> list[int]:
        answer = MeasureValues({b"1": first, b"2": second}, mean, "metric")
        evidence = evidence_of([Asked(probe, answer, measure)], Conventions(), 1e-9)
        return [e.unmet(Conventions()) for e in evidence]

    assert unmet(0.5, 0.5, 0.5) == [2]
    assert unmet(1.0, 0.5, 0.75) == [1]
    assert unmet(1.0, 1.0, 0.5) == [1]
    assert unmet(1.0, 1.0, 1.0) == [0]


def test_a_set_that_too_few_values_need_is_not_named_alone() -> None:
    """What only such a set gives is unexplained as well."""
    with patch.object(explaining, "differing_for", lambda size: 1000 * size):
        made = audit("native:relevance_level=2", "P@5")
    assert (made.verdict, made.strength) == ("deviates", "per-query")
    assert "unexplained" in made.causes


def test_every_axis_of_an_answer_is_needed() -> None:
    """An axis that changes nothing beside the others is left out."""
    made = audit("native:identical_ids=removed,exact_level=3", "R@5")
    assert made.conventions == {"identical_ids": "removed", "exact_level": 3}


def test_a_query_without_judgements_shows_its_value() -> None:
    made = audit("native:unjudged_queries=no-relevant", "nDCG@10")
    assert (made.strength, made.conventions) == ("proved", {"unjudged_queries": "no-relevant"})


def test_a_level_that_small_inputs_do_not_have_is_named_from_others() -> None:
    """To the battery nothing is relevant, which says nothing of the level; the cutoff is no convention."""

    def one_too_few(gains: Sequence[int], k: int) -> float:
        return sum(gain >= 5 for gain in gains[: k - 1]) / k

    made = audit(one_too_few, "P@5")
    assert (made.causes, made.conventions) == (["relevance-level", "unexplained"], {"relevance_level": 5})
    assert made.strength == "per-query"


def test_a_set_that_only_long_lists_show_is_found() -> None:
    """A depth of 1,000 beside a percentage, which changes every value."""
    made = audit("native:depth=1000,recall_denominator=retrieved-R,unit=percent", "R@5")
    assert made.conventions == {"depth": 1000, "recall_denominator": "retrieved-R", "unit": "percent"}
    assert (made.strength, made.doubt) == ("proved", "")


def test_a_set_that_gives_a_value_where_the_metric_gives_none_is_no_rival() -> None:
    """The divisor alone counts queries without judgements; under unjudged_queries they would have values."""
    made = audit("native:query_set=run", "ERR@10")
    assert (made.strength, made.conventions, made.alternatives) == ("proved", {"query_set": "run"}, [])
