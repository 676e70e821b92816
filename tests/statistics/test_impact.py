"""What changes when systems are measured another way."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from crosscheck.model import MeasureValues
from crosscheck.statistics.impact import impact
from crosscheck.statistics.paired import compare_all
from tests.support.kept import Kept, shown

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


def side(**levels: tuple[float, float]) -> dict[str, MeasureValues]:
    """Systems by their level, and how far their queries are from it."""
    return {
        name: values(*(level + (i + ord(name)) % 7 / 100 + spread * (-1) ** i for i in range(22)))
        for name, (level, spread) in levels.items()
    }


def told(before: dict[str, MeasureValues], after: dict[str, MeasureValues], **more: Any) -> list[str]:
    """All that is said of a change, but p-values; other orders of the systems change none of it."""
    found = impact(before, after, measure="M", names=("old", "new"), **more)
    again = impact(dict(reversed(before.items())), after, measure="M", names=("old", "new"), **more)
    assert (again.swaps, again.tau) == (found.swaps, found.tau)
    numbers = [s.reference_value for s in found.systems] + [q.total for q in found.queries]
    assert not any(n is not None and math.isnan(n) for n in numbers)
    moves = (
        f"{s.run}: {s.reference_value} to {s.candidate_value}, {s.changed} changed" for s in found.systems
    )
    return [
        found.summary,
        f"affected: {found.affected}; {found.changed} of {found.values} values; {len(found.queries)} queries:"
        + "".join(f" {query.query}" for query in found.queries),
        f"systems: {'; '.join(moves)}",
        *(
            f"{s.better} over {s.worse} {s.change}, {s.lead} to {s.trail}: {' '.join(s.queries)}"
            for s in found.swaps
        ),
        *(f"{s.a} and {s.b} {s.change}: {' '.join(s.queries)}" for s in found.significance),
        *found.notes,
    ]


XY, AB, NAN = values(x=0.2, y=0.1), values(0.1, 0.2), math.nan
KEPT = Kept(__file__, TypeError, ValueError, within=(globals(),), show=shown)


@KEPT.each()
def test_what_is_said_of_a_change(given):
    """The summary, the swaps, the queries that make them, and what cannot be told, with its reason."""
    KEPT.holds(given)


def test_without_scipy_the_ranking_is_still_compared(monkeypatch):
    """Where scipy is missing, significance is left out with the command that installs it."""
    monkeypatch.setattr("crosscheck.statistics.impact.find_spec", lambda name: None)
    before, after = {"a": values(0.1, 0.3), "b": AB}, {"a": values(0.1, 0.2), "b": values(0.5, 0.6)}
    found = impact(before, after, measure="M")
    assert (found.reference_significant, found.candidate_significant) == (None, None)
    (note,) = found.notes
    assert note == "Significance was not tested: scipy is not installed (pip install 'crosscheck-ir[stats]')."
    assert found.tau.value == -1
