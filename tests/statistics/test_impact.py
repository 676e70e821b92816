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
    assert (swap.lead, swap.trail) == (0.1, 0.275)
    assert [query.query for query in found.queries] == ["01", "02", "03"]
    assert found.summary.endswith("Queries that move: '01', '02' and '03'.")


def test_swaps_tell_ties_that_come_and_go_and_stand_in_order():
    """Pairs that turn round or become tied, the largest lead before first, then those that were tied; a pair
    whose means move without changing their order is none."""
    one = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.3, "e": 0.01}
    other = {"a": 0.2, "b": 0.4, "c": 0.2, "d": 0.1, "e": 0.05}
    before, after = ({name: values(mean, mean) for name, mean in side.items()} for side in (one, other))
    found = [(s.better, s.worse, s.change, s.lead, s.trail) for s in impact(before, after, measure="M").swaps]
    assert found == [
        ("a", "c", "now tied", 0.2, 0.0),
        ("a", "b", "swapped", 0.1, 0.2),
        ("d", "c", "no longer tied", 0.0, 0.1),
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
        assert ("none" in found.summary) is (None in significant)


def test_means_are_the_reported_ones_and_counts_are_summed():
    """Each side's own mean ranks the systems, also where its queries differ; a note says so."""
    before = {"a": values(0.5, 0.7), "b": values(0.55, 0.6)}
    after = {"a": values(0.5, 0.7, 0.0, 0.0), "b": values(0.55, 0.6)}
    found = impact(before, after, measure="M")
    assert {s.run: s.candidate_value for s in found.systems} == pytest.approx({"a": 0.3, "b": 0.575})
    assert [(s.change, s.queries) for s in found.swaps] == [("swapped", ["02", "03"])]
    assert found.notes[-1] == (
        "'a' has 2 values on one side and 4 on the other: its two means are over different queries."
    )
    (summed,) = impact({"a": values(2, 3)}, {"a": values(2, 4)}, measure="NumRet", aggregate="sum").systems
    assert (summed.reference_value, summed.candidate_value) == (5.0, 6.0)


_XY, _AB = values(x=0.2, y=0.1), values(0.1, 0.2)
_ONE = "There is one query only, and a test needs at least two."
_ALONE = "A ranking needs at least two systems, not 1."
_NO_MEAN = "'{}' has no finite mean on one side, so it is left out of the rankings."
_UNPAIRED = "{} without a value in some run: the tests of that run leave them out."
_FARTHEST = "The mean that moves farthest is that of 'a': {}. Queries that move: '00'."
_LITTLE = _FARTHEST.format("0.1500 to 0.2000 (+0.0500)")
_AFFECTED = {None: "No conclusion can be", False: "No conclusion changes", True: "Conclusions change:"}


@pytest.mark.parametrize(
    ("before", "after", "affected", "ends", "notes"),
    [
        ({"a": values(0.1, math.nan)}, {"a": values(0.1, 0.3)}, None,
         "1 of 2 values of M changes under new instead of old. Queries that move: '01'.",
         [_NO_MEAN.format("a"), _ALONE]),
        ({"a": values(0.1), "b": values(0.2)}, {"a": values(0.3), "b": values(0.2)}, True,
         "'a' overtakes 'b'. " + _FARTHEST.format("0.1000 to 0.3000 (+0.2000)"), [_ONE]),
        ({"a": _AB, "b": _AB}, {"a": values(0.3, 0.2), "b": values(0.3, 0.2)}, False,
         "The ranking of the 2 systems stays the same. " + _FARTHEST.format("0.1500 to 0.2500 (+0.1000)"),
         ["The two systems have the same value on all 2 queries, so there is no test."]),
        ({"a": _AB, "b": _XY}, {"a": _AB, "b": _XY}, False,
         "Nothing changes: M has the same 4 values under new instead of old, so every conclusion stays.",
         ["The two systems have no query in common.", _UNPAIRED.format("4 queries")]),
        ({"a": _AB, "b": values(math.nan, 0.1)}, {"a": values(0.2, 0.2), "b": values(0.2, 0.1)}, None,
         "under new instead of old. No significant difference appears or vanishes (0 before and after; paired"
         " t-test, Holm over 1 pair, level 0.05). " + _LITTLE,
         [_NO_MEAN.format("b"), _ONE, _UNPAIRED.format("1 query")]),
        ({"a": _AB, "c": _XY, "b": _XY}, {"a": values(0.2, 0.2)}, None, _LITTLE,
         [*(f"'{name}' is left out: only one side has values of it." for name in "bc"), _ALONE]),
        ({"a": _AB, "b": values(0.2, 0.3)}, {"a": values(0.2, 0.1), "b": values(0.3, 0.2)}, False,
         "(Kendall's tau_b 1.000, tau_AP,a 1.000). No mean moves. Queries that move: '00' and '01'.",
         ["All differences are 0.1; without variance t is undefined."]),
    ],
)  # fmt: skip
def test_what_cannot_be_told_has_its_reason(before, after, affected, ends, notes):
    """One system, one query, identical runs, unpaired queries, NaN, a missing system, no variance. One system
    has no conclusion that could change: affected is None, not False."""
    found = impact(before, after, measure="M", names=("old", "new"))
    assert (found.affected, found.notes) == (affected, notes)
    assert found.summary.endswith(ends)
    assert found.summary.startswith(_AFFECTED[affected] if found.changed else ends)
    numbers = [s.reference_value for s in found.systems] + [q.total for q in found.queries]
    assert not any(n is not None and math.isnan(n) for n in numbers)


def test_of_many_changes_the_first_are_named():
    """Three of each kind in the summary; five queries of each pair and twenty of all in the record."""

    def side(**levels: tuple[float, float]) -> dict[str, MeasureValues]:
        return {
            name: values(*(level + (i + ord(name)) % 7 / 100 + spread * (-1) ** i for i in range(22)))
            for name, (level, spread) in levels.items()
        }

    before = side(a=(0.8, 0), b=(0.7, 0), c=(0.6, 0), d=(0.5, 0.4))
    after = side(a=(0.5, 0), b=(0.6, 0), c=(0.7, 0.4), d=(0.8, 0))
    found = impact(before, after, measure="M")
    again = impact(dict(reversed(before.items())), after, measure="M")
    assert (again.swaps, again.tau) == (found.swaps, found.tau)
    assert found.summary == (
        "Conclusions change: 88 of 88 values of M change under candidate instead of reference. The ranking of"
        " the 4 systems changes: 6 of 6 pairs (Kendall's tau_b -1.000, tau_AP,a -1.000): 'd' overtakes 'a';"
        " 'c' overtakes 'a'; 'd' overtakes 'b'; and 3 more. Significant differences change: 2 vanished, 1"
        " appeared and 2 reversed (paired t-test, Holm over 6 pairs, level 0.05): 'a' and 'b' (p below 0.0001"
        " before, below 0.0001 now); 'a' and 'c' (p below 0.0001 before, 0.1004 now); 'a' and 'd' (p 0.0073"
        " before, below 0.0001 now); and 2 more. The mean that moves farthest is that of 'a': 0.8314 to"
        " 0.5314 (-0.3000). Of the 22 queries that move, '13', '01' and '03' move most."
    )
    assert [len(change.queries) for change in (*found.swaps, *found.significance)] == [5] * 11
    assert len(found.queries) == 20
    assert found.significance[-1].queries == found.swaps[2].queries == ["13", "01", "03", "05", "07"]


def test_without_scipy_the_ranking_is_still_compared(monkeypatch):
    """Where scipy is missing, significance is left out with the command that installs it."""
    monkeypatch.setattr("crosscheck.statistics.impact.find_spec", lambda name: None)
    before, after = {"a": values(0.1, 0.3), "b": _AB}, {"a": values(0.1, 0.2), "b": values(0.5, 0.6)}
    found = impact(before, after, measure="M")
    assert (found.reference_significant, found.candidate_significant) == (None, None)
    (note,) = found.notes
    assert note == "Significance was not tested: scipy is not installed (pip install 'crosscheck-ir[stats]')."
    assert found.tau.value == -1


def test_queries_that_one_side_or_one_system_lacks_are_counted():
    """A query lost and a query won are changes, NaN on both sides is none; neither those that one of two
    systems lacks nor those without a number can be paired."""
    other = values(q1=0.5, q2=0.6, q3=0.7, q4=0.8)
    before = {"a": values(q1=0.1, q2=0.2, q3=math.nan), "b": other}
    after = {"a": values(q1=0.1, q3=math.nan, q4=0.4), "b": other}
    found = impact(before, after, measure="M")
    assert {s.run: s.changed for s in found.systems} == {"a": 2, "b": 0}
    assert (found.changed, found.values) == (2, 8)
    assert found.notes[-1] == "2 queries without a value in some run: the tests of that run leave them out."
