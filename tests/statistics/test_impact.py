"""Claims about crosscheck.statistics.impact: what changes when systems are measured another way."""

from __future__ import annotations

import importlib.util
import math
from itertools import combinations

import numpy as np
import pytest

from crosscheck.errors import ArgumentError
from crosscheck.model import MeasureValues
from crosscheck.results import Impact
from crosscheck.statistics.impact import impact
from crosscheck.statistics.paired import compare_all

scipy_stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")


def values(*numbers: float, mean: float | None = None) -> MeasureValues:
    return MeasureValues({b"%02d" % i: v for i, v in enumerate(numbers)}, mean, "test")


def family(seed: int, systems: int = 6, queries: int = 30) -> dict[str, MeasureValues]:
    """Systems of slightly different quality on the same queries."""
    random = np.random.default_rng(seed)
    difficulty = random.random(queries)
    return {
        f"s{i}": values(*np.clip(difficulty + 0.05 * i * random.random(queries), 0, 2).tolist())
        for i in range(systems)
    }


def moved(systems: dict[str, MeasureValues], seed: int, size: float) -> dict[str, MeasureValues]:
    random = np.random.default_rng(seed)
    return {
        name: MeasureValues({q: v + size * random.random() for q, v in held.values.items()}, None, "test")
        for name, held in systems.items()
    }


@pytest.mark.parametrize("seed", range(5))
def test_swaps_are_the_pairs_whose_means_change_order(seed: int) -> None:
    """On generated families, the swapped pairs are exactly those that a look at the means gives."""
    before = family(seed)
    after = moved(before, seed, 0.1)
    found = impact(before, after, measure="M")
    means = [{n: np.mean(list(s.values.values())) for n, s in side.items()} for side in (before, after)]
    expected = {
        frozenset(pair)
        for pair in combinations(before, 2)
        if (means[0][pair[0]] - means[0][pair[1]]) * (means[1][pair[0]] - means[1][pair[1]]) < 0
    }
    assert {frozenset((s.better, s.worse)) for s in found.swaps} == expected
    assert found.affected == bool(expected or found.significance)
    tau = scipy_stats.kendalltau([means[0][n] for n in before], [means[1][n] for n in before]).statistic
    assert found.tau.value == pytest.approx(tau, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_significance_is_that_of_the_comparison_of_systems(seed: int) -> None:
    """Pairs appear and vanish if their corrected t-tests cross the level between the sides."""
    before = family(seed)
    after = moved(before, seed + 100, 0.3)
    found = impact(before, after, measure="M", alpha=0.05)
    significant = []
    for side in (before, after):
        compared = compare_all({name: held.values for name, held in side.items()})
        p = {(c.a, c.b): {t.name: t.p_holm for t in c.tests}["t"] for c in compared}
        significant.append({pair for pair, value in p.items() if value is not None and value < 0.05})
    assert found.reference_significant == len(significant[0])
    assert found.candidate_significant == len(significant[1])
    kinds = {(c.a, c.b): c.change for c in found.significance if c.change != "reversed"}
    assert kinds == dict.fromkeys(significant[0] - significant[1], "vanished") | dict.fromkeys(
        significant[1] - significant[0], "appeared"
    )


def test_the_same_values_change_nothing() -> None:
    """Equal values, and values that differ by less than 1e-9, leave every conclusion, and it says so."""
    before = family(3)
    for after in (before, moved(before, 1, 1e-12)):
        found = impact(before, after, measure="M", names=("ours", "theirs"))
        assert (found.affected, found.changed, found.moved, found.swaps) == (False, 0, 0, [])
        same = "Nothing changes: M has the same 180 values under theirs instead of ours"
        assert found.summary == f"{same}, so every conclusion stays."


def test_queries_behind_a_swap_are_those_that_change_the_lead() -> None:
    """Of many queries that move, the ones named are those that work towards the swap, the largest first."""
    before = {"a": values(0.5, 0.5, 0.5, 0.5), "b": values(0.4, 0.4, 0.4, 0.4)}
    after = {"a": values(0.5, 0.5, 0.9, 0.5), "b": values(0.4, 1.4, 0.8, 0.9)}
    (swap,) = impact(before, after, measure="M").swaps
    assert (swap.better, swap.worse, swap.change) == ("a", "b", "swapped")
    assert swap.queries == ["01", "03"]
    assert swap.lead == pytest.approx(0.1)


def test_a_swap_within_rounding_is_none() -> None:
    """Means that differ in the last bits are tied: 0.1 + 0.2 does not overtake 0.3."""
    before = {"a": values(0.3, 0.0), "b": values(0.1 + 0.2, 0.0)}
    after = {"a": values(0.3, 0.5), "b": values(0.3, 0.5)}
    found = impact(before, after, measure="M")
    assert found.swaps == []
    assert [s.reference_rank for s in found.systems] == [1, 1]


def test_ties_that_come_and_go_are_told_apart_from_swaps() -> None:
    """A pair that becomes tied, and one that was tied, are reported as that."""
    before = {"a": values(0.5, 0.6), "b": values(0.4, 0.4), "c": values(0.4, 0.4)}
    after = {"a": values(0.5, 0.6), "b": values(0.5, 0.6), "c": values(0.4, 0.4)}
    changes = {(s.better, s.worse): s.change for s in impact(before, after, measure="M").swaps}
    assert changes == {("a", "b"): "now tied", ("c", "b"): "no longer tied"}


def test_a_reversed_difference_is_reported_although_both_are_significant() -> None:
    """Significantly better before and significantly worse now is a changed conclusion."""
    rising = [0.1 + 0.01 * i for i in range(12)]
    before = {"a": values(*[0.0] * 12), "b": values(*rising)}
    after = {"a": values(*rising), "b": values(*[0.0] * 12)}
    found = impact(before, after, measure="M")
    assert [c.change for c in found.significance] == ["reversed"]
    assert (found.reference_significant, found.candidate_significant) == (1, 1)
    assert "1 reversed" in found.summary


def test_means_are_the_reported_ones() -> None:
    """A backend's own mean ranks the systems, also where its queries differ; a note says so."""
    before = {"a": values(0.5, 0.7), "b": values(0.55, 0.6)}
    after = {"a": values(0.5, 0.7, 0.0, 0.0), "b": values(0.55, 0.6)}
    found = impact(before, after, measure="M")
    assert {s.run: s.candidate_value for s in found.systems} == pytest.approx({"a": 0.3, "b": 0.575})
    assert [s.change for s in found.swaps] == ["swapped"]
    assert found.swaps[0].queries == ["02", "03"]
    assert any("'a' has 2 values on one side and 4 on the other" in note for note in found.notes)


def test_counts_are_summed() -> None:
    """A measure that is summed over queries is ranked by its sums."""
    found = impact({"a": values(2, 3)}, {"a": values(2, 4)}, measure="NumRet", aggregate="sum")
    assert (found.systems[0].reference_value, found.systems[0].candidate_value) == (5.0, 6.0)


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ({"a": values(0.1, 0.2)}, {"a": values(0.1, 0.3)}, "A ranking needs at least two systems, not 1."),
        ({"a": values(0.1), "b": values(0.2)}, {"a": values(0.3), "b": values(0.2)}, "one query only"),
        ({"a": values(0.1, 0.2)} | {"b": values(0.1, 0.2)},
         {"a": values(0.3, 0.2)} | {"b": values(0.3, 0.2)}, "the same value on all 2 queries"),
        ({"a": values(0.1, 0.2), "b": MeasureValues({b"x": 0.2, b"y": 0.1}, None, "")},
         {"a": values(0.2, 0.2), "b": MeasureValues({b"x": 0.2, b"y": 0.1}, None, "")}, "no query in common"),
        ({"a": values(0.1, 0.3), "b": values(math.nan, 0.1)}, {"a": values(0.2, 0.3), "b": values(0.2, 0.1)},
         "'b' has no mean that is a number"),
        ({"a": values(0.1, 0.3), "b": values(0.2, 0.1)}, {"a": values(0.2, 0.3)}, "'b' is left out"),
        ({"a": values(0.1, 0.2), "b": values(0.2, 0.3)}, {"a": values(0.2, 0.1), "b": values(0.3, 0.2)},
         "without variance there is no t"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_has_its_reason(
    before: dict[str, MeasureValues], after: dict[str, MeasureValues], note: str
) -> None:
    """One system, one query, identical runs, unpaired queries, NaN, a missing system, no variance."""
    found = impact(before, after, measure="M")
    assert any(note in said for said in found.notes), found.notes
    numbers = [s.reference_value for s in found.systems] + [q.total for q in found.queries]
    assert not any(n is not None and math.isnan(n) for n in numbers)
    assert "nan" not in found.summary.lower()


def test_queries_that_one_side_or_one_system_lacks_are_counted() -> None:
    """A query lost and a query won are changes, NaN on both sides is none; neither those that one of two
    systems lacks nor those without a number can be paired."""

    def of(**held: float) -> MeasureValues:
        return MeasureValues({query.encode(): value for query, value in held.items()}, None, "test")

    other = of(q1=0.5, q2=0.6, q3=0.7, q4=0.8)
    before = {"a": of(q1=0.1, q2=0.2, q3=math.nan), "b": other}
    after = {"a": of(q1=0.1, q3=math.nan, q4=0.4), "b": other}
    found = impact(before, after, measure="M")
    assert {s.run: s.changed for s in found.systems} == {"a": 2, "b": 0}
    assert found.changed == 2
    assert any(note.startswith("2 queries without a value in some run") for note in found.notes), found.notes


def test_without_a_ranking_and_without_tests_nothing_is_claimed() -> None:
    """One system gives no conclusion that could change: affected is None, not False."""
    found = impact({"a": values(0.1, 0.2)}, {"a": values(0.1, 0.3)}, measure="M")
    assert found.affected is None
    assert found.summary.startswith("No conclusion can be compared")


def test_without_scipy_the_ranking_is_still_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where scipy is missing, significance is left out with the command that installs it."""
    monkeypatch.setattr("crosscheck.statistics.impact.find_spec", lambda name: None)
    found = impact(family(0), moved(family(0), 1, 0.5), measure="M")
    assert (found.reference_significant, found.candidate_significant) == (None, None)
    assert any("pip install 'crosscheck[stats]'" in note for note in found.notes)
    assert found.tau.value is not None
    assert importlib.util.find_spec("scipy") is not None  # only this test goes without


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "randomisation"])
def test_every_test_can_decide(test: str) -> None:
    """The other tests see a clear difference as well."""
    low, high = [0.1 + 0.001 * i for i in range(14)], [0.5 + 0.01 * i for i in range(14)]
    before = {"a": values(*low), "b": values(*high)}
    found = impact(before, {"a": values(*low), "b": values(*low)}, measure="M", test=test)  # type: ignore[arg-type]
    assert [c.change for c in found.significance] == ["vanished"]


def test_arguments_that_make_no_sense_are_refused() -> None:
    """An unknown test and a level outside 0 to 1 are errors with the choices."""
    with pytest.raises(ArgumentError, match="there is no test 'anova'"):
        impact({}, {}, measure="M", test="anova")  # type: ignore[arg-type]
    for alpha in (0, 1, 5):
        with pytest.raises(ArgumentError, match="between 0 and 1"):
            impact({}, {}, measure="M", alpha=alpha)


def test_the_order_of_systems_and_queries_has_no_say() -> None:
    """Another order of the input gives the same findings."""
    before, after = family(1), moved(family(1), 2, 0.2)

    def turned(systems: dict[str, MeasureValues]) -> dict[str, MeasureValues]:
        return {
            name: MeasureValues(dict(reversed(systems[name].values.items())), None, "test")
            for name in reversed(systems)
        }

    def key(found: Impact) -> object:
        pairs = sorted(tuple(sorted((s.better, s.worse))) for s in found.swaps)
        return found.tau, found.tau_ap, pairs, found.reference_significant, [q.query for q in found.queries]

    assert key(impact(before, after, measure="M")) == key(impact(turned(before), turned(after), measure="M"))
