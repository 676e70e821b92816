"""What changes when systems are measured another way."""

import math
from itertools import combinations

import numpy as np
import pytest

from crosscheck.model import MeasureValues
from crosscheck.statistics.impact import impact
from crosscheck.statistics.paired import compare_all

scipy_stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")


def values(*numbers: float, **held: float) -> MeasureValues:
    """Values of queries 00, 01, ..., or of those that are named."""
    numbered = {b"%02d" % i: v for i, v in enumerate(numbers)}
    return MeasureValues(numbered | {q.encode(): v for q, v in held.items()}, None, "test")


def family(seed: int) -> dict[str, MeasureValues]:
    """Six systems of slightly different quality on the same 30 queries."""
    random = np.random.default_rng(seed)
    difficulty = random.random(30)
    return {
        f"s{i}": values(*np.clip(difficulty + 0.05 * i * random.random(30), 0, 2).tolist()) for i in range(6)
    }


def moved(systems: dict[str, MeasureValues], seed: int, size: float) -> dict[str, MeasureValues]:
    random = np.random.default_rng(seed)
    return {
        name: MeasureValues({q: v + size * random.random() for q, v in held.values.items()}, None, "test")
        for name, held in systems.items()
    }


def turned(systems: dict[str, MeasureValues]) -> dict[str, MeasureValues]:
    """The same systems and queries in another order."""
    names = reversed(systems)
    return {n: MeasureValues(dict(reversed(systems[n].values.items())), None, "test") for n in names}


@pytest.mark.parametrize("seed", range(5))
def test_swaps_and_significance_are_those_of_means_and_of_the_comparison_of_systems(seed):
    """Pairs swap if their means change order, and appear or vanish if their corrected t-tests cross the
    level; the order of systems and queries has no say."""
    before, after = family(seed), moved(family(seed), seed + 100, 0.3)
    found, again = impact(before, after, measure="M"), impact(turned(before), turned(after), measure="M")
    means = [{n: np.mean(list(s.values.values())) for n, s in side.items()} for side in (before, after)]
    swapped = {
        frozenset(pair)
        for pair in combinations(before, 2)
        if (means[0][pair[0]] - means[0][pair[1]]) * (means[1][pair[0]] - means[1][pair[1]]) < 0
    }
    tau = scipy_stats.kendalltau([means[0][n] for n in before], [means[1][n] for n in before]).statistic
    significant = []
    for side in (before, after):
        compared = compare_all({name: held.values for name, held in side.items()})
        p = {frozenset((c.a, c.b)): c.tests[2].p_holm for c in compared}
        significant.append({pair for pair, value in p.items() if value is not None and value < 0.05})
    old, new = significant
    for one in (found, again):
        assert {frozenset((s.better, s.worse)) for s in one.swaps} == swapped
        assert one.tau.value == pytest.approx(tau, abs=1e-12)
        assert (one.reference_significant, one.candidate_significant) == (len(old), len(new))
        kinds = {frozenset((c.a, c.b)): c.change for c in one.significance if c.change != "reversed"}
        assert kinds == dict.fromkeys(old - new, "vanished") | dict.fromkeys(new - old, "appeared")
        assert one.affected == bool(one.swaps or one.significance)
        assert [q.query for q in one.queries] == [q.query for q in found.queries]


def test_a_swap_names_the_queries_that_change_the_lead():
    """Those that work towards the swap, the largest first; the summary tells the same."""
    before = {"a": values(0.5, 0.5, 0.5, 0.5), "b": values(0.4, 0.4, 0.4, 0.4)}
    after = {"a": values(0.5, 0.5, 0.9, 0.5), "b": values(0.4, 1.4, 0.8, 0.9)}
    found = impact(before, after, measure="M")
    (swap,) = found.swaps
    assert (swap.better, swap.worse, swap.change, swap.queries) == ("a", "b", "swapped", ["01", "03"])
    assert swap.lead == pytest.approx(0.1)
    assert [query.query for query in found.queries] == ["01", "02", "03"]
    assert "1 of 1 pair (Kendall's tau_b -1.000, tau_AP,a -1.000): 'b' overtakes 'a'." in found.summary
    assert "moves farthest is that of 'b': 0.4000 to 0.8750 (+0.4750)." in found.summary


def test_swaps_tell_ties_that_come_and_go_and_stand_in_order():
    """Pairs that turn round or become tied, the largest lead before first, then those that were tied; a pair
    whose means move without changing their order is none."""
    one = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.3, "e": 0.01}
    other = {"a": 0.2, "b": 0.4, "c": 0.2, "d": 0.1, "e": 0.05}
    before, after = ({name: values(mean, mean) for name, mean in side.items()} for side in (one, other))
    found = [(s.better, s.worse, s.change, s.lead, s.trail) for s in impact(before, after, measure="M").swaps]
    assert found == [
        ("a", "c", "now tied", pytest.approx(0.2), 0.0),
        ("a", "b", "swapped", pytest.approx(0.1), pytest.approx(0.2)),
        ("d", "c", "no longer tied", 0.0, pytest.approx(0.1)),
    ]


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "t", "randomisation"])
def test_every_test_can_decide(test):
    """A clear difference appears and vanishes; one that turns round is reported, though it is significant on
    both sides."""
    low, high = [0.1 + 0.001 * i for i in range(14)], [0.5 + 0.01 * i for i in range(14)]
    before = {"a": values(*low), "b": values(*high)}
    same, round_ = ({"a": values(*one), "b": values(*low)} for one in (low, high))
    for sides, change, significant in (
        ((before, same), "vanished", (1, None)),
        ((same, before), "appeared", (None, 1)),
        ((before, round_), "reversed", (1, 1)),
    ):
        found = impact(*sides, measure="M", test=test)  # type: ignore[arg-type]
        assert [c.change for c in found.significance] == [change]
        assert (found.reference_significant, found.candidate_significant) == significant
        assert f"1 {change}" in found.summary


def test_means_are_the_reported_ones_and_counts_are_summed():
    """Each side's own mean ranks the systems, also where its queries differ; a note says so."""
    before = {"a": values(0.5, 0.7), "b": values(0.55, 0.6)}
    after = {"a": values(0.5, 0.7, 0.0, 0.0), "b": values(0.55, 0.6)}
    found = impact(before, after, measure="M")
    assert {s.run: s.candidate_value for s in found.systems} == pytest.approx({"a": 0.3, "b": 0.575})
    assert [(s.change, s.queries) for s in found.swaps] == [("swapped", ["02", "03"])]
    assert any("'a' has 2 values on one side and 4 on the other" in note for note in found.notes)
    (summed,) = impact({"a": values(2, 3)}, {"a": values(2, 4)}, measure="NumRet", aggregate="sum").systems
    assert (summed.reference_value, summed.candidate_value) == (5.0, 6.0)


_XY = values(x=0.2, y=0.1)


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ({"a": values(0.1, 0.2)}, {"a": values(0.1, 0.3)}, "A ranking needs at least two systems, not 1."),
        ({"a": values(0.1), "b": values(0.2)}, {"a": values(0.3), "b": values(0.2)}, "one query only"),
        ({"a": values(0.1, 0.2), "b": values(0.1, 0.2)}, {"a": values(0.3, 0.2), "b": values(0.3, 0.2)},
         "the same value on all 2 queries"),
        ({"a": values(0.1, 0.2), "b": _XY}, {"a": values(0.2, 0.2), "b": _XY}, "no query in common"),
        ({"a": values(0.1, 0.3), "b": values(math.nan, 0.1)}, {"a": values(0.2, 0.3), "b": values(0.2, 0.1)},
         "'b' has no finite mean on one side"),
        ({"a": values(0.1, 0.3), "b": values(0.2, 0.1)}, {"a": values(0.2, 0.3)}, "'b' is left out"),
        ({"a": values(0.1, 0.2), "b": values(0.2, 0.3)}, {"a": values(0.2, 0.1), "b": values(0.3, 0.2)},
         "without variance t is undefined"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_has_its_reason(before, after, note):
    """One system, one query, identical runs, unpaired queries, NaN, a missing system, no variance. One system
    has no conclusion that could change: affected is None, not False."""
    found = impact(before, after, measure="M")
    assert any(note in said for said in found.notes), found.notes
    numbers = [s.reference_value for s in found.systems] + [q.total for q in found.queries]
    assert not any(n is not None and math.isnan(n) for n in numbers)
    assert "nan" not in found.summary.lower()
    assert (found.affected is None) == found.summary.startswith("No conclusion can be compared")
    assert (found.affected is None) == (len(found.systems) == 1 or "no finite mean" in note)


def test_without_scipy_the_ranking_is_still_compared(monkeypatch):
    """Where scipy is missing, significance is left out with the command that installs it."""
    monkeypatch.setattr("crosscheck.statistics.impact.find_spec", lambda name: None)
    found = impact(family(0), moved(family(0), 1, 0.5), measure="M")
    assert (found.reference_significant, found.candidate_significant) == (None, None)
    assert any("pip install 'crosscheck-ir[stats]'" in note for note in found.notes)
    assert found.tau.value is not None


def test_queries_that_one_side_or_one_system_lacks_are_counted():
    """A query lost and a query won are changes, NaN on both sides is none; neither those that one of two
    systems lacks nor those without a number can be paired."""
    other = values(q1=0.5, q2=0.6, q3=0.7, q4=0.8)
    before = {"a": values(q1=0.1, q2=0.2, q3=math.nan), "b": other}
    after = {"a": values(q1=0.1, q3=math.nan, q4=0.4), "b": other}
    found = impact(before, after, measure="M")
    assert {s.run: s.changed for s in found.systems} == {"a": 2, "b": 0}
    assert (found.changed, found.values) == (2, 8)
    assert any(note.startswith("2 queries without a value in some run") for note in found.notes), found.notes
